"""`cellrate run`: runs a scenario once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli import one_run
from cellrate.cli.amounts import span
from cellrate.cli.answering import hand_over
from cellrate.cli.options import Json, ScenarioFile, Seed, Settings, Threads
from cellrate.cli.pictures import picture_options
from cellrate.cli.progress import ProgressBar
from cellrate.common.problems import BadInput
from cellrate.common.to_json import json_text
from cellrate.simulation import source
from cellrate.simulation.picture_options import PictureKind
from cellrate.simulation.runner import thread_count

if TYPE_CHECKING:
    from cellrate.simulation.runner import Job


def run(
    file: ScenarioFile,
    /,
    *,
    overrides: Settings = [],  # noqa: B006  cyclopts never changes it
    seed: Seed = None,
    json: Json = False,
    out: Annotated[Path | None, Parameter(help="Directory for traces, events, summary.")] = None,
    plot: Annotated[
        PictureKind | None,
        Parameter(
            help="Draw all traces, or only what is named: a kind of trace, phase or dashboard."
        ),
    ] = None,
    plot_from: Annotated[
        str | None,
        Parameter(
            name="--from",
            allow_leading_hyphen=True,
            help='Start of the plotted span, as in "10 ms"; 0 by default.',
        ),
    ] = None,
    plot_to: Annotated[
        str | None,
        Parameter(
            name="--to",
            allow_leading_hyphen=True,
            help="End of the plotted span; end of the run by default.",
        ),
    ] = None,
    dark: Annotated[bool, Parameter(negative="", help="Draw the pictures light on dark.")] = False,
    capture: Annotated[
        list[str],
        Parameter(
            show_default=False,
            negative="",
            help="Place to capture at, as in --capture A:ip; repeatable.",
        ),
    ] = [],  # noqa: B006  as above
    capture_from: Annotated[
        str | None,
        Parameter(help='Start of the captures, as in "10 ms"; by default the start of the run.'),
    ] = None,
    capture_to: Annotated[
        str | None, Parameter(help="End of the captures; end of the run by default.")
    ] = None,
    threads: Threads = "auto",
    plan: Annotated[
        bool,
        Parameter(
            negative="",
            help="Show the part of the network that each thread would simulate; run nothing.",
        ),
    ] = False,
    profile: Annotated[
        bool,
        Parameter(
            negative="", help="Show on what the run spends processor time, instead of the measures."
        ),
    ] = False,
) -> None:
    """Run a scenario and show its measures.

    With --out, this directory receives summary.json, resolved.toml (the scenario with every default
    written out) and, if the scenario asks for them, traces.parquet and events.parquet. --plot adds
    figures/, --capture adds captures/; without --out, they go to out/ and the scenario's name.

    --plot draws each kind of trace over time, and all above each other; --plot queue (or acr, cwnd,
    sequence, utilisation) draws one kind. --plot phase draws the queue against ACR, --plot
    dashboard queue, ACR, cwnd, throughput and utilisation above each other. --from and --to choose
    the time that pictures show.

    --capture POINT writes the traffic at a place of the network, for tcpdump, tshark and Wireshark.
    POINT is a node (all its links), "A->B" (cells that leave A to B) or "A<->B" (both directions,
    seen at A). POINT:FORMAT,... selects formats: cells, pdus, erf, line, sunatm or ip; over
    Ethernet there is one, frames. For captures of cells the run is made once more, by an engine
    that handles one event at a time; this takes some twenty times as long as the run alone.

    --threads N divides the network among N threads if this is faster: the parts must have about
    equal work and long links between them. A run with classes in Python has one thread, and so has
    the run for captures. --plan shows the parts, or why there is only one.

    --profile runs the scenario several times. It shows the processor time of hosts, switches,
    samples, traces and all other tasks, the time that fewer recordings or more threads would save,
    and what components did, such as how many cells ports dropped.
    """
    job = one_run.job_of(file, overrides, seed)
    if plan:
        _refuse_files("--plan, which runs nothing", out=out, plot=plot, capture=capture or None)
        _show_plan(job.scenario(), job.path, threads, json=json)
        return
    if profile:
        _refuse_files("--profile", out=out, plot=plot, capture=capture or None)
        _profiled(job, json=json)
        return
    one_run.run_once(
        job,
        out=out,
        pictures=picture_options(plot, plot_from, plot_to, dark=dark),
        capture=capture,
        between=_captured_span(capture_from, capture_to, captured=bool(capture)),
        threads=threads,
        json=json,
    )


def _refuse_files(because: str, **options: object) -> None:
    """Refuses options that write files, if the run is not made.

    Raises:
        BadInput: Such an option is given.
    """
    given = next((name for name, value in options.items() if value is not None), None)
    if given is not None:
        raise BadInput(f"--{given}: nothing is written with {because}")


def _show_plan(scenario: _core.Scenario, name: str, threads: Threads, *, json: bool) -> None:
    from cellrate.cli.tables import partition_document

    found = scenario.partition(thread_count(threads))
    hand_over(
        json=json,
        as_json=lambda: {"threads": len(found["parts"]), **found},
        report=lambda: partition_document(source.short_name(name), found),
    )


def _profiled(job: Job, *, json: bool) -> None:
    """Profiles a job and shows the profile."""
    from dataclasses import asdict

    from cellrate.cli.tables import show_profile
    from cellrate.simulation.profile import profile

    with ProgressBar("profiling") as progress:
        found = profile(job, progress)
    if json:
        sys.stdout.write(json_text(asdict(found)))
    else:
        show_profile(found, job.path)


def _captured_span(begin: str | None, end: str | None, *, captured: bool) -> tuple[float, float]:
    """Start and end of captures in seconds.

    Raises:
        BadInput: A text is not a time, the end is not after the start, or `--capture` is missing.
    """
    for option, text in zip(one_run.CAPTURE_SPAN, (begin, end), strict=True):
        if text is not None and not captured:
            raise BadInput(f"{option} has no effect without --capture")
    return span("0 s" if begin is None else begin, end, one_run.CAPTURE_SPAN)
