"""A Parquet file as a CSV table: a program of its own, `python parquet_table.py FILE`.

Over some damaged files polars does not raise, but ends the process: a number of values that nobody
has memory for is one. So files that somebody hands us are read in a process of their own.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from os import PathLike

import polars as pl

REFUSED = 3
"""Exit code for a file that is none; standard output then has the reason."""
# Of what is damaged behind the first bytes polars says so by a panic, which is no `Exception`.
UNREADABLE = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


def as_csv(path: str | PathLike[str]) -> str:
    """The Parquet file at a path as the text of a CSV table.

    Columns that hold durations become `NAME (ns)`; all others keep their names, which tell the unit
    of their numbers: `duration (ms)`, `rate (Mbit/s)`.

    Raises:
        OSError, polars.exceptions.PolarsError, polars.exceptions.PanicException: It cannot be
            read (`UNREADABLE`).
    """
    table = pl.read_parquet(str(path))
    durations = [
        pl.col(name).dt.total_nanoseconds().alias(f"{name} (ns)") if kind == pl.Duration else name
        for name, kind in table.schema.items()
    ]
    return table.select(durations).write_csv()


def first_line(error: BaseException) -> str:
    """What an exception says first, or its kind."""
    told = str(error).splitlines()
    return told[0] if told else type(error).__name__


def bound_memory() -> None:
    """From now on this process gets half of the machine's memory at most, where that can be said.

    A damaged file can ask for any number of bytes, and get them.
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
    """Writes the table, or why there is none, to standard output."""
    bound_memory()
    try:
        text, status = as_csv(path), 0
    except UNREADABLE as error:
        text, status = first_line(error), REFUSED
    sys.stdout.buffer.write(text.encode())
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
