"""Result of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from cellrate.studies.compare.contrast import Contrast, Interval
from cellrate.studies.compare.ratio import Ratio

Value: TypeAlias = str | float | int | bool
"""An alternative, or a value of another factor."""


@dataclass(frozen=True)
class Pair:
    """Comparison of two alternatives in one measure, with equal values of all other factors.

    Attributes:
        measure: Name of the measure.
        where: Values of the other factors.
        first: The alternative to compare with.
        second: The alternative that is compared with the first.
        contrast: Second less first; None if one of the two has no value in any run.
        left_out: Number of runs of the two that do not count: failed runs, runs without a finite
            value, and runs without a partner of the same seed.
        interval: Confidence interval of this difference alone.
        simultaneous: Wider interval; all these intervals together hold at the level.
        adjusted_p: p-value after Holm's correction; None without a test.
        ratio: Mean of the second over mean of the first.
        real: True if the difference is significant at the level after the correction for all
            pairs; None if it cannot be tested.
    """

    measure: str
    where: Mapping[str, Value]
    first: Value
    second: Value
    contrast: Contrast | None
    left_out: int
    interval: Interval | None = None
    simultaneous: Interval | None = None
    adjusted_p: float | None = None
    ratio: Ratio | None = None
    real: bool | None = None


@dataclass(frozen=True)
class Comparison:
    """All pairs of a comparison.

    Attributes:
        factor: The factor whose values are compared.
        alternatives: Its values, in the order of the runs.
        measures: Names of the compared measures.
        baseline: The alternative with which all others are compared; None for all pairs.
        level: Least probability that none of the differences called real is due to chance.
        averaged: Names of the factors over which the mean was taken, seed by seed.
        pairs: The pairs, measure by measure.
        tests: Number of pairs with a statistical test; the correction counts these.
        unmatched: Number of points that lack some of the alternatives.
        without_values: Measures that have no value in any run.
    """

    factor: str
    alternatives: tuple[Value, ...]
    measures: tuple[str, ...]
    baseline: Value | None
    level: float
    averaged: tuple[str, ...]
    pairs: tuple[Pair, ...]
    tests: int
    unmatched: int
    without_values: tuple[str, ...]
