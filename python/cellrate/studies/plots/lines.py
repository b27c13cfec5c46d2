"""Draws a measure against a factor: means with their confidence intervals."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from cellrate.common.picture_style import COLOURS, NOTE, STYLE
from cellrate.simulation.drawn_lines import label_ends, reveal
from cellrate.studies.columns import HIGH, LOW, MEAN, RUNS
from cellrate.studies.plots.chart import (
    Chart,
    Drawing,
    Mark,
    Scale,
    colour_name,
    draw_axis,
    drawn,
    legend,
    levels,
    means,
    outer_left,
    panel_rows,
    panels,
    part,
    scale_of,
)

# Width over which the points of several colours are spread at one text value; text values are 1
# apart.
BESIDE = 0.5
MARKS = "osD^vP*"
# If the spread of the values is below this share of the greatest value, the axis does not begin at
# 0.
NARROW = 0.1
OF_MEANS = "means"


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
        for axes, own in panel_rows(table, chart, shown):
            for number, group in enumerate(groups):
                line = part(own, chart.by, group).sort(chart.x, maintain_order=True)
                beside = BESIDE * ((number + 0.5) / len(groups) - 0.5)
                colour = COLOURS[number % len(COLOURS)]
                mark = MARKS[number % len(MARKS)]
                look = (colour, mark, colour_name(found, chart, group))
                marks += _line(axes, line, (x, y), look, beside)
            draw_axis(axes, x, levels(found, chart.x))
        start_at_zero(shown[0], table, y)
        for axes in shown:
            reveal(axes, _joined(axes))
        for axes in outer_left(shown):
            axes.set_ylabel(y.label)
        if len(shown) == 1 and x.texts is None and 1 < len(groups) <= len(COLOURS):
            label_ends(shown[0], _joined(shown[0]))
        else:
            legend(figure, shown[0], chart)
        _say_seeds(shown[0], table, chart)
    return Drawing(figure, tuple(marks))


def _joined(axes: Axes) -> list[Line2D]:
    """The lines of the means, without the caps of intervals and the zero line."""
    return [line for line in axes.get_lines() if line.get_gid() == OF_MEANS]


def start_at_zero(axes: Axes, table: pl.DataFrame, y: Scale) -> None:
    """Lets the vertical axis begin at 0, unless the differences would become invisible.

    Intervals of a measure that is never negative are cut at 0. If all values are close to each
    other, the axis does not begin at 0, and its label says so.
    """
    values = table.select(MEAN, LOW, HIGH).to_numpy() / y.divisor
    means_of = values[:, 0]
    if not np.isfinite(means_of).all() or means_of.min() < 0:
        return
    low, high = np.nanmin(values), np.nanmax(values)
    if low > 0 and high - low < NARROW * high:
        axes.annotate(
            f"axis begins at {axes.get_ylim()[0]:.4g}", (0.0, 0.0), (4, 4), fontsize=7, color=NOTE,
            xycoords="axes fraction", textcoords="offset points",
        )  # fmt: skip
        return
    axes.set_ylim(0, 1.05 * high or 1.0)


def _say_seeds(axes: Axes, table: pl.DataFrame, chart: Chart) -> None:
    """Writes into a panel without a title how many runs a mean and its interval have."""
    counts = sorted({len(runs) for runs in table[RUNS]})
    if chart.columns is not None:
        return
    runs = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    about = f"means of {runs} runs, with {chart.level:.0%} confidence intervals"
    text = about if counts[-1] > 1 else "one run per point"
    axes.set_title(text, fontsize=8, color=NOTE)


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
        [drawn_line] = axes.plot(
            across, mean, color=colour, marker=mark, markersize=3.5, label=name, gid=OF_MEANS
        )
        drawn_line.set_markeredgecolor("#ffffff")
        drawn_line.set_markeredgewidth(0.4)
    else:
        across = across + beside
        axes.plot(across, mean, mark, color=colour, markersize=4, label=name)
    # Caps are wider than markers, so that an interval of width 0 is visible as a stroke.
    errors = np.nan_to_num(np.array([mean - low, high - mean]))
    axes.errorbar(across, mean, errors, fmt="none", ecolor=colour, elinewidth=0.9, capsize=4)
    return [
        Mark(axes, float(at), float(up), tuple(runs))
        for at, up, runs in zip(across, mean, line[RUNS].to_list(), strict=True)
    ]
