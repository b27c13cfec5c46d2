"""A table, independent of its format: heads, rows, and a cell for each measure."""

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
        mean: Mean of the measure.
        low: Lower end of the confidence interval of the mean; None for a single replication.
        high: Upper end of the interval.
        replications: Number of replications that have a value.
    """

    mean: float
    low: float | None
    high: float | None
    replications: int


@dataclass(frozen=True, slots=True)
class Head:
    """A factor or a measure: its name, and its unit or an empty text."""

    name: str
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name


@dataclass(frozen=True, slots=True)
class Tabulation:
    """A table.

    Attributes:
        title: Name of the study.
        rows: Factors whose values are the keys of rows.
        columns: Factors whose values are the keys of columns.
        measures: Measures in the cells.
        row_keys: Keys of all rows.
        column_keys: Keys of all columns; a single empty key without column factors.
        cells: Cells by row, column and name of the measure; missing without a value.
        level: Level of the intervals.
        notes: Notes for the reader: means over other factors, runs that failed.
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

    def _repr_html_(self) -> str:
        from cellrate.studies.dataset.table.formats import as_html

        return as_html(self)
