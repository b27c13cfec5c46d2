"""The report on a paper, which one web page holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cellrate import __version__
from cellrate.common.document import (
    Block,
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
    columns,
    joined,
    rows,
)
from cellrate.common.numbers import estimate_text, number, percent
from cellrate.reproduce import paper_data
from cellrate.reproduce.draw_runs import JITTERS
from cellrate.reproduce.draws import LEAST, MOST
from cellrate.reproduce.paper_data import Erratum, Experiment, Explanation, Paper
from cellrate.reproduce.reproduction import fingerprint
from cellrate.reproduce.results import ClaimResult, ExperimentResult, ValueResult
from cellrate.reproduce.runs import Outcomes, command_of, job_of, run_ids
from cellrate.reproduce.seeds import seeds_text
from cellrate.reproduce.sensitivity import AlternativeEffect, Sensitivity
from cellrate.reproduce.standing import Standing
from cellrate.reproduce.tally import Tally, known, tally


def paper_report(
    paper: Paper,
    results: Sequence[ExperimentResult],
    outcomes: Outcomes,
    sensitivities: Sequence[Sensitivity] = (),
    changes: Sequence[str] = (),
) -> Document:
    """The counts of a paper, then each experiment with its figures, values and claims.

    Args:
        paper: The paper.
        results: Results of its experiments.
        outcomes: Their runs.
        sensitivities: Effects of the paper's open assumptions.
        changes: Settings of the user that all runs have besides those of the paper.
    """
    moved = {s.experiment: s for s in sensitivities}
    sections = (_experiment(r, outcomes, moved.get(r.experiment.id), changes) for r in results)
    origin = (
        f"{', '.join(paper.authors)}; {paper.published_in}, {paper.year}. "
        f"Run again with cellrate {__version__}, {seeds_text(results[0].seeds)}."
    )
    return Document(
        paper.title,
        (
            Paragraph(origin, "faint"),
            *(Paragraph(Span(text, "bad")) for text in changed(changes)),
            Paragraph(paper.summary),
            *_summary(tally(results)),
            *_draws(_about(paper, results)),
            *sections,
        ),
        above=Span("all papers", link="index.html"),
    )


def changed(changes: Sequence[str]) -> tuple[str, ...]:
    """The sentence that says that runs are not those of a paper; none if they are."""
    if not changes:
        return ()
    return (f"Changed: all runs have {', '.join(changes)}. These are not the paper's experiments.",)


MOST_FIRST = 10
"""Numbers of an experiment without a figure that stand before those that a click shows."""


def place(experiment: Experiment) -> str:
    """The place of an experiment in the paper, such as `Fig. 8.5`."""
    where = experiment.where.partition(",")[0]
    return where[:1].upper() + where[1:]


def figure_id(experiment: Experiment, figure: paper_data.Figure) -> str:
    """Name by which links lead to a figure on the page of its paper."""
    return f"{experiment.id}-figure-{figure.id}"


def data_stem(experiment: Experiment, figure: paper_data.Figure, changes: Sequence[str]) -> str:
    """Path of a figure's tables from the folder of the pages, without the end of the name."""
    end = f"-changed-{fingerprint(changes)}" if changes else ""
    return f"data/{experiment.id}-{figure.id}{end}"


def _summary(counts: Tally) -> tuple[Block, ...]:
    apart = f" Apart from that, {counts.apart()}." if counts.apart() else ""
    found = (
        (
            Span(miss.experiment, link=f"#{miss.experiment}"),
            (f"{miss.what}\n", Span(miss.found, "faint")),
            miss.standing.value,
        )
        for miss in counts.misses
    )
    titles = columns("experiment, with what is known of why", "what disagrees", "")
    table = Table(titles, rows(found))
    ends = (Paragraph(f"{counts.ends()}."), table) if counts.misses else ()
    return (
        Paragraph((Span(f"{counts.sentence()}.", "strong"), apart)),
        Section("What disagrees", ends),
    )


def _about(paper: Paper, results: Sequence[ExperimentResult]) -> Paper:
    """The paper with the distributions of these experiments alone."""
    shown = {result.experiment.id for result in results}
    return replace(paper, draws=tuple(one for one in paper.draws if one.experiment in shown))


def _draws(paper: Paper) -> tuple[Section, ...]:
    """Printed chaotic values in the distributions of ours, and claims explained as draws."""
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


