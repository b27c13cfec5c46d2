"""Finds the data set of a study that a command line names."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

from cellrate.common.problems import BadInput, reading

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
            content = tomllib.loads(study.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"{study} is no study file: {error}") from error
    if not {"scenario", "template"} & content.keys():
        raise BadInput(f"{study} is no study file: it names neither `scenario` nor `template`")
    place = STUDIES / str(content.get("name", study.stem))
    if not place.is_dir():
        raise BadInput(f"{study} has no data in {place}; run `cellrate study {study}` first")
    return place
