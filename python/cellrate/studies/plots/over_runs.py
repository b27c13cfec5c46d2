"""Draws a measure over runs: means along a factor or on a map, distribution functions, boxes."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from cellrate.common.numbers import number
from cellrate.common.picture_style import COLOURS, NOTE, STYLE
from cellrate.common.problems import BadInput
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
            for at, group in enumerate(groups):
                line = part(own, chart.by, group).sort(chart.x, maintain_order=True)
                beside = BESIDE * ((at + 0.5) / len(groups) - 0.5)
                colour = COLOURS[at % len(COLOURS)]
                mark = MARKS[at % len(MARKS)]
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
    image = None
    with style.context(STYLE):
        for axes, own in panel_rows(table, chart, shown):
            cells = np.full((len(up), len(across)), np.nan)
            for row in own.iter_rows(named=True):
                at = up.index(row[chart.by]), across.index(row[chart.x])
                cells[at] = row[MEAN] / y.divisor
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
    return Drawing(figure)


def _tick(scale: Scale, value: object) -> str:
    is_text = scale.texts is not None or scale.written
    return scale.shown(value) if is_text else number(scale.at(value))


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
    with style.context(STYLE):
        for axes, own in panel_rows(found, chart, shown):
            for place, group in enumerate(levels(found, chart.by)):
                line = part(own, chart.by, group).sort(chart.y)
                values = line[chart.y].to_numpy() / y.divisor
                colour = COLOURS[place % len(COLOURS)]
                if not len(values):
                    continue
                share = np.arange(1, len(values) + 1) / len(values)
                axes.step(
                    np.concatenate([values[:1], values]), np.concatenate([[0.0], share]),
                    where="post", color=colour, label=colour_name(found, chart, group),
                )  # fmt: skip
            axes.set_ylim(0, 1.02)
            axes.set_xlabel(y.label)
            axes.xaxis.set_major_locator(MaxNLocator(MOST_TICKS))
        for axes in outer_left(shown):
            axes.set_ylabel(f"share of the {chart.rows}")
        legend(figure, shown[0], chart)
    return Drawing(figure)


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
    with style.context(STYLE):
        for axes, own in panel_rows(found, chart, shown):
            for at, level in enumerate(values):
                up = part(own, chart.x, level)[chart.y].to_numpy() / y.divisor
                if not len(up):
                    continue
                if len(up) >= LEAST_BOXED:
                    axes.boxplot(
                        [up], positions=[at], widths=BOX, showfliers=False,
                        medianprops={"color": COLOURS[1], "linewidth": 1.4},
                    )  # fmt: skip
                aside = at + JITTER * np.linspace(-1, 1, len(up)) if len(up) > 1 else [float(at)]
                axes.plot(aside, up, ".", color=COLOURS[0], markersize=4, alpha=0.7)
            draw_axis(axes, place, texts)
            axes.set_xlabel(scale_of(found, chart.x, chart).label)
        for axes in outer_left(shown):
            axes.set_ylabel(y.label)
    return Drawing(figure)
