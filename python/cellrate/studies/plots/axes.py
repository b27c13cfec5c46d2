"""Axes in readable units, and panels side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np
import polars as pl
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellrate.common.numbers import number
from cellrate.simulation.figures import STYLE, new_grid
from cellrate.studies.plots.chart import Chart, levels

# Levels that grow by even factors get a logarithmic axis if the greatest is this much the least.
GROWTH = 4.0
# Factors whose ratio is smaller count as even.
EVEN = 1.35
MOST_ACROSS = 3
# Sizes in bytes that are all multiples of this are shown in KiB.
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
    """

    name: str
    unit: str
    divisor: float
    texts: tuple[str, ...] | None = None

    @property
    def label(self) -> str:
        """Name and unit."""
        name = self.name.rpartition(".")[2] if self.name.count(".") else self.name
        if self.unit:
            name = next((name.removesuffix(end) for end in SUFFIXES if name.endswith(end)), name)
        name = name.replace("_", " ")
        return f"{name} ({self.unit})" if self.unit else name

    def at(self, value: object) -> float:
        """Position of a value on the axis."""
        if self.texts is not None:
            return float(self.texts.index(str(value)))
        return cast("float", value) / self.divisor

    def shown(self, value: object) -> str:
        """A value for a legend or title."""
        if self.texts is not None or not isinstance(value, (int, float)):
            return str(value)
        text = number(value / self.divisor)
        return f"{text} {self.unit}" if self.unit else text


def scale_of(found: pl.DataFrame, name: str, chart: Chart) -> Scale:
    """Scale of a column; numbers get the greatest unit not above their largest value."""
    if not found[name].dtype.is_numeric():
        return Scale(name, "", 1.0, tuple(map(str, levels(found, name))))
    unit = _unit(name, chart)
    if unit == "bytes" and (found[name].cast(pl.Float64) % KIBI == 0).all():
        return Scale(name, "KiB", KIBI)
    largest = float(np.abs(found[name].cast(pl.Float64).to_numpy()).max(initial=0.0))
    size, shown = next((fit for fit in UNITS.get(unit, ()) if largest >= fit[0]), (1.0, unit))
    return Scale(name, shown, size)


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
    """Labels the horizontal axis; makes it logarithmic if the values grow by even factors."""
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


def panels(found: pl.DataFrame, chart: Chart, height: float = 2.8) -> tuple[Figure, list[Axes]]:
    """Figure with a titled panel for each value of the chart's `columns`."""
    values = levels(found, chart.columns)
    across = min(len(values), MOST_ACROSS)
    down = -(-len(values) // across)
    figure, grid = new_grid(down, across, width=3.0 * across + 1.8, height=height)
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


def legend(figure: Figure, axes: Axes, title: str) -> None:
    """Draws a legend of the colours to the right of the panels, once per figure."""
    handles, names = axes.get_legend_handles_labels()
    if names:
        figure.legend(handles, names, loc="outside right center", title=title)
