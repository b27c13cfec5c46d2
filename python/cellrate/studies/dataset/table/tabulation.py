"""A table, independent of its format: headings, rows, a cell for each measure, and their texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from cellrate.common.estimates import Estimate
from cellrate.common.numbers import estimate_text

Key: TypeAlias = tuple[str | float | None, ...]
"""Values of the factors of a row or a column."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: the mean of a measure over replications, with its interval.

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
    """A factor or a measure: its name, and its unit or an empty text.

    Attributes:
        name: Name of the column.
        unit: Unit of the column's numbers; empty without a unit.
        texts: Quantities as the study file lists them, by value.
    """

    name: str
    unit: str = ""
    texts: Mapping[float, str] = field(default_factory=dict, hash=False)

    @property
    def title(self) -> str:
        """The name, and the unit unless the values are written with units."""
        return self.name if self.texts else str(self)

    def text(self, value: str | float | None) -> str:
        """A value as the study file lists it, or else as a number without a unit."""
        if isinstance(value, float):
            return self.texts.get(value) or _number(value)
        return "" if value is None else str(value)

    def __str__(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name


@dataclass(frozen=True, slots=True)
class Tabulation:
    """A table of measures by the values of factors.

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


# Significant digits of a factor's value.
DIGITS = 7


def _number(value: float) -> str:
    return f"{value:,.{DIGITS}g}" if value != float("inf") else "infinite"


def setting(head: Head, one: str | float | None) -> str:
    """A factor and its value, as in the heading of a column."""
    unit = f" {head.unit}" if head.unit and not head.texts else ""
    return f"{head.name} = {head.text(one)}{unit}"


def cell(one: Cell | None) -> str:
    """The mean, and half the interval for several replications."""
    if one is None:
        return ""
    return estimate_text(Estimate((), one.mean, one.low, one.high))


def exact(one: float | None) -> str:
    """A number with all its digits, for other programs."""
    return "" if one is None else repr(one)


def heads(table: Tabulation) -> list[list[str]]:
    """The heading of every column of cells: the values of the factors, then the measure."""
    return [
        [
            *(setting(*one) for one in zip(table.columns, key, strict=True)),
            *([str(measure)] if _shows_measure(table) else []),
        ]
        for key in table.column_keys
        for measure in table.measures
    ]


def body(table: Tabulation) -> list[tuple[list[str], list[str]]]:
    """The rows: values of their factors, and cells."""
    rows = []
    for row in table.row_keys:
        cells = [
            cell(table.cells.get((row, column, measure.name)))
            for column in table.column_keys
            for measure in table.measures
        ]
        keys = [head.text(one) for head, one in zip(table.rows, row, strict=True)]
        rows.append((keys, cells))
    return rows


def caption(table: Tabulation) -> str:
    """The caption of the table."""
    measure = "" if _shows_measure(table) else f"{table.measures[0]}: "
    return f"{table.title}: {measure}{_over(table)}"


def _shows_measure(table: Tabulation) -> bool:
    """True if the headings of columns name the measures, and not only the caption."""
    return len(table.measures) > 1 or not table.columns


def _over(table: Tabulation) -> str:
    counts = {one.replications for one in table.cells.values()}
    if counts <= {1}:
        return "one replication"
    least, most = min(counts), max(counts)
    number_ = f"{least}" if least == most else f"{least} to {most}"
    return f"means over {number_} replications, ± half the {100 * table.level:g} % interval"


def exact_key(one: str | float | None) -> str:
    """A value of a factor with all its digits, for other programs."""
    return exact(one) if isinstance(one, float) else str(one or "")
