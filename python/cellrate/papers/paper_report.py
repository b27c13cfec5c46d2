"""The report on one paper, as a web page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from cellrate import __version__
from cellrate.common.document import (
    Block,
    Cell,
    Column,
    Command,
    Document,
    Figure,
    Folded,
    Listing,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Text,
    Thumbnails,
    columns,
    joined,
    rows,
)
from cellrate.common.numbers import estimate_text, number, percent
from cellrate.papers.dependence import AcrossReadings
from cellrate.papers.draws import JITTERS
from cellrate.papers.paper import LEAST, MOST, Assumption, Erratum, Experiment, Paper
from cellrate.papers.paper import Figure as PaperFigure
from cellrate.papers.reproduction import Judged, fingerprint
from cellrate.papers.results import ClaimResult, Disagreement, ExperimentResult, ValueResult
from cellrate.papers.runs import Outcomes, command_of, jobs_at, seeds_text
from cellrate.papers.scoring import Standing
from cellrate.papers.sensitivity import AlternativeEffect, Sensitivity
from cellrate.papers.share_bars import share_bars
from cellrate.papers.tally import Tally, tally


def paper_report(part: Judged, outcomes: Outcomes) -> Document:
    """The counts of a paper, then each experiment with its figures, values and claims."""
    paper, results, changes = part.paper, part.results, part.changes
    moved = {each.experiment: each for each in part.sensitivities}
    sections = (_experiment(r, outcomes, moved.get(r.experiment.id), changes) for r in results)
    origin = (
        f"{paper.citation}. Run again with cellrate {__version__}, {seeds_text(results[0].seeds)}."
    )
    return Document(
        paper.title,
        (
            Paragraph(origin, "faint"),
            *(Paragraph(Span(text, "bad")) for text in changed(changes)),
            *_in_short(part),
            Paragraph(paper.summary),
            _disagreements(part.tally),
            *_draws(_about(paper, results)),
            *_depending(results),
            *sections,
        ),
        above=Span("all papers", link="index.html"),
    )


def changed(changes: Sequence[str]) -> tuple[str, ...]:
    """A sentence that runs with settings of the user are not runs of the paper.

    Empty without such settings.
    """
    if not changes:
        return ()
    return (f"Changed: all runs have {', '.join(changes)}. These are not the paper's experiments.",)


MOST_FIRST = 10
"""Number of values that the page shows without a click, for an experiment without a figure."""


def place(experiment: Experiment) -> str:
    """The place of an experiment in the paper, such as `Fig. 8.5`."""
    where = experiment.where.partition(",")[0]
    return where[:1].upper() + where[1:]


def figure_id(experiment: Experiment, figure: PaperFigure) -> str:
    """Name by which links lead to a figure on the page of its paper."""
    return f"{experiment.id}-figure-{figure.id}"


def data_stem(experiment: Experiment, figure: PaperFigure, changes: Sequence[str]) -> str:
    """Path of a figure's tables from the folder of the pages, without suffix."""
    end = f"-changed-{fingerprint(changes)}" if changes else ""
    return f"data/{experiment.id}-{figure.id}{end}"


STANDINGS = (
    "Robust and fragile: what holds as assumed, and also in at least half of the joint readings "
    "of what the paper leaves open, or in less. Impossible: the paper contradicts itself or "
    "physics there, by a computed proof. Consistent: one lost cell decides, and the printed run is "
    "one of many that the same network gives. Depends: the result is met in at least 2.5 % of the "
    "joint readings. Contradicted: it is met in fewer readings and seeds, so it does not follow "
    "from what the paper states. Undecided: too few readings were made."
)
COUNTED = (Standing.CONSISTENT, Standing.DEPENDS, Standing.CONTRADICTED, Standing.IMPOSSIBLE)
"""Classes of disagreements that the first table of a page counts."""


def standings_table(what: str, counted: Sequence[tuple[Cell, Tally]]) -> tuple[Block, ...]:
    """A table of results met, and of disagreements by class; then an explanation of the titles."""
    left = any(counts.by_standing()[Standing.UNDECIDED] for _, counts in counted)
    classes = (*COUNTED, Standing.UNDECIDED) if left else COUNTED
    titles = [what, "claims that hold", "numbers met", "robust", "fragile"]
    titles += [standing.value for standing in classes]
    found: list[list[Cell]] = [[name, *_classes(counts, classes)] for name, counts in counted]
    table = Table(columns(*titles, numbers=range(1, len(titles))), rows(found), wide=True)
    return (table, Paragraph(STANDINGS, "faint"))


