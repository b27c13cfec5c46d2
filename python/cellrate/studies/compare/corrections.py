"""Corrections of p-values and confidence levels for many comparisons at once (Bonferroni)."""

from __future__ import annotations


def adjusted(p_value: float, comparisons: int) -> float:
    """The p-value of one of several comparisons, so that all are judged together (Bonferroni).

    If comparisons whose adjusted p-values do not exceed alpha are called real, none of them is due
    to chance with a probability of at least 1 - alpha, however they depend on one another. An
    adjusted p-value does not exceed alpha exactly if the interval at `simultaneous_level` leaves
    out zero. Holm's step-down correction calls more differences real, but some of them although
    their interval contains zero.

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
