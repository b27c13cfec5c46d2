"""One law of ACR for a while: rate and queue in closed form, and when the queue crosses a level."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import exp, expm1, inf, log, sqrt

import numpy as np

from cellrate.theory.efci.loop import EfciLoop, Floats
from cellrate.theory.efci.minimum import fall_seconds

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
    """One loop as plain numbers: AIR, kappa, growth of phase 3 in 1/s; BW in cells/s; tau in s."""

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
            ValueError: It holds arrays.
        """
        if loop.shape:
            raise ValueError(f"a trajectory is of one loop, not of an array of {loop.shape}")
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
    """A stretch of time with one law.

    Attributes:
        start: Its beginning in seconds.
        length: Its length in seconds.
        phase: The law.
        rate: Aggregate rate at its beginning, as a share of BW.
        queue: Queue at its beginning, in cells.
        empty: Whether the queue stays empty.
        growth: Rate of growth in 1/s, if that is the law.
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
        """What arrives within `x` seconds, in seconds of BW."""
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
        """Integral of rate e^(-fading x) over the segment of decrease or increase."""
        if self.phase is Phase.DECREASE:
            both = fading + constants.kappa
            return self.rate * -expm1(-both * self.length) / both
        past = -expm1(-fading * self.length) / fading
        ramp = (past - self.length * exp(-fading * self.length)) / fading
        return self.rate * past + constants.air * ramp

    def turning(self, constants: Constants) -> float | None:
        """When the aggregate rate passes BW, in seconds after the beginning; None if not here."""
        x = seconds_to_bandwidth(constants, self.phase, self.rate, self.growth)
        return x if 0 <= x <= self.length else None


def seconds_to_bandwidth(constants: Constants, phase: Phase, rate: float, growth: float) -> float:
    """When the aggregate rate is BW; infinite or negative if it moves away from it."""
    if phase is Phase.DECREASE:
        return log(rate) / constants.kappa
    if phase is Phase.GROWTH:
        return -log(rate) / growth
    return (1 - rate) / constants.air


def seconds_down(
    constants: Constants, phase: Phase, rate: float, queue: float, level: float
) -> float:
    """When a queue falls to `level`; infinite if it does not."""
    depth = (queue - level) / constants.bandwidth
    if phase is Phase.DECREASE:
        # Counted from where the rate is BW and the queue greatest, be it past or to come.
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
    """When a queue rises to `level`; infinite if it does not."""
    height = (level - queue) / constants.bandwidth
    if phase is Phase.DECREASE:
        return inf
    if phase is Phase.GROWTH:
        return _seconds_of_growth(growth, rate, height)
    surplus = rate - 1
    root = sqrt(surplus**2 + 2 * constants.air * height)
    return 2 * height / (surplus + root) if surplus > 0 else (root - surplus) / constants.air


def _seconds_of_growth(growth: float, rate: float, height: float) -> float:
    """When rate (e^(growth x) - 1) / growth - x is `height`: Newton's steps from the right."""
    if rate < 1:
        return inf
    x = sqrt(2 * height / growth) if height > 0 else 0.0  # exceeded by then, as rate is at least 1
    for _ in range(MOST_STEPS):
        slope = rate * exp(growth * x) - 1
        if slope <= 0:
            break
        step = (rate * expm1(growth * x) / growth - x - height) / slope
        x = max(x - step, 0.0)
        if abs(step) <= TOLERANCE * x:
            break
    return x