def _classes(counts: Tally, classes: Sequence[Standing]) -> list[str]:
    found = counts.by_standing()
    # Without enough joint readings the numbers of robust and of fragile results are not known.
    known = counts.robust + counts.fragile > 0
    across = [str(counts.robust), str(counts.fragile)] if known else ["", ""]
    of_misses = [str(found[standing]) for standing in classes]
    shares = (str(share) if share.all else "" for share in (counts.claims, counts.values))
    return [*shares, *across, *of_misses]


def _in_short(part: Judged) -> tuple[Block, ...]:
    """The counts of the paper and of each experiment, with links to the experiments."""
    every: list[tuple[Cell, Tally]] = [("all", part.tally)]
    each = (
        (Span(place(r.experiment), link=f"#{r.experiment.id}"), tally([r])) for r in part.results
    )
    apart = (Paragraph(f"Apart from that, {part.tally.apart()}."),) if part.tally.apart() else ()
    return (*standings_table("experiment", [*every, *each]), *apart)


def _disagreements(counts: Tally) -> Section:
    found = [(f"{miss.what}\n", Span(miss.found, "faint")) for miss in counts.misses]
    table = misses_table(counts, found)
    ends = (Paragraph(f"{counts.ends()}."), table) if counts.misses else ()
    return Section("What disagrees", ends)


def misses_table(counts: Tally, what: Sequence[Cell], page: str = "") -> Table:
    """Table of the disagreements, with links to their experiments on the page `page`."""
    found = rows(
        (Span(miss.experiment, link=f"{page}#{miss.experiment}"), cell, miss.standing.value)
        for miss, cell in zip(counts.misses, what, strict=True)
    )
    titles = columns("experiment, with what is known of why", "what disagrees", "")
    return Table(titles, found)


def _about(paper: Paper, results: Sequence[ExperimentResult]) -> Paper:
    """The paper, with only the distributions over seeds of these experiments."""
    shown = {result.experiment.id for result in results}
    return replace(paper, draws=tuple(one for one in paper.draws if one.experiment in shown))


def _draws(paper: Paper) -> tuple[Section, ...]:
    """Text on values and claims that single events (as a loss) decide, with their distributions."""
    claims = rows(
        (f"{drawn.experiment}: {drawn.of}", f"{drawn.holding} of {drawn.seeds}")
        for drawn in paper.draws
        if not drawn.values
    )
    if not paper.draws:
        return ()
    seeds = max(drawn.seeds for drawn in paper.draws)
    text = (
        f"Here one lost cell or one coincidence decides, so the printed run is one draw from a "
        f"distribution. Our distributions are over up to {seeds} seeds; the seeds take turns in "
        f"letting the sources start within {', '.join(JITTERS)} of each other. "
        f"A printed value between the percentiles {LEAST} and {MOST} is consistent with its "
        f"distribution, and so is a claim that holds in {LEAST} % of the seeds or more."
    )
    about = "Distributions of measured values over many seeds, and the printed values in them"
    figures = (
        (Figure(lambda: _drawn_draws(paper), about, "draws"),)
        if any(drawn.values for drawn in paper.draws)
        else ()
    )
    table = Table(columns("claim", "holds", numbers=[1]), claims)
    return (Section("Single runs among many", (Paragraph(text), *figures, table)),)


HOW_DEPENDS = (
    "Here all parameters that the paper leaves open were drawn together. Each picture is of a "
    "result that is missed, or holds in less than half of the readings, and of the parameter that "
    "it depends on most: a bar per value, as long as the share of readings in which the result is "
    "met. The first bar is the assumed value."
)


def _depending(results: Sequence[ExperimentResult]) -> tuple[Section, ...]:
    """Small pictures of the results that depend on open parameters."""
    pictures = tuple(
        (
            Span(
                f"{place(r.experiment)}, {name}: {on.axis.assumption}", link=f"#{r.experiment.id}"
            ),
            share_bars(on),
        )
        for r in results
        for name, readings in _across_readings(r)
        for on in readings.depends_on[:1]
    )
    parts = (Paragraph(HOW_DEPENDS), Thumbnails(pictures))
    return (Section("What hangs on what is not printed", parts),) if pictures else ()


