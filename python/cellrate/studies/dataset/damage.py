"""Checks that the tables of a data set are those that its description promises."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from cellrate.common.problems import BadInput
from cellrate.studies.dataset.columns import (
    ENTITIES,
    FAILED,
    IDENTITY,
    KEYS,
    STATUS,
    Schema,
    entity_schema,
    runs_schema,
    trace_schema,
)
from cellrate.studies.dataset.description import Description
from cellrate.studies.dataset.place import RUNS

AGAIN = "run the study again"


def refuse_other_columns(
    found: Mapping[str, pl.DataType], table: str, description: Description, path: Path
) -> None:
    """Checks the columns of a table.

    Those that identify a run must be there, as must the factors, derived parameters and measures
    of the study; all that are there must hold what the dictionary says. Columns that other versions
    know may be missing or more.

    Raises:
        BadInput: A column is missing, or of another type; the message names it.
    """
    wanted = _schema(table, description)
    needed = _needed(table, description)
    for name, kind in wanted.items():
        if name not in found:
            if name in needed:
                raise BadInput(f"{path} has no column `{name}`; {AGAIN}")
        # Empty columns of entities that no run has are of no type.
        elif found[name] not in (kind, pl.Null()):
            raise BadInput(
                f"{path}: the column `{name}` is of type {found[name]}, must be {kind}; {AGAIN}"
            )


def identifying(description: Description) -> list[str]:
    """Columns that tell a run's place in the study: numbers, whether it failed, and factors."""
    return [*KEYS, STATUS, *(one.name for one in description.factors)]


def refuse_bad_rows(runs: pl.DataFrame, path: Path) -> None:
    """Checks that each run is there once, with its numbers, and its factors unless it failed.

    Args:
        runs: The columns of `identifying`.
        path: The file, for the message.

    Raises:
        BadInput: One is not; the message names row and column.
    """
    failed = runs[STATUS] == FAILED
    for column in runs.iter_columns():
        lacks = column.is_null() | (column.is_nan() if column.dtype.is_float() else False)
        told = lacks if column.name in (*KEYS, STATUS) else lacks & ~failed
        for row in told.arg_true().head(1):
            said = "has no value" if column[row] is None else f"is {column[row]}"
            raise BadInput(f"{path}, row {row}: `{column.name}` {said}; {AGAIN}")
    # Tables of entities are joined with the runs by their number.
    for row in runs["run"].is_duplicated().arg_true().head(1):
        raise BadInput(f"{path}, row {row}: run {runs['run'][row]} is there twice; {AGAIN}")


def _schema(table: str, description: Description) -> Schema:
    if table == RUNS:
        return runs_schema(description)
    return entity_schema(table) if table in ENTITIES else trace_schema()


def _needed(table: str, description: Description) -> frozenset[str]:
    if table in ENTITIES:
        return frozenset(KEYS)
    if table != RUNS:
        return frozenset(trace_schema())
    varied = (one.name for one in description.varied)
    measures = (one.name for one in description.measures)
    return frozenset({*KEYS, *IDENTITY, *varied, *measures})
