"""`cellrate new`, imports, `validate`, `explain`: a scenario before it runs."""

from __future__ import annotations

import json as jsonlib
import sys
from typing import Annotated, Any

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli import validated
from cellrate.cli.answering import hand_over
from cellrate.cli.from_function import made_from
from cellrate.cli.one_run import job_of
from cellrate.cli.options import Json, ScenarioFile
from cellrate.common.input_file import MOST_BYTES, read_bytes, read_stream
from cellrate.common.problems import BadInput, choose, reading
from cellrate.functions import about
from cellrate.simulation.source import STANDARD_INPUT


def new(
    template: Annotated[str, Parameter(name="TEMPLATE", help="See `cellrate list templates`.")], /
) -> None:
    """Print a commented scenario to start from."""
    names = [entry["name"] for entry in jsonlib.loads(_core.registry())["templates"]]
    sys.stdout.write(_core.template(choose(template, names, "template")))


@made_from(
    about.import_graph,
    flows="A flow between two hosts, FROM:TO, in addition to those of the file; repeatable.",
)
def import_graph(
    file: Annotated[
        str, Parameter(name="FILE", allow_leading_hyphen=True, help="GraphML; - is standard input.")
    ],
    /,
    **options: Any,  # noqa: ANN401  of the function
) -> None:
    """Print a scenario with the nodes and links of a GraphML file, as a start for your own.

    The attribute `kind` of a node is host or switch; without it, a node with at most one neighbour
    is a host. Links have `rate` ("155.52 Mbit/s") and `delay` or `length` ("300 km") as text, or
    `rate_bits_per_second`, `delay_seconds`, `length_km` as numbers. Hosts may name other hosts in
    `flows_to`, switches may have a `buffer` ("300 kB", or "1000 cells" of ATM). If two nodes have
    the same name, the second gets `-2`. All graphs of the file are read; a node with a graph inside
    is a
    frame around its nodes unless a link ends at it. Needs networkx: the extra `graph`.
    """
    from cellrate.simulation.graphml import GraphOptions, scenario_of

    data, name = _read(file)
    options["flows"] = [_ends(text) for text in options["flows"]]
    sys.stdout.write(scenario_of(data, name, GraphOptions(**options)))


@made_from(
    about.import_goal,
    hosts="Host of the next rank, from rank 0 on; repeatable. By default ranks are on all hosts in "
    "the order of the topology.",
)
def import_goal(
    file: Annotated[
        str,
        Parameter(name="FILE", allow_leading_hyphen=True, help="GOAL file; - is standard input."),
    ],
    /,
    **options: Any,  # noqa: ANN401  of the function
) -> None:
    """Print a scenario with the messages of a GOAL file, the trace format of LogGOPSim.

    Each send becomes a flow. It begins once the receives, calcs and sends that it requires have
    ended. The messages go into a CSV file, which the scenario names. A calc takes its time in ns on
    its processor; sends and receives take no time of a processor. An error names what a file means
    and steps cannot express, such as two calcs with different times before one send.
    """
    from cellrate.simulation.goal import GoalOptions, scenario_of

    data, name = _read(file)
    sys.stdout.write(scenario_of(data, name, GoalOptions(**options)))


def _read(file: str) -> tuple[bytes, str]:
    """The contents of a file, or of standard input, and its name."""
    with reading(file):
        if file == STANDARD_INPUT:
            return read_stream(sys.stdin.buffer, MOST_BYTES), "<stdin>"
        return read_bytes(file), file


def _ends(text: str) -> tuple[str, str]:
    source, colon, destination = text.partition(":")
    if not (source and colon and destination):
        raise BadInput(f"--flow {text!r}: must be FROM:TO, the names of two hosts")
    return source, destination


@made_from(about.validate)
def validate(file: ScenarioFile, /, *, json: Json = False, **options: Any) -> None:  # noqa: ANN401
    """Check a scenario without running it, and estimate time, memory and disk that a run takes.

    The checks, the warnings and the exit code are those of `cellrate run`, except warnings that
    need the run itself.
    """
    job = job_of(file, options["overrides"], options["seed"])
    validated.validate(job.scenario(), job.path, json=json)


@made_from(about.explain)
def explain(
    file: ScenarioFile,
    /,
    *,
    json: Json = False,
    everything: Annotated[
        bool,
        Parameter(
            name="--all", negative="", help="Also list the quantities that no formula computes."
        ),
    ] = False,
    **options: Any,  # noqa: ANN401  of the function
) -> None:
    """Say what theory expects of a scenario before it runs.

    Opens with a verdict of three sentences, then goes through bottlenecks, fair shares, delays,
    throughput, queues, time constants, oscillation and loss. "At most" is a bound that no run
    exceeds. "Expected" is a prediction, with the error that predictions of its kind had in random
    scenarios. A formula in brackets is one of `cellrate theory`; if one of its assumptions fails,
    the answer says so before the number. For a scenario with `changes` the answer is about the
    network before the first change. If flows or their pairs of hosts depend on `run.seed`, the
    first sentence has the seed for which the numbers hold.
    """
    explanation = about.explain(job_of(file), **options)
    from cellrate.advice.explain.report import as_json, report

    name = explanation.scenario
    hand_over(
        json=json,
        as_json=lambda: {
            "scenario": name,
            "settings": options["overrides"],
            **as_json(explanation),
        },
        report=lambda: report(explanation, name, everything=everything),
    )
