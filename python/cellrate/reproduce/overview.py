"""Overviews of all papers and of their errata, as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from cellrate.common.document import (
    Block,
    Cell,
    Document,
    Listing,
    Paragraph,
    Section,
    Span,
    Table,
    Text,
    columns,
    joined,
    rows,
)
from cellrate.common.numbers import estimate_text
from cellrate.reproduce.errata import ErratumResult
from cellrate.reproduce.errata_report import INTRODUCTION
from cellrate.reproduce.evidence import seeds_in_which
from cellrate.reproduce.front_report import HOW_SCORED, counts_of, general_claims
from cellrate.reproduce.reproduction import Reproduction
from cellrate.reproduce.scoring import WITHIN
from cellrate.reproduce.seeds import seeds_text
from cellrate.reproduce.tally import tally


def overview(parts: Sequence[Reproduction]) -> Document:
    """The counts and general claims of all papers."""
    results = [result for part in parts for result in part.results]
    seeds, counts = results[0].seeds, tally(results)
    command = f"cellrate reproduce --seeds {len(seeds)}"
    claims = rows(
        (str(number), claim.claim.text, result.experiment.id, seeds_in_which(claim))
        for number, result, claim in general_claims(results)
    )
    titles = columns("", "claim", "shown by", "seeds", numbers=(0, 3))
    written = joined(
        f"{len(results)} experiments, {seeds_text(seeds)}, those of\n", Span(command, "code"), "."
    )
    return Document(
        "All papers",
        (
            Paragraph(written),
            _papers(parts),
            Paragraph(HOW_SCORED),
            Paragraph(f"{counts.apart()}. What disagrees: {counts.ends()}."),
            Section("General claims", (Table(titles, claims),)),
        ),
    )


def _papers(parts: Sequence[Reproduction]) -> Table:
    results = [result for part in parts for result in part.results]
    titles = ["paper", "experiments", "claims about runs", "scored numbers met"]
    titles += [*(f"within {share:.0%}" for share in WITHIN), "errata"]
    found: list[list[Cell]] = [
        [
            Span(part.paper.id, link=f"{part.paper.id}.md"),
            str(len(part.results)),
            *counts_of(part.tally),
            str(len(part.errata)),
        ]
        for part in parts
    ]
    errata = sum(len(part.errata) for part in parts)
    found.append(["all", str(len(results)), *counts_of(tally(results)), str(errata)])
    return Table(columns(*titles, numbers=range(1, len(titles))), rows(found))


def errata_overview(parts: Sequence[Reproduction]) -> Document:
    """The errata, paper by paper."""
    papers = (Section(part.paper.title, tuple(map(_erratum, part.errata))) for part in parts)
    return Document("Errata of the papers", (Paragraph(INTRODUCTION), *papers))


def _erratum(result: ErratumResult) -> Section:
    erratum = result.erratum
    text = f"Printed: {erratum.printed}. Right: {erratum.right}. {erratum.why}"
    items: list[Text | Listing] = []
    for proof in result.proofs:
        verdict = " holds" if proof.holds else (" ", Span("does not hold", "bad"))
        predicate = Span(proof.proof.holds_if, "code")
        items.append(joined(f"{proof.proof.text}: ", predicate, verdict))
        values = [
            f"{quantity}: {estimate_text(value)} {unit}".rstrip()
            for quantity, value, unit in proof.values
        ]
        items += [Listing(tuple(values))] if values else []
    parts: list[Block] = [Paragraph(text), Listing(tuple(items))]
    return Section(erratum.where, tuple(parts))
