"""A tuning as one self-contained web page."""

from __future__ import annotations

import numpy as np

from cellrate import __version__
from cellrate.advice.tuning import model_words, words
from cellrate.advice.tuning.laboratory import shown
from cellrate.advice.tuning.report import METHODS, Modelled, Report
from cellrate.common import html
from cellrate.common.numbers import number


def page(report: Report) -> str:
    """The page as HTML; it loads nothing from elsewhere."""
    title = f"{report.base.path}, tuned"
    return html.document(
        title,
        [
            f"<h1>{html.escape(title)}</h1>",
            _how(report),
            *(f"<p>{html.escape(sentence)}</p>" for sentence in words.headline(report)),
            _flags(report),
            _region(report),
            "<h2>Simulated settings</h2>",
            _settings(report),
            _versus(report),
            _refused(report),
            _model(report.modelled) if report.modelled else "",
        ],
    )


def _how(report: Report) -> str:
    criteria = ", ".join(one.name for one in report.objective.criteria)
    seeds = f"seeds {report.seeds[0]} to {report.seeds[-1]}"
    text = (
        f"Proposed by {METHODS[report.method]}, judged by {criteria} in this order; {seeds}, "
        f"{words.effort(report)}; cellrate {__version__}."
    )
    lines = [text]
    if report.no_model is not None:
        lines.append(f"The fluid model of EFCI does not describe the scenario: {report.no_model}.")
    lines += [f"Varied: {one.path}, {one.words()}." for one in report.space]
    lines += [f"Not varied: {one.why}." for one in report.left]
    cautions = report.modelled.model.cautions if report.modelled else ()
    lines += [f"{one[0].upper()}{one[1:]}." for one in cautions]
    return "".join(f'<p class="faint">{html.escape(line)}</p>' for line in lines)


def _flags(report: Report) -> str:
    return f"<pre>{html.escape(words.command(report))}</pre>"


def _region(report: Report) -> str:
    from cellrate.advice.tuning.drawing import region  # slow to import, not always needed
    from cellrate.simulation.figures import svg

    figure = region(report)
    return "" if figure is None else html.figure(svg(figure))


def _settings(report: Report) -> str:
    criteria = words.columns(report)
    titles = [f"{one.name} {words.unit(one)}".strip() for one in criteria]
    paths = words.paths(report)
    rows = [
        [
            *words.cells(one.setting, paths),
            model_words.of_setting(report, one.setting),
            str(len(one.runs)),
            *(words.measured(one, criterion) for criterion in criteria),
            words.why(report, one),
        ]
        for one in report.ranked
    ]
    names = list(paths.values()) or ["setting"]
    columns = [*names, "fluid model", "seeds", *titles, "falls behind by"]
    first = len(names) + 1
    return html.table(columns, rows, numbers=range(first, first + 1 + len(titles)), wide=True)


def _versus(report: Report) -> str:
    if report.runner_up is None:
        return ""
    rows = [
        [
            f"{one.name} {words.unit(one)}".strip(),
            words.difference(report.chosen, report.runner_up, one),
        ]
        for one in words.columns(report)
    ]
    head = "<h3>Chosen less runner-up, seed by seed, 95 % intervals</h3>"
    return head + html.table(["measure", "difference"], rows, numbers=[1])


def _refused(report: Report) -> str:
    rows = [[setting.label, why] for setting, why in report.refused.items()]
    table = html.table(["setting", "why"], rows) if rows else ""
    return html.details(f"Refused by the scenario ({len(rows)})", table)


def _model(modelled: Modelled) -> str:
    judgement = modelled.judgement
    rows = [
        [
            shown(repr(float(judgement.rif[at]))),
            shown(repr(float(judgement.rdf[at]))),
            number(round(float(np.asarray(judgement.found.maximum_queue_bound_cells)[at]))),
            number(round(float(np.asarray(judgement.found.maximum_queue_cells)[at]))),
            number(round(float(np.asarray(judgement.found.minimum_queue_cells)[at]))),
            model_words.verdict(judgement, at),
        ]
        for at in np.argsort(~judgement.feasible, kind="stable")
    ]
    columns = ["RIF", "RDF", "Q_max bound", "Q_max", "Q_min", "verdict"]
    table = html.table(columns, rows, numbers=range(5))
    return html.details(f"What the fluid model says of all {len(rows)} sets", table)
