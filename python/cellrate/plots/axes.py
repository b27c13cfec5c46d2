"""Axes in units that people read, and panels side by side."""

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

from cellrate.figures import STYLE, new_grid
from cellrate.numbers import number
from cellrate.plots.chart import Chart, levels

# Levels that grow by factors spread at least so far stand evenly on a logarithmic axis.
GROWTH = 4.0
# So far apart are factors that count as the same.
EVEN = 1.35
MOST_ACROSS = 3
# Sizes that are all multiples of it are shown in it.
KIBI = 1024.0
UNITS = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")),
    "bit/s": ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")),
    "bytes": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes")),
}


@dataclass(frozen=True)
class Scale:
    """How a column stands on an axis.

    Attributes:
        name: The column.
        unit: That is shown; empty if there is none.
        divisor: Of its values, for that unit.
        texts: Its values, if they are none of numbers; None if they are.
    """

    name: str
    unit: str
    divisor: float
    texts: tuple[str, ...] | None = None

    @property
    def label(self) -> str:
        """Name and unit."""
        name = self.name.rpartition(".")[2] if self.name.count(".") else self.name
        name = name.replace("_", " ")
        return f"{name} ({self.unit})" if self.unit else name

    def at(self, value: object) -> float:
        """Where a value stands."""
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
    """How a column stands on an axis: numbers in the greatest unit that suits them."""
    if not found[name].dtype.is_numeric():
        return Scale(name, "", 1.0, tuple(map(str, levels(found, name))))
    unit = _unit(name, chart)
    if unit == "bytes" and (found[name].cast(pl.Float64) % KIBI == 0).all():
        return Scale(name, "KiB", KIBI)
    largest = float(np.abs(found[name].cast(pl.Float64).to_numpy()).max(initial=0.0))
    size, shown = next((one for one in UNITS.get(unit, ()) if largest >= one[0]), (1.0, unit))
    return Scale(name, shown, size)


SUFFIXES = {
    "_bits_per_second": "bit/s",
    "_seconds": "s",
    "_cells": "cells",
    "_bytes": "bytes",
    "_mbit": "Mbit/s",
}


def _unit(name: str, chart: Chart) -> str:
    """The unit of a column: as given, or as its name says."""
    given = chart.units.get(name)
    if given:
        return given
    return next((unit for end, unit in SUFFIXES.items() if name.endswith(end)), "")


def draw_axis(axes: Axes, scale: Scale, values: Sequence[object]) -> None:
    """Labels the horizontal axis; logarithmic if levels of numbers grow by an even factor."""
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
    """Whether numbers grow by about the same factor each time."""
    if len(points) < 3 or min(points) <= 0 or max(points) < GROWTH * min(points):
        return False
    factors = [after / before for before, after in pairwise(points)]
    return max(factors) < EVEN * min(factors) and len(points) < 12


def panels(found: pl.DataFrame, chart: Chart, height: float = 2.8) -> tuple[Figure, list[Axes]]:
    """A figure with a panel for each value of the column that asks for panels, with titles."""
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
    """Names of the colours, to the right of the panels, once."""
    handles, names = axes.get_legend_handles_labels()
    if names:
        figure.legend(handles, names, loc="outside right upper", title=title)
