"""Writes the files of a choice: a page, and the scenario with the recommended control."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cellrate.advice.choosing.answer import Answer
from cellrate.advice.choosing.report import report
from cellrate.common import whole_file
from cellrate.common.document.web_page import web_page
from cellrate.simulation.runner import Job


def write(answer: Answer, paths: Sequence[Path]) -> list[Path]:
    """Writes the page and, if something meets the goals, the scenario with the recommended control.

    Args:
        answer: The answer.
        paths: Files for the page and for the scenario, in a directory that exists.

    Raises:
        OSError: A file cannot be written.
    """
    base, best = answer.base, answer.judgement.best
    texts = [web_page(report(answer))]
    if best is not None:
        texts.append(Job(base.text, base.path, (*base.overrides, *best.overrides)).resolved())
    written = list(paths[: len(texts)])
    for path, text in zip(written, texts, strict=True):
        whole_file.write_text(path, text)
    return written
