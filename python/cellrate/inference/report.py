"""The reports on an inference and on its plan."""

from __future__ import annotations

from collections.abc import Sequence

from cellrate import __version__
from cellrate.common.document import (
    Block,
    Detail,
    Document,
    Figure,
    Folded,
    Listing,
    Paragraph,
    Section,
    Span,
    Style,
    Table,
    columns,
    rows,
)
from cellrate.inference import sentences
from cellrate.inference.answer import Finding, Inference
from cellrate.inference.hold_out import Verdict
from cellrate.inference.plan import Stage
from cellrate.reproduce.seeds import seeds_text

STYLES: dict[Verdict, Style] = {"held-out": "good", "fitted": "bad", "as-assumed": "faint"}
LEGEND = (
    "In the pictures: a dot is the share of all the results concerned, over the seeds, hollow if "
    "the value is excluded; the grey bar behind it reaches from the least to the greatest seed; "
    "triangles are the halves of the experiments, A upwards in blue, B downwards in orange."
)


def report(inference: Inference) -> Document:
    """The two columns of counts, then the finding on each parameter."""
    unconcerned = tuple(one.parameter for one in inference.unconcerned)
    origin = f"{seeds_text(inference.seeds)} · cellrate {__version__}"
    return Document(
        sentences.title(inference),
        (
            Paragraph(origin, "faint"),
            counts(inference),
            Paragraph(f"{sentences.counted_results(inference)}.", "faint"),
            kept_values(inference),
            Detail((Paragraph(sentences.RULES), Paragraph(LEGEND))),
            *map(_finding, inference.findings),
            Section("Parameters on which no result depends", _listing(unconcerned)),
        ),
    )


def counts(inference: Inference) -> Table:
    """Numbers met and claims holding, as assumed and with inferred values."""
    readings = (inference.assumed, inference.inferred)
    numbers = [f"{one.numbers_met} of {one.numbers}" for one in readings]
    claims = [f"{one.claims_holding} of {one.claims}" for one in readings]
    titles = ("", "fixed before seeing results", "with inferred values that passed validation")
    return Table(
        columns(*titles, numbers=(1, 2)),
        rows([["numbers met", *numbers], ["claims about runs that hold", *claims]]),
    )


def values(finding: Finding) -> Table:
    """The values of a parameter: the share of the results that each meets, and its standing."""
    found = [
        [label, *sentences.shares(finding, value), sentences.standing(finding, value)]
        for value, label in enumerate(finding.parameter.labels)
    ]
    titles = ("value", "share", "half A", "half B", "")
    return Table(columns(*titles, numbers=(1, 2, 3)), rows(found), wide=True)


def kept_values(inference: Inference) -> Listing | Paragraph:
    """The values that passed validation, alone and in combination."""
    if not inference.kept:
        return Paragraph("No value passed validation, so both are the same.")
    items = ((f"{one.parameter}: ", Span(other.label, "emphasis")) for one, other in inference.kept)
    return Listing(tuple(items))


def _finding(finding: Finding) -> Section:
    assumption = finding.parameter.assumption
    verdict = sentences.conclusion(finding)
    basis = f"Rests on {sentences.rests_on(finding)}. {sentences.exclusion(finding)}".strip()
    parts: list[Block] = [
        Paragraph(f"{assumption.id} · assumed: {assumption.assumed}", "faint"),
        Paragraph(Span(verdict, STYLES[finding.verdict])),
        Figure(lambda: _drawn(finding), f"Share of the results met by {assumption.parameter}"),
        Paragraph(basis),
        values(finding),
        *_problems(finding),
        Detail((_halves(finding),)),
    ]
    return Section(assumption.parameter, tuple(parts), assumption.id)


def _drawn(finding: Finding) -> str:
    from cellrate.inference.figure import picture  # slow to import
    from cellrate.simulation.figures import svg

    return svg(picture(finding))


def _problems(finding: Finding) -> tuple[Block, ...]:
    if not finding.problems:
        return ()
    title = sentences.not_evaluated(finding)
    first = Paragraph(f"{title}; the first: {finding.problems[0]}", "faint")
    return (first, Folded(f"All of these ({len(finding.problems)})", _listing(finding.problems)))


def _halves(finding: Finding) -> Folded:
    parts = zip("AB", finding.hold_out.halves, strict=True)
    found = tuple(f"half {name}: {', '.join(part)}" for name, part in parts if part)
    return Folded("The halves", _listing(found))


def _listing(items: Sequence[str]) -> tuple[Listing, ...]:
    return (Listing(tuple(items)),) if items else ()


def plan_report(paper: str, stages: Sequence[Stage]) -> Document:
    """The numbers of results and simulations of each stage of an inference."""
    found = [
        [stage.what, *(f"{n:,}" for n in (stage.results, stage.runs, stage.known, stage.to_do))]
        for stage in stages
    ]
    note = (
        "Values that lose clearly with the first seed save some runs; combinations of values that "
        "held out need more."
    )
    titles = ("stage", "results", "runs", "known", "to do")
    table = Table(columns(*titles, numbers=range(1, 5)), rows(found))
    return Document(f"{paper}: simulations of an inference", (table, Paragraph(note, "faint")))
