"""The report on a tuning."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cellrate import __version__
from cellrate.advice.tuning import fluid_sentences, sentences
from cellrate.advice.tuning.answer import METHODS, Answer, ModelResults
from cellrate.advice.tuning.laboratory import shown
from cellrate.advice.tuning.search_history import LEAST_SETTINGS, deciding, importance
from cellrate.common.document import (
    Column,
    Command,
    Detail,
    Document,
    Figure,
    Folded,
    Paragraph,
    Row,
    Section,
    Table,
    columns,
    rows,
)
from cellrate.common.numbers import number

MOST_ROWS = 15
"""Settings that a terminal shows; the page shows all."""
FIRST = 3
"""Criteria after these may be left out where a terminal is narrow."""


def report(answer: Answer) -> Document:
    """The result in sentences, the settings that were simulated, and the fluid model's verdicts."""
    return Document(
        f"{answer.base.path}, tuned",
        (
            *_method(answer),
            *map(Paragraph, sentences.headline(answer)),
            Command((sentences.command(answer),)),
            *_region(answer),
            *_search(answer),
            Section("Simulated settings", (_settings(answer), *_versus(answer), _refused(answer))),
            *((_all_pairs(answer.modelled),) if answer.modelled else ()),
        ),
    )


def _method(answer: Answer) -> Iterator[Paragraph]:
    """The origin of the settings, and the order of the criteria."""
    seeds = f"seeds {answer.seeds[0]} to {answer.seeds[-1]}"
    yield Paragraph(
        f"Settings proposed by {METHODS[answer.method]}, ranked by {sentences.criteria(answer)}; "
        f"{seeds}, {sentences.effort(answer)}; cellrate {__version__}.",
        "faint",
    )
    lines = []
    if answer.no_model is not None:
        lines.append(f"The fluid model of EFCI does not describe the scenario: {answer.no_model}.")
    lines += [f"Varied: {one.path}, {one.words()}." for one in answer.space]
    lines += [f"Not varied: {one.why}." for one in answer.not_varied]
    cautions = answer.modelled.model.cautions if answer.modelled else ()
    lines += [f"{one[0].upper()}{one[1:]}." for one in cautions]
    yield from (Paragraph(line, "faint") for line in lines)


def _region(answer: Answer) -> tuple[Figure, ...]:
    """The fluid model's feasible region, if the settings were proposed by the model."""
    if answer.modelled is None:
        return ()

    def drawn() -> str:
        from cellrate.advice.tuning.figure import region  # slow to import
        from cellrate.simulation.figures import svg

        figure = region(answer)
        return "" if figure is None else svg(figure)

    about = "Feasible region of RIF and RDF by the fluid model, with the simulated settings"
    return (Figure(drawn, about),)


def _search(answer: Answer) -> tuple[Section, ...]:
    """The picture of the search: history, importance, front and slices."""
    if not deciding(answer):
        return ()

    def drawn() -> str:
        from cellrate.advice.tuning.search_picture import search_picture  # slow to import
        from cellrate.simulation.figures import svg

        figure = search_picture(answer)
        return "" if figure is None else svg(figure)

    about = "History of the search, importance of the parameters, front of two criteria, slices"
    shares = importance(answer)
    few = f"Fewer than {LEAST_SETTINGS} settings varied two parameters together, so none is ranked."
    ranked = sorted(shares.items(), key=lambda one: -one[1])
    words = ", ".join(f"{path} {share:.0%}" for path, share in ranked)
    text = f"Shares of what tells the best settings from all: {words}." if shares else few
    return (Section("The search", (Paragraph(text), Detail((Figure(drawn, about),)))),)


def _settings(answer: Answer) -> Table:
    """The settings, the best first, with means over their seeds."""
    criteria, paths = sentences.columns(answer), sentences.paths(answer)
    model = [Column("fluid model", optional=True)] if answer.modelled else []
    measured = [
        Column(f"{one.name}\n{sentences.unit(one)}".strip(), "right", optional=number >= FIRST)
        for number, one in enumerate(criteria)
    ]
    found = []
    for one in answer.ranked:
        judged = [fluid_sentences.of_setting(answer, one.setting)] if answer.modelled else []
        values = [sentences.measured(one, criterion) for criterion in criteria]
        named = sentences.cells(one.setting, paths)
        behind = sentences.shortfall(answer, one)
        found.append(Row((*named, *judged, str(len(one.runs)), *values, *behind)))
    return Table(
        (
            *columns(*(paths.values() or ("setting",))),
            *model,
            Column("seeds", "right"),
            *measured,
            Column("falls\nbehind in"),
            Column("by", detail=True),
        ),
        tuple(found),
        wide=True,
        most=MOST_ROWS,
        more="on the page",
    )


def _versus(answer: Answer) -> tuple[Section, ...]:
    """The chosen setting and the runner-up, and their difference seed by seed."""
    second = answer.runner_up
    if second is None:
        return ()
    found = [
        [
            f"{one.name} {sentences.unit(one)}".strip(),
            sentences.measured(answer.chosen, one),
            sentences.measured(second, one),
            sentences.difference(answer.chosen, second, one),
        ]
        for one in sentences.columns(answer)
    ]
    titles = ("measure", "chosen", "runner-up", "chosen less runner-up")
    table = Table(columns(*titles, numbers=(1, 2, 3)), rows(found))
    title = "Chosen setting and runner-up: means, and differences seed by seed, 95 % intervals"
    return (Section(title, (table,)),)


def _refused(answer: Answer) -> Section:
    found = rows([setting.label, why] for setting, why in answer.refused.items())
    titles = columns("setting", "reason")
    table = Table(titles, found, most=MOST_ROWS, more="on the page")
    return Section("Refused by the scenario", (table,) if found else ())


def _all_pairs(modelled: ModelResults) -> Folded:
    """The fluid model's results for every pair of RIF and RDF, the feasible ones first."""
    judgement = modelled.judgement
    found = judgement.found
    queues = (found.maximum_queue_bound_cells, found.maximum_queue_cells, found.minimum_queue_cells)
    cells = rows(
        [
            shown(repr(float(judgement.rif[at]))),
            shown(repr(float(judgement.rdf[at]))),
            *(number(round(float(np.asarray(queue)[at]))) for queue in queues),
            fluid_sentences.verdict(judgement, at),
        ]
        for at in np.argsort(~judgement.feasible, kind="stable")
    )
    titles = columns("RIF", "RDF", "Q_max bound", "Q_max", "Q_min", "verdict", numbers=range(5))
    title = f"Verdict of the fluid model on all {len(cells)} pairs"
    return Folded(title, (Table(titles, cells),))
