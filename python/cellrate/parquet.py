"""Parquet files, which polars reads: tables of rates for the core, and what damaged files do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike


@contextmanager
def refused(error: Callable[[str], Exception]) -> Iterator[None]:
    """What polars says of a file that it cannot read becomes an exception of ours.

    Args:
        error: Makes the exception of the first line of what polars says.
    """
    import polars as pl

    # Of what is damaged behind the first bytes polars says so by a panic, which is no `Exception`.
    unreadable = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)
    try:
        yield
    except unreadable as found:
        told = str(found).splitlines() or [type(found).__name__]
        raise error(told[0]) from found


def as_csv(path: PathLike[str]) -> str:
    """The Parquet file at a path as the text of a CSV table.

    Columns that hold durations become `NAME (ns)`; all others keep their names, which tell the unit
    of their numbers: `duration (ms)`, `rate (Mbit/s)`.

    Raises:
        ValueError: The file cannot be read as Parquet.
    """
    # What plays no such file must not wait for this import.
    import polars as pl

    with refused(lambda told: ValueError(f"this is no Parquet file that can be read: {told}")):
        table = pl.read_parquet(str(path))
        durations = [
            pl.col(name).dt.total_nanoseconds().alias(f"{name} (ns)")
            if kind == pl.Duration
            else name
            for name, kind in table.schema.items()
        ]
        return table.select(durations).write_csv()
