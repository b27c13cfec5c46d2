"""Functions about one scenario that simulate little or nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cellrate.advice import explain as explaining
from cellrate.advice.explain import Explanation
from cellrate.common.input_file import read_bytes
from cellrate.common.problems import choose
from cellrate.simulation.graphml import SERVICES, GraphOptions, scenario_of
from cellrate.simulation.network import Network
from cellrate.simulation.passages import passages, usual_end
from cellrate.simulation.runner import Job
from cellrate.simulation.scenarios import Overrides, Scenario, ScenarioLike, Validation, job_of
from cellrate.studies.plots.time_space import time_space as draw_time_space

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def explain(
    scenario: ScenarioLike, *, overrides: Overrides = (), seed: int | None = None
) -> Explanation:
    """Says what theory expects of a scenario before it runs, as ``cellrate explain``.

    Args:
        scenario: A path, TOML, mapping or `Scenario`, as for `run`.
        overrides: Settings, as for `run`.
        seed: Replaces the scenario's seed.

    Returns:
        Statements with their values, formulas and the assumptions that fail.

    Raises:
        ScenarioError: The scenario is wrong.
        TypeError: The seed is not an integer.
        ValueError: The seed is out of range.
    """
    job = job_of(scenario, overrides, seed)
    network = Network.of_scenario(job.scenario())
    return replace(explaining.explain(network), scenario=job.path)


def validate(
    scenario: ScenarioLike, *, overrides: Overrides = (), seed: int | None = None
) -> Validation:
    """Checks a scenario without running it, as ``cellrate validate``.

    Raises:
        ScenarioError: The scenario is wrong.
        TypeError: The seed is not an integer.
        ValueError: The seed is out of range.
    """
    return Scenario(scenario, overrides, seed).validate()


def time_space(
    scenario: ScenarioLike,
    from_seconds: float | None = None,
    to_seconds: float | None = None,
    *,
    flow: str | None = None,
    overrides: Overrides = (),
    seed: int | None = None,
) -> Figure:
    """Draws the cells of a flow on their path over a short span, as ``cellrate time-space``.

    Args:
        scenario: A path, TOML, mapping or `Scenario`, as for `run`.
        from_seconds: Start of the span; the start of the flow by default.
        to_seconds: End of the span; two round trips after its start by default.
        flow: Flow whose path is drawn, as ``tcp.1``; the first by default.
        overrides: Settings, as for `run`.
        seed: Replaces the scenario's seed.

    Raises:
        BadInput: There is no such flow.
        ScenarioError: The scenario is wrong.
        ValueError: The span is empty or not finite, or the seed is out of range.
    """
    checked = job_of(scenario, overrides, seed).scenario()
    network = Network.of_scenario(checked)
    names = [one.name for one in network.flows]
    chosen = names[0] if flow is None else choose(flow, names, "flow")
    drawn = network.flows[names.index(chosen)]
    begin = drawn.start_seconds if from_seconds is None else from_seconds
    end = usual_end(drawn, begin) if to_seconds is None else to_seconds
    if not (0 <= begin < end < math.inf):
        raise ValueError(
            f"from {begin} s to {end} s: a span must begin at 0 s or later, and end after its begin"
        )
    return draw_time_space(passages(checked, (begin, end)), drawn)


def import_graph(
    file: str | Path,
    *,
    flows: Sequence[tuple[str, str]] = (),
    service: str = "abr",
    rate: str | None = None,
    delay: str | None = None,
    host_rate: str | None = None,
    host_delay: str = "1 km",
    duration: str = "1 s",
    join_parallel: bool = False,
) -> Scenario:
    """Makes a scenario of the nodes and links of a GraphML file, as ``cellrate import-graph``.

    Args:
        file: The file.
        flows: Flows besides those of the file, as pairs of hosts.
        service: Service class of the flows: cbr, vbr, abr, ubr or random.
        rate: Rate of links whose rate the file does not give, as ``"155.52 Mbit/s"``.
        delay: Delay or length of links without one, as ``"300 km"``.
        host_rate: Gives every switch a host over a link of this rate.
        host_delay: Delay or length of these links.
        duration: Simulated time.
        join_parallel: True if several links between two nodes become one, with the sum of their
            rates and the longest of their delays.

    Raises:
        BadInput: The file or an argument is wrong, or networkx (the extra `graph`) is missing.
        ScenarioError: The network cannot carry a flow.
        OSError: The file cannot be read.
    """
    known = choose(service, SERVICES, "service")
    options = GraphOptions(
        rate, delay, flows, known, host_rate, host_delay, duration, join_parallel
    )
    data = read_bytes(file)
    return Scenario(Job(scenario_of(data, str(file), options), Path(file).stem))
