"""Measures the cycles of a simulated queue: extremes and length."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from cellrate import _core
from cellrate.simulation.runner import Progress, run_many
from cellrate.simulation.series import series_of
from cellrate.theory.efci.loop import Floats

from proof.measured.fluid_model.cases import Case

PORT = "A->sink"


@dataclass(frozen=True)
class Measured:
    """Results of the measured half of a simulation, with the trace of the queue.

    The queue's maximum and minimum and the period are means over the whole cycles. `sent_cells` are
    by the name of the source.
    """

    cycles: int
    maximum_queue_cells: float
    minimum_queue_cells: float
    period_seconds: float
    utilisation: float
    highest_queue_cells: float
    sent_cells: dict[str, int]
    time_seconds: Floats
    queue_cells: Floats


def simulate(
    cases: Sequence[Case],
    cycles: int,
    seed: int = 1,
    store: _core.Store | None = None,
    progress: Progress | None = None,
) -> list[Measured]:
    """Simulates each case for a number of the model's cycles and measures the second half."""
    jobs = [case.job(cycles, seed) for case in cases]
    outcomes = run_many(jobs, store=store, progress=progress)
    return [measure(case, outcome) for case, outcome in zip(cases, outcomes, strict=True)]


def measure(case: Case, outcome: _core.Outcome) -> Measured:
    """Measures the cycles of one run.

    Raises:
        ValueError: There is no whole cycle.
    """
    summary = json.loads(outcome.summary())
    start = summary["simulated_seconds"] - summary["window_seconds"]
    [queue] = [s for s in series_of(outcome) if s.kind == "queue" and PORT in s.entity]
    [port] = [port for port in summary["ports"] if PORT in json.dumps(port)]
    inside = queue.time >= start
    time, cells = queue.time[inside], queue.maximum[inside]
    begins = crossings(cells, case.high_cells)
    if len(begins) < 2:
        raise ValueError(f"{case} shows no whole cycle")
    parts = [cells[a:b] for a, b in pairwise(begins)]
    return Measured(
        cycles=len(parts),
        maximum_queue_cells=float(np.mean([part.max() for part in parts])),
        minimum_queue_cells=float(np.mean([part.min() for part in parts])),
        period_seconds=float(time[begins[-1]] - time[begins[0]]) / len(parts),
        utilisation=float(port["utilisation"]),
        highest_queue_cells=float(cells[begins[0] : begins[-1]].max()),
        sent_cells={
            vc["name"].removesuffix("/forward"): vc["cells_sent"]
            for vc in summary["vcs"]
            if vc["name"].endswith("/forward")
        },
        time_seconds=time,
        queue_cells=cells,
    )


def crossings(cells: Floats, high: float) -> npt.NDArray[np.intp]:
    """Indices at which a queue exceeds Q_H for the first time in a cycle.

    Before a crossing counts, the queue must have fallen by a quarter of the difference between Q_H
    and its minimum.

    >>> crossings(np.array([0.0, 5, 4, 6, 1, 0, 7, 9]), 4.5)
    array([1, 6])
    """
    below = high - (high - float(cells.min())) / 4
    places, ready = [], False
    for place in np.flatnonzero((cells > high) | (cells < below)):
        if cells[place] < below:
            ready = True
        elif ready:
            places.append(place)
            ready = False
    return np.array(places, dtype=np.intp)


def deviations(case: Case, measured: Measured) -> tuple[float, float, float]:
    """Deviations of the simulation from the model.

    The deviations of maximum queue and period are relative; that of utilisation is a difference.
    """
    cycle = case.cycle
    return (
        measured.maximum_queue_cells / cycle.maximum_queue_cells - 1,
        measured.period_seconds / cycle.period_seconds - 1,
        measured.utilisation - cycle.utilisation,
    )


def often(case: Case) -> bool:
    """True if each source receives at least one RM cell per round trip."""
    return case.rm_interval_seconds <= case.round_trip_seconds


def far_share(measured: Measured) -> float:
    """Ratio of the mean numbers of cells that a far source and a near source sent."""
    sent = {
        name: np.mean(
            [cells for flow, cells in measured.sent_cells.items() if flow.startswith(name)]
        )
        for name in ("near", "far")
    }
    return float(sent["far"] / sent["near"])
