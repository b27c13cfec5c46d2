"""Writes the files of a tuning: a page, and the scenario with the chosen setting."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.report import report
from cellrate.common import whole_file
from cellrate.common.document.web_page import web_page
from cellrate.simulation.runner import Job


def write(answer: Answer, paths: Sequence[Path]) -> list[Path]:
    """Writes the page, and the resolved scenario with the chosen setting.

    Args:
        answer: The answer.
        paths: Files for the page and for the scenario, in a directory that exists.

    Raises:
        OSError: A file cannot be written.
    """
    for path, text in zip(paths, (web_page(report(answer)), tuned(answer)), strict=True):
        whole_file.write_text(path, text)
    return list(paths)


def tuned(answer: Answer) -> str:
    """The scenario with the chosen setting, every default written out."""
    base = answer.base
    overrides = (*base.overrides, *answer.chosen.setting.overrides)
    return Job(base.text, base.path, overrides).resolved()
