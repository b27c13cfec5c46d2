"""A table that is written while its rows come, in bounded memory, and put in order at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from cellrate.dataset.columns import Schema

FRAME_ROWS = 1_000
"""Rows that are kept as Python objects before they become columns."""
PART_ROWS = 20_000
"""Rows of a part, which is what is held in memory; a run's rows are never divided."""
GROUP_ROWS = 50_000
"""Rows of a row group of the table."""
ORDER = ("point", "replication")

Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Part:
    """Rows in a file, and the runs that they are of, in order of coming."""

    path: Path
    keys: list[Key]


class Parts:
    """The rows of one table so far."""

    def __init__(self, directory: Path, schema: Schema, optional: set[str]) -> None:
        self._directory = directory
        self._schema = schema
        # The number of a run is known when all have come.
        self._unnumbered = {name: kind for name, kind in schema.items() if name != "run"}
        self._optional = optional
        self._seen: set[str] = set()
        self._rows: list[dict[str, Any]] = []
        self._frames: list[pl.DataFrame] = []
        self._parts: list[Part] = []
        self._current: list[Key] = []
        self._counts: dict[Key, int] = {}
        self._waiting = 0
        directory.mkdir()

    def add(self, key: Key, rows: Sequence[dict[str, Any]]) -> None:
        """Adds the rows of a run.

        Raises:
            KeyError: A row has a key that the table has no column for.
        """
        for row in rows:
            unknown = row.keys() - self._schema.keys()
            if unknown:
                raise KeyError(f"no column for {', '.join(sorted(unknown))}")
            self._seen.update(self._optional & row.keys())
            self._rows.append({"point": key[0], "replication": key[1], **row})
        if len(self._rows) >= FRAME_ROWS:
            self._compact()
        self._added(key, len(rows))

    def add_frame(self, key: Key, frame: pl.DataFrame) -> None:
        """Adds the rows of a run as a frame, whose columns are those of the table without keys."""
        point, replication = (pl.lit(one, pl.Int64) for one in key)
        keyed = frame.select(point.alias("point"), replication.alias("replication"), *frame.columns)
        self._frames.append(self._typed(keyed))
        self._added(key, len(frame))

    def _added(self, key: Key, rows: int) -> None:
        if not rows:
            return
        self._current.append(key)
        self._counts[key] = rows
        self._waiting += rows
        if self._waiting >= PART_ROWS:
            self._flush()

    def _compact(self) -> None:
        """Rows become columns."""
        if self._rows:
            columns = {name: [row.get(name) for row in self._rows] for name in self._unnumbered}
            self._frames.append(pl.DataFrame(columns, schema=self._unnumbered, strict=False))
            self._rows = []

    def _typed(self, frame: pl.DataFrame) -> pl.DataFrame:
        return frame.select(pl.col(name).cast(kind) for name, kind in self._unnumbered.items())

    def _flush(self) -> None:
        """What waits becomes a part."""
        self._compact()
        if self._frames:
            self._parts.append(self._write(pl.concat(self._frames), self._current))
        self._frames, self._current, self._waiting = [], [], 0

    def _write(self, frame: pl.DataFrame, keys: list[Key]) -> Part:
        path = self._directory / f"{len(list(self._directory.iterdir())):06d}.parquet"
        frame.write_parquet(path, compression="lz4", statistics=True)
        return Part(path, keys)

    def finish(self, path: Path, runs: Mapping[Key, int]) -> None:
        """Writes the table, in the order of runs, whose numbers `runs` gives."""
        self._flush()
        order = sorted(self._counts)
        parts = self._parts
        if [key for part in parts for key in part.keys] != order:
            parts = [self._write(frame, keys) for frame, keys in self._sorted(order)]
        numbers = pl.LazyFrame(
            {"run": runs.values(), **{n: [k[i] for k in runs] for i, n in enumerate(ORDER)}},
            schema={"run": pl.Int64, **dict.fromkeys(ORDER, pl.Int64)},
        )
        columns = [name for name in self._schema if name not in self._optional - self._seen]
        empty = pl.LazyFrame(schema=self._unnumbered)
        scans = [pl.scan_parquet(part.path) for part in parts] or [empty]
        numbered = pl.concat(scans).join(numbers, on=ORDER, how="left", maintain_order="left")
        numbered.select(columns).sink_parquet(
            path, compression="zstd", row_group_size=GROUP_ROWS, maintain_order=True
        )

    def _sorted(self, order: Sequence[Key]) -> Iterator[tuple[pl.DataFrame, list[Key]]]:
        """The rows in order, cut where they would have been cut had they come in order."""
        for keys in self._cuts(order):
            first, last = keys[0], keys[-1]
            inside = _from(first) & ~(_from(last) & ~_is(last))
            parts = [
                pl.scan_parquet(part.path).filter(inside)
                for part in self._parts
                if min(part.keys) <= last and max(part.keys) >= first
            ]
            yield pl.concat(parts).sort(ORDER, maintain_order=True).collect(), keys

    def _cuts(self, order: Iterable[Key]) -> Iterator[list[Key]]:
        keys: list[Key] = []
        rows = 0
        for key in order:
            keys.append(key)
            rows += self._counts[key]
            if rows >= PART_ROWS:
                yield keys
                keys, rows = [], 0
        if keys:
            yield keys


def _from(key: Key) -> pl.Expr:
    """Whether a row is of this run or of a later one."""
    point, replication = pl.col("point"), pl.col("replication")
    return (point > key[0]) | ((point == key[0]) & (replication >= key[1]))


def _is(key: Key) -> pl.Expr:
    return (pl.col("point") == key[0]) & (pl.col("replication") == key[1])
