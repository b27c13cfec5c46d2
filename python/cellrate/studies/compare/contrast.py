"""Difference of the means of two samples, with its standard error and p-value."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from cellrate.studies.compare.ratio import Ratio, ratio_of_means

Floats: TypeAlias = npt.NDArray[np.float64]
Interval: TypeAlias = tuple[float, float]

# Relative differences up to this come from the rounding of sums.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Contrast:
    """The second alternative less the first.

    Attributes:
        first: Values of the first alternative, run by run.
        second: Values of the second alternative, run by run.
        paired: True if the runs are pairs of the same seed; otherwise they are independent.
        difference: Mean of the second less mean of the first.
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
        """Mean of the second over mean of the first."""
        return ratio_of_means(self.first, self.second, paired=self.paired, level=level)

    def reversed(self) -> Contrast:
        """The first alternative less the second."""
        return replace(self, first=self.second, second=self.first, difference=-self.difference)

    def error_with(self, seeds: int) -> tuple[float, float]:
        """Standard error and its degrees of freedom with so many seeds of the same spread."""
        if self.paired:
            return float((self.second - self.first).std(ddof=1)) / math.sqrt(seeds), seeds - 1.0
        parts = [float(one.var(ddof=1)) / seeds for one in (self.first, self.second)]
        below = sum(part**2 for part in parts) / (seeds - 1)
        return math.sqrt(sum(parts)), sum(parts) ** 2 / below

    @property
    def gain(self) -> float | None:
        """Factor by which independent samples would need more runs for an equally short interval.

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
        raise ValueError(f"pairs need equally many runs, not {len(first)} and {len(second)}")
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
    elif _spread(first, second, paired=paired) <= ROUNDING * size:
        p_value, test = permuted(len(first), len(second), difference, paired=paired), "permutation"
    else:
        error, freedom = _of_pairs(second - first) if paired else _welch(first, second)
        p_value = 2.0 * float(stdtr(freedom, -abs(difference) / error))
        test = "t" if paired else "Welch"
    return Contrast(first, second, paired, difference, error, freedom, p_value, test)


def _spread(first: Floats, second: Floats, *, paired: bool) -> float:
    """Range of the tested values: of the paired differences, or the wider of the two samples."""
    if paired:
        return float(np.ptp(second - first))
    return max(float(np.ptp(first)), float(np.ptp(second)))


def permuted(first: int, second: int, difference: float, *, paired: bool) -> float:
    """p-value of the permutation test: two exchanges separate as clearly, this and its mirror.

    Paired values are exchanged within each pair, independent ones among all runs.
    """
    ways = 2**first if paired else math.comb(first + second, first)
    return 2.0 / ways if difference else 1.0


def _of_pairs(gaps: Floats) -> tuple[float, float]:
    """Standard error and degrees of freedom of the mean of differences."""
    return float(gaps.std(ddof=1)) / math.sqrt(len(gaps)), len(gaps) - 1.0


def _welch(first: Floats, second: Floats) -> tuple[float, float]:
    """Standard error and degrees of freedom of a difference of means (Welch 1947)."""
    parts = [float(one.var(ddof=1)) / len(one) for one in (first, second)]
    below = parts[0] ** 2 / (len(first) - 1) + parts[1] ** 2 / (len(second) - 1)
    return math.sqrt(sum(parts)), sum(parts) ** 2 / below
