"""A table as it is written in every format: heads, rows, and a cell for each measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Key: TypeAlias = tuple[str | float | None, ...]
"""Values of the factors of a row or a column."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A measure over replications.

    Attributes:
        mean: Its mean.
        low: Lower end of the confidence interval of the mean; None from a single replication.
        high: Upper end.
        replications: Number of replications that have a value.
    """

    mean: float
    low: float | None
    high: float | None
    replications: int


@dataclass(frozen=True, slots=True)
class Head:
    """A factor or a measure: its name and the unit of its numbers, empty where there is none."""

    name: str
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name


@dataclass(frozen=True, slots=True)
class Tabulation:
    """A table.

    Attributes:
        title: Name of the study.
        rows: What the keys of rows are values of.
        columns: What the keys of columns are values of.
        measures: What the cells hold.
        row_keys: Every row.
        column_keys: Every column; one empty key if nothing makes columns.
        cells: By row, column and name of the measure; missing where no run has a value.
        level: Of the intervals.
        notes: What a reader must know: means over other factors, runs that failed.
    """

    title: str
    rows: tuple[Head, ...]
    columns: tuple[Head, ...]
    measures: tuple[Head, ...]
    row_keys: tuple[Key, ...]
    column_keys: tuple[Key, ...]
    cells: Mapping[tuple[Key, Key, str], Cell]
    level: float
    notes: tuple[str, ...]
