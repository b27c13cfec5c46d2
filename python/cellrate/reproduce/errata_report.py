"""The report on the papers' errata, each with its proofs."""

from __future__ import annotations

from collections.abc import Sequence

from cellrate.common.document import (
    Block,
    Document,
    Paragraph,
    Section,
    Span,
    Table,
    columns,
    rows,
)
from cellrate.common.numbers import estimate_text
from cellrate.reproduce.errata import ErratumResult, ProofResult
from cellrate.reproduce.reproduction import Reproduction

INTRODUCTION = (
    "What is printed and cannot be right. Each proof was computed when this page was written."
)


def errata_report(parts: Sequence[Reproduction]) -> Document:
    """The errata, paper by paper."""
    papers = (
        Section(part.paper.title, tuple(map(_erratum, part.errata)), part.paper.id)
        for part in parts
    )
    return Document(
        "Errata of the papers",
        (Paragraph(INTRODUCTION), *papers),
        above=Span("all papers", link="index.html"),
    )


def _erratum(result: ErratumResult) -> Section:
    erratum = result.erratum
    parts: list[Block] = [
        Paragraph(f"Printed: {erratum.printed}\nRight: {erratum.right}"),
        Paragraph(erratum.why),
    ]
    for proof in result.proofs:
        parts += _proof(proof)
    return Section(erratum.where, tuple(parts), erratum.id)


def _proof(result: ProofResult) -> tuple[Block, ...]:
    verdict = Span("holds", "good") if result.holds else Span("does not hold", "bad")
    predicate = Span(result.proof.holds_if, "code")
    text = Paragraph((f"{result.proof.text} ", verdict, "\n", predicate))
    found = rows((what, f"{estimate_text(value)} {unit}") for what, value, unit in result.values)
    return (text, Table(columns("quantity", "value", numbers=[1]), found))
