"""Writes the files of a tuning: a page, and the scenario with the chosen setting."""

from __future__ import annotations

from pathlib import Path

from cellrate.advice.tuning.page import page
from cellrate.advice.tuning.report import Report
from cellrate.common import whole_file
from cellrate.simulation.runner import Job


def write(report: Report, directory: Path) -> list[Path]:
    """Writes NAME-tuned.html and NAME-tuned.toml, the resolved scenario with the chosen setting.

    Raises:
        OSError: A file cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    name = Path(report.base.path.strip("<>")).stem
    texts = {f"{name}-tuned.html": page(report), f"{name}-tuned.toml": tuned(report)}
    paths = [directory / file for file in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        whole_file.write_text(path, text)
    return paths


def tuned(report: Report) -> str:
    """The scenario with the chosen setting, every default written out."""
    base = report.base
    overrides = (*base.overrides, *report.chosen.setting.overrides)
    return Job(base.text, base.path, overrides).resolved()
