"""Paths of a command: files to write, the data set to read, and the store of results."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cellrate import _core
from cellrate.common import scratch, whole_file
from cellrate.common.input_file import read_own_text, read_text
from cellrate.common.numbers import counted
from cellrate.common.problems import BadInput, reading, shortened
from cellrate.common.to_json import json_text
from cellrate.common.whole_file import make_directory
from cellrate.simulation import source
from cellrate.simulation.runner import default_store

if TYPE_CHECKING:
    from cellrate.studies.dataset import Description

STUDIES = Path("out") / "studies"
RECORD = "questions.json"


def own_paths(
    out: Path, name: str, endings: Sequence[str], question: Sequence[object]
) -> list[Path]:
    """Paths for the result files of a command; a repeated command gets the same paths.

    The paths are OUT/NAME with the endings. Existing files of another command or other options, or
    files that are not of cellrate, are kept. The paths are then NAME-2, NAME-3 and so on, with a
    note. OUT/questions.json records the command and options (the question) of each file.

    Args:
        out: Directory of the files; created if it is missing.
        name: Name of the scenario.
        endings: Ends of the names, such as ``-tuned.html``.
        question: The command and all options that affect the result.

    Raises:
        BadInput: OUT/questions.json has other content.
        OSError: The directory or the record cannot be written.
    """
    asked = hashlib.sha256(json.dumps(list(question), default=str).encode()).hexdigest()
    make_directory(out)
    with scratch.alone(out):
        known = _record(out)
        own = next(
            free
            for free in _names(name)
            if _is_of(asked, out, [f"{free}{ending}" for ending in endings], known)
        )
        files = [f"{own}{ending}" for ending in endings]
        if {known.get(file) for file in files} != {asked}:
            known |= dict.fromkeys(files, asked)
            whole_file.write_text(out / RECORD, json_text(known))
    if own != name:
        first = out / f"{name}{endings[0]}"
        sys.stderr.write(
            f"note: {first} holds the answer to another command and was kept; this answer is "
            f"in {own}\n"
        )
    return [out / file for file in files]


def _names(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in itertools.count(2))


def _is_of(asked: str, out: Path, files: Sequence[str], known: Mapping[str, str]) -> bool:
    """True if the files are of this command with these options, or if none of the files exists.

    A command that failed before it wrote files leaves only an entry in the record.
    """
    own = {known.get(file) for file in files} == {asked}
    return own or not any((out / file).exists() for file in files)


def _record(out: Path) -> dict[str, str]:
    """The command and options (the question) of each result file, from OUT/questions.json.

    Raises:
        BadInput: OUT/questions.json has other content.
    """
    place = out / RECORD
    try:
        found = json.loads(read_own_text(place))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadInput(
            f"{place} should list the commands whose answers stand beside it, but has other "
            "content; remove the file, or name another --out"
        )
    return {str(file): str(question) for file, question in found.items()}


def place_of(study: Path) -> Path:
    """Directory of a study's data set; for a study file, the directory that it uses by default.

    A note on standard error has the settings of the data set beyond those of the study file.

    Raises:
        BadInput: The file is not a study file, the study has not run, or its directory has the data
            set of another file.
    """
    place = _default_place(study) if study.is_file() else study
    had = _description(place)
    if had is None:
        return place
    if study.is_file() and not had.is_of(str(study)):
        raise BadInput(
            f"{place} has the data set of {had.origin}, not of {study}; run "
            f"`cellrate study {study} --output DIRECTORY`, and give the directory"
        )
    if had.settings:
        sys.stderr.write(f"note: {place} has the data set of {had.origin}\n")
    return place


def _description(place: Path) -> Description | None:
    """Description of the data set in a directory; None if there is none that can be read."""
    from cellrate.studies.dataset import DataSet  # slow to import

    try:
        return DataSet(place).description
    except BadInput:
        return None


def _default_place(study: Path) -> Path:
    """The directory that a study file uses by default.

    Raises:
        BadInput: The file is not a study file, or the study has not run.
    """
    try:
        with reading(str(study)):
            content = json.loads(_core.toml_as_json(read_text(study)))
    except ValueError as error:  # also a wrong encoding
        raise BadInput(f"{study} is no study file: {error}") from error
    if not {"scenario", "template"} & content.keys():
        raise BadInput(f"{study} is no study file: it names neither `scenario` nor `template`")
    place = STUDIES / str(content.get("name", source.stem(str(study))))
    if not place.is_dir():
        raise BadInput(f"{study} has no data in {place}; run `cellrate study {study}` first")
    return place


# The directory of the current command's store, and its number of results at the start. A reference
# to the store itself would keep the store open.
_OPENED: list[tuple[Path, int]] = []


def kept_so_far() -> str:
    """Text on the results that an interrupted command has stored; empty without a store."""
    if not _OPENED:
        return ""
    place, before = _OPENED[-1]
    now = len(default_store(place).keys())
    runs = f"{counted(now - before, 'run')} finished, {now:,} kept"
    return f": {runs} in {place}; the same command goes on from there"


def kept_results(out: Path, *, fresh: bool) -> _core.Store | None:
    """Creates the directory for pages and stored results before the simulations begin.

    Returns:
        The store of results in `out`; None if `fresh`.

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


def warn_of_damage(store: _core.Store | None) -> None:
    """Writes the problems of stored results to standard error."""
    for problem in store.problems() if store is not None else ():
        sys.stderr.write(f"warning: kept result: {problem}\n")


def figure_files(
    default: Path, output: Path | None, known: tuple[str, ...]
) -> tuple[Path, tuple[str, ...]]:
    """Splits `output` into its path without suffix, and the formats to write.

    Without `output` these are the default path and all known formats.

    Raises:
        BadInput: The suffix of `output` is not the suffix of a known format.
    """
    if output is None:
        return default, known
    suffix = output.suffix.removeprefix(".")
    if suffix not in known:
        raise BadInput(f"-o {output}: a figure is written as {', '.join(known)}")
    return output.with_suffix(""), (suffix,)
