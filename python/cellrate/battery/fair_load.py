"""The load of an experiment in the max-min solution: bottlenecks and fair rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from cellrate.battery.experiments import Experiment
from cellrate.simulation.network import Flow, Network, fair_shares
from cellrate.simulation.scenarios import Scenario
from cellrate.theory import MaxMin


@dataclass(frozen=True)
class FairLoad:
    """An experiment as its runs are measured.

    Attributes:
        bottlenecks: Names of the links that limit a flow in the max-min solution.
        data: Max-min fair rate of each greedy flow without RM cells, mean over the measuring
            window, in cells/s; empty if the flows are not greedy.
        arriving: Max-min fair rates of the flows over each last link after the last change, in
            cells/s, if they are greedy.
        cells_per_byte: Cells in which a flow's data travel, by delivered byte.
        settles_from_seconds: The last start or change; None if the experiment need not settle.
        steady_from_seconds: Time from which on nothing but the control moves the rates: begin of
            the measuring window, or half-way from a later change to the end; None if they never
            are steady.
        shows_rates: True if one link limits persistent sources and links lose no cell, so that
            what is carried and what is lost add up to the rates that were granted.
    """

    bottlenecks: frozenset[str]
    data: Mapping[str, float]
    arriving: Mapping[str, float]
    cells_per_byte: Mapping[str, float]
    settles_from_seconds: float | None
    steady_from_seconds: float | None
    shows_rates: bool = False


PAYLOAD_BYTES = 48
GREEDY = frozenset({"greedy", "persistent"})


@cache
def fair_load(experiment: Experiment) -> FairLoad:
    """The fair load of an experiment."""
    scenario = Scenario(experiment.job())
    network = Network.of_scenario(scenario.job.scenario())
    elastic = [flow for flow in network.flows if flow.is_elastic]
    stages = _stages(network, scenario, elastic)
    limits = [one for _, _, solution in stages for one in solution.bottlenecks.values()]
    greedy = [flow for flow in elastic if flow.kind in GREEDY]
    begin = network.measure["from_seconds"]
    whole = network.duration_seconds - begin
    data = {flow.name: 0.0 for flow in greedy}
    for since, until, solution in stages:
        share = max(0.0, until - max(since, begin)) / whole
        for flow in greedy:
            data[flow.name] += share * solution.rates.get(flow.name, 0.0) * _data_share(flow)
    arriving: dict[str, float] = {}
    for flow in elastic:
        last = flow.forward[-1].name
        arriving[last] = arriving.get(last, 0.0) + stages[-1][2].rates.get(flow.name, 0.0)
    starts = [flow.start_seconds + network.start_jitter_seconds for flow in network.flows]
    latest = max([*starts, *(change.at_seconds for change in network.changes)])
    bottlenecks = frozenset(one for one in limits if one is not None)
    alone = all(flow.kind == "persistent" for flow in network.flows) and not network.links_lose
    return FairLoad(
        bottlenecks,
        data,
        arriving,
        {flow.name: _cells_per_byte(flow) for flow in greedy},
        latest if experiment.steady else None,
        _steady_from(latest, begin, network) if experiment.steady else None,
        alone and len(bottlenecks) == 1,
    )


def _steady_from(latest: float, begin: float, network: Network) -> float:
    return begin if latest <= begin else (latest + network.duration_seconds) / 2


def _stages(
    network: Network, scenario: Scenario, elastic: list[Flow]
) -> list[tuple[float, float, MaxMin]]:
    """Beginning, end and max-min solution of each span between changes of the flows that send."""
    # A resolved scenario leaves out `sends` where it is true.
    sends = {flow.group: scenario[f"flow.{flow.group}"].get("sends", True) for flow in elastic}
    instants = [0.0, *(one.at_seconds for one in network.changes), network.duration_seconds]
    found = []
    for number, (since, until) in enumerate(pairwise(instants)):
        if number:
            for group in sends:
                if f"flow.{group}.sends" in network.changes[number - 1].keys:
                    sends[group] = not sends[group]
        sending = [flow for flow in elastic if sends[flow.group]]
        found.append((since, until, fair_shares(network, flows=sending)))
    return found


def _data_share(flow: Flow) -> float:
    """Share of an ABR channel's cells that are data: one in Nrm is an RM cell (TM 4.0 rule 3b)."""
    return 1.0 if flow.abr is None else 1.0 - 1.0 / flow.abr.nrm


def _cells_per_byte(flow: Flow) -> float:
    if flow.tcp is None:
        return 1.0 / PAYLOAD_BYTES
    return flow.tcp.segment_cells / flow.tcp.mss_bytes
