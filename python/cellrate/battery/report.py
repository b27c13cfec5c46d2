"""The answer of the battery as a document, as JSON and as files."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cellrate import __version__
from cellrate.battery.answer import Answer
from cellrate.battery.contenders import Contender, contender
from cellrate.battery.experiments import BY_NAME, JUDGED, MEASURES, Experiment
from cellrate.battery.measures import fair_load
from cellrate.battery.shipped import table
from cellrate.common import parquet_table, whole_file
from cellrate.common.document import (
    Block,
    Column,
    Command,
    Detail,
    Document,
    Figure,
    Folded,
    Listing,
    Paragraph,
    Remark,
    Section,
    Span,
    Style,
    Table,
    columns,
    rows,
)
from cellrate.common.document.markdown import markdown
from cellrate.common.document.web_page import web_page
from cellrate.common.estimates import estimate
from cellrate.common.numbers import counted, estimate_text, finite_or_none, number, settling_time
from cellrate.studies.compare.duels import Duel, Measure, Standing, by_place, points

MOST_TRIALS = 6
"""Greatest number of weak places (an experiment and a measure) that the report lists."""
MOST_ALIKE = 2
"""Greatest number of listed weak places in one experiment, and by one measure."""
WEAK, STRONG = 0.35, 0.65
"""Shares of duels won: below the first, a measure is weak; from the second, it is strong."""

MORE_THAN_ALL = 1.05
"""Sum of the source rates, as a share of the link, above which a scheme allocates too much."""


def report(answer: Answer) -> Document:
    """The verdict, the ranking, the values and weak places of each contender, and the rules."""
    words = tuple(Paragraph(text) for text in verdict(answer))
    return Document(
        title(answer),
        (
            *words,
            Section("Ranking", (_ranking(answer), _map(answer))),
            *(part for one in answer.contenders for part in _contender(answer, one)),
            *(() if answer.contenders else (_portraits(answer),)),
            Section("Rules", (Listing(tuple(rules(answer))), _definitions(answer))),
            Paragraph(f"cellrate {__version__}", "faint"),
        ),
    )


def _ranking(answer: Answer) -> Table:
    measures = [one for one in JUDGED if one.name in answer.standings[0].by_measure]
    found: list[tuple[str | Span, ...]] = []
    for rank, one in enumerate(answer.standings, 1):
        style: Style = "strong" if one.scheme in answer.names else "plain"
        work = answer.work.get(one.scheme)
        found.append(
            (
                f"{rank}",
                Span(one.scheme, style),
                score(one).replace(" ", "\u00a0"),
                *(f"{one.by_measure[measure.name]:.2f}" for measure in measures),
                "-" if work is None else f"{work:.2f}",
            )
        )
    return Table(
        (
            Column("", "right"),
            Column("scheme"),
            Column("score", "right"),
            *(Column(measure.rank_head, "right") for measure in measures),
            Column("work", "right", optional=True),
        ),
        rows(found),
    )


def _map(answer: Answer) -> Detail:
    def drawn() -> str:
        from cellrate.battery.figure import standings_figure  # slow to import
        from cellrate.simulation.figures import svg

        return svg(standings_figure(answer))

    about = "Share of duels won by each scheme: in all, by measure, and in each experiment"
    return Detail((Figure(drawn, about, file="battery.svg"),))


def _contender(answer: Answer, one: Contender) -> tuple[Section, ...]:
    """Values of a contender, and its weak places."""

    def drawn() -> str:
        from cellrate.battery.figure import strips_figure  # slow to import
        from cellrate.simulation.figures import svg

        return svg(strips_figure(answer, one.name))

    about = f"Values of {one.name} among those of the built-in schemes, by experiment and measure"
    strips = Detail((Figure(drawn, about),))
    found = trials(answer, one)
    tried: list[Block] = []
    for trial in found:
        tried += [Paragraph(trial.text), Detail((Command(trial.commands),))]
    if found:
        tried.append(Remark("The page and --json have the commands that show these numbers."))
    else:
        tried.append(Paragraph("In no experiment and measure do most built-in schemes win."))
    errors = [f"{where}: {why}" for where, why in answer.errors(one.name).items()]
    return (
        Section(
            f"{one.name}: strong and weak places",
            (
                _values(answer, one.name),
                strips,
                *((Listing(tuple(errors)),) if errors else ()),
                Folded("Every value with its interval, and its duels", (_duels(answer, one.name),)),
            ),
        ),
        Section("What to try", tuple(tried)),
    )


def _values(answer: Answer, scheme: str) -> Table:
    """Means of the measures in each experiment, and the share of duels (comparisons) won there."""
    own = answer.standing(scheme).by_experiment
    found = []
    for name in (experiment.name for experiment in answer.experiments if experiment.name in own):
        means = [brief(measure, answer.values.mean(scheme, name, measure)) for measure in MEASURES]
        found.append((name, f"{own[name]:.2f}", *means))
    heads = [Column(measure.head, "right", optional=not measure.judged) for measure in MEASURES]
    return Table((Column("experiment"), Column("won", "right"), *heads), rows(found))


def _duels(answer: Answer, scheme: str) -> Table:
    """Table of each measure's mean with its 95 % interval, and of its duels (comparisons)."""
    found = []
    for (experiment, _), duels in by_place(answer.duels[scheme]).items():
        measure = duels[0].measure
        values = answer.values.of(scheme, experiment, measure)
        mean = "failed" if values is None else estimate_text(estimate(values.tolist()))
        outcomes = Counter(one.verdict for one in duels)
        best = min(duels, key=lambda one: _from_best(measure, one.opponent_mean))
        found.append(
            (
                experiment,
                measure.title,
                f"{mean} {measure.unit}".rstrip(),
                *(f"{outcomes[outcome]}" for outcome in ("better", "alike", "worse")),
                f"{best.opponent}: {shown(measure, best.opponent_mean)}",
            )
        )
    heads = (
        "experiment",
        "measure",
        Column("mean, 95 % interval", "right"),
        Column("better", "right"),
        Column("alike", "right"),
        Column("worse", "right"),
        "best built-in scheme",
    )
    return Table(columns(*heads), rows(found))


