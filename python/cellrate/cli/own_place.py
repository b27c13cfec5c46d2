"""Places of a command's files: of one question always the same, of two questions never the same."""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cellrate.common import scratch, whole_file
from cellrate.common.input_file import read_own_text
from cellrate.common.json_text import json_text
from cellrate.common.problems import BadInput
from cellrate.common.whole_file import make_directory

RECORD = "questions.json"


def own_paths(
    out: Path, name: str, endings: Sequence[str], question: Sequence[object]
) -> list[Path]:
    """Paths for the files that answer a question; the same ones whenever it is asked again.

    They are OUT/NAME with the endings. If these answer another question, or are not cellrate's,
    they stay, and the files are called NAME-2, NAME-3 and so on; a note says so. OUT/questions.json
    keeps which question each file answers.

    Args:
        out: Directory of the files; created if it is missing.
        name: Name of the scenario.
        endings: Ends of the names, such as ``-tuned.html``.
        question: Everything that decides the answer, the command first.

    Raises:
        BadInput: The record is not one of cellrate's.
        OSError: The directory or the record cannot be written.
    """
    asked = hashlib.sha256(json.dumps(list(question), default=str).encode()).hexdigest()
    make_directory(out)
    with scratch.alone(out):
        known = _record(out)
        own = next(
            one
            for one in _names(name)
            if _is_of(asked, out, [f"{one}{ending}" for ending in endings], known)
        )
        files = [f"{own}{ending}" for ending in endings]
        if {known.get(file) for file in files} != {asked}:
            known |= dict.fromkeys(files, asked)
            whole_file.write_text(out / RECORD, json_text(known))
    if own != name:
        first = out / f"{name}{endings[0]}"
        sys.stderr.write(f"note: {first} is of another question and stays; this is {own}\n")
    return [out / file for file in files]


def _names(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in itertools.count(2))


def _is_of(asked: str, out: Path, files: Sequence[str], known: Mapping[str, str]) -> bool:
    """True if files are those of a question, or there is none of them.

    A question that was refused or interrupted before its answer leaves only its record.
    """
    own = {known.get(file) for file in files} == {asked}
    return own or not any((out / file).exists() for file in files)


def _record(out: Path) -> dict[str, str]:
    """The question that each file answers.

    Raises:
        BadInput: The file is not a record.
    """
    place = out / RECORD
    try:
        found = json.loads(read_own_text(place))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadInput(f"{place} is not a record of questions; remove it, or name another --out")
    return {str(file): str(question) for file, question in found.items()}
