"""Charts over a table of runs: their columns, means, axes in readable units, and panels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import cast

import numpy as np
import polars as pl
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import stdtrit

from cellrate.common.estimates import LEVEL
from cellrate.common.numbers import number
from cellrate.common.problems import BadInput, choose
from cellrate.simulation.figures import STYLE, new_grid
from cellrate.studies.columns import COUNT, HIGH, LOW, MEAN, RUNS, SPREAD
from cellrate.studies.dataset.columns import distinct


@dataclass(frozen=True)
class Chart:
    """Columns of a table to draw, and their places in the figure.

    Attributes:
        x: Column along the horizontal axis.
        y: Column with the measure.
        by: Column whose values get colours, or rows of a heat map; None for neither.
        columns: Column whose values get separate panels; None for a single panel.
        level: Level of confidence intervals.
        units: Unit by column; empty or absent where there is none.
        rows: Plural of what a row of the table is, such as runs or flows.
        written: Quantities as the study file lists them, by column and value.
    """

    x: str
    y: str
    by: str | None = None
    columns: str | None = None
    level: float = LEVEL
    units: Mapping[str, str] = field(default_factory=dict)
    rows: str = "runs"
    written: Mapping[str, Mapping[float, str]] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """Columns whose values distinguish the points drawn."""
        return [name for name in (self.columns, self.by, self.x) if name is not None]


@dataclass(frozen=True)
class Mark:
    """A point of a figure, and the runs that it stands for.

    Attributes:
        axes: The panel.
        x: Position in the coordinates of the axes.
        y: Position in the coordinates of the axes.
        runs: Numbers of the runs in the table.
    """

    axes: Axes
    x: float
    y: float
    runs: tuple[int, ...]


@dataclass(frozen=True)
class Drawing:
    """A figure, and its points if they are means of runs along an axis."""

    figure: Figure
    marks: tuple[Mark, ...] = ()


def drawn(runs: pl.DataFrame, chart: Chart) -> pl.DataFrame:
    """Rows that can be drawn: `y` is finite and no key is null.

    Raises:
        BadInput: A column is missing, `y` does not hold numbers, or no row can be drawn.
    """
    for name in (chart.y, *chart.keys):
        choose(name, runs.columns, "column")
    if not runs[chart.y].dtype.is_numeric():
        raise BadInput(
            f"{chart.y} holds no numbers, so it cannot be drawn along an axis of numbers"
        )
    keys = [pl.col(name).is_not_null() for name in chart.keys]
    rows = runs.filter(pl.col(chart.y).cast(pl.Float64).is_finite(), *keys)
    if rows.is_empty():
        raise BadInput(f"no run has a value of {chart.y}")
    if "run" not in rows.columns:
        rows = rows.with_row_index("run")
    return rows


def levels(found: pl.DataFrame, name: str | None) -> Sequence[object]:
    """Distinct values of a column: numbers sorted, texts as they come; `[None]` without column."""
    return [None] if name is None else distinct(found[name]).to_list()


def part(found: pl.DataFrame, name: str | None, value: object) -> pl.DataFrame:
    """Rows with a value of a column; all rows without a column."""
    return found if name is None else found.filter(pl.col(name) == value)


def means(found: pl.DataFrame, keys: Sequence[str], measure: str, level: float) -> pl.DataFrame:
    """Mean, confidence interval from `LOW` to `HIGH` (Student's t) and run numbers of each group.

    `LOW` and `HIGH` are null for groups of a single run.
    """
    grouped = found.group_by(keys, maintain_order=True).agg(
        pl.col(measure).cast(pl.Float64).mean().alias(MEAN),
        pl.col(measure).cast(pl.Float64).std().alias(SPREAD),
        pl.len().alias(COUNT),
        pl.col("run").alias(RUNS),
    )
    freedom = grouped[COUNT].to_numpy() - 1.0
    factor = stdtrit(freedom.clip(1.0), (1.0 + level) / 2.0)
    half = pl.Series(factor) * grouped[SPREAD] / grouped[COUNT].sqrt()
    return grouped.with_columns((pl.col(MEAN) - half).alias(LOW), (pl.col(MEAN) + half).alias(HIGH))


# Least ratio of the greatest to the least level for a logarithmic axis, if all levels grow evenly.
GROWTH = 4.0
# Greatest ratio of two growth factors that count as equal.
EVEN = 1.35
MOST_ACROSS = 3
# Sizes in bytes are shown in KiB if all are multiples of this.
KIBI = 1024.0
UNITS = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")),
    "bit/s": ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")),
    "bytes": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes")),
}


@dataclass(frozen=True)
class Scale:
    """Unit and positions of a column's values on an axis.

    Attributes:
        name: The column.
        unit: Unit that is shown; empty if there is none.
        divisor: Divisor that converts the column's values to that unit.
        texts: The column's values, if they are texts; None for numbers.
        written: Quantities as the study file lists them, by value.
    """

    name: str
    unit: str
    divisor: float
    texts: tuple[str, ...] | None = None
    written: Mapping[float, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Name and unit; a path is whole, as in the study."""
        name = self.name
        if "." not in name:
            ends = (end for end in SUFFIXES if self.unit and name.endswith(end))
            name = name.removesuffix(next(ends, "")).replace("_", " ")
        return f"{name} ({self.unit})" if self.unit else name

    @property
    def title(self) -> str:
        """Name, and unit unless the values are written with units."""
        return Scale(self.name, "", 1.0).label if self.written else self.label

    def at(self, value: object) -> float:
        """Position of a value on the axis."""
        if self.texts is not None:
            return float(self.texts.index(str(value)))
        return cast("float", value) / self.divisor

    def shown(self, value: object) -> str:
        """A value for a legend or title."""
        if self.texts is not None or not isinstance(value, (int, float)):
            return str(value)
        if value in self.written:
            return self.written[value]
        text = number(value / self.divisor)
        return f"{text} {self.unit}" if self.unit else text


def scale_of(found: pl.DataFrame, name: str, chart: Chart) -> Scale:
    """Scale of a column; the unit of numbers is the greatest unit not above their largest value."""
    if not found[name].dtype.is_numeric():
        return Scale(name, "", 1.0, tuple(map(str, levels(found, name))))
    unit, written = _unit(name, chart), chart.written.get(name, {})
    if unit == "bytes" and (found[name].cast(pl.Float64) % KIBI == 0).all():
        return Scale(name, "KiB", KIBI, written=written)
    largest = float(np.abs(found[name].cast(pl.Float64).to_numpy()).max(initial=0.0))
    size, shown = next((fit for fit in UNITS.get(unit, ()) if largest >= fit[0]), (1.0, unit))
    return Scale(name, shown, size, written=written)


SUFFIXES = {
    "_bits_per_second": "bit/s",
    "_seconds": "s",
    "_cells": "cells",
    "_bytes": "bytes",
    "_mbit": "Mbit/s",
}


def _unit(name: str, chart: Chart) -> str:
    """Unit of a column: as given by the chart, or from the end of its name."""
    given = chart.units.get(name)
    if given:
        return given
    return next((unit for end, unit in SUFFIXES.items() if name.endswith(end)), "")


def draw_axis(axes: Axes, scale: Scale, values: Sequence[object]) -> None:
    """Labels the horizontal axis.

    The axis is logarithmic if each value is a constant multiple of the value before.
    """
    axes.set_xlabel(scale.label)
    if scale.texts is not None:
        axes.set_xticks(range(len(scale.texts)), list(scale.texts))
        axes.set_xlim(-0.5, len(scale.texts) - 0.5)
        return
    points = [scale.at(value) for value in values]
    if grows(points):
        axes.set_xscale("log")
        axes.set_xticks(points, [number(point) for point in points])
        axes.minorticks_off()


def grows(points: Sequence[float]) -> bool:
    """True if there are 3 to 11 numbers, each larger than the last by about the same factor."""
    if len(points) < 3 or min(points) <= 0 or max(points) < GROWTH * min(points):
        return False
    factors = [after / before for before, after in pairwise(points)]
    return max(factors) < EVEN * min(factors) and len(points) < 12


def panels(found: pl.DataFrame, chart: Chart) -> tuple[Figure, list[Axes]]:
    """Figure with a titled panel for each value of the chart's `columns`."""
    values = levels(found, chart.columns)
    across = min(len(values), MOST_ACROSS)
    down = -(-len(values) // across)
    figure, grid = new_grid(down, across, width=3.0 * across + 1.8, height=2.8)
    shown = grid[: len(values)]
    for axes in grid[len(values) :]:
        axes.remove()
    if chart.columns is not None:
        scale = scale_of(found, chart.columns, chart)
        name = Scale(chart.columns, "", 1.0).label
        with style.context(STYLE):
            for axes, value in zip(shown, values, strict=True):
                axes.set_title(f"{name} {scale.shown(value)}")
    return figure, shown


def outer_left(shown: Sequence[Axes]) -> list[Axes]:
    """The first panel of each row."""
    return list(shown[::MOST_ACROSS])


def panel_rows(
    found: pl.DataFrame, chart: Chart, shown: Sequence[Axes]
) -> Iterator[tuple[Axes, pl.DataFrame]]:
    """Each panel with the rows of `found` that it shows."""
    for axes, value in zip(shown, levels(found, chart.columns), strict=True):
        yield axes, part(found, chart.columns, value)


def colour_name(found: pl.DataFrame, chart: Chart, group: object) -> str | None:
    """Name of a colour in the legend; None if the chart has a single colour."""
    return None if chart.by is None else scale_of(found, chart.by, chart).shown(group)


def legend(figure: Figure, axes: Axes, chart: Chart) -> None:
    """Draws a legend of the colours to the right of the panels, once per figure."""
    title = "" if chart.by is None else Scale(chart.by, "", 1.0).label
    handles, names = axes.get_legend_handles_labels()
    if names:
        figure.legend(handles, names, loc="outside right center", title=title)
