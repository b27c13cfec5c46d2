"""The report of a reproduction on the terminal, shorter than the web pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cellrate.common.document import (
    Block,
    Column,
    Document,
    Listing,
    Paragraph,
    Remark,
    Section,
    Span,
    Style,
    Table,
    Text,
    columns,
    rows,
)
from cellrate.common.numbers import number
from cellrate.papers.paper_report import changed, value_cells
from cellrate.papers.reproduction import Judged
from cellrate.papers.results import ClaimResult, ExperimentResult, ValueResult
from cellrate.papers.runs import seeds_text
from cellrate.papers.sensitivity import AlternativeEffect, Sensitivity
from cellrate.papers.stored import ASSUMED, hanging, read_stored, said_of_seeds
from cellrate.papers.tally import Tally, tally

VERDICTS: dict[bool | None, tuple[str, Style]] = {
    None: ("", "faint"),
    True: ("met", "good"),
    False: ("not met", "bad"),
}


def report(parts: Sequence[Judged]) -> Document:
    """Document with measured beside printed values, claims, and counts of results met."""
    results = [result for part in parts for result in part.results]
    moved = [_sensitivity(one) for part in parts for one in part.sensitivities]
    changes = parts[0].changes
    return Document(
        f"Published experiments, run again with {seeds_text(results[0].seeds)}",
        (
            *(Paragraph(Span(text, "bad")) for text in changed(changes)),
            *(block for part in parts for block in _experiments(part)),
            *moved,
            *_tally(tally(results)),
            *_papers(parts),
            *(() if changes else _seeds(parts, results)),
        ),
    )


Unchanged = dict[str, str]
"""Means of quantities over unchanged runs; empty without settings of the user."""


def _experiments(part: Judged) -> Iterator[Section]:
    """A section per experiment.

    If the user changed settings, a section also has the stored results of unchanged runs.
    """
    kept = read_stored(part.paper, ASSUMED) if part.changes else None
    before = {} if kept is None else {r.experiment.id: r for r in kept.results(part.paper)}
    for result in part.results:
        known = before.get(result.experiment.id)
        values = () if known is None else known.values
        unchanged = {v.published.quantity: value_cells(v)[2] for v in values}
        yield _experiment(result, unchanged)


def _experiment(result: ExperimentResult, unchanged: Unchanged) -> Section:
    experiment = result.experiment
    return Section(
        f"{experiment.id}  {experiment.title}",
        (
            _values(result.values_of(arithmetic=False), "measured", unchanged),
            _claims(result.claims_of(runs=True)),
            Section(
                "The paper's arithmetic",
                (
                    _values(result.values_of(arithmetic=True), "computed", {}),
                    _claims(result.claims_of(runs=False)),
                ),
            ),
        ),
    )


def _values(values: Sequence[ValueResult], found: str, unchanged: Unchanged) -> Table:
    if unchanged:
        # Quantities that are only restated have no measured value.
        if all(value.published.kind == "restated" for value in values):
            restated = rows((*value_cells(value)[:2], _verdict(value)) for value in values)
            return Table(columns("quantity", "printed", "", numbers=(1,)), restated)
        titles = columns("quantity", "printed", "unchanged", "changed", "", numbers=(1, 2, 3))
        cells = (
            (quantity, printed, unchanged[quantity], measured, _verdict(value))
            for value in values
            for quantity, printed, measured, _ in [value_cells(value)]
        )
        return Table(titles, rows(cells))
    titles = columns("quantity", "printed", found, "difference", "", numbers=(1, 2, 3))
    return Table(titles, rows((*value_cells(value), _verdict(value)) for value in values))


def _verdict(value: ValueResult) -> Text:
    kind = value.published.kind
    if kind == "arithmetic":
        return ""
    text, style = VERDICTS[value.met]
    return Span(text or kind, style)


def _claims(claims: Sequence[ClaimResult]) -> Table:
    return Table(
        (Column("holds", "right"), Column("claim")),
        rows((_held(one), one.claim.text) for one in claims),
    )


def _held(one: ClaimResult) -> Span:
    """The verdict on a claim; with several seeds the number of those in which it holds."""
    total = len(one.holds)
    text = ("yes" if one.always else "no") if total == 1 else f"{one.count}/{total}"
    return Span(text, "good" if one.always else "bad")


def _sensitivity(sensitivity: Sensitivity) -> Section:
    parts = tuple(part for moved in sensitivity.moved for part in _moved(moved))
    return Section(f"{sensitivity.experiment}  effect of each open assumption", parts)


def _moved(moved: AlternativeEffect) -> tuple[Block, ...]:
    values = [
        f"{quantity}: {number(base.mean)} -> {number(other.mean)}"
        for quantity, (base, other) in moved.values.items()
        if base.mean != other.mean
    ]
    claims = [
        f"claim {claim}: held in {before}, now in {after} seeds"
        for claim, (before, after) in moved.claims.items()
        if before != after
    ]
    title = Paragraph(f"{moved.assumption.parameter}: {moved.alternative.label}")
    return (title, Listing((*values, *claims) or ("no effect",)))


def _tally(counts: Tally) -> tuple[Block, ...]:
    misses: list[Block] = []
    for miss in counts.misses:
        misses.append(Paragraph(f"{miss.experiment}: {miss.what}"))
        misses.append(Remark(f"{miss.found}. {miss.standing.value}. {miss.why}"))
    lines: list[Block] = [Paragraph(f"{counts.sentence()}.", "strong")]
    fragile = counts.of_readings()
    lines += [Paragraph(f"In joint readings: {fragile}.")] if fragile else []
    lines += [Paragraph(f"What disagrees: {counts.ends()}.")] if misses else []
    lines += [Paragraph(f"Counted apart: {counts.apart()}.")] if counts.apart() else []
    return (
        Section("What disagrees, and what is known of why", tuple(misses)),
        Section("Counts", tuple(lines)),
    )


def _papers(parts: Sequence[Judged]) -> tuple[Block, ...]:
    """The counts of each paper, if there are several."""
    if len(parts) == 1:
        return ()
    lines = (Paragraph(f"{part.paper.id}: {part.tally.sentence()}") for part in parts)
    return (Section("Each paper", tuple(lines)),)


def _seeds(parts: Sequence[Judged], results: Sequence[ExperimentResult]) -> tuple[Block, ...]:
    """Sentences on claims that depend on the seed, and on stored results over several seeds.

    Empty unless all experiments of the papers were run.
    """
    if any(len(part.experiments) < len(part.paper.experiments) for part in parts):
        return ()
    papers = [part.paper for part in parts]
    names = hanging(papers)
    lines: list[Block] = []
    if names:
        lines.append(Paragraph(f"{len(names)} claims depend on the seed: {', '.join(names)}."))
    today = f"Today, {seeds_text(results[0].seeds)}: {tally(results).sentence()}."
    lines += [Paragraph(line, "strong") for line in (today, *said_of_seeds(papers))]
    return (Section("Seeds", tuple(lines)),)
