"""Many comparisons at once: what must be more than chance, so that no one of them is chance."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values by Holm's step-down procedure (Holm 1979).

    Those that do not exceed alpha are differences that hold together: with probability 1 - alpha at
    the least none of them is chance, however the comparisons depend on one another. It finds all
    that Bonferroni's correction finds, and more.

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

    That asks nothing of how they depend on one another. Tukey's shorter intervals would ask for
    equal variances and correlations, and common random numbers make these unequal (Law, Simulation
    Modeling and Analysis, section 10.3).

    >>> round(simultaneous_level(0.95, 10), 6)
    0.995
    """
    return 1.0 - (1.0 - level) / max(comparisons, 1)
