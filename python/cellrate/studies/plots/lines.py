"""Draws a measure against a factor: lines with confidence bands, or error bars for text factors."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib import style
from matplotlib.axes import Axes

from cellrate.simulation.figures import COLOURS, STYLE
from cellrate.studies.own_names import HIGH, LOW, MEAN, RUNS
from cellrate.studies.plots.axes import Scale, draw_axis, legend, outer_left, panels, scale_of
from cellrate.studies.plots.chart import Chart, Drawing, Mark, drawn, levels, part
from cellrate.studies.plots.summary import means

# Width over which the points of several colours are spread beside a text; the texts' distance is 1.
BESIDE = 0.5
MARKS = "osD^vP*"


def lines(runs: pl.DataFrame, chart: Chart) -> Drawing:
    """Draws means over replications with their confidence intervals.

    Raises:
        BadInput: A column is missing or holds nothing to draw.
    """
    found = drawn(runs, chart)
    figure, shown = panels(found, chart)
    table = means(found, chart.keys, chart.y, chart.level)
    x, y = scale_of(found, chart.x, chart), scale_of(found, chart.y, chart)
    groups = levels(found, chart.by)
    marks: list[Mark] = []
    with style.context(STYLE):
        for axes, value in zip(shown, levels(found, chart.columns), strict=True):
            own = part(table, chart.columns, value)
            for number, group in enumerate(groups):
                line = part(own, chart.by, group).sort(chart.x, maintain_order=True)
                beside = BESIDE * ((number + 0.5) / len(groups) - 0.5)
                colour = COLOURS[number % len(COLOURS)]
                mark = MARKS[number % len(MARKS)]
                name = _name(found, chart, group)
                marks += _line(axes, line, (x, y), (colour, mark, name), beside)
            draw_axis(axes, x, levels(found, chart.x))
        for axes in outer_left(shown):
            axes.set_ylabel(y.label)
        legend(figure, shown[0], _title(chart))
    return Drawing(figure, tuple(marks))


def _name(found: pl.DataFrame, chart: Chart, group: object) -> str | None:
    return None if chart.by is None else scale_of(found, chart.by, chart).shown(group)


def _title(chart: Chart) -> str:
    return "" if chart.by is None else Scale(chart.by, "", 1.0).label


def _line(
    axes: Axes,
    line: pl.DataFrame,
    scales: tuple[Scale, Scale],
    look: tuple[str, str, str | None],
    beside: float,
) -> list[Mark]:
    """Draws the points of one colour in one panel."""
    x, y = scales
    colour, mark, name = look
    if line.is_empty():
        return []
    across = np.array([x.at(value) for value in line[x.name]])
    mean, low, high = (line[name].to_numpy() / y.divisor for name in (MEAN, LOW, HIGH))
    if x.texts is None:
        axes.plot(across, mean, color=colour, marker=mark, markersize=3.5, label=name)
        axes.fill_between(across, low, high, color=colour, alpha=0.2, linewidth=0)
    else:
        across = across + beside
        errors = np.nan_to_num(np.array([mean - low, high - mean]))
        axes.errorbar(
            across, mean, errors, color=colour, fmt=mark, markersize=4, capsize=2.5, label=name
        )
    return [
        Mark(axes, float(at), float(up), tuple(runs))
        for at, up, runs in zip(across, mean, line[RUNS].to_list(), strict=True)
    ]
