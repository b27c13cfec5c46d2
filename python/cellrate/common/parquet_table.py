"""Converts a Parquet file to a CSV table; a separate program, `python parquet_table.py FILE`.

Some damaged files make polars end the process instead of raising an exception, for instance if they
state a number of values that does not fit into memory. So users' files are read in a separate
process.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from os import PathLike

import polars as pl

REFUSED = 3
"""Exit code for an unreadable file; standard output then has the reason."""
# If a file is damaged after its first bytes polars raises a panic, which is not an `Exception`.
UNREADABLE = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


def as_csv(path: str | PathLike[str]) -> str:
    """Converts a Parquet file to the text of a CSV table.

    Columns that hold durations become `NAME (ns)`; all others keep their names, which contain the
    unit of their numbers: `duration (ms)`, `rate (Mbit/s)`.

    Raises:
        OSError, polars.exceptions.PolarsError, polars.exceptions.PanicException: The file cannot
            be read (`UNREADABLE`).
    """
    table = pl.read_parquet(str(path))
    durations = [
        pl.col(name).dt.total_nanoseconds().alias(f"{name} (ns)") if kind == pl.Duration else name
        for name, kind in table.schema.items()
    ]
    return table.select(durations).write_csv()


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
