"""Columns of the tables of a data set with their types, from the dictionary of measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import polars as pl

from cellrate.common.problems import BadInput
from cellrate.language.measures import Measure, tables
from cellrate.studies.dataset.description import Description

Schema: TypeAlias = dict[str, "pl.DataType"]

ENTITIES = ("flows", "classes", "vcs", "ports", "queues")
"""Tables with a row per run and entity."""
TRACES = "traces"
KEYS: Schema = {"run": pl.Int64(), "point": pl.Int64(), "replication": pl.Int64()}
"""First columns of every table."""
STATUS = "status"
DONE = "done"
FAILED = "failed"
IDENTITY: Schema = {
    "seed": pl.Int64(),
    "key": pl.String(),
    "digest": pl.String(),
    STATUS: pl.String(),
    "error": pl.String(),
    "command": pl.String(),
}
"""Columns that identify a run and state its outcome."""
WARNINGS: Schema = {"warnings": pl.String()}
# Measures of a run that are in other columns or in `study.json`, or differ each time it runs.
ELSEWHERE = ("version", "digest", "seed", "wall_seconds")
COUNTED = "control."
"""Prefix of a port's keys that depend on its scheme."""

TYPES: Mapping[str, pl.DataType] = {
    "integer": pl.Int64(),
    "number": pl.Float64(),
    "text": pl.String(),
    "texts": pl.List(pl.String()),
}


def whole_run() -> list[Measure]:
    """Measures of a run as a whole that `runs.parquet` has as columns."""
    return [one for one in tables()["run"] if one.key not in ELSEWHERE]


def own_columns() -> set[str]:
    """Columns of `runs.parquet` that every data set has, in addition to factors and measures."""
    return {*KEYS, *IDENTITY, *WARNINGS, *(one.column for one in whole_run())}


def runs_schema(description: Description) -> Schema:
    """Columns of `runs.parquet`.

    Raises:
        BadInput: Two columns would have the same name.
    """
    factors = {one.name: pl.String() if one.is_text else pl.Float64() for one in description.varied}
    measures = {one.name: pl.Float64() for one in description.measures}
    run = {one.column: TYPES[one.kind] for one in whole_run()}
    schema: Schema = {}
    named = len(description.varied) + len(description.measures)
    for part in (KEYS, IDENTITY, factors, measures, WARNINGS, run):
        for name, kind in part.items():
            if name in schema:
                raise BadInput(
                    f"{name!r} cannot be the name of a factor, a derived parameter or a measure: "
                    "every data set has a column of that name"
                )
            schema[name] = kind
    if named != len(factors) + len(measures):
        raise BadInput(
            "two factors, derived parameters or measures of the study have the same name"
        )
    return schema


def entity_schema(table: str) -> Schema:
    """Columns of the table of one kind of entity, including those of all control schemes."""
    own = {one.column: TYPES[one.kind] for one in tables()[table]}
    place: Schema = {"port": pl.String(), "priority": pl.Int64()} if table == "queues" else {}
    return {**KEYS, **place, **own}


def trace_schema() -> Schema:
    """Columns of the traces."""
    texts: Schema = dict.fromkeys(("kind", "entity", "unit"), pl.String())
    values: Schema = dict.fromkeys(("time_seconds", "minimum", "maximum"), pl.Float64())
    return {**KEYS, **texts, **values}


def optional(table: str) -> set[str]:
    """Columns that are left out if no run has a value."""
    if table != "ports":
        return set()
    scheme = f"{COUNTED}scheme"
    return {
        one.column for one in tables()[table] if one.key.startswith(COUNTED) and one.key != scheme
    }
