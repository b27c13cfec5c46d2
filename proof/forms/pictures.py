"""The simulator's dots on the theory's curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure
from cellrate.theory import queueing
from matplotlib import style
from matplotlib.figure import Figure

from proof.forms import fluid, noise
from proof.forms.line import LINE
from proof.forms.repetitions import Repetitions

FIRST_TAIL = {"M/D/1": 2, "N*D/D/1": 1, "Markov fluid": 2}
"""Index in a row of observations at which the probabilities begin."""


def picture(seen: Sequence[Repetitions]) -> Figure:
    """The figure of one form: what theory says, and what all runs of the campaign show.

    Args:
        seen: Its cases.
    """
    draw = {
        "M/D/1": _lengths,
        "N*D/D/1": _lengths,
        "Markov fluid": _fluid,
        "fractional noise": _spectra,
    }[seen[0].case.form]
    with style.context(STYLE):
        return draw(seen)


def _lengths(seen: Sequence[Repetitions]) -> Figure:
    figure, (panel,) = new_figure(height=3.2)
    form = seen[0].case.form
    for one, colour in zip(seen, COLOURS, strict=False):
        first = FIRST_TAIL[form]
        tails = one.case.expected[first:]
        levels = np.arange(len(tails))
        panel.plot(levels, tails, color=colour, label=f"{one.case.name}")
        panel.plot(levels, one.mean[first:], "o", color=colour, markersize=4)
        if form == "N*D/D/1":
            load = float(tails[0]) * LINE
            poisson = np.asarray(queueing.md1_exceedance(load, LINE, levels.astype(float)))
            panel.plot(levels, poisson, ":", color=colour, linewidth=0.8)
    if form == "N*D/D/1":
        panel.plot([], [], ":", color=FAINT, label="Poisson cells of the same load")
    panel.set(yscale="log", xlabel="k (cells)", ylabel="P(N > k)")
    panel.set_title(f"{form}: theory (lines) and simulator (dots)")
    panel.legend()
    return figure


def _fluid(seen: Sequence[Repetitions]) -> Figure:
    figure, (panel,) = new_figure(height=3.2)
    marks = {"on-off": "o", "mmdp": "x"}
    for one in seen:
        kind, _, setting = one.case.name.partition(", ")
        first = FIRST_TAIL["Markov fluid"]
        colour = COLOURS[0] if "load 0.7" in setting else COLOURS[1]
        if kind == "on-off":
            panel.plot(fluid.LEVELS, one.case.expected[first:], color=colour, label=setting)
        panel.plot(fluid.LEVELS, one.mean[first:], marks[kind], color=colour, markersize=5)
    for kind, mark in marks.items():
        panel.plot([], [], mark, color=FAINT, label=f"sources `{kind}`")
    panel.set(yscale="log", xlabel="q (cells)", ylabel="P(Q > q)")
    panel.set_title("Markov fluid: theory (lines) and simulator (marks)")
    panel.legend()
    return figure


def _spectra(seen: Sequence[Repetitions]) -> Figure:
    figure, (panel,) = new_figure(height=3.2)
    frequency = noise.frequencies()
    for one, colour in zip(seen, COLOURS, strict=False):
        hurst = float(one.case.expected[0])
        panel.plot(frequency, noise.power(frequency, hurst), color=colour, label=one.case.name)
        panel.plot(noise.bins(frequency), one.mean[1:], "o", color=colour, markersize=4)
    panel.set(xscale="log", yscale="log", xlabel="frequency (radians per value)", ylabel="power")
    panel.set_title("Fractional noise: theory (lines) and the simulator's rates (dots)")
    panel.legend()
    return figure
