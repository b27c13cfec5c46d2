"""Distances from theory that means may have by chance: three ways to know them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import stats

from proof.forms.arrays import Floats
from proof.forms.saddlepoint import upper_tail

MANY = 60
"""For more sets than that, P values are read off a table of so many means."""


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
        pool, columns = self.draws(), means.mean.T
        tests = [
            lambda mean, q=q: _both_ways(pool[:, q], low[q], high[q], mean, means.count)
            for q in range(len(columns))
        ]
        return np.array([_each(test, one) for test, one in zip(tests, columns, strict=True)]).T


def _both_ways(draws: Floats, low: float, high: float, mean: float, count: int) -> float:
    if low <= mean <= high:
        return 1.0
    if mean > high:
        return min(1.0, 2 * upper_tail(draws, high, mean, count))
    return min(1.0, 2 * upper_tail(-draws, -low, -mean, count))


def _each(test: Callable[[float], float], means: Floats) -> Floats:
    if len(means) <= MANY:
        return np.array([test(mean) for mean in means])
    table = np.linspace(means.min(), means.max(), MANY)
    logs = np.log(np.maximum([test(mean) for mean in table], 1e-300))
    return np.asarray(np.exp(np.interp(means, table, logs)))
