"""Which figures show a study: a choice by what varies."""

from __future__ import annotations

from collections.abc import Sequence

from cellrate.dataset import DataSet
from cellrate.figures import COLOURS
from cellrate.plots import Chart
from cellrate.study_columns import factors_of, units_of

# More panels than this are no small multiples.
MOST_PANELS = 9


def chart_of(data: DataSet, measure: str) -> tuple[Chart, Sequence[str]] | None:
    """The chart of a measure, and the factors over which it takes the mean.

    Across is the number with the most values, else the text with the most; colours are texts before
    numbers, and panels come last. None if nothing varies.
    """
    runs = data.runs
    factors = factors_of(data)
    if not factors:
        return None
    count = {name: runs[name].n_unique() for name in factors}
    numbers = [name for name in factors if runs[name].dtype.is_numeric()]
    across = max(numbers or factors, key=lambda name: count[name])
    rest = [name for name in factors if name != across]
    rest.sort(key=lambda name: runs[name].dtype.is_numeric())
    by = next((name for name in rest if count[name] <= len(COLOURS)), None)
    columns = next((name for name in rest if name != by and count[name] <= MOST_PANELS), None)
    chart = Chart(across, measure, by, columns, data.description.level, units_of(data))
    return chart, [name for name in rest if name not in {by, columns}]
