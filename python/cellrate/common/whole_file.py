"""Writes files atomically, as a whole or not at all, and makes directories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cellrate.common import scratch
from cellrate.common.problems import writing


def make_directory(path: Path) -> None:
    """Makes a directory with its missing parents; one that exists is left as it is.

    `Path.mkdir` and `os.makedirs` recurse for each missing parent, and fail after a thousand.

    Raises:
        OSError: The directory cannot be made.
    """
    missing = []
    for place in path.parents:
        if place.exists():
            break
        missing.append(place)
    for place in (*reversed(missing), path):
        place.mkdir(exist_ok=True)


def write_text(path: Path, text: str) -> None:
    """Writes a text as UTF-8; the file keeps its old contents until the new ones are complete.

    Raises:
        OSError: The file cannot be written.
    """
    with replacing(path) as fresh:
        fresh.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A fresh file that replaces another one if the block ends without an exception.

    A path that is not a regular file, such as a pipe or a terminal, is written directly.

    Raises:
        OSError: The file cannot be written.
    """
    with writing(path):
        # The target of a link is replaced, not the link.
        place = path.resolve()
        if place.exists() and not place.is_file():
            yield place
            return
        scratch.clear(place)
        with scratch.directory(place) as hidden:
            fresh = hidden / place.name
            yield fresh
            if place.exists():
                import shutil  # not at the start of every command

                shutil.copymode(place, fresh)
            fresh.replace(place)
