"""Makes directories, however many of their parents are missing."""

from __future__ import annotations

from pathlib import Path


def make_directory(path: Path) -> None:
    """Makes a directory with its missing parents; one that exists is left as it is.

    `Path.mkdir` and `os.makedirs` call themselves for each missing parent, so Python ends them
    after a thousand.

    Raises:
        OSError: It cannot be made.
    """
    missing = []
    for place in path.parents:
        if place.exists():
            break
        missing.append(place)
    for place in (*reversed(missing), path):
        place.mkdir(exist_ok=True)