def _drawn_draws(paper: Paper) -> str:
    from cellrate.reproduce.draws_figure import draws_figure  # slow to import
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
    checks = [c for c in result.claims if not c.claim.about_runs]
    known_why: set[str] = set()
    figures = [_figure(result, figure, outcomes, changes) for figure in experiment.figures]
    values = [v for v in result.values if v.published.kind != "arithmetic"]
    shown = 0 if figures else MOST_FIRST
    first: tuple[Block, ...] = (*figures[:1], _values(values[:shown], known_why))
    more: tuple[Block, ...] = (
        *figures[1:],
        _values(values[shown:], known_why),
        _claims("Claims", [c for c in result.claims if c.claim.about_runs], known_why),
        _arithmetic([v for v in result.values if v.published.kind == "arithmetic"]),
        _claims("Claims that are checks of the paper's arithmetic", checks, known_why),
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
    """Claims that hold and numbers that are met, without kinds that an experiment lacks."""
    parts = [f"{counts.claims} claims about runs hold"] if counts.claims.all else []
    parts += [f"{counts.values} scored numbers are met"] if counts.values.all else []
    return (Paragraph(f"{', '.join(parts)}."),) if parts else ()


def _figure(
    result: ExperimentResult,
    figure: paper_data.Figure,
    outcomes: Outcomes,
    changes: Sequence[str],
) -> Figure:
    return Figure(
        _drawing_of(result, figure, outcomes),
        figure.title,
        figure_id(result.experiment, figure),
        data=data_stem(result.experiment, figure, changes),
    )


def _drawing_of(
    result: ExperimentResult, figure: paper_data.Figure, outcomes: Outcomes
) -> Callable[[], str]:
    def drawn() -> str:
        from cellrate.reproduce.figure import draw  # slow to import
        from cellrate.simulation.figures import svg

        return svg(draw(result.paper, result.experiment, figure, outcomes, result.seeds))

    return drawn


def _values(values: Sequence[ValueResult], known_why: set[str]) -> Section:
    titles = columns("quantity", "printed", "measured", "difference", "", numbers=(1, 2, 3))
    found = tuple(_value(value, known_why) for value in values)
    return Section("Printed and measured", _table(titles, found))


def _value(value: ValueResult, known_why: set[str]) -> Row:
    published = value.published
    kind = f"restated: {published.restates}" if published.kind == "restated" else published.kind
    order = {None: "", True: " · in the printed order", False: " · not in the printed order"}
    kind += order[value.in_order]
    kind += f" · again: {published.again}" if published.again else ""
    return Row(
        (
            (f"{published.quantity}\n", Span(f"{published.where} · {kind}", "faint")),
            published.with_unit,
            estimate_text(value.measured) if value.measured else "",
            percent(value.relative_difference),
            _verdict(value.met),
        ),
        _why(value.standing, value.explanation, known_why),
    )


def _arithmetic(values: Sequence[ValueResult]) -> Section:
    """Printed values beside values computed from the paper's own numbers, without runs."""
    found = rows(
        (
            (f"{value.published.quantity}\n", Span(value.published.where, "faint")),
            value.published.with_unit,
            estimate_text(value.measured) if value.measured else "",
            percent(value.relative_difference),
            Span(value.published.measure, "code"),
        )
        for value in values
    )
    titles = columns("quantity", "printed", "computed", "difference", "from", numbers=(1, 2, 3))
    return Section("The paper's arithmetic", _table(titles, found))


def _verdict(met: bool | None) -> Text:
    if met is None:
        return ""
    return Span("met", "good") if met else Span("not met", "bad")


def _why(standing: Standing | None, explanation: Explanation | None, known_why: set[str]) -> Text:
    """The standing of a miss and its cause; a cause that `known_why` has is not said again."""
    if standing is None:
        return ""
    why = known(explanation)
    said = " As above." if why and why in known_why else f" {why}"
    known_why.add(why)
    return joined(Span(f"{standing.value}.", "strong"), said)


def _claims(title: str, claims: Sequence[ClaimResult], known_why: set[str]) -> Section:
    found = tuple(
        Row(
            (
                (f"{one.claim.text}\n", Span(one.claim.where, "faint")),
                Span(one.claim.holds_if, "code"),
                held(one),
            ),
            _why(one.standing, one.explanation, known_why),
        )
        for one in claims
    )
    return Section(title, _table(columns("claim", "predicate", ""), found))


def held(claim: ClaimResult) -> Span:
    """Verdict on a claim; with several seeds, the number of seeds in which it holds."""
    total = len(claim.holds)
    text = (
        ("holds" if claim.always else "does not hold")
        if total == 1
        else f"{claim.count} of {total} seeds"
    )
    return Span(text, "good" if claim.always else "bad")


def _assumption(assumption: paper_data.Assumption) -> Text:
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
    lines = tuple(
        command_of(job_of(result.paper, variant, point, result.seeds[0]))
        for _, variant, point in run_ids(result.experiment)
    )
    return Folded(f"Commands of its runs ({len(lines)})", (Command(lines),) if lines else ())
