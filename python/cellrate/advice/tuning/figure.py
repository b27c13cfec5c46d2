"""Figures of a tuning: the settings in the feasible region, and the history of a search."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellrate.advice.efci_figures import Region, region_figure
from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.laboratory import AS_IT_IS, shown
from cellrate.advice.tuning.measures import Criterion
from cellrate.advice.tuning.objective import undominated
from cellrate.advice.tuning.proposal import ModelResults
from cellrate.advice.tuning.race import Ranked
from cellrate.advice.tuning.search_history import (
    Values,
    deciding,
    importance,
    in_order,
    values_of,
)
from cellrate.common.numbers import counted
from cellrate.common.picture_style import COLOURS, FAINT, NOTE, STYLE
from cellrate.simulation.figures import new_panels
from cellrate.theory.efci.feasible import Point


def region(answer: Answer) -> Figure | None:
    """Draws both conditions over RIF and RDF, with the settings that were simulated.

    Returns None if the settings were not proposed by the model.
    """
    if answer.modelled is None:
        return None
    model = answer.modelled.model
    loop = model.simulated(1.0, 0.5)
    points = [
        point for ranked in answer.ranked for point in _points(answer, answer.modelled, ranked)
    ]
    return region_figure(Region(loop, model.buffer_cells), points)


def _points(answer: Answer, modelled: ModelResults, ranked: Ranked) -> list[Point]:
    """The point of a setting; empty if the setting is not a standard pair of RIF and RDF."""
    at = modelled.place_of(ranked.setting)
    if at is None:
        return []
    judgement = modelled.judgement
    names = {answer.chosen.setting: "chosen", AS_IT_IS: "as it is"}
    return [
        Point(
            float(judgement.rif[at]),
            float(judgement.rdf[at]),
            names.get(ranked.setting, ""),
            ranked.means["loss"],
            ranked.means["utilisation"],
        )
    ]


Panel: TypeAlias = Callable[[Axes], None]

# Greatest number of parameters that get a slice; the table of the page has all parameters.
MOST_SLICES = 6
# Ratio of the greatest to the least value from which the axis is logarithmic.
WIDE = 20.0


def search_picture(answer: Answer) -> Figure | None:
    """Draws a search; None if its settings do not differ in any criterion."""
    criteria = deciding(answer)
    if not criteria:
        return None
    first = criteria[0]
    panels: list[Panel] = [lambda panel: _history(panel, answer, first)]
    shares = importance(answer)
    if shares:
        panels.append(lambda panel: _importance(panel, shares))
    if len(criteria) > 1:
        panels.append(lambda panel: _front(panel, answer, first, criteria[1]))
    panels += [partial(_slice, answer, first, values) for values in values_of(answer)[:MOST_SLICES]]
    figure, axes = new_panels(len(panels), min(2, len(panels)), width=8.0, height=2.5)
    with style.context(STYLE):
        for panel, drawn in zip(axes, panels, strict=True):
            drawn(panel)
        title = (
            f"{answer.base.path}, tuned: {counted(len(answer.ranked), 'setting')} by {first.name}"
        )
        figure.suptitle(title, x=0.01, ha="left")
    return figure


def _scaled(criterion: Criterion, one: Ranked) -> float:
    return (one.means[criterion.name] or 0.0) / criterion.divisor


def _label(criterion: Criterion) -> str:
    unit = criterion.shown_unit
    return f"{criterion.name} ({unit})" if unit else criterion.name


def _history(panel: Axes, answer: Answer, criterion: Criterion) -> None:
    """Draws each setting in the order of the runs, and the best setting so far."""
    ordered = in_order(answer)
    places = {id(one): rank for rank, one in enumerate(answer.ranked)}
    values = [_scaled(criterion, ranked) for ranked in ordered]
    best = [
        values[min(range(at + 1), key=lambda number: places[id(ordered[number])])]
        for at in range(len(ordered))
    ]
    numbers = range(1, len(ordered) + 1)
    panel.plot(numbers, values, "o", color=FAINT, markersize=3.5, label="a setting")
    panel.step(numbers, best, where="post", color=COLOURS[0], label="best so far, by all criteria")
    panel.set(xlabel="settings run", ylabel=_label(criterion))
    panel.set_title("history")
    panel.legend(loc="best", fontsize=7)


def _importance(panel: Axes, shares: dict[str, float]) -> None:
    """A bar for each parameter, the most important on top."""
    paths = sorted(shares, key=lambda path: shares[path])
    panel.barh(paths, [shares[path] for path in paths], color=COLOURS[0], height=0.6)
    panel.set_xlim(0, 1)
    panel.set_xlabel("importance for being among the best settings")
    panel.set_title("importance")


def _slice(answer: Answer, criterion: Criterion, values: Values, panel: Axes) -> None:
    """Draws the criterion against one parameter; the other parameters vary, too."""
    heights = [_scaled(criterion, ranked) for ranked in values.settings]
    panel.plot(values.numbers, heights, "o", color=FAINT, markersize=3.5)
    for one, number in zip(values.settings, values.numbers, strict=True):
        if one is answer.chosen:
            panel.plot([number], [_scaled(criterion, one)], "D", color=COLOURS[1], markersize=6,
                       label="chosen")  # fmt: skip
    usual = [ranked for ranked in answer.ranked if ranked.setting == AS_IT_IS]
    if usual:
        panel.axhline(_scaled(criterion, usual[0]), color=NOTE, lw=0.9, ls="--", label="as it is")
    panel.legend(loc="best", fontsize=7)
    if values.texts is not None:
        panel.set_xticks(range(len(values.texts)), list(values.texts))
    elif all(math.frexp(number)[0] == 0.5 for number in values.numbers):  # powers of two: RIF
        panel.set_xscale("log", base=2)
        levels = sorted(set(values.numbers))
        panel.set_xticks(levels, [shown(repr(number)) for number in levels])
    elif min(values.numbers) > 0 and max(values.numbers) >= WIDE * min(values.numbers):
        panel.set_xscale("log")
    panel.set(xlabel=_with_unit(answer, values), ylabel=_label(criterion))
    panel.set_title(f"slice: {values.path.rpartition('.')[2]}")


def _with_unit(answer: Answer, values: Values) -> str:
    units = {"Time": "s", "Delay": "s", "Rate": "bit/s", "Cells": "cells", "Buffer": "cells"}
    [kind] = [parameter.kind for parameter in answer.space if parameter.path == values.path] or [
        "number"
    ]
    unit = {**units, "Bytes": "bytes", "QueueLength": "packets"}.get(kind, "")
    return f"{values.path} ({unit})" if unit else values.path


def _front(panel: Axes, answer: Answer, first: Criterion, second: Criterion) -> None:
    """Draws two criteria against each other, with the Pareto front (`front`)."""
    points = [(_scaled(second, ranked), _scaled(first, ranked)) for ranked in answer.ranked]
    panel.plot(*zip(*points, strict=True), "o", color=FAINT, markersize=3.5)
    best = front(points, second, first)
    panel.plot(*zip(*best, strict=True), "-o", color=COLOURS[0], markersize=4, label="front")
    chosen = points[answer.ranked.index(answer.chosen)]
    panel.plot(*chosen, "D", color=COLOURS[1], markersize=6, label="chosen")
    panel.set(xlabel=_label(second), ylabel=_label(first))
    panel.set_title(f"front of {first.name} and {second.name}")
    panel.legend(loc="best", fontsize=7)


def front(
    points: Sequence[tuple[float, float]], across: Criterion, up: Criterion
) -> list[tuple[float, float]]:
    """The Pareto front: no other point is better in one criterion and no worse in the other."""
    signs = [1.0 if criterion.best == "least" else -1.0 for criterion in (across, up)]
    costs = [(signs[0] * x, signs[1] * y) for x, y in points]
    return sorted({points[at] for at in undominated(costs)})
