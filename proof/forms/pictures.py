"""Pictures of a form: dots of the simulator on curves of theory."""

from collections.abc import Sequence

import numpy as np
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure
from cellrate.theory import queueing
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proof.forms import fluid, noise
from proof.forms.line import LINE
from proof.forms.repetitions import Repetitions

FIRST_TAIL = {"M/D/1": 2, "N*D/D/1": 1, "Markov fluid": 2}
"""Index in a row of observations at which the exceedance probabilities begin."""


def picture(repeated: Sequence[Repetitions]) -> Figure:
    """The figure of one form: curves of theory, and means over all runs of the campaign."""
    form = repeated[0].case.form
    with style.context(STYLE):
        figure, (panel,) = new_figure(height=3.2)
        if form == "Markov fluid":
            _fluid(panel, repeated)
        elif form == "fractional noise":
            _spectra(panel, repeated)
        else:
            _lengths(panel, repeated)
        panel.set_yscale("log")
        panel.set_title(f"{form}: theory (lines) and simulator (marks)")
        panel.legend()
    return figure


def _lengths(panel: Axes, repeated: Sequence[Repetitions]) -> None:
    periodic = repeated[0].case.form == "N*D/D/1"
    for each, colour in zip(repeated, COLOURS, strict=False):
        first = FIRST_TAIL[each.case.form]
        tails = each.case.expected[first:]
        levels = np.arange(float(len(tails)))
        panel.plot(levels, tails, color=colour, label=each.case.name)
        panel.plot(levels, each.mean[first:], "o", color=colour, markersize=4)
        if periodic:
            poisson = np.asarray(queueing.md1_exceedance(float(tails[0]) * LINE, LINE, levels))
            panel.plot(levels, poisson, ":", color=colour, linewidth=0.8)
    if periodic:
        panel.plot([], [], ":", color=FAINT, label="Poisson cells of the same load")
    panel.set(xlabel="k (cells)", ylabel="P(N > k)")


def _fluid(panel: Axes, repeated: Sequence[Repetitions]) -> None:
    first, marks = FIRST_TAIL["Markov fluid"], {"on-off": "o", "mmdp": "x"}
    for each in repeated:
        kind, _, setting = each.case.name.partition(", ")
        colour = COLOURS[0] if "load 0.7" in setting else COLOURS[1]
        if kind == "on-off":
            panel.plot(fluid.LEVELS, each.case.expected[first:], color=colour, label=setting)
        panel.plot(fluid.LEVELS, each.mean[first:], marks[kind], color=colour, markersize=5)
    for kind, mark in marks.items():
        panel.plot([], [], mark, color=FAINT, label=f"sources `{kind}`")
    panel.set(xlabel="q (cells)", ylabel="P(Q > q)")


def _spectra(panel: Axes, repeated: Sequence[Repetitions]) -> None:
    frequency = noise.frequencies()
    for each, colour in zip(repeated, COLOURS, strict=False):
        power = noise.power(frequency, float(each.case.expected[0]))
        panel.plot(frequency, power, color=colour, label=each.case.name)
        panel.plot(noise.bins(frequency), each.mean[1:], "o", color=colour, markersize=4)
    panel.set(xscale="log", xlabel="frequency (radians per value)", ylabel="power")
