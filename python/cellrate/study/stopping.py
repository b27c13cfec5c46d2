"""How often a point is run: until the confidence interval of a measure is narrow enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from cellrate.estimates import half_width
from cellrate.study.model import Replications, Until

GROWTH = 1.5
"""A point that is not known well enough is run so many times as often, at least, before a new look.

Every look is a chance to stop early by luck, when the values so far happen to lie close together;
few looks keep the coverage of the interval (Law 2015, section 9.4.1, on sequential procedures).
"""


def wanted(values: Sequence[float], until: Until) -> float:
    """Half width at which a point is known well enough."""
    return until.half_width * abs(fmean(values)) if until.relative else until.half_width


def replications_needed(values: Sequence[float], asked: Replications) -> int:
    """How many runs a point should have, judged by those it had.

    It is their number if that is enough. Otherwise as many as their spread says that it takes, at
    least `GROWTH` times as many as there are, and never more than the most.

    Args:
        values: The measure in each run so far; at least one.
        asked: When it is enough.
    """
    count = len(values)
    if count < asked.least:
        return asked.least
    if asked.until is None or count >= asked.most:
        return count
    now, goal = half_width(values, asked.level), wanted(values, asked.until)
    if now <= goal:
        return count
    guess = asked.most if goal == 0 else min(count * (now / goal) ** 2, asked.most)
    return min(max(math.ceil(guess), math.ceil(count * GROWTH)), asked.most)
