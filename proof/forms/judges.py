"""Three methods to compute how probable a deviation of means from theory is by chance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

Floats: TypeAlias = npt.NDArray[np.float64]
STEEPEST = 20.0
"""Greatest exponential tilt, per standard deviation; means beyond it have P values below 1e-30."""


@dataclass(frozen=True, slots=True)
class Means:
    """Means over the replications of a set, and deviations among these replications.

    Rows are sets, and columns are quantities; each set has `count` replications.
    """

    mean: Floats
    deviation: Floats
    count: int

    @classmethod
    def of(cls, found: Floats) -> Means:
        """Means of an array with the shape (sets, replications, quantities)."""
        return cls(found.mean(axis=1), found.std(axis=1, ddof=1), found.shape[1])

    def outside(self, low: Floats, high: Floats) -> Floats:
        """Distances of the means from their ranges; 0 within them."""
        return np.maximum(np.maximum(self.mean - high, low - self.mean), 0.0)


Judge: TypeAlias = Callable[[Means, Floats, Floats], Floats]
"""Two-sided probability that a mean is as far outside of its range as the observed mean, from the
observed means, and the least and the greatest mean by theory, equal where theory is exact."""


def students(means: Means, low: Floats, high: Floats) -> Floats:
    """By Student's t from the spread of the observations; good if these are not skewed."""
    error = means.deviation / math.sqrt(means.count)
    return np.asarray(2 * stats.t.sf(means.outside(low, high) / error, df=means.count - 1))


def normal(deviation: float) -> Judge:
    """By the normal distribution, with the standard deviation of one replication from theory."""

    def judge(means: Means, low: Floats, high: Floats) -> Floats:
        error = deviation / math.sqrt(means.count)
        return np.asarray(2 * stats.norm.sf(means.outside(low, high) / error))

    return judge


def drawn(draws: Callable[[], Floats]) -> Judge:
    """By replications that are drawn from the model of the closed form, without the simulator."""

    def judge(means: Means, low: Floats, high: Floats) -> Floats:
        columns = list(zip(draws().T, low, high, strict=True))
        return np.array(
            [
                [
                    _both_ways(*column, mean, means.count)
                    for column, mean in zip(columns, row, strict=True)
                ]
                for row in means.mean
            ]
        )

    return judge


def _both_ways(draws: Floats, low: float, high: float, mean: float, count: int) -> float:
    if low <= mean <= high:
        return 1.0
    if mean > high:
        return min(1.0, 2 * upper_tail(draws, high, mean, count))
    return min(1.0, 2 * upper_tail(-draws, -low, -mean, count))


def upper_tail(pool: Floats, expected: float, mean: float, count: int) -> float:
    """Probability that the mean of `count` draws with the mean `expected` is at least `mean`.

    By Barndorff-Nielsen's form of the saddlepoint approximation (Lugannani and Rice 1980; Jensen
    1995, Saddlepoint Approximations, section 3.3), with the cumulants of a pool of draws. The
    approximation also holds for skewed draws, for which Student's t is inexact.
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
