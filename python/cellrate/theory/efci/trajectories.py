"""ACR and queue over time, from event to event, in closed form between the events.

The queue crosses a threshold, and a round trip later ACR follows another law.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import IntEnum
from math import exp, expm1, inf, log, sqrt

import numpy as np
import numpy.typing as npt

from cellrate.theory.assumptions import require, require_not_negative, require_positive
from cellrate.theory.efci.extremes import fall_seconds
from cellrate.theory.efci.loop import EfciLoop, Floats
from cellrate.theory.efci.steady import limit_cycle, require_below_pcr

MOST_STEPS = 100
TOLERANCE = 1e-15


class Phase(IntEnum):
    """Phases of Ohsaki et al. 1995, figure 2, by the law that ACR obeys."""

    DECREASE = 1
    INCREASE = 2
    GROWTH = 3
    REFILL = 4


@dataclass(frozen=True)
class Constants:
    """Constants of one loop as plain numbers.

    Attributes:
        air: AIR in 1/s.
        kappa: Rate of decay under congestion, in 1/s.
        mode: Rate of growth in phase 3, in 1/s.
        bandwidth: BW in cells/s.
        tau: Round trip in seconds.
        high: Q_H in cells.
        low: Q_L in cells.
        delayed: True if growth from an empty queue is delayed, see `EfciLoop.growth`.
    """

    air: float
    kappa: float
    mode: float
    bandwidth: float
    tau: float
    high: float
    low: float
    delayed: bool

    @classmethod
    def of(cls, loop: EfciLoop) -> Constants:
        """Constants of a loop that holds no arrays.

        Raises:
            ValueError: The loop holds arrays.
        """
        if loop.shape:
            raise ValueError(
                f"a trajectory needs a single loop, but the loop has arrays of shape {loop.shape}"
            )
        return cls(
            air=float(loop.air),
            kappa=float(loop.kappa),
            mode=float(loop.lam),
            bandwidth=float(loop.bw),
            tau=float(loop.tau),
            high=float(loop.high),
            low=float(loop.low),
            delayed=loop.growth == "delayed",
        )


@dataclass(frozen=True)
class Segment:
    """An interval of time with one law of ACR.

    Attributes:
        start: Beginning in seconds.
        length: Length in seconds.
        phase: The law.
        rate: Aggregate rate at the beginning, as a share of BW.
        queue: Queue at the beginning, in cells.
        empty: True if the queue stays empty.
        growth: Rate of growth in 1/s, used by the law of phase 3.
    """

    start: float
    length: float
    phase: Phase
    rate: float
    queue: float
    empty: bool
    growth: float

    def rates(self, constants: Constants, x: Floats) -> Floats:
        """Aggregate rate `x` seconds after the beginning, as a share of BW."""
        if self.phase is Phase.DECREASE:
            return self.rate * np.exp(-constants.kappa * x)
        if self.phase is Phase.GROWTH:
            return self.rate * np.exp(self.growth * x)
        return self.rate + constants.air * x

    def arrivals(self, constants: Constants, x: Floats) -> Floats:
        """Arrivals within `x` seconds of the beginning, in seconds of BW (cells / BW)."""
        if self.phase is Phase.DECREASE:
            return self.rate * -np.expm1(-constants.kappa * x) / constants.kappa
        if self.phase is Phase.GROWTH:
            return self.rate * np.expm1(self.growth * x) / self.growth
        return self.rate * x + constants.air * x**2 / 2

    def queues(self, constants: Constants, x: Floats) -> Floats:
        """Queue `x` seconds after the beginning, in cells."""
        if self.empty:
            return np.zeros_like(x)
        surplus = self.arrivals(constants, x) - x
        return np.maximum(self.queue + constants.bandwidth * surplus, 0.0)

    def faded(self, constants: Constants, fading: float) -> float:
        """Integral of rate e^(-fading x) over a segment of decrease or increase."""
        if self.phase is Phase.DECREASE:
            both = fading + constants.kappa
            return self.rate * -expm1(-both * self.length) / both
        past = -expm1(-fading * self.length) / fading
        ramp = (past - self.length * exp(-fading * self.length)) / fading
        return self.rate * past + constants.air * ramp

    def turning(self, constants: Constants) -> float | None:
        """Time at which the rate passes BW, in seconds after the beginning; None if it does not."""
        x = seconds_to_bandwidth(constants, self.phase, self.rate, self.growth)
        return x if 0 <= x <= self.length else None


def seconds_to_bandwidth(constants: Constants, phase: Phase, rate: float, growth: float) -> float:
    """Seconds until the aggregate rate is BW; infinite or negative if it moves away from BW."""
    if phase is Phase.DECREASE:
        return log(rate) / constants.kappa
    if phase is Phase.GROWTH:
        return -log(rate) / growth
    return (1 - rate) / constants.air


def seconds_down(
    constants: Constants, phase: Phase, rate: float, queue: float, level: float
) -> float:
    """Seconds until a queue falls to `level`; infinite if it does not."""
    depth = (queue - level) / constants.bandwidth
    if phase is Phase.DECREASE:
        # Time counts from the (past or future) instant at which the rate is BW and the queue is
        # greatest.
        kappa, to_peak = constants.kappa, log(rate) / constants.kappa
        peak = depth + (rate - 1) / kappa - to_peak
        return to_peak + float(fall_seconds(np.asarray(max(peak, 0.0) * kappa))) / kappa
    missing = 1 - rate
    if phase is Phase.GROWTH or missing <= 0:
        return inf
    square = missing**2 - 2 * constants.air * depth
    return inf if square < 0 else 2 * depth / (missing + sqrt(square))


def seconds_up(
    constants: Constants, phase: Phase, rate: float, queue: float, level: float, growth: float
) -> float:
    """Seconds until a queue rises to `level`; infinite if it does not."""
    height = (level - queue) / constants.bandwidth
    if phase is Phase.DECREASE:
        return inf
    if phase is Phase.GROWTH:
        return _seconds_of_growth(growth, rate, height)
    surplus = rate - 1
    root = sqrt(surplus**2 + 2 * constants.air * height)
    return 2 * height / (surplus + root) if surplus > 0 else (root - surplus) / constants.air


def _seconds_of_growth(growth: float, rate: float, height: float) -> float:
    """Solves rate (e^(growth x) - 1) / growth - x = height for x, by Newton's steps from above."""
    if rate < 1:
        return inf
    # Start of the iteration: since the rate is at least 1, the height is exceeded at this x.
    x = sqrt(2 * height / growth) if height > 0 else 0.0
    for _ in range(MOST_STEPS):
        slope = rate * exp(growth * x) - 1
        if slope <= 0:
            break
        step = (rate * expm1(growth * x) / growth - x - height) / slope
        x = max(x - step, 0.0)
        if abs(step) <= TOLERANCE * x:
            break
    return x


