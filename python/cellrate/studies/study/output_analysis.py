"""Output analysis: the end of the warm-up, and the replications that an interval needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt

from cellrate.common.estimates import half_width
from cellrate.simulation.series import Series
from cellrate.studies.study.definition import Replications, StoppingRule

BATCH = 5
"""Number of samples in a batch: the 5 of MSER-5."""


@dataclass(frozen=True)
class WarmUpPeriod:
    """The part to leave out at the beginning of a run.

    Attributes:
        seconds: End of the warm-up.
        reached_half: True if the best cut is the greatest that is allowed, half of the run; then
            the run is too short to find the warm-up (White, Cobb and Spratt 2000).
    """

    seconds: float
    reached_half: bool


def mser5(time: npt.NDArray[np.float64], values: npt.NDArray[np.float64]) -> WarmUpPeriod:
    """Finds the cut that minimises the standard error of the mean of the remaining samples.

    Samples are averaged in batches of five. With the batch means Z_1 ... Z_n the cut d minimises
    the sum of the squared deviations of Z_{d+1} ... Z_n from their mean, divided by (n - d) squared
    (White, Cobb and Spratt 2000, with m = 5).

    Args:
        time: Times of the samples in seconds, rising.
        values: The samples.

    Raises:
        ValueError: There are fewer than two batches.
    """
    count = len(values) // BATCH
    if count < 2:
        raise ValueError(f"{len(values)} samples; MSER-5 needs at least {2 * BATCH}")
    means = values[: count * BATCH].reshape(count, BATCH).mean(axis=1)
    left = count - np.arange(count)
    deviations = means - means.mean()
    # Deviations from the mean of all values avoid the difference of two large sums.
    rest = np.cumsum(deviations[::-1])[::-1]
    squares = np.cumsum((deviations**2)[::-1])[::-1] - rest**2 / left
    error = np.maximum(squares, 0.0) / left**2.0
    most = count // 2
    best = int(np.argmin(error[: most + 1]))
    return WarmUpPeriod(float(time[best * BATCH]), best == most)


def longest(series: Iterable[Series]) -> WarmUpPeriod:
    """The latest cut of some traces, after which each of them has settled.

    Raises:
        ValueError: There is no trace, or a trace is too short.
    """
    cuts = [mser5(one.time, (one.minimum + one.maximum) / 2) for one in series]
    if not cuts:
        raise ValueError("the run has no trace to examine")
    return WarmUpPeriod(max(cut.seconds for cut in cuts), any(cut.reached_half for cut in cuts))


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

    The present number is returned if it is enough. Otherwise the spread of the values suggests a
    number, at least `GROWTH` times the present number, and at most the allowed number.

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