def _from_best(measure: Measure, value: float) -> float:
    """Sort key of a value, smaller for better; NaN, the value of failed runs, comes last."""
    if math.isnan(value):
        return math.inf
    return -value if measure.better == "more" else value


def _portraits(answer: Answer) -> Section:
    """A sentence on each built-in scheme."""
    items = tuple((Span(one.scheme, "strong"), f": {portrait(one)}") for one in answer.standings)
    return Section("Strong and weak places", (Listing(items),))


def _definitions(answer: Answer) -> Folded:
    measures = []
    for one in JUDGED:
        ratio = f", and up to {one.ratio:.0%} of the smaller" if one.ratio else ""
        measures.append((one.title, one.about, f"up to {one.apart:g} {one.unit}{ratio}"))
    experiments = [(one.name, one.about) for one in answer.experiments]
    heads = columns("measure", "definition", "differences that do not matter")
    tables = (
        Table(heads, rows(measures)),
        Table(columns("experiment", "load and network"), rows(experiments)),
    )
    return Folded("Measures and experiments", tables)


def shown(measure: Measure, value: float) -> str:
    """A value with its unit."""
    if math.isnan(value):
        return "failed"
    if measure.unit == "s":
        return settling_time(value)
    return f"{number(value)} {measure.unit}".rstrip()


def brief(measure: Measure, value: float) -> str:
    """A value in three digits, for a cell of a table whose head has the unit."""
    if math.isnan(value):
        return "-"
    if measure.unit == "s":
        return "never" if math.isinf(value) else f"{1e3 * value:,.0f}"
    if measure.unit == "cells":
        return f"{value:,.0f}"
    if measure.name == "loss_ratio":
        return "0" if value == 0 else f"{value:.1g}" if value < 1e-3 else f"{value:.2g}"
    return f"{value:.3f}"


def title(answer: Answer) -> str:
    """The title of the report."""
    count = len(answer.experiments)
    if not answer.contenders:
        return f"The built-in control schemes in {counted(count, 'experiment')}"
    return f"{', '.join(answer.names)} in {counted(count, 'experiment')}"


def verdict(answer: Answer) -> list[str]:
    """Sentences on the rank of each contender, or on the best built-in schemes, and on failures."""
    if not answer.contenders:
        return list(_built_in(answer))
    return [line for name in answer.names for line in _of_contender(answer, name)]


def _of_contender(answer: Answer, name: str) -> Iterator[str]:
    own = answer.standing(name)
    rank, all_of_them = answer.rank(name), len(answer.standings)
    yield from _overload(answer, name)
    yield (
        f"{name} has rank {rank} of {all_of_them}, with a score of {score(own)}. The score is the "
        "share of duels won against the built-in schemes."
    )
    yield portrait(own)
    errors = answer.errors(name)
    if errors:
        where, why = next(iter(errors.items()))
        yield (
            f"{name} fails in {len(errors)} of {len(answer.experiments)} experiments, and loses "
            f"all duels there. In {where}: {why}"
        )
    if name in answer.irregular:
        yield (
            f"Two runs of {name} with the same seed gave different results: the class reads a "
            "clock, draws random numbers of its own, or keeps state from run to run. So the score "
            f"of {name} means little."
        )