# Least time that phase 3 takes to reach BW, in round trips.
LEAST = 1e-9


class Walk:
    """The trajectory of ACR and queue in segments, each with one law.

    Attributes:
        segments: All segments so far.
        crossings: Number of segments before each upward crossing of Q_H.
        coming: Laws that will act, each with the time from which it acts.
        lost: For each time at which the queue began to grow again, the number of segments before
            that time, and the capacity lost while the queue was empty, in seconds of BW.
    """

    def __init__(self, constants: Constants, share: float, rate: float, queue: float) -> None:
        self.constants, self.share, self.growth = constants, share, constants.mode
        self.now, self.rate, self.queue = 0.0, rate, queue
        self.congested, self.empty = False, queue == 0 and rate < 1
        self.phase = Phase.GROWTH if self.empty else Phase.REFILL
        self.coming: deque[tuple[float, Phase]] = deque()
        self.segments: list[Segment] = []
        self.crossings: list[int] = []
        self.lost: list[tuple[int, float]] = []
        self._emptied, self._came = 0, 0.0

    def run(self, cycles: int) -> None:
        """Advances until Q_H has been crossed upwards `cycles` times."""
        while len(self.crossings) < cycles:
            self._advance()

    def _advance(self) -> None:
        crossing = self._until_crossing()
        change = self.coming[0][0] - self.now if self.coming else inf
        length = min(crossing, change)
        segment = Segment(
            self.now, length, self.phase, self.rate, self.queue, self.empty, self.growth
        )
        self.segments.append(segment)
        x = np.asarray(length)
        self.rate = float(segment.rates(self.constants, x))
        numeric = 0 < self.rate < inf
        require(
            numeric,
            "ACR / fair share",
            self.rate,
            "must stay above 0 and finite: set a shorter round trip or a smaller rdf",
        )
        self.queue = float(segment.queues(self.constants, x))
        self.now += length
        if change <= crossing:
            self.now, self.phase = self.coming.popleft()
            if self.phase is Phase.GROWTH:
                self.growth = self._growth()
        else:
            self._cross()

    def _until_crossing(self) -> float:
        where = (self.constants, self.phase, self.rate, self.queue)
        if self.empty:
            return self._until_full()
        if self.congested:
            return seconds_down(*where, self.constants.low)
        return min(seconds_up(*where, self.constants.high, self.growth), seconds_down(*where, 0.0))

    def _until_full(self) -> float:
        if self.phase is Phase.DECREASE:
            return inf
        return seconds_to_bandwidth(self.constants, self.phase, self.rate, self.growth)

    def _cross(self) -> None:
        """Handles the queue crossing a threshold, emptying or beginning to grow.

        The law of ACR changes a round trip later.
        """
        felt = self.now + self.constants.tau
        if self.empty:
            self._fill()
            self.coming.append((felt, Phase.REFILL))
        elif self.congested:
            self.congested, self.queue = False, self.constants.low
            self.coming.append((felt, Phase.INCREASE))
        elif self.rate > 1:
            self.congested, self.queue = True, self.constants.high
            self.crossings.append(len(self.segments))
            self.coming.append((felt, Phase.DECREASE))
        else:
            self.empty, self.queue, self._emptied = True, 0.0, len(self.segments)
            self.coming.append((felt, Phase.GROWTH))

    def grow_after(self, phase_3_seconds: float, came: float) -> None:
        """Starts after a phase 3 in which `came` seconds of BW (cells / BW) arrived."""
        left = max(self.constants.tau - phase_3_seconds, 0.0)
        self._came = came
        self.coming.append((left, Phase.GROWTH))
        self.coming.append((self.constants.tau, Phase.REFILL))

    def _growth(self) -> float:
        """Growth rate of ACR in phase 3, which begins now; slowest mode as in `emptying`."""
        constants = self.constants
        if not constants.delayed or self.now == 0:
            return constants.mode
        if not self.empty:
            after = self.rate + constants.air * self._came
            return log(after / self.rate) / (self.coming[0][0] - self.now)
        past = self.segments[self._emptied :]
        faded = sum(
            exp(-constants.mode * (segment.start - past[0].start))
            * segment.faded(constants, constants.mode)
            for segment in past
        )
        mode = (self.rate + constants.air * faded) / (1 + constants.mode * constants.tau)
        return -log(self.rate) / max(-log(mode) / constants.mode, LEAST * constants.tau)

    def _fill(self) -> None:
        """Records the capacity lost while the queue was empty, when the queue begins to grow."""
        constants, past = self.constants, self.segments[self._emptied :]
        came = sum(float(s.arrivals(constants, np.asarray(s.length))) for s in past)
        if constants.delayed and self.phase is Phase.GROWTH and past[0].phase is not Phase.GROWTH:
            felt = next(segment.rate for segment in past if segment.phase is Phase.GROWTH)
            came = (exp(constants.mode * constants.tau) - felt) / constants.air
        self._came, self.empty, self.rate, self.growth = came, False, 1.0, constants.mode
        self.lost.append((len(self.segments), sum(segment.length for segment in past) - came))


POINTS = 64


@dataclass(frozen=True, eq=False)
class Trajectory:
    """ACR and queue over time, as the switch sees them.

    Attributes:
        time_seconds: Times, at least two per segment; a change of phase has a point on each side.
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
