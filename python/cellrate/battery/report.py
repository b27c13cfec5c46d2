"""The report of the battery."""

from __future__ import annotations

import math
from collections import Counter

from cellrate import __version__
from cellrate.battery import sentences
from cellrate.battery.answer import Answer
from cellrate.battery.contenders import Contender
from cellrate.battery.duels import Duel
from cellrate.battery.measures import JUDGED, MEASURES, Measure
from cellrate.battery.standings import Standing
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
    Row,
    Section,
    Span,
    Style,
    Table,
    columns,
)
from cellrate.common.estimates import estimate
from cellrate.common.numbers import estimate_text

HEADS = {
    "utilisation": "utili-\nsation",
    "max_min_distance": "max-\nmin",
    "settling_seconds": "sett-\nling",
    "queue_p99_cells": "queue",
    "loss_ratio": "loss",
    "rate_variation": "oscil-\nlation",
}
UNITS = {"s": "\nms", "cells": "\ncells"}


def report(answer: Answer) -> Document:
    """The verdict, the ranking, each contender's values, what to try, and the rules."""
    words = tuple(Paragraph(text) for text in sentences.verdict(answer))
    return Document(
        sentences.title(answer),
        (
            *words,
            Section("Ranking", (_ranking(answer), *_map(answer))),
            *(part for one in answer.contenders for part in _contender(answer, one)),
            *(() if answer.contenders else (_portraits(answer),)),
            Section("Rules", (Listing(tuple(sentences.rules(answer))), _definitions(answer))),
            Paragraph(f"cellrate {__version__}", "faint"),
        ),
    )


def _ranking(answer: Answer) -> Table:
    measures = [one for one in JUDGED if one.name in answer.standings[0].by_measure]
    rows = []
    for rank, one in enumerate(answer.standings, 1):
        style: Style = "strong" if one.scheme in answer.names else "plain"
        work = answer.work.get(one.scheme)
        rows.append(
            Row(
                (
                    f"{rank}",
                    Span(one.scheme, style),
                    sentences.score(one).replace(" ", "\u00a0"),
                    *(f"{one.by_measure[name.name]:.2f}" for name in measures),
                    "-" if work is None else f"{work:.2f}",
                )
            )
        )
    return Table(
        (
            Column("", "right"),
            Column("scheme"),
            Column("score", "right"),
            *(Column(HEADS[one.name], "right") for one in measures),
            Column("work", "right", optional=True),
        ),
        tuple(rows),
    )


def _map(answer: Answer) -> tuple[Detail, ...]:
    def drawn() -> str:
        from cellrate.battery.figure import standings_figure  # slow to import
        from cellrate.simulation.figures import svg

        return svg(standings_figure(answer))

    about = "Share of duels won by each scheme: in all, by measure, and in each experiment"
    return (Detail((Figure(drawn, about, file="battery.svg"),)),)


def _contender(answer: Answer, one: Contender) -> tuple[Section, ...]:
    """Values of a contender, and its weak places."""

    def drawn() -> str:
        from cellrate.battery.figure import strips_figure  # slow to import
        from cellrate.simulation.figures import svg

        return svg(strips_figure(answer, one.name))

    about = f"Values of {one.name} among those of the built-in schemes, by experiment and measure"
    strips = Detail((Figure(drawn, about),))
    found = sentences.trials(answer, one)
    tried: list[Block] = []
    for trial in found:
        tried += [Paragraph(trial.text), Detail((Command(trial.commands),))]
    if found:
        tried.append(Remark("The commands behind these numbers: on the page, and in --json."))
    else:
        tried.append(Paragraph("Nowhere do most built-in schemes beat it."))
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
    """Means of the measures in each experiment, and the share of duels won there."""
    own = next(one for one in answer.standings if one.scheme == scheme)
    rows = [
        Row(
            (
                experiment.name,
                f"{own.by_experiment[experiment.name]:.2f}",
                *(
                    sentences.brief(one, answer.values.mean(scheme, experiment.name, one))
                    for one in MEASURES
                ),
            )
        )
        for experiment in answer.experiments
        if experiment.name in own.by_experiment
    ]
    return Table(
        (
            Column("experiment"),
            Column("won", "right"),
            *(
                Column(_head(one.name, one.unit), "right", optional=not one.judged)
                for one in MEASURES
            ),
        ),
        tuple(rows),
    )


def _duels(answer: Answer, scheme: str) -> Table:
    """Each value with the 95 % interval of its mean, and the outcome of its duels."""
    places: dict[tuple[str, str], list[Duel]] = {}
    for one in answer.duels[scheme]:
        places.setdefault((one.experiment, one.measure.name), []).append(one)
    rows = []
    for (experiment, _), duels in places.items():
        measure = duels[0].measure
        values = answer.values.of(scheme, experiment, measure)
        mean = "failed" if values is None else estimate_text(estimate(values.tolist()))
        outcomes = Counter(one.verdict for one in duels)
        best = min(duels, key=lambda one: _from_best(measure, one.opponent_mean))
        rows.append(
            Row(
                (
                    experiment,
                    measure.title,
                    f"{mean} {measure.unit}".rstrip(),
                    *(f"{outcomes[verdict]}" for verdict in ("better", "alike", "worse")),
                    f"{best.opponent}: {sentences.shown(measure, best.opponent_mean)}",
                )
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
    return Table(columns(*heads), tuple(rows))


def _from_best(measure: Measure, value: float) -> float:
    """The smaller, the better; NaN, of runs that failed, comes last."""
    if math.isnan(value):
        return math.inf
    return -value if measure.better == "more" else value


def _head(name: str, unit: str) -> str:
    titles = {**HEADS, "queue_mean_cells": "mean\nqueue", "queue_max_cells": "longest"}
    head = "99 %" if name == "queue_p99_cells" else titles[name]
    return f"{head}{UNITS.get(unit, '')}"


def _portraits(answer: Answer) -> Section:
    """A sentence on each built-in scheme."""
    items = tuple(_portrait(one) for one in answer.standings)
    return Section("Strong and weak places", (Listing(items),))


def _portrait(one: Standing) -> tuple[str | Span, ...]:
    return (Span(one.scheme, "strong"), f": {sentences.portrait(one)}")


def _definitions(answer: Answer) -> Folded:
    measures = Table(
        (Column("measure"), Column("definition"), Column("differences that do not matter")),
        tuple(
            Row((one.title, one.about, f"up to {one.apart:g} {one.unit}{_ratio(one.ratio)}"))
            for one in JUDGED
        ),
    )
    experiments = Table(
        (Column("experiment"), Column("load and network")),
        tuple(Row((one.name, one.about)) for one in answer.experiments),
    )
    return Folded("Measures and experiments", (measures, experiments))


def _ratio(ratio: float) -> str:
    return f", and up to {ratio:.0%} of the smaller" if ratio else ""
