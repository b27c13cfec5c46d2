"""Writes a table from rows that arrive in any order, in bounded memory, and sorts it at the end."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cellrate.common import parquet_table
from cellrate.studies.dataset.columns import Schema

FRAME_ROWS = 1_000
"""Number of rows that are kept as Python objects before they are converted to columns."""
PART_ROWS = 10_000
"""Number of rows of a part, the unit held in memory; the rows of a run are never divided."""
GROUP_ROWS = 50_000
"""Rows of a row group of the table."""
ORDER = ("point", "replication")

Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Part:
    """A temporary file with rows of a table, and the first and the last run in the file."""

    path: Path
    first: Key
    last: Key


class Parts:
    """Collects the rows of one table in temporary files."""

    def __init__(self, directory: Path, schema: Schema, optional: set[str], open_: str) -> None:
        """Begins a table.

        Args:
            directory: Directory of the temporary files.
            schema: Columns of the table.
            optional: Columns that are left out if no run has a value.
            open_: Beginning of names of further columns, which have numbers; empty for none.
        """
        self._directory = directory
        self._schema = schema
        self._open = open_
        self._more = set[str]()
        # The number of a run is known only when all runs have been added.
        self._unnumbered = {name: kind for name, kind in schema.items() if name != "run"}
        self._optional = optional
        self._seen: set[str] = set()
        self._rows: list[dict[str, Any]] = []
        self._frames: list[pl.DataFrame] = []
        self._parts: list[Part] = []
        self._current: list[Key] = []
        self._waiting = 0
        self._written = 0
        # Point, replication and number of rows of each run in the order of arrival.
        self._arrivals = (array("q"), array("q"), array("q"))
        self._last: Key = (-1, -1)
        self._ordered = True
        directory.mkdir()

    def add(self, key: Key, rows: Sequence[dict[str, Any]]) -> None:
        """Adds the rows of a run.

        Raises:
            KeyError: A row has a key without a column in the table.
        """
        for row in rows:
            unknown = row.keys() - self._unnumbered.keys()
            if unknown and self._open and all(name.startswith(self._open) for name in unknown):
                self._more |= unknown
                self._unnumbered |= dict.fromkeys(sorted(unknown), pl.Float64())
            elif unknown:
                raise KeyError(
                    f"no column for {', '.join(sorted(unknown))}; "
                    f"there are {', '.join(self._schema)}"
                )
            self._seen.update(self._optional & row.keys())
            self._rows.append({"point": key[0], "replication": key[1], **row})
        if len(self._rows) >= FRAME_ROWS:
            self._compact()
        self._added(key, len(rows))

    def add_frame(self, key: Key, frame: pl.DataFrame) -> None:
        """Adds the rows of a run as a frame that has the table's columns except the keys."""
        point, replication = (pl.lit(one, pl.Int64) for one in key)
        keyed = frame.select(point.alias("point"), replication.alias("replication"), *frame.columns)
        self._frames.append(self._typed(keyed))
        self._added(key, len(frame))

    def _added(self, key: Key, rows: int) -> None:
        if not rows:
            return
        self._current.append(key)
        for column, value in zip(self._arrivals, (*key, rows), strict=True):
            column.append(value)
        self._ordered = self._ordered and self._last < key
        self._last = key
        self._waiting += rows
        if self._waiting >= PART_ROWS:
            self._flush()

    def _compact(self) -> None:
        """Converts the collected rows to columns."""
        if self._rows:
            columns = {name: [row.get(name) for row in self._rows] for name in self._unnumbered}
            self._frames.append(pl.DataFrame(columns, schema=self._unnumbered, strict=False))
            self._rows = []

    def _typed(self, frame: pl.DataFrame) -> pl.DataFrame:
        return frame.select(pl.col(name).cast(kind) for name, kind in self._unnumbered.items())

    def _flush(self) -> None:
        """Writes the collected rows as a part."""
        self._compact()
        if self._frames:
            first, last = min(self._current), max(self._current)
            frame = pl.concat(self._frames, how="diagonal")
            self._parts.append(self._write(frame, first, last))
        self._frames, self._current, self._waiting = [], [], 0

    def _write(self, frame: pl.DataFrame, first: Key, last: Key) -> Part:
        path = self._directory / f"{self._written:06d}.parquet"
        self._written += 1
        parquet_table.write(frame, path, compression="lz4")
        return Part(path, first, last)

    def finish(self, path: Path, numbers: pl.LazyFrame) -> None:
        """Writes the table in order of the runs.

        Args:
            path: Path of the file.
            numbers: Number of each run, `run`, by point and replication.
        """
        self._flush()
        parts = self._parts if self._ordered else self._sorted()
        columns = [name for name in self._schema if name not in self._optional - self._seen]
        columns += sorted(self._more)
        empty = pl.LazyFrame(schema=self._unnumbered)
        scans = [parquet_table.scan(part.path) for part in parts] or [empty]
        numbered = pl.concat(scans, how="diagonal").join(
            numbers, on=ORDER, how="left", maintain_order="left"
        )
        parquet_table.sink(numbered.select(columns), path, rows_of_group=GROUP_ROWS)

    def _sorted(self) -> list[Part]:
        """Sorts the rows into parts that are divided as if the runs had arrived in order."""
        found = []
        for first, last in self._cuts():
            inside = _from(first) & ~(_from(last) & ~_is(last))
            parts = [
                parquet_table.scan(part.path).filter(inside)
                for part in self._parts
                if part.first <= last and part.last >= first
            ]
            frame = pl.concat(parts, how="diagonal").sort(ORDER, maintain_order=True).collect()
            found.append(self._write(frame, first, last))
        return found

    def _cuts(self) -> Iterator[tuple[Key, Key]]:
        """First and last run of each sorted part."""
        points, replications, counts = (np.array(column) for column in self._arrivals)
        first: Key | None = None
        key, rows = (-1, -1), 0
        for at in np.lexsort((replications, points)):
            key = (int(points[at]), int(replications[at]))
            first = first or key
            rows += int(counts[at])
            if rows >= PART_ROWS:
                yield first, key
                first, rows = None, 0
        if first is not None:
            yield first, key


def _from(key: Key) -> pl.Expr:
    """True for rows of this run or of a later one."""
    point, replication = pl.col("point"), pl.col("replication")
    return (point > key[0]) | ((point == key[0]) & (replication >= key[1]))


def _is(key: Key) -> pl.Expr:
    return (pl.col("point") == key[0]) & (pl.col("replication") == key[1])
