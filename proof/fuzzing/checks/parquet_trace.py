"""Parquet files with a rate trace, as the core is handed them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from cellrate import parquet


def check(data: bytes) -> None:
    """The input is a file."""
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        Path(file.name).write_bytes(data)
        try:
            text = parquet.as_csv(Path(file.name))
        except ValueError as error:
            assert str(error)
        else:
            assert text.count("\n") >= 1
