"""Numbers of seeds: the fewest that can decide, and those that an undecided pair needs."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.special import stdtrit

from cellrate.studies.compare.contrast import Contrast, permuted

APART = 3.0
"""A difference of this many standard deviations should be told from chance by any fair number of
seeds: the two alternatives do not even overlap."""
POWER = 0.8
"""Probability with which the needed seeds show a difference that is as large as the one seen."""
MOST = 10_000
"""Numbers of seeds above this are not given."""


def least_seeds(level: float, *, paired: bool) -> int:
    """The fewest seeds that tell a difference of `APART` standard deviations from chance.

    Of paired runs it is the standard deviation of their differences, of others that of each
    alternative.

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
    """Seeds after which a difference like this one would be real with a probability of `POWER`.

    It takes the difference and the spread as they are seen, and both alternatives to have equally
    many seeds.

    Args:
        found: The contrast.
        level: Level of its interval, corrected for all comparisons.

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
    """The least number of seeds, from 2 on, that shows a difference; None above `MOST`."""
    few, enough = 1, 2
    while not shows(enough):
        if enough >= MOST:
            return None
        few, enough = enough, min(2 * enough, MOST)
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if shows(middle) else (middle, enough)
    return enough
