"""Selects the points of a trace that make its picture."""

from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.intp]

COLUMNS = 500
"""Columns of a figure that can be told apart; its axes are about five inches wide."""


def within(times: Floats, start: float | None, end: float | None) -> slice:
    """Slice of the points from `start` to `end`, where given, and one more at either end."""
    first = 0 if start is None else int(np.searchsorted(times, start)) - 1
    after = len(times) if end is None else int(np.searchsorted(times, end, side="right")) + 1
    return slice(max(first, 0), after)


def drawn(times: Floats, low: Floats, high: Floats, columns: int = COLUMNS) -> Indices:
    """Indices of the first, last, lowest and highest point of each column, in order.

    A line through these points looks like a line through all, and loses no peak.

    Args:
        times: Times of the points, ascending; the columns are equally wide.
        low: Least value of each point.
        high: Greatest value of each point.
        columns: Number of columns.
    """
    if len(times) <= 2 * columns:
        return np.arange(len(times))
    edges = np.linspace(times[0], times[-1], columns + 1)[1:-1]
    column = np.searchsorted(edges, times, side="right")
    bounds = [*np.flatnonzero(np.diff(column, prepend=-1)).tolist(), len(times)]
    kept = [
        index
        for a, b in pairwise(bounds)
        for index in (a, a + np.argmin(low[a:b]), a + np.argmax(high[a:b]), b - 1)
    ]
    return np.unique(np.array(kept, dtype=np.intp))
