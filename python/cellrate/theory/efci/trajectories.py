"""ACR and queue over time, in closed form for each phase."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cellrate.theory.assumptions import require, require_not_negative, require_positive
from cellrate.theory.efci.loop import EfciLoop, Floats
from cellrate.theory.efci.segments import Constants, Phase, Segment
from cellrate.theory.efci.steady import limit_cycle, require_below_pcr
from cellrate.theory.efci.walk import Walk

POINTS = 64


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
    constants, share = Constants.of(loop), float(loop.bw / loop.n)
    cycle = limit_cycle(loop)
    require_below_pcr(loop, cycle.maximum_acr_cells_per_second)
    walk = Walk(constants, share, 1.0, cycle.minimum_queue_cells)
    if cycle.empties:
        lost = (1 - cycle.utilisation) * cycle.period_seconds
        walk.grow_after(cycle.phase_3_seconds, cycle.phase_3_seconds - lost)
    else:
        walk.phase = Phase.INCREASE
    walk.run(cycles=2)
    return _result(walk, points, last_only=True)


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
    constants = Constants.of(loop)
    share = float(loop.bw / loop.n)
    acr = share if start_acr_cells_per_second is None else start_acr_cells_per_second
    require_positive(start_acr_cells_per_second=acr)
    require_not_negative(start_queue_cells=start_queue_cells)
    below = start_queue_cells < loop.high
    require(below, "start_queue_cells", start_queue_cells, "must be below high_cells")
    walk = Walk(constants, share, acr / share, start_queue_cells)
    walk.run(cycles + 1)
    result = _result(walk, points, last_only=False)
    require_below_pcr(loop, result.acr_cells_per_second)
    return result


def _result(walk: Walk, points: int, *, last_only: bool) -> Trajectory:
    first, end = walk.crossings[-2:]
    last = walk.segments[first:end]
    shown = last if last_only else walk.segments
    period = last[-1].start + last[-1].length - last[0].start
    queues = [queue for segment in last for queue in _extremes(walk.constants, segment)]
    lost = sum(seconds for place, seconds in walk.lost if first < place <= end)
    times = [np.linspace(0.0, segment.length, points) for segment in shown]
    pairs = list(zip(shown, times, strict=True))
    constants = walk.constants
    return Trajectory(
        np.concatenate([segment.start - shown[0].start + x for segment, x in pairs]),
        walk.share * np.concatenate([segment.rates(constants, x) for segment, x in pairs]),
        np.concatenate([segment.queues(constants, x) for segment, x in pairs]),
        np.repeat([int(segment.phase) for segment in shown], points),
        max(queues),
        min(queues),
        period,
        1 - lost / period,
        len(walk.crossings) - 1,
    )


def _extremes(constants: Constants, segment: Segment) -> list[float]:
    at = [0.0, segment.length, segment.turning(constants)]
    return [float(segment.queues(constants, np.asarray(x))) for x in at if x is not None]
