"""Tables of rates in Parquet files, for the core, which reads CSV."""

from __future__ import annotations

from os import PathLike


def as_csv(path: PathLike[str]) -> str:
    """The Parquet file at a path as the text of a CSV table.

    Columns that hold durations become `NAME (ns)`; all others keep their names, which tell the unit
    of their numbers: `duration (ms)`, `rate (Mbit/s)`.

    Raises:
        ValueError: The file cannot be read as Parquet.
    """
    # What plays no such file must not wait for this import.
    import polars as pl

    try:
        table = pl.read_parquet(str(path))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise ValueError(f"this is no Parquet file that can be read: {error}") from error
    durations = [
        pl.col(name).dt.total_nanoseconds().alias(f"{name} (ns)") if kind == pl.Duration else name
        for name, kind in table.schema.items()
    ]
    return table.select(durations).write_csv()
