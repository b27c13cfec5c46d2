"""The content of a table: factors, measures and conditions, checked against the data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from cellrate.common.problems import BadInput, choose
from cellrate.studies.dataset.place import RUNS
from cellrate.studies.dataset.reader import DataSet

TOTALS = "totals"
# Columns that identify points and runs besides the factors.
NUMBERS = ("point", "replication")


@dataclass(frozen=True, slots=True)
class Question:
    """The content of a table.

    Attributes:
        rows: Factors, or columns that identify entities, whose values make the rows.
        columns: The same for columns.
        measures: Measures to show; by default all named measures of the study.
        table: `runs`, or a table with a row per run and entity.
        where: Only runs with these values of factors: a number in the factor's unit, or a text.
        level: Level of the confidence intervals; by default that of the study.
    """

    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    table: str = RUNS
    where: Mapping[str, float | str] = field(default_factory=dict)
    level: float | None = None


def known(question: Question, data: DataSet) -> Question:
    """Completes a question: names in full, and defaults filled in.

    Raises:
        BadInput: The data set has no such column, or a name is ambiguous.
    """
    description = data.description
    types = data.columns(question.table)
    varied = [one.name for one in description.varied]
    keys = [*varied, *_identifying(types, question.table), *NUMBERS]
    rows = [_find(name, keys, "factor") for name in question.rows]
    columns = [_find(name, keys, "factor") for name in question.columns]
    if not rows and not columns:
        rows = [one.name for one in description.factors] or ["point"]
    twice = [name for name in [*rows, *columns] if [*rows, *columns].count(name) > 1]
    if twice:
        raise BadInput(f"{twice[0]!r} is named twice in rows or columns")
    where = {_find(name, keys, "factor"): value for name, value in question.where.items()}
    level = description.level if question.level is None else question.level
    if not 0 < level < 1:
        raise BadInput(f"a confidence level of {level:g}: must be between 0 and 1, as 0.95")
    return Question(
        tuple(rows), tuple(columns), _measures(question, data), question.table, where, level
    )


def _measures(question: Question, data: DataSet) -> tuple[str, ...]:
    """Columns of the measures to show."""
    named = tuple(one.name for one in data.description.measures)
    if not question.measures and question.table == RUNS and named:
        return named
    varied = {one.name for one in data.description.varied}
    types = data.columns(question.table)
    numbers = [
        name
        for name, kind in types.items()
        if kind.is_numeric() and name not in varied and name not in (*NUMBERS, "run", "seed")
    ]
    if not question.measures:
        raise BadInput(f"name a measure; {question.table} has {', '.join(numbers)}")
    return tuple(_find(name, numbers, f"measure of {question.table}") for name in question.measures)


def _identifying(types: Mapping[str, pl.DataType], table: str) -> list[str]:
    """Columns that identify the entities of a table."""
    if table == RUNS:
        return []
    texts = [name for name, kind in types.items() if kind in (pl.String(), pl.List(pl.String()))]
    return [*texts, *(name for name in ("index", "priority") if name in types)]


def _find(name: str, names: Sequence[str], what: str) -> str:
    """Finds a name, or the only one that ends with it after a dot or an underscore.

    Raises:
        BadInput: No name or several names match.
    """
    wanted = name.replace(".", "_")
    for same in (name, wanted, f"{TOTALS}_{wanted}"):
        if same in names:
            return same
    ends = [one for one in names if one.replace(".", "_").endswith(f"_{wanted}")]
    if len(ends) > 1:
        raise BadInput(f"{name!r} is ambiguous; name one {what} of {', '.join(ends)}")
    return ends[0] if ends else choose(name, names, what)
