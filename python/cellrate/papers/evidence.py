"""A paper's results as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cellrate.common.document import (
    Block,
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
from cellrate.common.numbers import counted, estimate_text, number
from cellrate.papers.front_report import (
    HOW_SCORED,
    INTRODUCTION,
    general_claims,
    papers_in_short,
    papers_table,
)
from cellrate.papers.paper import Paper
from cellrate.papers.paper_report import in_readings, value_cells
from cellrate.papers.reproduction import Judged
from cellrate.papers.results import ClaimResult, ErratumResult, ExperimentResult, ValueResult
from cellrate.papers.runs import seeds_text
from cellrate.papers.sensitivity import AlternativeEffect, Sensitivity
from cellrate.papers.tally import Miss, tally

MOVES = 0.02
"""Relative changes up to this value are left out of the page on the effects of open assumptions."""
CLAIM = "claim "
"""Text before the name of a claim in a row of the page of open assumptions."""


def evidence(paper: Paper, results: Sequence[ExperimentResult]) -> Document:
    """The counts of a paper, its disagreements, and each experiment."""
    seeds = results[0].seeds
    counts = tally(results)
    command = f"cellrate reproduce {paper.id} --seeds {len(seeds)}"
    written = joined(
        f"Seeds {seeds[0]} to {seeds[-1]}; means with 95 % confidence intervals.\n",
        "The results are those of\n",
        Span(command, "code"),
        ".",
    )
    summary = joined(
        Span(f"{counts.sentence()}.", "strong"),
        f" {counts.apart()}.\nWhat disagrees: {counts.ends() or 'nothing'}.",
    )
    return Document(
        paper.title,
        (
            Paragraph(f"{paper.citation}."),
            Paragraph(written),
            Paragraph(summary),
            Section("What disagrees", (Listing(tuple(map(_miss, counts.misses))),)),
            *map(_experiment, results),
        ),
    )


def _miss(miss: Miss) -> Text:
    return joined(
        Span(miss.standing.value, "strong"),
        ", ",
        Span(miss.experiment, "code"),
        f": {miss.what} ({miss.found}). {miss.why}".rstrip(),
    )


def _experiment(result: ExperimentResult) -> Section:
    experiment = result.experiment
    values, arithmetic = result.values_of(arithmetic=False), result.values_of(arithmetic=True)
    titles = ("quantity", "kind", "printed", "measured", "difference", "", "readings")
    computed = ("the paper's arithmetic", "printed", "computed", "difference")
    parts: tuple[Block, ...] = (
        Paragraph((f"{experiment.where}; ", Span(result.command, "code"))),
        Table(columns(*titles, numbers=(2, 3, 4, 6)), rows(map(_value, values))),
        _claims("claim", result.claims_of(runs=True)),
        Table(columns(*computed, numbers=(1, 2, 3)), rows(map(value_cells, arithmetic))),
        _claims("check of the paper's arithmetic", result.claims_of(runs=False)),
    )
    return Section(f"{experiment.id}: {experiment.title}", parts)


def _claims(title: str, claims: Sequence[ClaimResult]) -> Table:
    found = rows((one.claim.text, seeds_in_which(one), in_readings(one)) for one in claims)
    return Table(columns(title, "seeds", "readings", numbers=(1, 2)), found)


def _value(value: ValueResult) -> tuple[Text, ...]:
    verdicts: dict[bool | None, Text] = {None: "", True: "met", False: Span("not met", "bad")}
    order = {None: "", True: ", in order", False: ", not in order"}
    quantity, *numbers = value_cells(value)
    verdict = joined(verdicts[value.met], order[value.in_order])
    return (quantity, value.published.kind, *numbers, verdict, in_readings(value))


def seeds_in_which(claim: ClaimResult) -> Text:
    """The number of seeds in which a claim holds."""
    count = f"{claim.count} of {len(claim.holds)}"
    return count if claim.always else Span(count, "bad")


def sensitivity_evidence(paper: Paper, sensitivities: Sequence[Sensitivity]) -> Document:
    """The effects of a paper's open assumptions."""
    return sensitivity_page(paper, [*sensitivity_rows(sensitivities)])


def sensitivity_rows(sensitivities: Sequence[Sensitivity]) -> Iterator[list[str]]:
    """A row for each value or claim that an alternative changes.

    The row has the experiment, the alternative, the name of the result, and the result as assumed
    and as changed.
    """
    for sensitivity in sensitivities:
        for moved in sensitivity.moved:
            for row in _moved(moved):
                yield [sensitivity.experiment, *row]


def sensitivity_page(paper: Paper, moved: Sequence[Sequence[str]]) -> Document:
    """The effects of a paper's open assumptions, from the rows of `sensitivity_rows`."""
    some = list(dict.fromkeys(row[0].removeprefix(f"{paper.id}-") for row in moved))
    introduction = joined(
        "Each open assumption varied alone; of an experiment's values those that move by\n"
        f"more than {MOVES:.0%}, and of its claims those that hold in more or fewer seeds.\n"
        "The results are those of\n",
        Span(f"cellrate reproduce {paper.id} --sensitivity", "code"),
        ".",
    )
    titles = columns("instead", "value or claim", "as assumed", "then", numbers=(2, 3))
    sections = (
        Section(f"{paper.id}-{name}", (Table(titles, rows(map(_shown, found))),))
        for name in some
        if (found := [row[1:] for row in moved if row[0] == f"{paper.id}-{name}"])
    )
    return Document(f"{paper.title}: what is left open", (Paragraph(introduction), *sections))


def _shown(row: Sequence[str]) -> tuple[Text, ...]:
    """A row with the name of its claim as code."""
    instead, result, *numbers = row
    claim = result.removeprefix(CLAIM)
    return instead, result if claim == result else (CLAIM, Span(claim, "code")), *numbers


def _moved(moved: AlternativeEffect) -> Iterator[list[str]]:
    instead = f"{moved.assumption.parameter}: {moved.alternative.label}"
    for quantity, (base, other) in moved.values.items():
        if not abs(other.mean - base.mean) <= MOVES * abs(base.mean):
            yield [instead, quantity, number(base.mean), number(other.mean)]
    for name, (before, after) in moved.claims.items():
        if before != after:
            yield [instead, f"{CLAIM}{name}", str(before), str(after)]


def overview(parts: Sequence[Judged]) -> Document:
    """The counts of all papers, and the claims about whole papers."""
    results = [result for part in parts for result in part.results]
    seeds, counts = results[0].seeds, tally(results)
    command = f"cellrate reproduce --seeds {len(seeds)}"
    claims = rows(
        (str(number), claim.claim.text, result.experiment.id, seeds_in_which(claim))
        for number, result, claim in general_claims(results)
    )
    titles = columns("", "claim", "shown by", "seeds", numbers=(0, 3))
    written = joined(
        f"{counted(len(results), 'experiment')}, {seeds_text(seeds)}, those of\n",
        Span(command, "code"),
        ".",
    )
    return Document(
        "All papers",
        (
            *papers_in_short(parts, lambda part: Span(part.paper.id, link=f"{part.paper.id}.md")),
            Paragraph(written),
            papers_table(
                parts,
                "errata",
                lambda part: Span(part.paper.id, link=f"{part.paper.id}.md"),
                lambda part: str(len(part.errata)),
            ),
            Paragraph(HOW_SCORED),
            Paragraph(f"{counts.apart()}. What disagrees: {counts.ends()}."),
            Section("General claims", (Table(titles, claims),)),
        ),
    )


def errata_overview(parts: Sequence[Judged]) -> Document:
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
