"""Draws a measure over two factors as colours of a map."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib import style

from cellrate.common.numbers import number
from cellrate.common.problems import BadInput
from cellrate.simulation.figures import STYLE
from cellrate.studies.columns import MEAN, RUNS
from cellrate.studies.plots.chart import (
    Chart,
    Drawing,
    Mark,
    Scale,
    drawn,
    levels,
    means,
    outer_left,
    panel_rows,
    panels,
    scale_of,
)

# Colour map with even steps of lightness, also for people who cannot distinguish red and green.
COLOURS_OF_MAP = "cividis"
# The colours span at least this share of the greatest value.
LEAST_SPAN = 0.05
# Maps with more cells show their values by colour only, without numbers.
MOST_NUMBERS = 150


def heat_map(runs: pl.DataFrame, chart: Chart) -> Drawing:
    """Draws means over replications, `x` across and `by` upwards; missing points stay white.

    Raises:
        BadInput: There is no second factor, or a column is missing or holds nothing to draw.
    """
    if chart.by is None:
        raise BadInput("a heat map has two factors: name the second one with --by")
    found = drawn(runs, chart)
    figure, shown = panels(found, chart)
    table = means(found, chart.keys, chart.y, chart.level)
    y = scale_of(found, chart.y, chart)
    across, up = levels(found, chart.x), levels(found, chart.by)
    values = table[MEAN].to_numpy() / y.divisor
    high = float(values.max())
    # The scale spans at least this much, so that small differences do not look large.
    low = min(float(values.min()), high - LEAST_SPAN * abs(high))
    marks: list[Mark] = []
    image = None
    with style.context(STYLE):
        for axes, own in panel_rows(table, chart, shown):
            cells = np.full((len(up), len(across)), np.nan)
            for row in own.iter_rows(named=True):
                at = up.index(row[chart.by]), across.index(row[chart.x])
                cells[at] = row[MEAN] / y.divisor
                marks.append(Mark(axes, float(at[1]), float(at[0]), tuple(row[RUNS])))
            image = axes.imshow(
                cells, cmap=COLOURS_OF_MAP, origin="lower", aspect="auto", vmin=low, vmax=high
            )
            axes.grid(visible=False)
            name = scale_of(found, chart.x, chart)
            axes.set_xticks(range(len(across)), [_tick(name, level) for level in across])
            axes.set_xlabel(name.title)
            name = scale_of(found, chart.by, chart)
            axes.set_yticks(range(len(up)), [_tick(name, level) for level in up])
            if axes in outer_left(shown):
                axes.set_ylabel(name.title)
            if cells.size <= MOST_NUMBERS:
                for (line, column), cell in np.ndenumerate(cells):
                    if not np.isnan(cell):
                        dark = cell < (low + high) / 2
                        colour = "white" if dark else "black"
                        axes.text(
                            column, line, number(cell), ha="center", va="center",
                            color=colour, fontsize=7,
                        )  # fmt: skip
        if image is not None:
            figure.colorbar(image, ax=shown, label=y.label)
    return Drawing(figure, tuple(marks))


def _tick(scale: Scale, value: object) -> str:
    is_text = scale.texts is not None or scale.written
    return scale.shown(value) if is_text else number(scale.at(value))
