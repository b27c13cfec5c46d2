"""Files that are there whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cellrate import scratch
from cellrate.problems import writing


def write_text(path: Path, text: str) -> None:
    """Writes a text as UTF-8, whole or not at all: what was in the file before stays until then.

    Raises:
        OSError: It cannot be written.
    """
    with replacing(path) as fresh:
        fresh.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to write that takes the place of another one if the block ends without an exception.

    What is no regular file, such as a pipe or a terminal, is written as it is.

    Raises:
        OSError: It cannot be written.
    """
    with writing(path):
        # What a link leads to is replaced, not the link.
        place = path.resolve()
        if place.exists() and not place.is_file():
            yield place
            return
        scratch.clear(place)
        with scratch.directory(place) as hidden:
            fresh = hidden / place.name
            yield fresh
            if place.exists():
                shutil.copymode(place, fresh)
            fresh.replace(place)