def _overload(answer: Answer, name: str) -> Iterator[str]:
    """Sentences on the greatest sum of granted rates, if the sum exceeds the rate of the link."""
    found = []
    for one in answer.experiments:
        if not fair_load(one).shows_rates:
            continue
        carried = answer.values.mean(name, one.name, BY_NAME["utilisation"])
        lost = answer.values.mean(name, one.name, BY_NAME["loss_ratio"])
        if lost < 1:  # neither a number nor a run that failed
            found.append((carried / (1 - lost), one.name))
    if not found:
        return
    most, where = max(found)
    if most > MORE_THAN_ALL:
        yield (
            f"{name} allocates more than the link: in {where} the rates of the sources add up to "
            f"{most:.1f} times the rate of the link, and the buffer overflows."
        )


def _built_in(answer: Answer) -> Iterator[str]:
    first, second = answer.standings[:2]
    yield (
        f"{first.scheme} is first with a score of {score(first)}, {second.scheme} second with "
        f"{score(second)}. A score is the share of duels won: one scheme against another, in one "
        "experiment, by one measure."
    )
    if first.score - second.score < math.hypot(first.error, second.error):
        yield (
            "Their scores differ by less than the standard errors, so other experiments may change "
            "the order."
        )
    leaders = []
    for name in dict.fromkeys(key for one in answer.standings for key in one.by_measure):
        best = max(answer.standings, key=lambda one: one.by_measure.get(name, -1.0))
        leaders.append(f"{BY_NAME[name].title} {best.scheme} ({best.by_measure[name]:.2f})")
    yield f"The best scheme by each measure, with its share of duels won: {', '.join(leaders)}."


def portrait(own: Standing) -> str:
    """The measures and experiments in which a scheme wins most and least."""
    by_measure = sorted(own.by_measure.items(), key=lambda one: -one[1])
    by_experiment = sorted(own.by_experiment.items(), key=lambda one: -one[1])
    best, worst = by_measure[0], by_measure[-1]
    if best[1] == worst[1]:
        return f"The share of duels won is {best[1]:.2f} by each measure."
    if len(by_experiment) == 1:
        return (
            f"Best by {BY_NAME[best[0]].title} ({best[1]:.2f}), worst by "
            f"{BY_NAME[worst[0]].title} ({worst[1]:.2f})."
        )
    return (
        f"Best by {BY_NAME[best[0]].title} ({best[1]:.2f}) and in {_two(by_experiment[:2])}; worst "
        f"by {BY_NAME[worst[0]].title} ({worst[1]:.2f}) and in {_two(by_experiment[::-1][:2])}."
    )


def _two(found: Sequence[tuple[str, float]]) -> str:
    return " and ".join(f"{name} ({value:.2f})" for name, value in found)


def score(own: Standing) -> str:
    """A score with its standard error over the experiments."""
    error = "" if math.isnan(own.error) else f" ± {own.error:.2f}"
    return f"{own.score:.2f}{error}"


@dataclass(frozen=True)
class Trial:
    """An experiment and measure in which a scheme is weak, with commands that show it.

    Attributes:
        text: The weak place as a sentence.
        commands: Commands that show the numbers.
    """

    text: str
    commands: tuple[str, ...]


def trials(answer: Answer, one: Contender) -> list[Trial]:
    """Weak places of a contender: experiments and measures in which it loses most duels."""
    places = by_place(duel for duel in answer.duels[one.name] if duel.difference is not None)
    share = {place: points(own) for place, own in places.items()}
    weak = sorted((value, key) for key, value in share.items() if value < WEAK)
    return [_trial(answer, one, places[key]) for key in _varied([key for _, key in weak])]


