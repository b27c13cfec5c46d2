"""Difference and ratio of the means of two samples: intervals, tests, seeds needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ratio:
    """Mean of the second alternative over mean of the first.

    Attributes:
        value: The ratio; None if the first mean is zero.
        low: Lower end of the confidence interval; None without an interval.
        high: Upper end of the interval.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


def ratio_of_means(first: Floats, second: Floats, *, paired: bool, level: float = 0.95) -> Ratio:
    """Ratio of the second sample's mean to the first's, with Fieller's interval (Fieller 1954).

    The interval contains every ratio r at which the mean of ``second - r * first`` may be zero. The
    interval is missing for a single run, and if the first mean may be zero.

    Args:
        first: Values of the first alternative.
        second: Values of the second; of the same seeds in the same order if `paired`.
        paired: True if the values are pairs.
        level: Confidence level of the interval.
    """
    denominator, numerator = float(first.mean()), float(second.mean())
    if denominator == 0.0:
        return Ratio(None)
    ratio = numerator / denominator
    if min(len(first), len(second)) < 2:
        return Ratio(ratio)
    of_first, of_second = (float(one.var(ddof=1)) / len(one) for one in (first, second))
    shared = float(np.cov(first, second)[0, 1]) / len(first) if paired else 0.0
    freedoms = (len(first) - 1.0, len(second) - 1.0)
    parts = (ratio**2 * float(first.var(ddof=1)) / len(first), of_second)
    freedom = freedoms[0] if paired else _satterthwaite(parts, freedoms)
    factor = float(stdtrit(freedom, (1.0 + level) / 2.0)) ** 2
    # (numerator - r denominator)^2 <= factor (of_second - 2 r shared + r^2 of_first), between the
    # roots of a r^2 - 2 b r + c.
    a = denominator**2 - factor * of_first
    b = numerator * denominator - factor * shared
    c = numerator**2 - factor * of_second
    if a <= 0.0:
        return Ratio(ratio)
    half = math.sqrt(max(b * b - a * c, 0.0))
    return Ratio(ratio, (b - half) / a, (b + half) / a)


def _satterthwaite(parts: Sequence[float], freedoms: Sequence[float]) -> float:
    """Degrees of freedom of a sum of variances of means, by Welch-Satterthwaite (Welch 1947)."""
    below = sum(part**2 / freedom for part, freedom in zip(parts, freedoms, strict=True))
    return sum(parts) ** 2 / below if below else sum(freedoms)


def adjusted(p_value: float, comparisons: int) -> float:
    """The p-value of one of several comparisons, so that all are judged together (Bonferroni).

    Differences whose adjusted p-values do not exceed alpha are called real. With a probability of
    at least 1 - alpha none of them is due to chance, however the comparisons depend on one another.
    An adjusted p-value does not exceed alpha exactly if the interval at `simultaneous_level` leaves
    out zero. Holm's step-down correction calls more differences real, some of which have an
    interval that contains zero.

    >>> adjusted(0.01, 3), adjusted(0.4, 3)
    (0.03, 1.0)
    """
    return min(1.0, max(comparisons, 1) * p_value)


def simultaneous_level(level: float, comparisons: int) -> float:
    """Level of each interval so that all of them together hold at `level` (Bonferroni; Dunn 1961).

    The intervals may depend on one another in any way. Tukey's shorter intervals need equal
    variances and correlations, and common random numbers make these unequal (Law, Simulation
    Modeling and Analysis, section 10.3).

    >>> round(simultaneous_level(0.95, 10), 6)
    0.995
    """
    return 1.0 - (1.0 - level) / max(comparisons, 1)


Interval: TypeAlias = tuple[float, float]

# Relative differences up to this value are rounding errors of sums.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Contrast:
    """Difference of two alternatives in a measure: second minus first, with its test.

    Attributes:
        first: Values of the first alternative, run by run.
        second: Values of the second alternative, run by run.
        paired: True if the runs are pairs of the same seed; otherwise they are independent.
        difference: Mean of the second minus mean of the first.
        standard_error: Standard error of the difference; None if the spread is unknown.
        freedom: Degrees of freedom of the standard error; infinite if it is exact.
        p_value: Probability of a difference at least this large if the true one is zero; None if an
            alternative has a single run.
        test: Source of the p-value: "t" (paired t-test), "Welch", "permutation", "exact" where
            seeds change nothing, or "none".
    """

    first: Floats = field(repr=False)
    second: Floats = field(repr=False)
    paired: bool
    difference: float
    standard_error: float | None
    freedom: float
    p_value: float | None
    test: str

    def interval(self, level: float) -> Interval | None:
        """Confidence interval of the difference; None if the spread is unknown."""
        if self.standard_error is None:
            return None
        half = float(stdtrit(self.freedom, (1.0 + level) / 2.0)) * self.standard_error
        return self.difference - half, self.difference + half

    def ratio(self, level: float) -> Ratio:
        """Mean of the second alternative over mean of the first."""
        return ratio_of_means(self.first, self.second, paired=self.paired, level=level)

    def reversed(self) -> Contrast:
        """The contrast with both alternatives swapped: first minus second."""
        return replace(self, first=self.second, second=self.first, difference=-self.difference)

    def error_with(self, seeds: int) -> tuple[float, float]:
        """Standard error and degrees of freedom for another number of seeds of equal spread."""
        return _standard_error(self.first, self.second, seeds, seeds, paired=self.paired)

    @property
    def gain(self) -> float | None:
        """Ratio of the numbers of independent and of paired runs that give an equal interval.

        None without pairs or without spread; infinite if all pairs have the same difference.
        """
        apart = float(np.var(self.first) + np.var(self.second))
        if not self.paired or apart == 0.0:
            return None
        together = float(np.var(self.second - self.first))
        return apart / together if together > 0.0 else math.inf


