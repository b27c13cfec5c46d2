"""Number of runs of a point: until the confidence interval of a measure is narrow enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from cellrate.common.estimates import half_width
from cellrate.studies.study.definition import Replications, StoppingRule

GROWTH = 1.5
"""Least factor by which the number of runs of a point grows before the interval is checked again.

Every check may stop early by chance, when the values so far happen to lie close together; few
checks keep the coverage of the interval (Law 2015, section 9.4.1, on sequential procedures).
"""


def wanted(values: Sequence[float], until: StoppingRule) -> float:
    """Half width of the interval at which a point needs no more runs."""
    return until.half_width * abs(fmean(values)) if until.relative else until.half_width


def replications_needed(values: Sequence[float], asked: Replications) -> int:
    """Number of runs that a point should have, estimated from those that it has.

    This is their number if it is enough. Otherwise it is the number that their spread suggests, at
    least `GROWTH` times the present number, and at most the allowed number.

    Args:
        values: The measure in each run so far; at least one.
        asked: Limits and stopping rule.
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
