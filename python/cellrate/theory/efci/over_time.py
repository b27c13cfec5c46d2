"""ACR and queue over time, phase by phase in closed form."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import inf

import numpy as np
import numpy.typing as npt

from cellrate.theory.assumptions import require, require_not_negative, require_positive
from cellrate.theory.efci.loop import EfciLoop, Floats
from cellrate.theory.efci.segments import (
    Constants,
    Phase,
    Segment,
    seconds_down,
    seconds_to_bandwidth,
    seconds_up,
)
from cellrate.theory.efci.steady import limit_cycle, require_below_pcr

POINTS = 64


@dataclass(frozen=True, eq=False)
class Trajectory:
    """ACR and queue over time, as the switch sees them.

    Attributes:
        time_seconds: Times, at least two per segment; both sides of a change of phase are there.
        acr_cells_per_second: ACR of each source whose cells arrive at that time.
        queue_cells: Queue.
        phase: 1 to 4: the law that ACR obeys.
        maximum_queue_cells: Greatest queue of the last whole cycle.
        minimum_queue_cells: Least queue of the last whole cycle.
        period_seconds: Length of the last whole cycle, from one crossing of Q_H to the next.
        utilisation: Share of the bottleneck that was used in it.
        cycles: How many whole cycles there are.
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
    walk = _Walk(constants, share, 1.0, cycle.minimum_queue_cells)
    if cycle.empties:
        left = max(walk.constants.tau - cycle.phase_3_seconds, 0.0)
        walk.schedule(left, Phase.GROWTH)
        walk.schedule(walk.constants.tau, Phase.REFILL)
    else:
        walk.phase = Phase.INCREASE
    walk.run(cycles=2)
    return walk.trajectory(points, last_only=True)


def trajectory(
    loop: EfciLoop,
    cycles: int = 20,
    start_acr_cells_per_second: float | None = None,
    start_queue_cells: float = 0.0,
    points: int = POINTS,
) -> Trajectory:
    """ACR and queue from a start on (Ohsaki et al. 1995, equations (1) and (2)).

    Args:
        loop: One loop, without arrays.
        cycles: Whole cycles, each from one crossing of Q_H to the next.
        start_acr_cells_per_second: ACR of every source, ICR for instance; BW / N if absent, as in
            equation (3).
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
    walk = _Walk(constants, share, acr / share, start_queue_cells)
    walk.run(cycles + 1)
    found = walk.trajectory(points, last_only=False)
    require_below_pcr(loop, found.acr_cells_per_second)
    return found


class _Walk:
    """Goes from event to event: crossings of the queue, and a round trip later changes of law."""

    def __init__(self, constants: Constants, share: float, rate: float, queue: float) -> None:
        self.constants, self.share = constants, share
        self.now, self.rate, self.queue = 0.0, rate, queue
        self.congested, self.empty = False, queue == 0 and rate < 1
        self.phase = Phase.GROWTH if self.empty else Phase.REFILL
        self.coming: deque[tuple[float, Phase]] = deque()
        self.segments: list[Segment] = []
        self.crossings: list[int] = []

    def schedule(self, at: float, phase: Phase) -> None:
        """A law that will act from a time on."""
        self.coming.append((at, phase))

    def run(self, cycles: int) -> None:
        """Until Q_H has been crossed upwards so many times."""
        while len(self.crossings) < cycles:
            self._advance()

    def _advance(self) -> None:
        crossing = self._until_crossing()
        change = self.coming[0][0] - self.now if self.coming else inf
        length = min(crossing, change)
        segment = Segment(self.now, length, self.phase, self.rate, self.queue, self.empty)
        self.segments.append(segment)
        x = np.asarray(length)
        self.rate = float(segment.rates(self.constants, x))
        self.queue = float(segment.queues(self.constants, x))
        self.now += length
        if change <= crossing:
            self.now, self.phase = self.coming.popleft()
        else:
            self._cross()

    def _until_crossing(self) -> float:
        where = (self.constants, self.phase, self.rate, self.queue)
        if self.empty:
            return self._until_full()
        if self.congested:
            return seconds_down(*where, self.constants.low)
        return min(seconds_up(*where, self.constants.high), seconds_down(*where, 0.0))

    def _until_full(self) -> float:
        if self.phase is Phase.DECREASE:
            return inf
        return seconds_to_bandwidth(self.constants, self.phase, self.rate)

    def _cross(self) -> None:
        """The queue crosses a threshold, empties, or begins to grow; felt a round trip later."""
        felt = self.now + self.constants.tau
        if self.empty:
            self.empty, self.rate = False, 1.0
            self.schedule(felt, Phase.REFILL)
        elif self.congested:
            self.congested, self.queue = False, self.constants.low
            self.schedule(felt, Phase.INCREASE)
        elif self.rate > 1:
            self.congested, self.queue = True, self.constants.high
            self.crossings.append(len(self.segments))
            self.schedule(felt, Phase.DECREASE)
        else:
            self.empty, self.queue = True, 0.0
            self.schedule(felt, Phase.GROWTH)

    def trajectory(self, points: int, *, last_only: bool) -> Trajectory:
        last = self.segments[self.crossings[-2] : self.crossings[-1]]
        shown = last if last_only else self.segments
        period = last[-1].start + last[-1].length - last[0].start
        queues = [queue for segment in last for queue in self._extremes(segment)]
        wasted = sum(segment.wasted(self.constants) for segment in last)
        times = [np.linspace(0.0, segment.length, points) for segment in shown]
        pairs = list(zip(shown, times, strict=True))
        return Trajectory(
            np.concatenate([segment.start - shown[0].start + x for segment, x in pairs]),
            self.share * np.concatenate([s.rates(self.constants, x) for s, x in pairs]),
            np.concatenate([segment.queues(self.constants, x) for segment, x in pairs]),
            np.repeat([int(segment.phase) for segment in shown], points),
            max(queues),
            min(queues),
            period,
            1 - wasted / period,
            len(self.crossings) - 1,
        )

    def _extremes(self, segment: Segment) -> list[float]:
        at = [0.0, segment.length, segment.turning(self.constants)]
        return [float(segment.queues(self.constants, np.asarray(x))) for x in at if x is not None]
