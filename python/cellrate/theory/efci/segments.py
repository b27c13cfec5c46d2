"""Intervals with one law of ACR: rate and queue in closed form, and times of crossings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import exp, expm1, inf, log, sqrt

import numpy as np

from cellrate.theory.efci.extremes import fall_seconds
from cellrate.theory.efci.loop import EfciLoop, Floats

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
        """Arrivals within `x` seconds of the beginning, in seconds of BW."""
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
