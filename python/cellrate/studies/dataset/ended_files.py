"""Measures of ended flows in a data set; they have no mean where file transfers do not end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from cellrate.language.ended_flows import (
    FILES,
    TRANSFER,
    is_over_ended_flows,
    needs_ended_flows,
)
from cellrate.studies.dataset.reader import DataSet

NEEDED = ("source", "start_seconds", "completion_seconds")
"""Columns of flows by which file transfers that do not end are found."""


def of_ended(data: DataSet, columns: Iterable[str]) -> tuple[str, ...]:
    """Those columns of runs that have no value in a run whose file transfers do not end."""
    defined = {one.name: one.expression for one in data.description.measures}
    return tuple(name for name in columns if needs_ended_flows(defined.get(name, name)))


def with_files(data: DataSet, runs: pl.DataFrame) -> pl.DataFrame:
    """Adds the number of file transfers that do not end to rows of runs, as `files_unfinished`.

    Where transfers do not end, columns of the totals over ended flows become null. A table of an
    earlier version without the columns of `NEEDED` counts as one whose transfers end.
    """
    flows = data.scan("flows")
    names = flows.collect_schema().names()
    if not {*NEEDED} <= {*names} or FILES in runs.columns:
        return runs if FILES in runs.columns else runs.with_columns(pl.lit(0).alias(FILES))
    ends = data.scan().select("run", "simulated_seconds")
    start = pl.col("start_seconds")
    left = (
        flows.filter(pl.col("source") == TRANSFER, pl.col("completion_seconds").is_null())
        .join(ends, on="run")
        .filter(start.is_null() | (start < pl.col("simulated_seconds")))
        .group_by("run")
        .agg(pl.len().cast(pl.Int64).alias(FILES))
    )
    found = runs.join(data.collect(left), on="run", how="left", maintain_order="left")
    over = [name for name in runs.columns if is_over_ended_flows(name)]
    return found.with_columns(pl.col(FILES).fill_null(0)).with_columns(
        pl.when(pl.col(FILES) == 0).then(pl.col(name)).alias(name) for name in over
    )


def whole(
    data: DataSet, runs: pl.DataFrame, keys: Sequence[str], measures: Iterable[str]
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Rows of runs without the measures that a mean over runs must not have.

    If file transfers of one run do not end, a mean over the runs with equal values of `keys` would
    cover only runs whose transfers end. So all these runs lose the value.

    Args:
        data: The data set.
        runs: Rows of its runs, with the column `run`.
        keys: Columns whose values make the groups.
        measures: Columns of which means are taken.

    Returns:
        The rows, and the measures that groups lack for this reason.
    """
    asked = of_ended(data, measures)
    if not asked:
        return runs, ()
    found = with_files(data, runs)
    by = [pl.col(name) for name in keys] or [pl.lit(1)]
    void = {name: (pl.col(name).is_null() & (pl.col(FILES) > 0)).any().over(by) for name in asked}
    lacking = found.select(one.any().alias(name) for name, one in void.items()).row(0)
    kept = (pl.when(~one).then(pl.col(name)).alias(name) for name, one in void.items())
    return found.with_columns(kept), tuple(
        name for name, lacks in zip(asked, lacking, strict=True) if lacks
    )


def note(measures: Sequence[str]) -> str:
    """A sentence on measures that have no mean because file transfers do not end."""
    return (
        f"{', '.join(measures)}: no mean where files of a run do not end, since the mean would be "
        "that of the files that end."
    )
