"""Writes the files of a tuning: a page, and the scenario with the chosen setting."""

from __future__ import annotations

from pathlib import Path

from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.report import report
from cellrate.common import whole_file
from cellrate.common.document.web_page import web_page
from cellrate.simulation.runner import Job


def write(answer: Answer, directory: Path) -> list[Path]:
    """Writes NAME-tuned.html and NAME-tuned.toml, the resolved scenario with the chosen setting.

    Raises:
        OSError: A file cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    name = Path(answer.base.path.strip("<>")).stem
    texts = {f"{name}-tuned.html": web_page(report(answer)), f"{name}-tuned.toml": tuned(answer)}
    paths = [directory / file for file in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        whole_file.write_text(path, text)
    return paths


def tuned(answer: Answer) -> str:
    """The scenario with the chosen setting, every default written out."""
    base = answer.base
    overrides = (*base.overrides, *answer.chosen.setting.overrides)
    return Job(base.text, base.path, overrides).resolved()
