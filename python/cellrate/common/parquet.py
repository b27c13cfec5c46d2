"""Reads Parquet files with polars: tables of rates as CSV, and errors of damaged files."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from os import PathLike
from pathlib import Path

from cellrate.common import input_file
from cellrate.common.extras import needing

READER = Path(__file__).with_name("parquet_table.py")


@contextmanager
def refused(error: Callable[[str], Exception]) -> Iterator[None]:
    """Converts polars' exceptions on unreadable files.

    Args:
        error: Makes the new exception from the first line of polars' message.
    """
    from cellrate.common.parquet_table import UNREADABLE, first_line

    try:
        yield
    except UNREADABLE as found:
        raise error(first_line(found)) from found


def as_csv(path: PathLike[str]) -> str:
    """Converts a Parquet file to the text of a CSV table, by `parquet_table.as_csv`.

    The file is read in a separate process, since a damaged file may crash the process. Equal
    content is read once.

    Raises:
        OSError: The file cannot be read at all.
        ValueError: The file cannot be read as Parquet.
        MissingExtra: polars is not installed.
    """
    import hashlib

    place = Path(path)
    digest = hashlib.sha256(input_file.read_regular(place)).digest()
    return _table(place, digest)


@lru_cache(maxsize=4)
def _table(path: Path, _digest: bytes) -> str:
    if importlib.util.find_spec("polars") is None:
        with needing("a Parquet table"):
            importlib.import_module("polars")
    import subprocess

    # The process must not import modules from the working directory.
    command = [sys.executable, "-P", str(READER), str(path.absolute())]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603
    if done.returncode == 0:
        return done.stdout
    lines = (done.stdout or done.stderr).strip().splitlines() or [f"code {done.returncode}"]
    raise ValueError(f"the file cannot be read as Parquet: {lines[0]}")
