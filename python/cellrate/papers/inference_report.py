"""The reports on an inference and on its plan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cellrate import __version__
from cellrate.common import whole_file
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
from cellrate.common.document.markdown import markdown
from cellrate.common.numbers import counted
from cellrate.common.whole_file import make_directory
from cellrate.papers.findings import Finding, Inference
from cellrate.papers.hold_out import EXCLUDED_BELOW, Verdict, least_p
from cellrate.papers.inference import Stage
from cellrate.papers.runs import seeds_text

STYLES: dict[Verdict, Style] = {"held-out": "good", "fitted": "bad", "as-assumed": "faint"}
LEGEND = (
    "In the pictures: a dot is the share of all the results concerned, over the seeds, hollow if "
    "the value is excluded; the grey bar behind it reaches from the least to the greatest seed; "
    "triangles are the halves of the experiments, A upwards in blue, B downwards in orange."
)


def report(inference: Inference) -> Document:
    """The counts as assumed and as inferred, then the finding on each parameter."""
    unconcerned = tuple(one.parameter for one in inference.unconcerned)
    origin = f"{seeds_text(inference.seeds)} · cellrate {__version__}"
    return Document(
        title(inference),
        (
            Paragraph(origin, "faint"),
            counts(inference),
            Paragraph(f"{counted_results(inference)}.", "faint"),
            kept_values(inference),
            Detail((Paragraph(RULES), Paragraph(LEGEND))),
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
    """Table of a parameter's values: the share of results met, and best, allowed or excluded."""
    found = [
        [label, *shares(finding, value), standing(finding, value)]
        for value, label in enumerate(finding.parameter.labels)
    ]
    titles = ("value", "share", "half A", "half B", "")
    return Table(columns(*titles, numbers=(1, 2, 3)), rows(found), wide=True)


def kept_values(inference: Inference) -> Listing | Paragraph:
    """Text on the values that passed the hold-out test, alone and in combination."""
    if not inference.kept:
        return Paragraph("No value passed validation, so both are the same.")
    items = ((f"{one.parameter}: ", Span(other.label, "emphasis")) for one, other in inference.kept)
    return Listing(tuple(items))


def _finding(finding: Finding) -> Section:
    assumption = finding.parameter.assumption
    verdict = conclusion(finding)
    basis = f"Rests on {rests_on(finding)}. {exclusion(finding)}".strip()
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
    from cellrate.papers.figure import shares_picture  # slow to import
    from cellrate.simulation.figures import svg

    return svg(shares_picture(finding))


def _problems(finding: Finding) -> tuple[Block, ...]:
    if not finding.problems:
        return ()
    title = not_evaluated(finding)
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


RULES = (
    "A result is a scored number or a claim about runs; a value's share is that of the results "
    "it meets, over the seeds. A value is excluded if it loses against the best one with "
    f"p < {EXCLUDED_BELOW} (signs of whole experiments flipped, one-sided, not corrected for the "
    "number of values). It has held out if it is best over all, if what either half of the "
    "experiments alone would choose gains on the other half, and if it gains on both halves and "
    "with every seed; and some value has to pass all this with the first seed alone, or no other "
    "seed is run. Parameters are tried one at a time; of combinations, only that of what held "
    "out is run."
)


def title(inference: Inference) -> str:
    """Title of the report on an inference."""
    return f"{inference.paper.title}: what was not printed"


def rests_on(finding: Finding) -> str:
    """Text with the numbers of results and experiments on which a finding is based."""
    parameter = finding.parameter
    count = len(parameter.experiments)
    text = f"{counted(len(parameter.subjects), 'result')} of {counted(count, 'experiment')}"
    if finding.groups < count:
        text += f", in {counted(finding.groups, 'group')} without common runs"
    return text


def exclusion(finding: Finding) -> str:
    """Reason why no value can be excluded; empty if values can be excluded."""
    if finding.can_exclude:
        return ""
    count = len(finding.parameter.experiments)
    least = least_p(count)
    return (
        f"{counted(count, 'experiment')} can exclude no value: the least p is {least:.2g}, "
        f"not below {EXCLUDED_BELOW}."
    )


