"""Parquet files, which polars reads: tables of rates for the core, and what damaged files do."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from os import PathLike
from pathlib import Path

READER = Path(__file__).with_name("parquet_table.py")


@contextmanager
def refused(error: Callable[[str], Exception]) -> Iterator[None]:
    """What polars says of a file that it cannot read becomes an exception of ours.

    Args:
        error: Makes the exception of the first line of what polars says.
    """
    from cellrate.parquet_table import UNREADABLE, first_line

    try:
        yield
    except UNREADABLE as found:
        raise error(first_line(found)) from found


def as_csv(path: PathLike[str]) -> str:
    """The Parquet file at a path as the text of a CSV table, as `parquet_table.as_csv` makes it.

    It is read in a process of its own, which a damaged file may end, and once for as long as its
    bytes are the same.

    Raises:
        OSError: The file cannot be read at all.
        ValueError: The file cannot be read as Parquet.
        ModuleNotFoundError: polars is not installed.
    """
    place = Path(path)
    with place.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    return _table(place, digest)


@lru_cache(maxsize=4)
def _table(path: Path, _digest: bytes) -> str:
    if importlib.util.find_spec("polars") is None:
        importlib.import_module("polars")  # says so
    # The directory of the reader is no place to look for modules in.
    command = [sys.executable, "-P", str(READER), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603
    if done.returncode == 0:
        return done.stdout
    told = (done.stdout or done.stderr).strip().splitlines() or [f"code {done.returncode}"]
    raise ValueError(f"this is no Parquet file that can be read: {told[0]}")
