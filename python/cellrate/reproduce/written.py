"""Writes the files of a reproduction: web pages, and the pages of the evidence."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from cellrate.common import whole_file
from cellrate.common.document.drawn_ahead import drawn_ahead
from cellrate.common.document.markdown import markdown
from cellrate.common.document.web_page import web_page
from cellrate.common.input_file import read_own_text
from cellrate.common.json_text import json_text
from cellrate.common.whole_file import make_directory
from cellrate.reproduce.errata_report import errata_report
from cellrate.reproduce.evidence import evidence, sensitivity_evidence
from cellrate.reproduce.front_report import front_report
from cellrate.reproduce.overview import errata_overview, overview
from cellrate.reproduce.paper_report import data_stem, paper_report
from cellrate.reproduce.papers import experiment_ids
from cellrate.reproduce.reproduction import Reproduction
from cellrate.reproduce.runs import Outcomes

INDEX = "pages.json"
"""File in the directory of pages: the papers that the front page and the errata cover whole."""


def write_pages(
    parts: Sequence[Reproduction], outcomes: Outcomes, out: Path, workers: int = 1
) -> list[str]:
    """Writes a page per paper, the front page and the errata; returns their paths.

    The page of some experiments of a paper has their names, and leaves that of the whole paper as
    it is. A front page and errata that cover more papers whole than these stay, too. Figures are
    drawn by so many workers.
    """
    make_directory(out)
    pages = {
        part.page_name: paper_report(
            part.paper, part.results, outcomes, part.sensitivities, part.changes
        )
        for part in parts
    }
    whole = {part.paper.id for part in parts if part.is_whole}
    covered = _covered(out)
    changed = any(part.changes for part in parts)
    if changed:
        pass  # the front page and the errata are about the papers
    elif not covered <= whole:
        kept = f"{out / 'index.html'} and errata.html are of {', '.join(sorted(covered))} and stay"
        sys.stderr.write(f"note: {kept}; cellrate reproduce writes those of all papers\n")
    else:
        pages = {"index": front_report(parts), "errata": errata_report(parts)} | pages
        whole_file.write_text(out / INDEX, json_text(sorted(whole)))
    _write_data(parts, outcomes, out)
    paths = {name: out / f"{name}.html" for name in pages}
    drawn = drawn_ahead(list(pages.values()), workers)
    for path, document in zip(paths.values(), drawn, strict=True):
        whole_file.write_text(path, web_page(document))
    return [str(path) for path in paths.values()]


def _write_data(parts: Sequence[Reproduction], outcomes: Outcomes, out: Path) -> None:
    """Writes the numbers behind each figure beside the pages."""
    from cellrate.reproduce.figure_data import figure_data, write_figure_data  # slow to import

    for part in parts:
        for result in part.results:
            for figure in result.experiment.figures:
                stem = out / data_stem(result.experiment, figure, part.changes)
                make_directory(stem.parent)
                frame = figure_data(part.paper, result.experiment, figure, outcomes, result.seeds)
                write_figure_data(frame, stem)


def _covered(out: Path) -> set[str]:
    """Papers that the front page covers whole; none without a page or a readable list of them."""
    try:
        found = json.loads(read_own_text(out / INDEX))
    except (OSError, ValueError):
        return set()
    return {str(one) for one in found} if isinstance(found, list) else set()


def write_evidence(parts: Sequence[Reproduction], directory: Path) -> None:
    """Writes a page per paper, and the overviews if the parts are all papers, whole."""
    make_directory(directory)
    for part in parts:
        _write_paper(part, directory)
    _write_overview(parts, directory)


def _write_paper(part: Reproduction, directory: Path) -> None:
    """Writes the page of the results or, if assumptions were varied, of their effects."""
    if part.sensitivities:
        document, name = sensitivity_evidence(part.paper, part.sensitivities), "-sensitivity"
    else:
        document, name = evidence(part.paper, part.results), ""
    whole_file.write_text(directory / f"{part.paper.id}{name}.md", markdown(document))


def _write_overview(parts: Sequence[Reproduction], directory: Path) -> None:
    """Writes the overviews only if all experiments of all papers are there."""
    if [e.id for part in parts for e in part.experiments] == experiment_ids():
        whole_file.write_text(directory / "papers.md", markdown(overview(parts)))
        whole_file.write_text(directory / "errata.md", markdown(errata_overview(parts)))