def standing(finding: Finding, value: int) -> str:
    """Text that says if a value is best, allowed or excluded, with its p-value."""
    p = finding.p[value]
    if p is None:
        return "best"
    text = f"{'excluded' if finding.excluded(value) else 'allowed'}, p = {p:.2g}"
    if finding.seeds(value) < finding.asked:
        text += f", out after {counted(finding.seeds(value), 'seed')}"
    return text


def conclusion(finding: Finding) -> str:
    """Verdict of a finding and its reason."""
    hold_out, labels = finding.hold_out, finding.parameter.labels
    if finding.verdict == "as-assumed":
        return "as assumed: no other value meets more results"
    chosen = f"{labels[hold_out.best]} ({finding.gain:+.2g} results)"
    if finding.verdict == "fitted":
        return f"fitted only, not used: {chosen}: {hold_out.why}"
    if finding.dropped:
        return f"held out alone, not used: {chosen}: the others that held out do better without it"
    return f"held out: {chosen}"


def shares(finding: Finding, value: int) -> tuple[str, str, str]:
    """Text with the share of results that a value meets: among all, and in each half."""
    scores, parts = finding.scores, finding.hold_out.halves
    halves = [f"{scores.share(value, part):.3f}" if all(parts) else "-" for part in parts]
    return f"{scores.share(value):.3f}", halves[0], halves[1]


def not_evaluated(finding: Finding) -> str:
    """Number of results that could not be evaluated."""
    return f"Not evaluated, counted as missed: {counted(len(finding.problems), 'result')}"


def counted_results(inference: Inference) -> str:
    """Title of the table of counts: the counted results, and the seeds."""
    which = "all results" if inference.whole else "the results that these parameters concern"
    return (
        f"Of {which}, {seeds_text(inference.seeds)}: numbers met on the mean over the seeds, "
        "claims that hold with every seed"
    )


CAPTION = (
    "Share of the results that each value meets. Dot: all, hollow if excluded; grey bar: "
    "from the least to the greatest seed; triangles: half A upwards, half B downwards"
)


def write_evidence(inference: Inference, directory: Path) -> list[Path]:
    """Writes the page and its picture, and returns their paths.

    Raises:
        OSError: The page or the picture cannot be written.
    """
    from cellrate.papers.figure import shares_pictures  # slow to import
    from cellrate.simulation import figures

    make_directory(directory)
    stem = directory / f"{inference.paper.id}-inferred"
    drawn = (
        figures.save(shares_pictures(inference.findings), stem, ("svg",))
        if inference.findings
        else []
    )
    path = stem.with_suffix(".md")
    whole_file.write_text(path, markdown(evidence(inference)))
    return [path, *drawn]


def evidence(inference: Inference) -> Document:
    """The page of an inference, as a document."""
    paper = inference.paper
    first = f" --first-seed {inference.seeds[0]}" if inference.seeds[0] != 1 else ""
    command = f"cellrate infer {paper.id} --seeds {len(inference.seeds)}{first}"
    names = "; ".join(one.parameter for one in inference.unconcerned)
    pictures = Figure(lambda: "", CAPTION, file=f"{paper.id}-inferred.svg")
    parts: list[Block] = [
        Paragraph(("The results are those of\n", Span(command, "code"), f".\n{RULES}")),
        Paragraph(f"{counted_results(inference)}:"),
        counts(inference),
        kept_values(inference),
        *map(_finding_of_evidence, inference.findings),
        *([Paragraph(f"No result depends on: {names}.")] if names else []),
        *([Section("The pictures", (pictures,))] if inference.findings else []),
    ]
    return Document(title(inference), tuple(parts))


def _finding_of_evidence(finding: Finding) -> Section:
    assumption = finding.parameter.assumption
    basis = f"Assumed: {assumption.assumed}. Rests on {rests_on(finding)}."
    parts: list[Block] = [
        Paragraph(f"{basis} {exclusion(finding)}".strip()),
        Paragraph(Span(conclusion(finding), "strong")),
        values(finding),
        *([Paragraph(f"{not_evaluated(finding)}.")] if finding.problems else []),
    ]
    return Section(f"{assumption.id}: {assumption.parameter}", tuple(parts))