def _varied(keys: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The weakest of the weak places, at most `MOST_ALIKE` of each experiment and each measure."""
    found: list[tuple[str, str]] = []
    for key in keys:
        alike = [sum(key[part] == other[part] for other in found) < MOST_ALIKE for part in range(2)]
        if all(alike) and len(found) < MOST_TRIALS:
            found.append(key)
    return found


def _trial(answer: Answer, one: Contender, own: Sequence[Duel]) -> Trial:
    """A weak place, with the best-ranked scheme that wins there and commands that show it."""
    worse = [duel for duel in own if duel.verdict == "worse"]
    measure, experiment = own[0].measure, own[0].experiment
    best = min(worse, key=lambda duel: answer.rank(duel.opponent))
    text = (
        f"{experiment}, {measure.title}: {shown(measure, best.mean)}; {len(worse)} of {len(own)} "
        f"built-in schemes are better, among them {best.opponent} with "
        f"{shown(measure, best.opponent_mean)}{_apart(best)}. What usually helps: "
        f"{measure.hint}."
    )
    [scenario] = [found for found in answer.experiments if found.name == experiment]
    runs = [
        _command(who, scenario, measure.trace, answer.seeds[0])
        for who in (one, contender(best.opponent))
    ]
    return Trial(text, (f"cellrate battery --scenario {experiment} > {experiment}.toml", *runs))


def _command(who: Contender, experiment: Experiment, trace: str, seed: int) -> str:
    """The command that runs a contender in an experiment and draws a trace."""
    settings = (*who.overrides(experiment), f'measure.traces=["{trace}"]')
    flags = [part for text in settings for part in ("--set", text)]
    file = f"{experiment.name}.toml"
    return shlex.join(["cellrate", "run", file, *flags, "--seed", str(seed), "--plot"])


def _apart(duel: Duel) -> str:
    """A difference and the half-width of its interval, corrected for many comparisons, as text."""
    if duel.interval is None or duel.difference is None or duel.measure.unit == "s":
        return ""
    half = (duel.interval[1] - duel.interval[0]) / 2
    return f" (difference {number(duel.difference.difference)} ± {number(half)})"


def rules(answer: Answer) -> list[str]:
    """The rules by which the battery judges."""
    seeds = f"{answer.seeds[0]} to {answer.seeds[-1]}"
    conditions = (
        f"Every scheme has its usual parameters and runs with the seeds {seeds}; runs of one seed "
        "are pairs. Explicit rates have sources with RIF = 1, marks those with RIF = RDF = 1/16. "
        "Credit control and no control run with UBR flows."
    )
    differences = (
        "A difference is real if it remains so among all duels of a scheme: at most 5 % of those "
        "called real are expected to be chance (Benjamini and Yekutieli 2001). A difference also "
        "has to exceed the least difference that matters, which each measure has."
    )
    scores = (
        "A duel without a winner counts half. All measures have equal weight, and so have all "
        "experiments. A failed run loses every duel of its experiment. ± is the standard error, as "
        "if the experiments were a draw from many like them. Other weights give other ranks: the "
        "table has the score in each measure."
    )
    work = (
        "Work is the processor time per cell-hop, as a multiple of that under ERICA on the same "
        "machine; for built-in schemes it was measured once. Work is not part of the score."
    )
    return [conditions, differences, scores, work]


def as_json(answer: Answer) -> dict[str, Any]:
    """The output of `cellrate battery --json`; None stands for "never" and for a missing value."""
    return {
        "contenders": list(answer.names),
        "experiments": [one.name for one in answer.experiments],
        "seeds": list(answer.seeds),
        "standings": [
            {
                "scheme": one.scheme,
                "score": one.score,
                "standard_error": finite_or_none(one.error),
                "by_measure": one.by_measure,
                "by_experiment": one.by_experiment,
                "work_times_erica": answer.work.get(one.scheme),
            }
            for one in answer.standings
        ],
        "means": {
            one.scheme: {
                experiment.name: {
                    measure.name: finite_or_none(
                        answer.values.mean(one.scheme, experiment.name, measure)
                    )
                    for measure in MEASURES
                }
                for experiment in answer.experiments
            }
            for one in answer.standings
        },
        "duels": [_duel(one) for name in answer.names for one in answer.duels[name]],
        "errors": {name: answer.errors(name) for name in answer.names},
        "irregular": list(answer.irregular),
        "what_to_try": [
            {"scheme": one.name, "text": trial.text, "commands": list(trial.commands)}
            for one in answer.contenders
            for trial in trials(answer, one)
        ],
        "words": verdict(answer),
    }


def _duel(one: Duel) -> dict[str, Any]:
    found = one.difference
    return {
        "scheme": one.scheme,
        "opponent": one.opponent,
        "experiment": one.experiment,
        "measure": one.measure.name,
        "difference": None if found is None else found.difference,
        "low": None if one.interval is None else one.interval[0],
        "high": None if one.interval is None else one.interval[1],
        "p_value": None if found is None else found.p_value,
        "verdict": one.verdict,
    }


def write(answer: Answer, paths: Sequence[Path]) -> list[Path]:
    """Writes the page and the table of all runs.

    Args:
        answer: The answer.
        paths: Files for the page and for the table, in a directory that exists.

    Raises:
        OSError: A file cannot be written.
    """
    page, runs = paths
    whole_file.write_text(page, web_page(report(answer)))
    with whole_file.replacing(runs) as fresh:
        parquet_table.write(table(answer.records), fresh)
    return [page, runs]


def write_evidence(answer: Answer, directory: Path) -> None:
    """Writes the page of the documentation on the built-in schemes, and its picture.

    Args:
        answer: The answer without contenders.
        directory: Directory of the page and the picture.
    """
    from cellrate.battery.figure import standings_figure
    from cellrate.simulation.figures import save

    whole_file.write_text(directory / "battery.md", markdown(report(answer)))
    save(standings_figure(answer), directory / "battery", ("svg",))
