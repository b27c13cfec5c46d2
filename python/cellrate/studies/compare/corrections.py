"""Corrections of p-values and confidence levels for many comparisons at once."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values by Holm's step-down procedure (Holm 1979).

    Differences whose adjusted p-values do not exceed alpha are significant together: with a
    probability of at least 1 - alpha none of them is due to chance, however the comparisons depend
    on one another. Holm's procedure finds every difference that Bonferroni's finds, and more.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    count = len(p_values)
    order = sorted(range(count), key=lambda at: p_values[at])
    adjusted = [0.0] * count
    highest = 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (count - rank) * p_values[at]))
        adjusted[at] = highest
    return adjusted


def simultaneous_level(level: float, comparisons: int) -> float:
    """Level of each interval so that all of them together hold at `level` (Bonferroni; Dunn 1961).

    The intervals may depend on one another in any way. Tukey's shorter intervals need equal
    variances and correlations, and common random numbers make these unequal (Law, Simulation
    Modeling and Analysis, section 10.3).

    >>> round(simultaneous_level(0.95, 10), 6)
    0.995
    """
    return 1.0 - (1.0 - level) / max(comparisons, 1)
