"""Reads and writes Parquet files by polars; as a program (`... FILE`) it converts one to CSV.

Only this module passes paths to polars. Polars expands `*`, `?`, `[...]` and `~`, and reads all
files of a directory; the functions here take paths literally.

Some damaged files make polars end the process instead of raising an exception, for instance if they
state a number of values that does not fit into memory. So users' files are read in a separate
process.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Literal

import polars as pl

REFUSED = 3
"""Exit code for an unreadable file; standard output then has the reason."""
# If a file is damaged after its first bytes polars raises a panic, which is not an `Exception`.
UNREADABLE = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


MOST_VALUES = 1 << 25
"""Greatest number of values, rows times columns, of a file that is converted to CSV."""
MOST_BYTES = 1 << 28
"""Greatest size in bytes of a CSV table, as of any other file that a source plays."""


def literal(path: str | PathLike[str]) -> str:
    """A path that polars does not expand: absolute, without `~` at its start.

    Raises:
        OSError: The path is not a regular file: polars would wait for a pipe, and read all files of
            a directory.
    """
    place = Path(path).absolute()
    if place.exists() and not place.is_file():
        raise OSError("it is not a regular file")
    return str(place)


def scan(path: str | PathLike[str]) -> pl.LazyFrame:
    """One Parquet file as the start of a lazy query.

    Raises:
        OSError, polars.exceptions.PolarsError, polars.exceptions.PanicException: The file cannot
            be read (`UNREADABLE`), perhaps only when rows are collected.
    """
    return pl.scan_parquet(literal(path), glob=False, hive_partitioning=False)


def columns(path: str | PathLike[str]) -> list[str]:
    """Names of the columns of a Parquet file.

    Raises:
        OSError, polars.exceptions.PolarsError, polars.exceptions.PanicException: The file cannot
            be read (`UNREADABLE`).
    """
    return scan(path).collect_schema().names()


def write(
    frame: pl.DataFrame,
    path: str | PathLike[str],
    *,
    compression: Literal["zstd", "lz4"] = "zstd",
) -> None:
    """Writes a table as a Parquet file.

    Raises:
        OSError, polars.exceptions.PolarsError: The file cannot be written.
    """
    frame.write_parquet(literal(path), compression=compression, statistics=True)


def sink(
    query: pl.LazyFrame,
    path: str | PathLike[str],
    *,
    rows_of_group: int | None = None,
) -> None:
    """Writes the rows of a query as a Parquet file in their order, without all in memory at once.

    Raises:
        OSError, polars.exceptions.PolarsError: The file cannot be written.
    """
    query.sink_parquet(
        literal(path), compression="zstd", row_group_size=rows_of_group, maintain_order=True
    )


def as_csv(path: str | PathLike[str]) -> str:
    """Converts a Parquet file to the text of a CSV table.

    Columns that hold durations become `NAME (ns)`; all others keep their names, which contain the
    unit of their numbers: `duration (ms)`, `rate (Mbit/s)`.

    Raises:
        OSError, polars.exceptions.PolarsError, polars.exceptions.PanicException: The file cannot
            be read (`UNREADABLE`), or has more than `MOST_VALUES` values or `MOST_BYTES` as CSV.
    """
    query = scan(path)
    schema = query.collect_schema()
    # A small file can state any number of equal rows, so rows are counted before they are read. No
    # more rows are read than the file states.
    rows = query.select(pl.len()).collect().item()
    most = MOST_VALUES // max(len(schema), 1)
    if rows > most:
        raise OSError(
            f"it has {rows:,} rows of {len(schema)} columns; allowed are at most {most:,} rows"
        )
    durations = [
        pl.col(name).dt.total_nanoseconds().alias(f"{name} (ns)") if kind == pl.Duration else name
        for name, kind in schema.items()
    ]
    table = query.head(most).collect().select(durations)
    text = _Bounded()
    table.write_csv(text)
    return text.getvalue().decode()


class _Bounded(io.BytesIO):
    """A buffer in memory; writing beyond its greatest size is an error."""

    def write(self, data: bytes) -> int:  # type: ignore[override]
        if self.tell() + len(data) > MOST_BYTES:
            raise OSError(f"it makes a table of more than {MOST_BYTES:,} bytes")
        return super().write(data)


def first_line(error: BaseException) -> str:
    """The first line of an exception's message, or the name of its type."""
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


def bound_memory() -> None:
    """Limits this process to half of the machine's memory, on systems that support this.

    A damaged file can cause an allocation of any size.
    """
    try:
        import resource
    except ImportError:  # as on Windows
        return
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or soft > half:
        with suppress(ValueError):  # as on some versions of macOS, which have no such limit
            resource.setrlimit(resource.RLIMIT_AS, (half, hard))


def main(path: str) -> int:
    """Writes the table, or the error message, to standard output."""
    bound_memory()
    try:
        text, status = as_csv(path), 0
    except UNREADABLE as error:
        text, status = first_line(error), REFUSED
    sys.stdout.buffer.write(text.encode())
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
