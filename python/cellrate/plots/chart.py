"""What is drawn: columns of a table of runs, and what a drawing gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellrate.estimates import LEVEL
from cellrate.problems import BadInput, choose


@dataclass(frozen=True)
class Chart:
    """Which columns of a table are drawn, and where.

    Attributes:
        x: Column along the axis.
        y: Column that is measured.
        by: Column whose values get colours, or lines of a heat map; none if None.
        columns: Column whose values get panels of their own; one panel if None.
        level: Of confidence intervals.
        units: Unit by column; empty or absent where there is none.
    """

    x: str
    y: str
    by: str | None = None
    columns: str | None = None
    level: float = LEVEL
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """Columns that tell what is drawn apart."""
        return [name for name in (self.columns, self.by, self.x) if name is not None]


@dataclass(frozen=True)
class Mark:
    """A point of a figure, and the runs that it stands for.

    Attributes:
        axes: Where it is.
        x: In the numbers of the axes.
        y: In the numbers of the axes.
        runs: Numbers of the runs, as the table has them.
    """

    axes: Axes
    x: float
    y: float
    runs: tuple[int, ...]


@dataclass(frozen=True)
class Drawing:
    """A figure and its points."""

    figure: Figure
    marks: tuple[Mark, ...] = ()


def drawn(runs: pl.DataFrame, chart: Chart) -> pl.DataFrame:
    """The rows that can be drawn: those with a finite value of `y` and of all keys.

    Raises:
        BadInput: A column is missing, `y` is no number, or no row can be drawn.
    """
    for name in (chart.y, *chart.keys):
        choose(name, runs.columns, "column")
    if not runs[chart.y].dtype.is_numeric():
        raise BadInput(f"{chart.y} is no number, and cannot be drawn along an axis of numbers")
    keys = [pl.col(name).is_not_null() for name in chart.keys]
    found = runs.filter(pl.col(chart.y).cast(pl.Float64).is_finite(), *keys)
    if found.is_empty():
        raise BadInput(f"no run has a value of {chart.y}")
    if "run" not in found.columns:
        found = found.with_row_index("run")
    return found


def levels(found: pl.DataFrame, name: str | None) -> Sequence[object]:
    """Values of a column: numbers in their order, texts as they come; one None without a column."""
    if name is None:
        return [None]
    values = found[name].unique(maintain_order=True)
    return (values.sort() if values.dtype.is_numeric() else values).to_list()


def part(found: pl.DataFrame, name: str | None, value: object) -> pl.DataFrame:
    """The rows with a value of a column; all without a column."""
    return found if name is None else found.filter(pl.col(name) == value)