def contrast(
    first: Floats, second: Floats, *, paired: bool, deterministic: bool = False
) -> Contrast:
    """Compares two samples of a measure.

    Pairs are tested by Student's t on their differences, independent samples by Welch's t-test
    (Welch 1947). Without any spread, as with counts that happen to be equal, a t-test would call
    every difference certain. In that case Fisher's permutation test is used: the p-value is the
    probability that a random exchange of the two alternatives separates them as clearly.

    Args:
        first: Values of the first alternative, all finite.
        second: Values of the second; of the same seeds in the same order if `paired`.
        paired: True if the values are pairs.
        deterministic: True if the seeds are known to change nothing in either alternative, so that
            the difference is exact.

    Raises:
        ValueError: A sample is empty, or paired samples have different lengths.
    """
    if not len(first) or not len(second):
        raise ValueError("a comparison needs runs of both alternatives")
    if paired and len(first) != len(second):
        raise ValueError(
            f"paired alternatives need equally many runs, not {len(first)} and {len(second)}"
        )
    size = max(float(np.abs(first).max()), float(np.abs(second).max()))
    difference = float((second - first).mean() if paired else second.mean() - first.mean())
    if abs(difference) <= ROUNDING * size:
        difference = 0.0
    error, freedom = None, math.nan
    if deterministic:
        error, freedom, test = 0.0, math.inf, "exact"
        p_value: float | None = 0.0 if difference else 1.0
    elif min(len(first), len(second)) < 2:
        p_value, test = None, "none"
    elif max(map(np.ptp, (second - first,) if paired else (first, second))) <= ROUNDING * size:
        p_value, test = permuted(len(first), len(second), difference, paired=paired), "permutation"
    else:
        error, freedom = _standard_error(first, second, len(first), len(second), paired=paired)
        p_value = 2.0 * float(stdtr(freedom, -abs(difference) / error))
        test = "t" if paired else "Welch"
    return Contrast(first, second, paired, difference, error, freedom, p_value, test)


def permuted(first: int, second: int, difference: float, *, paired: bool) -> float:
    """p-value of the permutation test for samples without spread.

    Paired values are exchanged within each pair, independent values among all runs. Only the
    observed exchange and its mirror image separate the values as clearly.
    """
    ways = 2**first if paired else math.comb(first + second, first)
    return 2.0 / ways if difference else 1.0


def _standard_error(
    first: Floats, second: Floats, runs: int, others: int, *, paired: bool
) -> tuple[float, float]:
    """Standard error of a difference of means of `runs` and `others` runs; degrees of freedom.

    Independent runs use Welch's formula (1947).
    """
    if paired:
        return float((second - first).std(ddof=1)) / math.sqrt(runs), runs - 1.0
    parts = (float(first.var(ddof=1)) / runs, float(second.var(ddof=1)) / others)
    return math.sqrt(sum(parts)), _satterthwaite(parts, (runs - 1.0, others - 1.0))


APART = 3.0
"""A difference, in standard deviations, that `least_seeds` seeds must find to be real.

The values of two alternatives with such a difference do not overlap."""
POWER = 0.8
"""Probability with which the needed number of seeds finds the observed difference real."""
MOST = 10_000
"""Greatest number of seeds that `seeds_to_decide` returns."""


def least_seeds(level: float, *, paired: bool) -> int:
    """The fewest seeds that tell a difference of `APART` standard deviations from chance.

    For paired runs this is the standard deviation of the differences, for independent runs the
    standard deviation of each alternative.

    >>> least_seeds(0.95, paired=True), least_seeds(1 - 0.05 / 75, paired=True)
    (3, 7)
    """

    def shows(seeds: int) -> bool:
        freedom, error = (
            (seeds - 1, math.sqrt(1 / seeds)) if paired else (2 * seeds - 2, math.sqrt(2 / seeds))
        )
        return float(stdtrit(freedom, (1.0 + level) / 2.0)) * error <= APART

    return _least(shows) or MOST


def seeds_to_decide(found: Contrast, level: float) -> int | None:
    """Number of seeds with which such a difference is found real with the probability `POWER`.

    The difference and the spread are taken as they are observed, and both alternatives have equally
    many seeds.

    Args:
        found: The contrast.
        level: Level of the contrast's interval, corrected for all comparisons.

    Returns:
        None if the difference is zero, untested or exact, or takes more than `MOST` seeds.
    """
    if not found.difference or found.p_value is None or found.test == "exact":
        return None
    if found.test == "permutation":
        alpha = 1.0 - level
        return _least(lambda seeds: permuted(seeds, seeds, 1.0, paired=found.paired) <= alpha)

    def shows(seeds: int) -> bool:
        error, freedom = found.error_with(seeds)
        quantiles = stdtrit(freedom, (1.0 + level) / 2.0) + stdtrit(freedom, POWER)
        return float(quantiles) * error <= abs(found.difference)

    return _least(shows)


def _least(shows: Callable[[int], bool]) -> int | None:
    """The least number of seeds, at least 2, for which `shows` is true.

    None if it exceeds `MOST`.
    """
    few, enough = 1, 2
    while not shows(enough):
        if enough >= MOST:
            return None
        few, enough = enough, min(2 * enough, MOST)
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if shows(middle) else (middle, enough)
    return enough
