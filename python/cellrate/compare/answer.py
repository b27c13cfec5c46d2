"""What a comparison found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from cellrate.compare.contrast import Contrast, Interval
from cellrate.compare.ratio import Ratio

Value: TypeAlias = str | float | int | bool
"""An alternative, or a value of another factor."""


@dataclass(frozen=True)
class Pair:
    """Two alternatives under the same circumstances, and one measure.

    Attributes:
        measure: What is compared.
        where: Values of the other factors.
        first: The alternative that the other is held against.
        second: The other one.
        contrast: Second less first; None if one of the two has no value in any run.
        left_out: Runs of the two that do not count: failed ones, those without a finite value, and
            those without a partner of the same seed.
        interval: Of the difference, by itself at the level.
        simultaneous: Of the difference, wider, so that all intervals together hold at the level.
        adjusted_p: p-value after Holm's correction; None if there is none.
        ratio: Mean of the second over mean of the first.
        real: Whether the difference is real at the level, together with all others; None if that
            cannot be told.
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
        factor: What the alternatives are values of.
        alternatives: Its values, in the order of the runs.
        measures: What is compared.
        baseline: What all others are held against; None if all pairs are compared.
        level: That no difference that is called real is chance has at least this probability.
        averaged: Names of the factors over which the mean was taken, seed by seed.
        pairs: Measure by measure.
        tests: How many of them chance could have made; the correction counts these.
        unmatched: Points that only some alternatives have, which are left out where one is missing.
        silent: Measures that no run has.
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
    silent: tuple[str, ...]
