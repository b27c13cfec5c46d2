"""Builds the pages of evidence from committed data, before Sphinx reads them.

The data are under papers/, in proof/results, in the engine's tests and in the package. No page
needs a simulation.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cellrate.battery import experiments, judged
from cellrate.battery.report import write_evidence
from cellrate.common.document import Document, Paragraph
from cellrate.common.document.markdown import markdown
from cellrate.papers.collection import all_papers
from cellrate.papers.evidence import errata_overview, evidence, overview, sensitivity_page
from cellrate.papers.reproduction import Judged
from cellrate.papers.results import ErratumResult, prove
from cellrate.papers.runs import Outcomes
from cellrate.papers.stored import ASSUMED, read_stored
from component_pages import components
from inferred_pages import write_inferred

from proof.oracles.evidence import write_page
from proof.oracles.ns2 import ORACLE as NS2
from proof.oracles.ns3 import ORACLE as NS3

if TYPE_CHECKING:
    from cellrate.papers.paper import Erratum, Paper
    from sphinx.application import Sphinx

GENERATED = "evidence/generated"
NEED_RUNS = (
    "{} of {} proofs need simulations and are left out here: `cellrate reproduce` computes all of "
    "them and writes them to out/errata.html."
)


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the extension with Sphinx."""
    app.connect("config-inited", lambda app, _config: write_pages(Path(app.srcdir) / GENERATED))
    return {"parallel_read_safe": True}


def write_pages(place: Path) -> None:
    """Writes every page of evidence and its pictures into a directory."""
    place.mkdir(parents=True, exist_ok=True)
    papers = all_papers()
    parts = [_part(paper) for paper in papers]
    for part in parts:
        _write(place / f"{part.paper.id}.md", evidence(part.paper, part.results))
        varied = part.paper.directory / "sensitivity.csv"
        if varied.exists():
            _write(place / f"{part.paper.id}-sensitivity.md", _sensitivity(part.paper, varied))
        write_inferred(part.paper, place)
    (place / "components.md").write_text(components(), encoding="utf-8")
    _write(place / "papers.md", overview(parts))
    _write(place / "errata.md", _errata(parts))
    write_evidence(judged((), (), experiments()), place)
    for oracle in NS2, NS3:
        write_page(oracle.name, oracle.title, oracle.corrected, place)


def _write(path: Path, page: Document) -> None:
    path.write_text(markdown(page), encoding="utf-8")


def _part(paper: Paper) -> Judged:
    """The stored results of a paper, and the proofs of its errata that need no run."""
    stored = read_stored(paper, ASSUMED)
    if stored is None:
        raise LookupError(f"{paper.id} has no kept results")
    errata = [_proved(paper, erratum) for erratum in paper.errata]
    return Judged(
        paper,
        paper.experiments,
        results=tuple(stored.results(paper)),
        errata=tuple(errata),
    )


def _proved(paper: Paper, erratum: Erratum) -> ErratumResult:
    arithmetic = replace(erratum, proofs=tuple(one for one in erratum.proofs if not one.uses))
    return ErratumResult(paper, erratum, prove(paper, arithmetic, Outcomes(), [1]))


def _errata(parts: list[Judged]) -> Document:
    errata = [erratum for part in parts for erratum in part.errata]
    proofs = sum(len(one.erratum.proofs) for one in errata)
    left_out = proofs - sum(len(one.proofs) for one in errata)
    page = errata_overview(parts)
    return replace(page, parts=(Paragraph(NEED_RUNS.format(left_out, proofs)), *page.parts))


def _sensitivity(paper: Paper, path: Path) -> Document:
    with path.open(encoding="utf-8", newline="") as file:
        _titles, *rows = csv.reader(file)
    return sensitivity_page(paper, rows)
