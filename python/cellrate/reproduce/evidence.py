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
from cellrate.common.numbers import estimate_text, number, percent
from cellrate.reproduce.paper_data import Paper
from cellrate.reproduce.results import ClaimResult, ExperimentResult, ValueResult
from cellrate.reproduce.sensitivity import AlternativeEffect, Sensitivity
from cellrate.reproduce.tally import Miss, tally

MOVES = 0.02
"""Relative changes up to this one are left out of the page of open assumptions."""
CLAIM = "claim "
"""Text before the name of a claim in a row of that page."""


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
            Paragraph(f"{', '.join(paper.authors)}; {paper.published_in}, {paper.year}."),
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
    values = [value for value in result.values if value.published.kind != "arithmetic"]
    arithmetic = [value for value in result.values if value.published.kind == "arithmetic"]
    checks = [claim for claim in result.claims if not claim.claim.about_runs]
    titles = columns("quantity", "kind", "printed", "measured", "difference", "", numbers=(2, 3, 4))
    computed = ("the paper's arithmetic", "printed", "computed", "difference")
    parts: tuple[Block, ...] = (
        Paragraph((f"{experiment.where}; ", Span(result.command, "code"))),
        Table(titles, rows(map(_value, values))),
        _claims("claim", [claim for claim in result.claims if claim.claim.about_runs]),
        Table(columns(*computed, numbers=(1, 2, 3)), rows(map(_computed, arithmetic))),
        _claims("check of the paper's arithmetic", checks),
    )
    return Section(f"{experiment.id}: {experiment.title}", parts)


def _claims(title: str, claims: Sequence[ClaimResult]) -> Table:
    found = rows((one.claim.text, seeds_in_which(one)) for one in claims)
    return Table(columns(title, "seeds", numbers=[1]), found)


def _computed(value: ValueResult) -> tuple[str, ...]:
    return (
        value.published.quantity,
        value.published.with_unit,
        estimate_text(value.measured) if value.measured else "",
        percent(value.relative_difference),
    )


def _value(value: ValueResult) -> tuple[Text, ...]:
    verdicts: dict[bool | None, Text] = {None: "", True: "met", False: Span("not met", "bad")}
    order = {None: "", True: ", in order", False: ", not in order"}
    quantity, *numbers = _computed(value)
    verdict = joined(verdicts[value.met], order[value.in_order])
    return (quantity, value.published.kind, *numbers, verdict)


def seeds_in_which(claim: ClaimResult) -> Text:
    """The number of seeds in which a claim holds."""
    count = f"{claim.count} of {len(claim.holds)}"
    return count if claim.always else Span(count, "bad")


def sensitivity_evidence(paper: Paper, sensitivities: Sequence[Sensitivity]) -> Document:
    """The effects of a paper's open assumptions."""
    return sensitivity_page(paper, [*sensitivity_rows(sensitivities)])


def sensitivity_rows(sensitivities: Sequence[Sensitivity]) -> Iterator[list[str]]:
    """Each value and claim that moves: experiment, alternative, result, as assumed, then."""
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