def _across_readings(result: ExperimentResult) -> Iterator[tuple[str, AcrossReadings]]:
    """Name of each result, with the joint readings (sets of values) that meet the result."""
    for value in result.values:
        yield value.published.quantity, value.readings
    for claim in result.claims:
        yield claim.claim.id, claim.readings


def _drawn_draws(paper: Paper) -> str:
    from cellrate.papers.figure import draws_figure  # slow to import
    from cellrate.simulation.figures import svg

    drawn = draws_figure(paper)
    return "" if drawn is None else svg(drawn)


def _experiment(
    result: ExperimentResult,
    outcomes: Outcomes,
    moved: Sensitivity | None,
    changes: Sequence[str],
) -> Section:
    experiment = result.experiment
    known_why: set[str] = set()
    figures = [_figure(result, figure, outcomes, changes) for figure in experiment.figures]
    values = result.values_of(arithmetic=False)
    shown = 0 if figures else MOST_FIRST
    first: tuple[Block, ...] = (*figures[:1], _values(values[:shown], known_why))
    more: tuple[Block, ...] = (
        *figures[1:],
        _values(values[shown:], known_why),
        _claims("Claims", result.claims_of(runs=True), known_why),
        _arithmetic(result.values_of(arithmetic=True)),
        _claims(
            "Claims that are checks of the paper's arithmetic",
            result.claims_of(runs=False),
            known_why,
        ),
        _folded("What the paper leaves open", tuple(map(_assumption, experiment.assumptions))),
        _folded("Errata of the paper", tuple(map(_erratum, experiment.errata))),
        _folded("Other oddities of the paper", experiment.remarks),
        *_sensitivity(moved),
        _commands(result),
    )
    return Section(
        f"{place(experiment)}: {experiment.title}",
        (
            Paragraph((f"{experiment.id} · ", Span(result.command, "code")), "faint"),
            *_counted(tally([result])),
            *first,
            Folded("More: numbers, claims, what is known of misses, commands", more),
        ),
        experiment.id,
    )


def _counted(counts: Tally) -> tuple[Paragraph, ...]:
    """Counts of claims that hold and of numbers that are met, without empty kinds."""
    parts = [f"{counts.claims} claims about runs hold"] if counts.claims.all else []
    parts += [f"{counts.values} scored numbers are met"] if counts.values.all else []
    return (Paragraph(f"{', '.join(parts)}."),) if parts else ()


def _figure(
    result: ExperimentResult,
    figure: PaperFigure,
    outcomes: Outcomes,
    changes: Sequence[str],
) -> Figure:
    return Figure(
        partial(_drawn, result, figure, outcomes),
        figure.title,
        figure_id(result.experiment, figure),
        data=data_stem(result.experiment, figure, changes),
    )


def _drawn(result: ExperimentResult, figure: PaperFigure, outcomes: Outcomes) -> str:
    from cellrate.papers.figure import draw  # slow to import
    from cellrate.simulation.figures import svg

    return svg(draw(result.paper, result.experiment, figure, outcomes, result.seeds))


def _values(values: Sequence[ValueResult], known_why: set[str]) -> Section:
    titles = columns(
        "quantity", "printed", "measured", "difference", "", "readings", numbers=(1, 2, 3, 5)
    )
    found = tuple(_value(value, known_why) for value in values)
    return Section("Printed and measured", _table(titles, found))


def value_cells(value: ValueResult) -> tuple[str, str, str, str]:
    """Quantity, printed value, measured value, relative difference."""
    return (
        value.published.quantity,
        value.published.with_unit,
        estimate_text(value.measured) if value.measured else "",
        percent(value.relative_difference),
    )


def _value(value: ValueResult, known_why: set[str]) -> Row:
    published = value.published
    kind = f"restated: {published.restates}" if published.kind == "restated" else published.kind
    order = {None: "", True: " · in the printed order", False: " · not in the printed order"}
    kind += order[value.in_order]
    kind += f" · again: {published.again}" if published.again else ""
    quantity, *numbers = value_cells(value)
    what = (f"{quantity}\n", Span(f"{published.where} · {kind}", "faint"))
    return Row(
        (what, *numbers, _verdict(value.met), in_readings(value)),
        _why(value.disagreement, known_why),
    )


