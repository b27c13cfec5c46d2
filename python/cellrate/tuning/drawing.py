"""The feasible region of the fluid model, and on it what was simulated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MultipleLocator

from cellrate.figures import COLOURS, FAINT, STYLE, new_figure
from cellrate.theory.efci import feasibility
from cellrate.tuning import words
from cellrate.tuning.model import Judgement, Model
from cellrate.tuning.race import Ranked
from cellrate.tuning.report import Report

# Steps per power of two in which the boundaries are computed.
FINENESS = 6
LEAST = -15.0
# A decrease of everything has no model.
MOST_RDF = -0.1
FULL, IDLE, LOSSY = COLOURS[2], COLOURS[0], COLOURS[1]
FULLY_USED = 0.99


@dataclass(frozen=True)
class Mark:
    """How a simulated set is drawn."""

    colour: str
    label: str


def region(report: Report) -> Figure | None:
    """Both conditions over RIF and RDF, the sets of the standard, and those simulated.

    None if no model was asked.
    """
    if report.modelled is None:
        return None
    model, judgement = report.modelled.model, report.modelled.judgement
    figure, [panel] = new_figure(width=6.4, height=4.6)
    with style.context(STYLE):
        lines = _boundaries(panel, model)
        panel.plot(np.log2(judgement.rif), np.log2(judgement.rdf), ".", color=FAINT, ms=2)
        marks = _simulated(panel, report, judgement)
        _axes(panel)
        panel.legend(handles=[*lines, *marks], loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _boundaries(panel: Axes, model: Model) -> list[Line2D]:
    """The lines on which each condition is just met, and the region between them."""
    x = np.linspace(LEAST, 0.0, int(-LEAST * FINENESS) + 1)
    y = np.linspace(LEAST, MOST_RDF, x.size)
    rif, rdf = np.meshgrid(np.exp2(x), np.exp2(y))
    loop = model.loop.with_(rif=rif, rdf=rdf, decrease="per-cell")
    found = feasibility(loop, model.buffer_cells)
    inside = np.asarray(found.feasible, dtype=float)
    panel.contourf(x, y, inside, levels=[0.5, 1.5], colors=[FULL], alpha=0.18)
    drawn = []
    curves: tuple[tuple[object, str, Literal["-", ":"], str], ...] = (
        (found.maximum_queue_bound_cells - model.buffer_cells, LOSSY, "-", "Q_max = buffer"),
        (found.maximum_queue_cells - model.buffer_cells, LOSSY, ":", "the same in the cycle"),
        (found.minimum_queue_cells, IDLE, "-", "Q_min = 0"),
    )
    for values, colour, line, label in curves:
        height = np.asarray(values)
        if np.isfinite(height).all() and height.min() < 0 < height.max():
            panel.contour(x, y, height, levels=[0.0], colors=[colour], linestyles=[line])
            drawn.append(Line2D([], [], color=colour, linestyle=line, label=label))
    return drawn


def _simulated(panel: Axes, report: Report, judgement: Judgement) -> list[Line2D]:
    """The sets that were simulated, by what was measured; the chosen one with a ring."""
    labels: dict[str, Mark] = {}
    for ranked in reversed(report.ranked):
        at = words.place_of(report, ranked.setting)
        if at is None:
            continue
        mark = _mark(ranked)
        labels[mark.label] = mark
        place = np.log2(judgement.rif[at]), np.log2(judgement.rdf[at])
        panel.plot(*place, "o", color=mark.colour, ms=6)
        if ranked is report.chosen:
            panel.plot(*place, "o", color="black", ms=11, mfc="none", mew=1.3)
    known = [
        Line2D([], [], ls="", marker="o", color=mark.colour, label=mark.label)
        for mark in labels.values()
    ]
    ring = Line2D([], [], ls="", marker="o", color="black", mfc="none", ms=9, label="chosen")
    return [*known, ring]


def _mark(ranked: Ranked) -> Mark:
    if ranked.means["loss"]:
        return Mark(LOSSY, "simulated: loses cells")
    if (ranked.means["utilisation"] or 0.0) < FULLY_USED:
        return Mark(IDLE, f"simulated: no loss, below {FULLY_USED:.0%} used")
    return Mark(FULL, f"simulated: no loss, {FULLY_USED:.0%} used")


def _axes(panel: Axes) -> None:
    names = FuncFormatter(lambda k, _: "1" if k == 0 else f"1/{2 ** round(-k)}")
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(MultipleLocator(3))
        axis.set_major_formatter(names)
    panel.set_xlabel("RIF")
    panel.set_ylabel("RDF")
    panel.set_xlim(LEAST - 0.5, 0.5)
    panel.set_ylim(LEAST - 0.5, 0.5)
