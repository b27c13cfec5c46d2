"""Directories of a command: the data set that it reads, and the place of kept results."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

from cellrate import _core
from cellrate.common.input_file import read_text
from cellrate.common.problems import BadInput, reading, shortened
from cellrate.common.whole_file import make_directory
from cellrate.simulation import source
from cellrate.simulation.runner import default_store

Study: TypeAlias = Annotated[
    Path,
    Parameter(name="STUDY", help="Directory of a study's data set, or file of a study that ran."),
]

STUDIES = Path("out") / "studies"


def place_of(study: Path) -> Path:
    """Directory of a study's data set; for a study file, the directory that it uses by default.

    Raises:
        BadInput: The file is not a study file, or the study has not run.
    """
    if not study.is_file():
        return study
    try:
        with reading(str(study)):
            content = json.loads(_core.toml_as_json(read_text(study)))
    except ValueError as error:  # also of an encoding
        raise BadInput(f"{study} is no study file: {error}") from error
    if not {"scenario", "template"} & content.keys():
        raise BadInput(f"{study} is no study file: it names neither `scenario` nor `template`")
    place = STUDIES / str(content.get("name", source.stem(str(study))))
    if not place.is_dir():
        raise BadInput(f"{study} has no data in {place}; run `cellrate study {study}` first")
    return place


# The directory of the store of the command at work, and its number of results at the beginning.
# Not the store, which is closed when nobody has it any more.
_OPENED: list[tuple[Path, int]] = []


def kept_so_far() -> str:
    """Clause on the results that an interrupted command leaves; empty without a store."""
    if not _OPENED:
        return ""
    place, before = _OPENED[-1]
    now = len(default_store(place).keys())
    runs = f"{now - before:,} run{'s' if now - before != 1 else ''} finished, {now:,} kept"
    return f": {runs} in {place}; the same command goes on from there"


def kept_results(out: Path, *, fresh: bool) -> _core.Store | None:
    """Creates the directory for pages and kept results, before hours of simulation.

    Returns:
        The store in it; None if `fresh`.

    Raises:
        BadInput: Nothing can be written to the directory.
    """
    try:
        make_directory(out)
        if not os.access(out, os.W_OK | os.X_OK):
            raise BadInput(f"--out {out}: no permission to write there")
        store = None if fresh else default_store(out / "results")
    except OSError as error:
        why, place = error.strerror or str(error), shortened(str(out))
        raise BadInput(f"--out {place}: nothing can be written there: {why}") from error
    if store is not None:
        _OPENED[:] = [(out / "results", len(store.keys()))]
    return store
