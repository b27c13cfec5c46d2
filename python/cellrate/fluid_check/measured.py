"""Cycles of a simulated queue: their extremes and their length."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cellrate import _core
from cellrate.fluid_check.cases import Case
from cellrate.runner import Progress, run_many
from cellrate.series import series_of
from cellrate.theory.efci.loop import Floats

PORT = "A->sink"


@dataclass(frozen=True)
class Measured:
    """What a simulation showed in its measured half.

    Attributes:
        cycles: Whole cycles seen.
        maximum_queue_cells: Mean of the cycles' maxima.
        minimum_queue_cells: Mean of the cycles' minima.
        period_seconds: Mean length of a cycle.
        utilisation: Share of the bottleneck that was used.
        highest_queue_cells: Maximum of all cycles.
        sent_cells: Cells that each source sent, by its name.
        time_seconds: Times of the queue's trace.
        queue_cells: The queue then.
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
    """Simulates each case for as many cycles of the model, and measures the second half.

    Raises:
        ValueError: A run shows no whole cycle.
    """
    jobs = [case.job(cycles, seed) for case in cases]
    outcomes = run_many(jobs, store=store, progress=progress)
    return [measure(case, outcome) for case, outcome in zip(cases, outcomes, strict=True)]


def measure(case: Case, outcome: _core.Outcome) -> Measured:
    """Cycles of one run.

    Raises:
        ValueError: There is no whole cycle.
    """
    summary = json.loads(outcome.summary())
    start = summary["simulated_seconds"] - summary["window_seconds"]
    [queue] = [one for one in series_of(outcome) if one.kind == "queue" and PORT in one.entity]
    [port] = [one for one in summary["ports"] if PORT in json.dumps(one)]
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
    """Where a queue exceeds Q_H, having been a quarter of the way to its least before.

    >>> crossings(np.array([0.0, 5, 4, 6, 1, 0, 7, 9]), 4.5)
    array([1, 6])
    """
    below = high - (high - float(cells.min())) / 4
    found, ready = [], False
    for place in np.flatnonzero((cells > high) | (cells < below)):
        if cells[place] < below:
            ready = True
        elif ready:
            found.append(place)
            ready = False
    return np.array(found, dtype=np.intp)
