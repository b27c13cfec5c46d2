"""`cellrate report`: writes a study as one web page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cellrate.cli.places import Study, place_of
from cellrate.common import terminal, whole_file
from cellrate.common.whole_file import make_directory


def report(
    study: Study,
    /,
    *,
    output: Annotated[
        Path | None,
        Parameter(name=["--output", "-o"], help="File of the page; STUDY/report.html by default."),
    ] = None,
) -> None:
    """Write a study's report: its plan, figures, differences, failures, the command of every run.

    The page is one file and loads nothing else. Points of its figures show the commands that
    reproduce their runs, and link to them.
    """
    from cellrate.common.document.web_page import web_page
    from cellrate.studies.dataset import DataSet
    from cellrate.studies.report import report as report_of

    directory = place_of(study)
    text = web_page(report_of(DataSet(directory)))
    place = directory / "report.html" if output is None else output
    make_directory(place.parent)
    whole_file.write_text(place, text)
    terminal.say(f"written to {place}")