def _arithmetic(values: Sequence[ValueResult]) -> Section:
    """Printed values beside values computed from the paper's own numbers, without runs."""
    found: list[tuple[Cell, ...]] = []
    for value in values:
        quantity, *numbers = value_cells(value)
        what = (f"{quantity}\n", Span(value.published.where, "faint"))
        found.append((what, *numbers, Span(value.published.measure, "code")))
    titles = columns("quantity", "printed", "computed", "difference", "from", numbers=(1, 2, 3))
    return Section("The paper's arithmetic", _table(titles, rows(found)))


def _verdict(met: bool | None) -> Text:
    if met is None:
        return ""
    return Span("met", "good") if met else Span("not met", "bad")


def _why(disagreement: Disagreement | None, known_why: set[str]) -> Text:
    """Class and cause of a disagreement; a cause in `known_why` is not repeated."""
    if disagreement is None:
        return ""
    cause, dependence = disagreement.cause, disagreement.dependence
    parts = ["As above." if cause and cause in known_why else cause, dependence]
    known_why.add(cause)
    said = " ".join(filter(None, parts))
    return joined(Span(f"{disagreement.standing.value}.", "strong"), f" {said}")


def _claims(title: str, claims: Sequence[ClaimResult], known_why: set[str]) -> Section:
    found = tuple(
        Row(
            (
                (f"{one.claim.text}\n", Span(one.claim.where, "faint")),
                Span(one.claim.holds_if, "code"),
                held(one),
                in_readings(one),
            ),
            _why(one.disagreement, known_why),
        )
        for one in claims
    )
    titles = columns("claim", "predicate", "", "readings", numbers=[3])
    return Section(title, _table(titles, found))


def in_readings(result: ClaimResult | ValueResult) -> Text:
    """Number of joint readings (sets of values) that meet a result, as text; empty without any."""
    fragile = result.disagreement is None and result.readings.is_fragile
    return Span(f"{result.readings}, fragile", "bad") if fragile else str(result.readings)


def held(claim: ClaimResult) -> Span:
    """Verdict on a claim; with several seeds, the number of seeds in which it holds."""
    total = len(claim.holds)
    text = (
        ("holds" if claim.always else "does not hold")
        if total == 1
        else f"{claim.count} of {total} seeds"
    )
    return Span(text, "good" if claim.always else "bad")


def _assumption(assumption: Assumption) -> Text:
    why = f"\n{assumption.why}" if assumption.why else ""
    return (f"{assumption.parameter}: ", Span(assumption.assumed, "emphasis"), why)


def _erratum(erratum: Erratum) -> Text:
    text = f"{erratum.where}: {erratum.printed}; should be: {erratum.right}"
    return Span(text, link=f"errata.html#{erratum.id}")


def _folded(title: str, items: tuple[Text, ...]) -> Folded:
    return Folded(f"{title} ({len(items)})", (Listing(items),) if items else ())


def _table(titles: tuple[Column, ...], found: tuple[Row, ...]) -> tuple[Block, ...]:
    return (Table(titles, found),) if found else ()


def _sensitivity(sensitivity: Sensitivity | None) -> tuple[Section, ...]:
    if sensitivity is None or not sensitivity.moved:
        return ()
    first = sensitivity.moved[0].values
    base = ("as assumed", *(number(before.mean) for before, _ in first.values()), "")
    numbers = range(1, len(first) + 1)
    titles = columns("instead", *first, "claims that change", numbers=numbers)
    found = rows([base, *map(_moved, sensitivity.moved)])
    title = "What each open assumption moves"
    return (Section(title, (Table(titles, found, wide=True),)),)


def _moved(moved: AlternativeEffect) -> tuple[str, ...]:
    flips = ", ".join(f"{name}: {a} → {b} seeds" for name, (a, b) in moved.claims.items() if a != b)
    name = f"{moved.assumption.parameter}: {moved.alternative.label}"
    return (name, *(number(after.mean) for _, after in moved.values.values()), flips)


def _commands(result: ExperimentResult) -> Folded:
    jobs = jobs_at(result.paper, result.experiment, result.seeds[:1])
    lines = tuple(map(command_of, jobs))
    return Folded(f"Commands of its runs ({len(lines)})", (Command(lines),) if lines else ())
