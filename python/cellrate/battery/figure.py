"""Pictures of the battery: the standings as a map, and one scheme's values as small strips."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from cellrate.battery.answer import Answer
from cellrate.battery.experiments import JUDGED
from cellrate.battery.report import STRONG, WEAK, brief
from cellrate.common.picture_style import COLOURS, FAINT, NOTE, STYLE
from cellrate.simulation.figures import new_figure
from cellrate.studies.compare.duels import Measure, by_place, points

# From vermilion over white to blue, which the colour-blind can tell apart.
SCORES = LinearSegmentedColormap.from_list("scores", [COLOURS[1], "#f7f7f7", COLOURS[0]])
INK = "#111111"
# Exponent of ten below which a loss ratio is drawn as no loss.
LEAST_LOSS = 1e-6


def standings_figure(answer: Answer) -> Figure:
    """Draws scores of all schemes, the best scheme first: total, by measure and by experiment."""
    measures = [one for one in JUDGED if one.name in answer.standings[0].by_measure]
    experiments = [one.name for one in answer.experiments]
    heads = ["in all", *(measure.short for measure in measures), *experiments]
    cells = np.array(
        [
            [
                one.score,
                *(one.by_measure.get(measure.name, math.nan) for measure in measures),
                *(one.by_experiment.get(name, math.nan) for name in experiments),
            ]
            for one in answer.standings
        ]
    )
    gaps = [0.5, len(measures) + 0.5]
    figure, [panel] = new_figure(
        1, width=1.6 + 0.38 * len(heads), height=1.0 + 0.25 * len(cells), shared=False
    )
    with style.context(STYLE):
        panel.imshow(cells, cmap=SCORES, vmin=0.0, vmax=1.0, aspect="auto")
        panel.grid(visible=False)
        for (line, column), value in np.ndenumerate(cells):
            if not np.isnan(value):
                text = f"{value:.2f}"[1:] if value < 0.995 else "1"
                weight = "bold" if column == 0 else "normal"
                panel.text(column, line, text, ha="center", va="center", size=7, color=INK,
                           weight=weight)  # fmt: skip
        for gap in gaps:
            panel.axvline(gap, color="white", linewidth=5)
        panel.set_xticks(range(len(heads)), heads, rotation=45, ha="left", rotation_mode="anchor")
        panel.xaxis.tick_top()
        panel.set_yticks(range(len(cells)), [one.scheme for one in answer.standings])
        for label in panel.get_yticklabels():
            if label.get_text() in answer.names:
                label.set_fontweight("bold")
                label.set_color(COLOURS[0])
        panel.tick_params(length=0)
        for side in panel.spines.values():
            side.set_visible(False)
        panel.set_xlabel(
            "share of duels won: against each built-in scheme, by each measure; 0.5 is as good as "
            "the others",
            color=NOTE,
            size=8,
        )
    return figure


def strips_figure(answer: Answer, scheme: str) -> Figure:
    """Draws a strip for each experiment and measure: the value of a scheme among built-in schemes.

    The better end is always right; a dot is blue where the scheme wins most duels, vermilion where
    it loses most.
    """
    measures = [one for one in JUDGED if one.name in answer.standings[0].by_measure]
    names = [one.name for one in answer.experiments]
    others = [one.scheme for one in answer.standings if one.scheme not in answer.names]
    figure, [panel] = new_figure(1, width=10.0, height=0.6 + 0.32 * len(names), shared=False)
    shares = {place: points(own) for place, own in by_place(answer.duels[scheme]).items()}
    with style.context(STYLE):
        panel.set_xlim(0, len(measures))
        panel.set_ylim(len(names) - 0.4, -0.6)
        for line, name in enumerate(names):
            for column, measure in enumerate(measures):
                means = [answer.values.mean(one, name, measure) for one in others]
                own = answer.values.mean(scheme, name, measure)
                _strip(panel, line, column, measure, means, own, shares.get((name, measure.name)))
        panel.set_yticks(range(len(names)), names)
        panel.set_xticks([at + 0.5 for at in range(len(measures))],
                         [f"{one.title}{_unit(one)}" for one in measures])  # fmt: skip
        panel.xaxis.tick_top()
        panel.tick_params(length=0)
        panel.grid(visible=False)
        for side in panel.spines.values():
            side.set_visible(False)
        panel.set_xlabel(
            "better is right; grey: built-in schemes; blue: wins most duels; vermilion: loses most",
            color=NOTE,
            size=8,
        )
    return figure


def _unit(measure: Measure) -> str:
    return {"s": " (ms)", "cells": " (cells)"}.get(measure.unit, "")


def _strip(
    panel: Axes,
    line: int,
    column: int,
    measure: Measure,
    means: Sequence[float],
    own: float,
    share: float | None,
) -> None:
    """Draws one strip: a line, a tick for each built-in scheme, the dot and its value."""
    left, right = column + 0.32, column + 0.94
    if all(math.isnan(one) for one in means):
        return
    panel.plot([left, right], [line, line], color="#e4e4e4", linewidth=1.0, zorder=1)
    places = _places(measure, [*means, own])
    at = [left + place * (right - left) for place in places]
    ticks = [one for one in at[:-1] if not math.isnan(one)]
    panel.plot(ticks, [line] * len(ticks), "|", color=FAINT, markersize=7, zorder=2)
    colour = NOTE if share is None or WEAK <= share < STRONG else COLOURS[share < WEAK]
    if math.isnan(own):
        panel.text(column + 0.27, line, "failed", ha="right", va="center", size=7,
                   color=COLOURS[1])  # fmt: skip
        return
    panel.plot([at[-1]], [line], "o", color=colour, markersize=5, zorder=3)
    panel.text(column + 0.27, line, brief(measure, own), ha="right", va="center", size=7,
               color=colour)  # fmt: skip


def _places(measure: Measure, values: Sequence[float]) -> list[float]:
    """Positions of values from 0 (worst) to 1 (best); "never" stands at the longest time."""
    finite = [one for one in values if math.isfinite(one)]
    longest = max(finite, default=0.0)
    found = [longest if math.isinf(one) else one for one in values]
    if measure.unit:
        scaled = [math.log10(1.0 + (1e3 if measure.unit == "s" else 1.0) * one) for one in found]
    elif measure.name == "loss_ratio":
        scaled = [math.log10(max(one, LEAST_LOSS)) for one in found]
    else:
        scaled = found
    known = [one for one in scaled if not math.isnan(one)]
    low, high = min(known), max(known)
    if high == low:
        return [math.nan if math.isnan(one) else 1.0 for one in scaled]
    places = [(one - low) / (high - low) for one in scaled]
    return places if measure.better == "more" else [1.0 - one for one in places]
