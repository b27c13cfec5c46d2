"""The files of a class, sent to where its scenario runs: another process, or another machine."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cellrate.common.directories import make_directory
from cellrate.common.input_file import read_regular
from cellrate.schemes import finding, permission

_places: dict[str, Path] = {}
"""Directories of this process with the files of parcels, by their contents."""


@dataclass(frozen=True)
class Parcel:
    """A class that the user allows, and its files.

    Attributes:
        name: Name by which scenarios name it.
        root: Directory of the files; empty for a class of an installed package.
        files: Paths relative to the directory, with their contents.
    """

    name: str
    root: str
    files: tuple[tuple[str, bytes], ...]


def packed(names: Iterable[str]) -> tuple[Parcel, ...]:
    """Parcels of classes that this process has found."""
    return tuple(_packed(name) for name in dict.fromkeys(names))


def _packed(name: str) -> Parcel:
    definition = finding.found(name)
    if definition is None or not name.partition(":")[0].endswith(".py"):
        return Parcel(name, "", ())
    root = definition.root
    files = tuple((str(path.relative_to(root)), read_regular(path)) for path in definition.files)
    return Parcel(name, str(root), files)


def unpack(parcel: Parcel) -> None:
    """Puts the files where the class is found, and lets it run."""
    permission.allow(parcel.name)
    if not parcel.files:
        return
    import hashlib  # only scenarios that name a class need it

    digest = hashlib.sha256(repr(parcel.files).encode()).hexdigest()[:16]
    if digest not in _places:
        # Nobody else can write there.
        place = _places[digest] = Path(tempfile.mkdtemp(prefix="cellrate-code-"))
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        for path, content in parcel.files:
            file = place / path
            make_directory(file.parent)
            file.write_bytes(content)
    finding.move(Path(parcel.root), _places[digest])
