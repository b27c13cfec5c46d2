"""Description of a chart over a table of runs, and the result of drawing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellrate.common.estimates import LEVEL
from cellrate.common.problems import BadInput, choose


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
        rows: Name of the table, in the plural of what a row is.
    """

    x: str
    y: str
    by: str | None = None
    columns: str | None = None
    level: float = LEVEL
    units: Mapping[str, str] = field(default_factory=dict)
    rows: str = "runs"

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
    """A figure and its points."""

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
        raise BadInput(f"{chart.y} is no number, and cannot be drawn along an axis of numbers")
    keys = [pl.col(name).is_not_null() for name in chart.keys]
    rows = runs.filter(pl.col(chart.y).cast(pl.Float64).is_finite(), *keys)
    if rows.is_empty():
        raise BadInput(f"no run has a value of {chart.y}")
    if "run" not in rows.columns:
        rows = rows.with_row_index("run")
    return rows


def levels(found: pl.DataFrame, name: str | None) -> Sequence[object]:
    """Distinct values of a column: numbers sorted, texts as they come; `[None]` without column."""
    if name is None:
        return [None]
    values = found[name].unique(maintain_order=True)
    return (values.sort() if values.dtype.is_numeric() else values).to_list()


def part(found: pl.DataFrame, name: str | None, value: object) -> pl.DataFrame:
    """Rows with a value of a column; all rows without a column."""
    return found if name is None else found.filter(pl.col(name) == value)
