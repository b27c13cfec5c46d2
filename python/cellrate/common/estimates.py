"""Mean and confidence interval over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from statistics import fmean, stdev

LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A measure over seeds; `low` and `high` bound its mean with 95 % confidence."""

    values: tuple[float, ...]
    mean: float
    low: float | None
    high: float | None

    def contains(self, value: float) -> bool | None:
        """True if the interval contains a value; None without an interval."""
        if self.low is None or self.high is None:
            return None
        return self.low <= value <= self.high


def half_width(values: Sequence[float], level: float) -> float:
    """Half of the confidence interval of the mean, from Student's t; infinite for one value.

    Args:
        values: Independent values, in any unit; the width has this unit, too.
        level: Confidence level, between 0 and 1.
    """
    if len(values) < 2:
        return inf
    from scipy.special import stdtrit  # loads slowly

    return float(stdtrit(len(values) - 1, (1 + level) / 2)) * stdev(values) / sqrt(len(values))


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and 95 % interval from Student's t; no interval from a single or an infinite value.

    Raises:
        ValueError: The sequence is empty.
    """
    if not values:
        raise ValueError("an estimate needs a value")
    mean = fmean(values)
    if len(values) == 1 or not isfinite(mean):
        return Estimate(tuple(values), mean, None, None)
    half = half_width(values, LEVEL)
    return Estimate(tuple(values), mean, mean - half, mean + half)
