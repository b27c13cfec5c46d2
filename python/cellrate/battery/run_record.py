"""Records: the measures of one run of one scheme, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from cellrate.battery.measures import MEASURES


@dataclass(frozen=True)
class Record:
    """A run of the battery.

    Attributes:
        scheme: Name of the contender.
        experiment: Name of the experiment.
        seed: The seed.
        digest: Hash of all events of the run; empty if it failed.
        values: The measures; None where the experiment has no such value, and in a run that failed.
        error: Error message of a run that failed; empty otherwise.
    """

    scheme: str
    experiment: str
    seed: int
    digest: str
    values: Mapping[str, float | None]
    error: str = ""


SCHEMA: dict[str, type[pl.DataType]] = {
    "scheme": pl.String,
    "experiment": pl.String,
    "seed": pl.Int64,
    "digest": pl.String,
    **{one.name: pl.Float64 for one in MEASURES},
    "error": pl.String,
}


def table(records: Iterable[Record]) -> pl.DataFrame:
    """A row for each record; a settling time that never comes is infinite."""
    rows = [
        {
            "scheme": one.scheme,
            "experiment": one.experiment,
            "seed": one.seed,
            "digest": one.digest,
            **one.values,
            "error": one.error,
        }
        for one in records
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


def records(rows: pl.DataFrame) -> list[Record]:
    """The records of a table."""
    return [_record(row) for row in rows.iter_rows(named=True)]


def _record(row: Mapping[str, Any]) -> Record:
    values = {one.name: row[one.name] for one in MEASURES}
    return Record(
        row["scheme"],
        row["experiment"],
        row["seed"],
        row["digest"] or "",
        values,
        row["error"] or "",
    )
