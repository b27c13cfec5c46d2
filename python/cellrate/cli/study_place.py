"""Where the data set of a study is that a command is asked about."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

from cellrate.problems import BadInput, reading

Study: TypeAlias = Annotated[
    Path,
    Parameter(name="STUDY", help="Directory of a study's data set, or file of a study that ran."),
]

STUDIES = Path("out") / "studies"


def place_of(study: Path) -> Path:
    """The directory of the data set of a study; of a file, the one where its runs go by default.

    Raises:
        BadInput: It is no study file, or the study has not run.
    """
    if not study.is_file():
        return study
    try:
        with reading(str(study)):
            found = tomllib.loads(study.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"{study} is no study file: {error}") from error
    if not {"scenario", "template"} & found.keys():
        raise BadInput(f"{study} is no study file: it names neither `scenario` nor `template`")
    place = STUDIES / str(found.get("name", study.stem))
    if not place.is_dir():
        raise BadInput(f"{study} has no data in {place}; run `cellrate study {study}` first")
    return place
