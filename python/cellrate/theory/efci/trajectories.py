"""ACR and queue over time by integration of the delayed equations, with the phase of each point."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cellrate.theory.assumptions import require, require_not_negative, require_positive
from cellrate.theory.efci.integration import Groups, Phase, Steps, integrated
from cellrate.theory.efci.loop import EfciLoop, Floats
from cellrate.theory.efci.steady import limit_cycle, require_below_pcr

POINTS = 64
# A cycle repeats itself if its period differs by no more than this share from that before.
SETTLED = 1e-8
MOST_CYCLES = 40


@dataclass(frozen=True, eq=False)
class Trajectory:
    """ACR and queue over time, as the switch sees them.

    Attributes:
        time_seconds: Times, at least two per segment; a change of phase has both its sides.
        acr_cells_per_second: ACR at which each source sent the cells that arrive at that time.
        queue_cells: Queue.
        phase: Number of the law of ACR, 1 to 4.
        maximum_queue_cells: Greatest queue of the last whole cycle.
        minimum_queue_cells: Least queue of the last whole cycle.
        period_seconds: Length of the last whole cycle, from one crossing of Q_H to the next.
        utilisation: Share of the bottleneck's capacity that was used in the last whole cycle.
        cycles: Number of whole cycles.
    """

    time_seconds: Floats
    acr_cells_per_second: Floats
    queue_cells: Floats
    phase: npt.NDArray[np.int_]
    maximum_queue_cells: float
    minimum_queue_cells: float
    period_seconds: float
    utilisation: float
    cycles: int


def periodic_trajectory(loop: EfciLoop, points: int = POINTS) -> Trajectory:
    """One period of the limit cycle, from one crossing of Q_H to the next.

    Args:
        loop: One loop, without arrays.
        points: Points per segment.

    Raises:
        AssumptionError: PCR would clip ACR.
    """
    groups = _group(loop)
    cycle = limit_cycle(loop)
    require_below_pcr(loop, cycle.maximum_acr_cells_per_second)
    least = cycle.minimum_queue_cells / groups.bandwidth
    # At its least a queue that never empties grows by the law of phase 2.
    phase = Phase.REFILL if cycle.empties else Phase.INCREASE
    steps = Steps(groups, np.ones(1), least, points, phase)
    before, period = math.inf, 0.0
    for cycles in range(1, MOST_CYCLES + 1):
        steps.run(cycles)
        before, period = period, steps.crossings[-1][1] - steps.crossings[-2][1]
        if not cycle.empties or abs(period - before) <= SETTLED * period:
            break
    first, last = (number for number, _, _ in steps.crossings[-2:])
    return _trajectory(groups, steps, first, last)


def trajectory(
    loop: EfciLoop,
    cycles: int = 20,
    start_acr_cells_per_second: float | None = None,
    start_queue_cells: float = 0.0,
    points: int = POINTS,
) -> Trajectory:
    """ACR and queue from a given start (Ohsaki et al. 1995, equations (1) and (2)).

    Args:
        loop: One loop, without arrays.
        cycles: Number of whole cycles, each from one crossing of Q_H to the next.
        start_acr_cells_per_second: ACR of every source at the start, such as ICR; BW / N if absent,
            as in equation (3).
        start_queue_cells: Queue at the start, below Q_H.
        points: Points per segment.

    Raises:
        AssumptionError: The start is outside the model, or PCR would clip ACR.
    """
    groups = _group(loop)
    share = groups.bandwidth / groups.sources
    acr = share if start_acr_cells_per_second is None else start_acr_cells_per_second
    require_positive(start_acr_cells_per_second=acr)
    require_not_negative(start_queue_cells=start_queue_cells)
    below = start_queue_cells < loop.high
    require(below, "start_queue_cells", start_queue_cells, "must be below high_cells")
    steps = Steps(groups, acr / share, start_queue_cells / groups.bandwidth, points)
    steps.run(cycles)
    result = _trajectory(groups, steps, 0, len(steps.record))
    require_below_pcr(loop, result.acr_cells_per_second)
    return result


def _group(loop: EfciLoop) -> Groups:
    if loop.shape:
        raise ValueError(f"a trajectory is of one loop, not of an array of {loop.shape}")
    return Groups.of([loop])


def _trajectory(groups: Groups, steps: Steps, first: int, end: int) -> Trajectory:
    """The points of some steps, and the values of the last whole cycle."""
    found, shown = integrated(groups, steps), steps.record[first:end]
    points = slice(first * steps.samples, end * steps.samples)
    return Trajectory(
        time_seconds=found.time_seconds[points] - shown[0][0][0],
        acr_cells_per_second=found.acr_cells_per_second[0, points],
        queue_cells=found.queue_cells[points],
        phase=np.repeat([int(phase) for _, _, phase in shown], steps.samples),
        maximum_queue_cells=found.maximum_queue_cells,
        minimum_queue_cells=found.minimum_queue_cells,
        period_seconds=found.period_seconds,
        utilisation=found.utilisation,
        cycles=len(steps.crossings) - 1 if first == 0 else 1,
    )
