"""Writes the files of a reproduction: web pages, and the pages of the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cellrate.common import whole_file
from cellrate.reproduce.errata_page import errata_page
from cellrate.reproduce.evidence import evidence, sensitivity_evidence
from cellrate.reproduce.front_page import front_page
from cellrate.reproduce.overview import errata_overview, overview
from cellrate.reproduce.page import page
from cellrate.reproduce.papers import experiment_ids
from cellrate.reproduce.reproduction import Reproduction
from cellrate.reproduce.runs import Outcomes


def write_pages(parts: Sequence[Reproduction], outcomes: Outcomes, out: Path) -> list[str]:
    """Writes the front page, the errata, and a page per paper; returns their paths."""
    pages = {"index": front_page(parts), "errata": errata_page(parts)} | {
        part.paper.id: page(part.paper, part.results, outcomes, part.sensitivities)
        for part in parts
    }
    out.mkdir(parents=True, exist_ok=True)
    paths = {name: out / f"{name}.html" for name in pages}
    for name, text in pages.items():
        whole_file.write_text(paths[name], text)
    return [str(path) for path in paths.values()]


def write_evidence(parts: Sequence[Reproduction], directory: Path) -> None:
    """Writes a page per paper, and the overviews if the parts are all papers, whole."""
    directory.mkdir(parents=True, exist_ok=True)
    for part in parts:
        _write_paper(part, directory)
    _write_overview(parts, directory)


def _write_paper(part: Reproduction, directory: Path) -> None:
    """Writes the page of the results or, if assumptions were varied, of their effects."""
    if part.sensitivities:
        text, name = sensitivity_evidence(part.paper, part.sensitivities), "-sensitivity"
    else:
        text, name = evidence(part.paper, part.results), ""
    whole_file.write_text(directory / f"{part.paper.id}{name}.md", text)


def _write_overview(parts: Sequence[Reproduction], directory: Path) -> None:
    """Writes the overviews only if all experiments of all papers are there."""
    if [e.id for part in parts for e in part.experiments] == experiment_ids():
        whole_file.write_text(directory / "papers.md", overview(parts))
        whole_file.write_text(directory / "errata.md", errata_overview(parts))
