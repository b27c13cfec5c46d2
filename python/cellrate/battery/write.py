"""Writes the files of the battery: a page with small pictures, and every run as Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cellrate.battery.answer import Answer
from cellrate.battery.report import report
from cellrate.battery.run_record import table
from cellrate.common import parquet_table, whole_file
from cellrate.common.document.markdown import markdown
from cellrate.common.document.web_page import web_page


def write(answer: Answer, paths: Sequence[Path]) -> list[Path]:
    """Writes the page and the table of all runs.

    Args:
        answer: The answer.
        paths: Files for the page and for the table, in a directory that exists.

    Raises:
        OSError: A file cannot be written.
    """
    page, runs = paths
    whole_file.write_text(page, web_page(report(answer)))
    with whole_file.replacing(runs) as fresh:
        parquet_table.write(table(answer.records), fresh)
    return [page, runs]


def write_evidence(answer: Answer, documentation: Path) -> None:
    """Writes the page of the documentation on the built-in schemes, and its picture.

    Args:
        answer: The answer without contenders.
        documentation: Directory of the documentation.
    """
    from cellrate.battery.figure import standings_figure
    from cellrate.simulation.figures import save

    whole_file.write_text(documentation / "evidence" / "battery.md", markdown(report(answer)))
    save(standings_figure(answer), documentation / "evidence" / "battery", ("svg",))
