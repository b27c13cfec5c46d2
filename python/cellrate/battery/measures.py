"""Computes the measures of a run in the battery; some compare it with max-min fair rates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cellrate import _core
from cellrate.battery.experiments import MEASURES, Experiment
from cellrate.simulation.dynamics import Sampled, settling_time
from cellrate.simulation.network import Flow, Network, fair_shares
from cellrate.simulation.scenarios import Scenario
from cellrate.simulation.series import Series, series_of
from cellrate.theory import MaxMin

Floats: TypeAlias = npt.NDArray[np.float64]

PAYLOAD_BYTES = 48
GREEDY = frozenset({"greedy", "persistent"})
Values = Mapping[str, float | None]
"""The value of each measure; None where the experiment has no such value."""

STEP = 2
"""Number of samples in a step; rates are averaged over a step."""
MOST_SAMPLES = 2_000
TRACED = (
    'measure.traces=["utilisation"]',
    # A sampling period that is not a multiple of the intervals of schemes and marks, 1 ms and less.
    'measure.sample="4850 us"',
    f"measure.trace_points={MOST_SAMPLES}",
    "measure.events=[]",
)
"""Settings of a run that record the traces that the measures need."""
BAND = 0.1
"""Half the width of the settling band.

A run has settled if its distance from max-min rates stays within this band round the final mean.
"""
DIGITS = 6
"""Number of significant digits of a value that are stored and compared."""


@dataclass(frozen=True)
class FairLoad:
    """The max-min solution of an experiment, and the spans over which its runs are measured.

    Attributes:
        bottlenecks: Names of the links that limit a flow in the max-min solution.
        data: Max-min fair rate of each greedy flow without RM cells, mean over the measuring
            window, in cells/s; empty if the flows are not greedy.
        arriving: Sum of the max-min fair rates of the elastic flows that arrive over each link to a
            destination, after the last change, in cells/s.
        cells_per_byte: Cells of data per delivered byte.
        settles_from_seconds: Time of the last start or change; None if the experiment need not
            settle.
        steady_from_seconds: Time from which on only the control moves the rates: start of the
            measuring window, or half-way from a later start or change to the end. None if the load
            is never constant.
        shows_rates: True if one link limits persistent sources and no link errs, so that cells are
            lost in buffers only. The cells that this link carries and its buffer loses then show
            the allocated rates.
    """

    bottlenecks: frozenset[str]
    data: Mapping[str, float]
    arriving: Mapping[str, float]
    cells_per_byte: Mapping[str, float]
    settles_from_seconds: float | None
    steady_from_seconds: float | None
    shows_rates: bool = False


@cache
def fair_load(experiment: Experiment) -> FairLoad:
    """Max-min solution of an experiment, and the spans over which its runs are measured."""
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
    steady_from = begin if latest <= begin else (latest + network.duration_seconds) / 2
    alone = all(flow.kind == "persistent" for flow in network.flows) and not network.links_lose
    return FairLoad(
        bottlenecks,
        data,
        arriving,
        {flow.name: _cells_per_byte(flow) for flow in greedy},
        latest if experiment.steady else None,
        steady_from if experiment.steady else None,
        alone and len(bottlenecks) == 1,
    )


def _stages(
    network: Network, scenario: Scenario, elastic: list[Flow]
) -> list[tuple[float, float, MaxMin]]:
    """Start, end and max-min solution of each span in which the same flows send."""
    # A resolved scenario leaves out `sends` if it is true.
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


def measured(outcome: _core.Outcome, load: FairLoad) -> Values:
    """The measures of a run.

    Args:
        outcome: The run, recorded with `TRACED`.
        load: The max-min solution of the run's experiment.
    """
    summary = json.loads(outcome.summary())
    rates = Rates.of(outcome, load, summary)
    values: dict[str, float | None] = {
        "utilisation": fmean(
            port["utilisation"] for port in summary["ports"] if port["name"] in load.bottlenecks
        ),
        "max_min_distance": _distance(summary, load),
        "settling_seconds": rates.settling(load),
        "loss_ratio": summary["totals"]["data_cell_loss_ratio"],
        "rate_variation": rates.variation(load),
        **_queues(summary),
    }
    found = {measure.name: values[measure.name] for measure in MEASURES}
    return {
        name: None if value is None else float(f"{value:.{DIGITS}g}")
        for name, value in found.items()
    }


def _distance(summary: Mapping[str, Any], load: FairLoad) -> float | None:
    """Mean of |x - m| / m over greedy flows with throughput x and fair rate m.

    None without such flows.
    """
    if not load.data:
        return None
    delivered = {flow["name"]: flow["delivered_bytes"] for flow in summary["flows"]}
    window = summary["window_seconds"]
    return fmean(
        abs(delivered[name] * load.cells_per_byte[name] / window - fair) / fair
        for name, fair in load.data.items()
    )


def _queues(summary: Mapping[str, Any]) -> dict[str, float | None]:
    """Lengths of the longest queue for ABR or UBR; 0 if no cell waits in any such queue."""
    queues = [
        queue
        for port in summary["ports"]
        for queue in port["queues"]
        if {"abr", "ubr"} & set(queue["classes"])
    ]

    def most(*keys: str) -> float:
        return max((float(queue[key] or 0.0) for queue in queues for key in keys), default=0.0)

    return {
        "queue_mean_cells": most("queue_mean_cells"),
        "queue_p99_cells": most("queue_p99_cells"),
        "queue_max_cells": most("queue_max_cells", "queue_max_before_window_cells"),
    }


@dataclass(frozen=True)
class Rates:
    """Rates at which cells arrive at destinations, in steps.

    Attributes:
        times: End of each step in seconds.
        cells_per_second: Rate over each link to a destination, by the link's name.
    """

    times: Floats
    cells_per_second: dict[str, Floats]

    @classmethod
    def of(cls, outcome: _core.Outcome, load: FairLoad, summary: Mapping[str, Any]) -> Rates:
        """The rates of a run, from its outcome and its summary."""
        lines = {port["name"]: port["rate_bits_per_second"] / 424 for port in summary["ports"]}
        found: dict[str, Floats] = {}
        times = np.empty(0)
        for series in series_of(outcome):
            if series.kind == "utilisation" and series.entity in load.arriving:
                times, shares = _steps(series)
                found[series.entity] = shares * lines[series.entity]
        return cls(times, found)

    def settling(self, load: FairLoad) -> float | None:
        """Time until the distance from max-min rates has settled; infinite if it never settles."""
        start = load.settles_from_seconds
        if start is None:
            return None
        gaps = [
            np.abs(self.cells_per_second[name] - fair) / fair
            for name, fair in load.arriving.items()
        ]
        distance = np.mean(gaps, axis=0)
        last = self.times[-1] - 0.2 * (self.times[-1] - start)
        # The band is an absolute distance, not a share.
        distance = 1.0 + (distance - float(distance[self.times >= last].mean()))
        return settling_time(Sampled(self.times, distance, distance), BAND, start)

    def variation(self, load: FairLoad) -> float | None:
        """Standard deviation over mean of each rate in the steady part, averaged over the rates.

        None if there is no steady part, or nothing arrives anywhere.
        """
        begin = load.steady_from_seconds
        if begin is None:
            return None
        inside = self.times > begin
        found = []
        for rates in self.cells_per_second.values():
            mean = float(rates[inside].mean())
            if mean > 0.0:
                found.append(float(rates[inside].std()) / mean)
        return fmean(found) if found else None


def _steps(
    series: Series,
) -> tuple[Floats, Floats]:
    """Ends of the steps, and the means of the samples in each."""
    whole = len(series.time) // STEP * STEP
    middle = series.middle[:whole].reshape(-1, STEP)
    return series.time[:whole].reshape(-1, STEP)[:, -1], middle.mean(axis=1)
