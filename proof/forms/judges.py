"""Distances from theory that means may have by chance: three ways to know them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

Floats: TypeAlias = npt.NDArray[np.float64]
STEEPEST = 20.0
"""Largest tilt, per standard deviation: means beyond its reach have probabilities below 1e-30."""


@dataclass(frozen=True, slots=True)
class Means:
    """Of sets of replications; rows are sets, columns quantities.

    Attributes:
        mean: Over a set.
        deviation: Standard deviation in a set.
        count: Replications of a set.
    """

    mean: Floats
    deviation: Floats
    count: int

    @classmethod
    def of(cls, found: Floats) -> Means:
        """Means of sets of replications of quantities."""
        return cls(found.mean(axis=1), found.std(axis=1, ddof=1), found.shape[1])

    def outside(self, low: Floats, high: Floats) -> Floats:
        """Distances of the means from their ranges; 0 within them."""
        return np.maximum(np.maximum(self.mean - high, low - self.mean), 0.0)


class Judge(Protocol):
    """A way to compute how probable means are."""

    @property
    def name(self) -> str:
        """In a word or two."""

    def p_values(self, means: Means, low: Floats, high: Floats) -> Floats:
        """Probability, both ways, of each mean being as far outside of its range as it is.

        Args:
            means: What is found.
            low: The least that each quantity may be on average.
            high: The most; the same where theory is exact.
        """


@dataclass(frozen=True, slots=True)
class Students:
    """By the spread of what is found, with Student's t: good where it is not skewed."""

    name: str = "Student's t"

    def p_values(self, means: Means, low: Floats, high: Floats) -> Floats:
        """See `Judge`."""
        error = means.deviation / math.sqrt(means.count)
        distance = means.outside(low, high)
        return np.asarray(2 * stats.t.sf(distance / error, df=means.count - 1))


@dataclass(frozen=True, slots=True)
class Normal:
    """By a standard deviation of one replication that theory knows."""

    deviation: float
    name: str = "normal, known error"

    def p_values(self, means: Means, low: Floats, high: Floats) -> Floats:
        """See `Judge`."""
        error = self.deviation / math.sqrt(means.count)
        return np.asarray(2 * stats.norm.sf(means.outside(low, high) / error))


@dataclass(frozen=True, slots=True)
class Drawn:
    """By replications that are drawn from the model of the closed form, without the simulator."""

    draws: Callable[[], Floats]
    name: str = "drawn from the model"

    def p_values(self, means: Means, low: Floats, high: Floats) -> Floats:
        """See `Judge`."""
        pool = self.draws()
        return np.array(
            [
                [
                    _both_ways(pool[:, q], low[q], high[q], mean, means.count)
                    for q, mean in enumerate(row)
                ]
                for row in means.mean
            ]
        )


def _both_ways(draws: Floats, low: float, high: float, mean: float, count: int) -> float:
    if low <= mean <= high:
        return 1.0
    if mean > high:
        return min(1.0, 2 * upper_tail(draws, high, mean, count))
    return min(1.0, 2 * upper_tail(-draws, -low, -mean, count))


def upper_tail(pool: Floats, expected: float, mean: float, count: int) -> float:
    """Probability that the mean of so many draws is as large as this or larger.

    By Barndorff-Nielsen's form of the saddlepoint approximation (Lugannani and Rice 1980; Jensen
    1995, Saddlepoint Approximations, section 3.3), with the cumulants of a pool of draws. It holds
    for skewed draws, of which Student's t says too little.

    Args:
        pool: Draws, from which the distribution about its mean is taken.
        expected: Its true mean.
        mean: Of the draws in question.
        count: How many they are.
    """
    spread = float(pool.std())
    draws = (pool - pool.mean()) / spread
    distance = (mean - expected) / spread
    if abs(distance) < 1e-3 / math.sqrt(count):
        return 0.5

    def cumulants(tilt: float) -> tuple[float, float, float]:
        largest = float((tilt * draws).max())
        weights = np.exp(tilt * draws - largest)
        total = float(weights.sum())
        first = float(weights @ draws) / total
        second = float(weights @ (draws - first) ** 2) / total
        return largest + math.log(total / len(draws)), first, second

    if abs(cumulants(math.copysign(STEEPEST, distance))[1]) <= abs(distance):
        return float(distance < 0)
    beyond = math.copysign(1 / STEEPEST, distance)
    while abs(cumulants(beyond)[1]) < abs(distance):
        beyond *= 4
    tilt = optimize.brentq(lambda t: cumulants(t)[1] - distance, 0, beyond, xtol=1e-9)
    whole, _, curvature = cumulants(tilt)
    root = math.copysign(math.sqrt(2 * count * (tilt * distance - whole)), tilt)
    slope = tilt * math.sqrt(count * curvature)
    return float(stats.norm.sf(root + math.log(slope / root) / root))
