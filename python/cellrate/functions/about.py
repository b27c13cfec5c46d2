"""Functions about one scenario that simulate little or nothing, and benchmarks of the engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellrate import _core
from cellrate.common.arguments import names_wrong_types
from cellrate.common.extras import saying_what_is_missing
from cellrate.simulation.progress_line import watching
from cellrate.simulation.runner import Job
from cellrate.simulation.scenarios import Scenario, job_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cellrate.advice.explain import Explanation
    from cellrate.simulation.component_bench import Cost
    from cellrate.simulation.progress_line import Watcher
    from cellrate.simulation.scenarios import Overrides, ScenarioLike, Validation


@saying_what_is_missing
@names_wrong_types
def explain(
    scenario: ScenarioLike, *, overrides: Overrides = (), seed: int | None = None
) -> Explanation:
    """Says what theory expects of a scenario before it runs, as ``cellrate explain``.

    Args:
        scenario: A path, TOML, mapping or `Scenario`, as for `run`.
        overrides: Settings, as for `run`.
        seed: Seed instead of the scenario's.

    Returns:
        Statements with their values, their formulas, and the assumptions of formulas that the
        scenario does not meet.

    Raises:
        ScenarioError: The scenario is wrong.
        TypeError: The seed is not an integer.
        ValueError: The seed is out of range.
    """
    from dataclasses import replace

    job = job_of(scenario, overrides, seed)
    checked = job.scenario()
    # Imported late, because the modules load slowly and most errors are known before.
    from cellrate.advice import explain as explaining
    from cellrate.advice.explain.seeds import drawn_under_seed
    from cellrate.simulation.network.ethernet_view import network_of
    from cellrate.simulation.network.joined_view import joined_network

    checked.require_point_to_point()
    network = joined_network(checked) or network_of(checked)
    found = replace(explaining.explain(network), scenario=job.path)
    drawn = drawn_under_seed(checked)
    if drawn is None:
        return found
    note, own = drawn
    return replace(found, verdict=(note, *found.verdict), holds_for_seed=own)


@names_wrong_types
def validate(
    scenario: ScenarioLike, *, overrides: Overrides = (), seed: int | None = None
) -> Validation:
    """Checks a scenario without running it, as ``cellrate validate``.

    Args:
        scenario: A path, TOML, mapping or `Scenario`, as for `run`.
        overrides: Settings, as for `run`.
        seed: Seed instead of the scenario's.

    Raises:
        ScenarioError: The scenario is wrong.
        TypeError: The seed is not an integer.
        ValueError: The seed is out of range.
    """
    return Scenario(scenario, overrides, seed).validate()


@saying_what_is_missing
@names_wrong_types
def time_space(
    scenario: ScenarioLike,
    from_seconds: float | None = None,
    to_seconds: float | None = None,
    *,
    flow: str | None = None,
    overrides: Overrides = (),
    seed: int | None = None,
) -> Figure:
    """Draws cells or frames of a flow on their path over a short span, as ``cellrate time-space``.

    Args:
        scenario: A path, TOML, mapping or `Scenario`, as for `run`.
        from_seconds: Start of the span; the start of the flow by default.
        to_seconds: End of the span, not after the end of the run; two round trips after its start
            by default.
        flow: Flow whose path is drawn, as ``tcp.1``; the first by default.
        overrides: Settings, as for `run`.
        seed: Seed instead of the scenario's.

    Raises:
        BadInput: There is no such flow, or the span is not within the run.
        ScenarioError: The scenario is wrong.
        ValueError: The span is empty or not finite, or the seed is out of range.
    """
    from cellrate.simulation.network.ethernet_view import network_of
    from cellrate.simulation.passages import flow_named, passages, usual_end
    from cellrate.simulation.spans import PARAMETERS, refuse_outside
    from cellrate.studies.plots.time_space import time_space as draw_time_space

    checked = job_of(scenario, overrides, seed).scenario()
    network = network_of(checked)
    drawn = flow_named(network, flow)
    begin = drawn.start_seconds if from_seconds is None else from_seconds
    refuse_outside(checked, (begin, math.inf if to_seconds is None else to_seconds), PARAMETERS)
    end = usual_end(network, drawn, begin) if to_seconds is None else to_seconds
    if not (0 <= begin < end < math.inf):
        raise ValueError(
            f"from {begin} s to {end} s: a span must begin at 0 s or later, and end after its start"
        )
    return draw_time_space(passages(checked, (begin, end)), drawn)


@names_wrong_types
def import_graph(
    file: str | Path,
    *,
    flows: Sequence[tuple[str, str]] = (),
    service: str | None = None,
    rate: str | None = None,
    delay: str | None = None,
    host_rate: str | None = None,
    host_delay: str = "1 km",
    duration: str = "1 s",
    join_parallel: bool = False,
    link_layer: str = "atm",
) -> Scenario:
    """Makes a scenario of the nodes and links of a GraphML file, as ``cellrate import-graph``.

    Args:
        file: Path of the GraphML file.
        flows: Flows besides the flows of the file, as pairs of hosts.
        service: Service class of the flows over ATM; abr if absent.
        rate: Rate of links whose rate the file does not give.
        delay: Delay or length (as in 300 km) of links for which the file gives neither.
        host_rate: Give every switch a host, named h.SWITCH, over a link of this rate.
        host_delay: Delay or length of the links of these hosts.
        duration: Simulated time.
        join_parallel: Make one link of several between two nodes: the sum of their rates, the
            longest of their delays.
        link_layer: atm, or ethernet for a network of TCP over Ethernet.

    Raises:
        BadInput: The file or an argument is wrong, or networkx (the extra `graph`) is missing.
        ScenarioError: The network cannot carry a flow.
        OSError: The file cannot be read.
    """
    from cellrate.common.input_file import read_bytes
    from cellrate.simulation.graphml import GraphOptions, scenario_of

    options = GraphOptions(
        rate, delay, flows, service, host_rate, host_delay, duration, join_parallel, link_layer
    )
    data = read_bytes(file)
    return Scenario(Job(scenario_of(data, str(file), options), Path(file).stem))


@names_wrong_types
def import_goal(
    file: str | Path,
    *,
    steps: str,
    network: str = "leaf-spine",
    hosts: Sequence[str] = (),
    eager_bytes: int = 0,
    duration: str | None = None,
) -> Scenario:
    """Makes a scenario of the messages of a GOAL file, as ``cellrate import-goal``.

    Args:
        file: Path of the GOAL file.
        steps: Path of the CSV file into which the messages are written; the scenario names it.
        network: Template, or path of a scenario, whose Ethernet carries the messages. Its flows
            are left out, but the transport of its first flow group stays.
        hosts: Hosts of the ranks from 0 on; by default all hosts in the order of the topology.
        eager_bytes: A send of at most so many bytes ends for its rank when it begins; a longer
            one ends with the acknowledgement of its last byte.
        duration: Simulated time; by default that of the network.

    Raises:
        BadInput: The file or an argument is wrong, or steps cannot express what the file means.
        ScenarioError: The network is wrong, or cannot carry the messages.
        TypeError: `eager_bytes` is not an integer.
        OSError: A file cannot be read or written.
    """
    from cellrate.common.input_file import read_bytes
    from cellrate.functions.runs_of import whole
    from cellrate.simulation.goal import GoalOptions, scenario_of

    eager = whole("eager_bytes", eager_bytes)
    options = GoalOptions(steps, network, hosts, eager, duration)
    return Scenario(Job(scenario_of(read_bytes(file), str(file), options), Path(file).stem))


@names_wrong_types
def bench(*, progress: Watcher | bool | None = None) -> dict[str, Any]:
    """Times the engine on one core, as ``cellrate bench --json``; units are in the keys."""
    import json

    with watching(progress, "timing") as watch:
        found: dict[str, Any] = json.loads(_core.bench(None, _in_parts(watch)))
    return found


@names_wrong_types
def bench_components(*, progress: Watcher | bool | None = None) -> list[Cost]:
    """Times every control scheme, policy, source and recovery, as ``cellrate bench --components``.

    Returns:
        Costs in ns per cell-hop (a cell over one link), and relative to the simplest of each kind.
    """
    from cellrate.simulation import component_bench

    with watching(progress, "timing") as watch:
        return component_bench.measure(_in_parts(watch))


def _in_parts(watch: Watcher | None) -> Callable[[float, float], None] | None:
    return None if watch is None else (lambda done, total: watch(done, int(total)))
