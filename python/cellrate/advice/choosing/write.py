"""Writes the files of a choice: a page, and the scenario with the recommended control."""

from __future__ import annotations

from pathlib import Path

from cellrate.advice.choosing.answer import Answer
from cellrate.advice.choosing.report import report
from cellrate.common import whole_file
from cellrate.common.document.web_page import web_page
from cellrate.simulation.runner import Job


def write(answer: Answer, directory: Path) -> list[Path]:
    """Writes NAME-choice.html and, if something meets the goals, NAME-chosen.toml.

    Raises:
        OSError: A file cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    base, best = answer.base, answer.judgement.best
    name = Path(base.path.strip("<>")).stem
    texts = {f"{name}-choice.html": web_page(report(answer))}
    if best is not None:
        overrides = (*base.overrides, *best.overrides)
        texts[f"{name}-chosen.toml"] = Job(base.text, base.path, overrides).resolved()
    paths = [directory / file for file in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        whole_file.write_text(path, text)
    return paths
