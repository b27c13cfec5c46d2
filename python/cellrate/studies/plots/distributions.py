"""Draws the distribution of a measure over runs: empirical distribution functions, and boxes."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib import style
from matplotlib.ticker import MaxNLocator

from cellrate.common.problems import BadInput
from cellrate.simulation.figures import COLOURS, STYLE
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
    outer_left,
    panel_rows,
    panels,
    part,
    scale_of,
)

# Width of a box, and greatest distance of its points from its middle; boxes are 1 apart.
BOX, JITTER = 0.6, 0.18
# Least number of runs that get a box; quartiles of fewer runs would lie between single runs.
LEAST_BOXED = 5
MOST_TICKS = 5


def ecdf(runs: pl.DataFrame, chart: Chart) -> Drawing:
    """Draws the empirical distribution function of `y`, one for each colour; `x` is not used.

    Raises:
        BadInput: A column is missing or holds nothing to draw.
    """
    found = drawn(runs, chart)
    figure, shown = panels(found, chart)
    y = scale_of(found, chart.y, chart)
    marks: list[Mark] = []
    with style.context(STYLE):
        for axes, own in panel_rows(found, chart, shown):
            for number, group in enumerate(levels(found, chart.by)):
                line = part(own, chart.by, group).sort(chart.y)
                values = line[chart.y].to_numpy() / y.divisor
                colour = COLOURS[number % len(COLOURS)]
                if not len(values):
                    continue
                share = np.arange(1, len(values) + 1) / len(values)
                axes.step(
                    np.concatenate([values[:1], values]), np.concatenate([[0.0], share]),
                    where="post", color=colour, label=colour_name(found, chart, group),
                )  # fmt: skip
                marks += [
                    Mark(axes, float(at), float(up), (run,))
                    for at, up, run in zip(values, share, line["run"], strict=True)
                ]
            axes.set_ylim(0, 1.02)
            axes.set_xlabel(y.label)
            axes.xaxis.set_major_locator(MaxNLocator(MOST_TICKS))
        for axes in outer_left(shown):
            axes.set_ylabel(f"share of the {chart.rows}")
        legend(figure, shown[0], chart)
    return Drawing(figure, tuple(marks))


def box(runs: pl.DataFrame, chart: Chart) -> Drawing:
    """Draws median, quartiles and every run for each value of `x`; whiskers reach 1.5 box lengths.

    Raises:
        BadInput: A column is missing or holds nothing to draw, or the chart has `by`.
    """
    if chart.by is not None:
        raise BadInput("a box plot cannot use --by; use --columns, which draws a panel per value")
    found = drawn(runs, chart)
    figure, shown = panels(found, chart)
    values = levels(found, chart.x)
    y, ticks = scale_of(found, chart.y, chart), scale_of(found, chart.x, chart)
    texts = [str(level) if ticks.texts else ticks.shown(level) for level in values]
    place = Scale(chart.x, "", 1.0, tuple(texts))
    marks: list[Mark] = []
    with style.context(STYLE):
        for axes, own in panel_rows(found, chart, shown):
            for at, level in enumerate(values):
                runs_here = part(own, chart.x, level)
                up = runs_here[chart.y].to_numpy() / y.divisor
                if not len(up):
                    continue
                if len(up) >= LEAST_BOXED:
                    axes.boxplot(
                        [up], positions=[at], widths=BOX, showfliers=False,
                        medianprops={"color": COLOURS[1], "linewidth": 1.4},
                    )  # fmt: skip
                aside = at + JITTER * np.linspace(-1, 1, len(up)) if len(up) > 1 else [float(at)]
                axes.plot(aside, up, ".", color=COLOURS[0], markersize=4, alpha=0.7)
                marks += [
                    Mark(axes, float(side), float(high), (run,))
                    for side, high, run in zip(aside, up, runs_here["run"], strict=True)
                ]
            draw_axis(axes, place, texts)
            axes.set_xlabel(scale_of(found, chart.x, chart).label)
        for axes in outer_left(shown):
            axes.set_ylabel(y.label)
    return Drawing(figure, tuple(marks))
