"""The ratio of two means, with an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ratio:
    """Mean of the second over mean of the first.

    Attributes:
        value: The ratio; None if the first mean is zero.
        low: Lower end of the confidence interval; None without an interval.
        high: Upper end of the interval.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


def ratio_of_means(first: Floats, second: Floats, *, paired: bool, level: float = 0.95) -> Ratio:
    """Mean of the second over mean of the first, with Fieller's interval (Fieller 1954).

    The interval contains every ratio r at which the mean of ``second - r * first`` may be zero. It
    is missing if the first mean may be zero itself, and for a single run.

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
    of_first = float(first.var(ddof=1)) / len(first)
    of_second = float(second.var(ddof=1)) / len(second)
    shared = float(np.cov(first, second)[0, 1]) / len(first) if paired else 0.0
    freedom = len(first) - 1.0 if paired else _satterthwaite(first, second, ratio)
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


def _satterthwaite(first: Floats, second: Floats, ratio: float) -> float:
    """Degrees of freedom of the mean of ``second - ratio * first`` (Welch 1947)."""
    parts = [(ratio**2 * float(first.var(ddof=1)) / len(first), len(first) - 1)]
    parts.append((float(second.var(ddof=1)) / len(second), len(second) - 1))
    below = sum(part**2 / freedom for part, freedom in parts)
    if below == 0.0:
        return float(len(first) + len(second) - 2)
    return sum(part for part, _ in parts) ** 2 / below
