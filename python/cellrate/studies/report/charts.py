"""Chooses the figures of a study from its factors."""

from __future__ import annotations

from collections.abc import Sequence

from cellrate.simulation.figures import COLOURS
from cellrate.studies.columns import factors_of, units_of
from cellrate.studies.dataset import DataSet
from cellrate.studies.plots import Chart

# Greatest number of panels side by side.
MOST_PANELS = 9


def chart_of(data: DataSet, measure: str) -> tuple[Chart, Sequence[str]] | None:
    """Chooses the chart of a measure, and the factors over which it shows the mean.

    The x axis shows the numeric factor with the most values, or the text factor with the most if
    none is numeric. Of the remaining factors, text before numeric ones, the first becomes the
    colours and the next the panels, if they have few enough values. Returns None if nothing varies.
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
