"""Figure of all differences with their simultaneous intervals and the zero line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure
from cellrate.studies.compare import sentences
from cellrate.studies.compare.answer import Comparison, Pair

REAL, CHANCE = COLOURS[1], FAINT
SIZE = 4.5
# Height in inches of a line, and of the margins of a panel.
LINE, ROUND = 0.2, 0.62
# Only so many differences of a measure are drawn: those with the least p-values.
MOST_LINES = 40


def differences(comparison: Comparison, units: Mapping[str, str]) -> Figure:
    """Draws a panel per measure with a line per pair; the dot is full if the difference is real."""
    by_measure = {
        measure: _clearest([one for one in comparison.pairs if one.measure == measure])
        for measure in comparison.measures
    }
    lines = max(2, *(len(pairs) for pairs in by_measure.values()))
    figure, panels = new_figure(
        len(by_measure), width=7.0, height=LINE * lines + ROUND, shared=False
    )
    with style.context(STYLE):
        for panel, (measure, pairs) in zip(panels, by_measure.items(), strict=True):
            _panel(panel, pairs)
            unit = units.get(measure, "")
            panel.set_title(f"{measure} ({unit})" if unit else measure)
        panels[-1].set_xlabel("difference of the means")
        figure.suptitle(sentences.title(comparison), x=0.01, ha="left", fontsize=10)
        handles = [_handle(real=True), _handle(real=False)]
        texts = [f"real, at {comparison.level:.10g} all together", "may be chance"]
        figure.legend(handles, texts, loc="outside lower left", ncols=2)
    return figure


def _handle(*, real: bool) -> Line2D:
    """The legend's symbol for a difference."""
    colour = REAL if real else CHANCE
    filled = colour if real else "white"
    return Line2D([], [], color=colour, marker="o", markersize=SIZE, markerfacecolor=filled)


def _clearest(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs with the least p-values, at most `MOST_LINES`, in their order."""
    drawn = [pair for pair in pairs if pair.contrast is not None]
    if len(drawn) <= MOST_LINES:
        return drawn
    order = sorted(range(len(drawn)), key=lambda at: _p(drawn[at]))[:MOST_LINES]
    return [drawn[at] for at in sorted(order)]


def _p(pair: Pair) -> float:
    return 2.0 if pair.adjusted_p is None else pair.adjusted_p


def _panel(panel: Axes, pairs: Sequence[Pair]) -> None:
    panel.axvline(0.0, color="black", linewidth=0.8)
    for line, pair in enumerate(pairs):
        if pair.contrast is None:
            continue
        ends = pair.simultaneous or (pair.contrast.difference, pair.contrast.difference)
        colour = REAL if pair.real else CHANCE
        filled = colour if pair.real else "white"
        panel.plot(ends, [line, line], color=colour, linewidth=1.4)
        dot = [pair.contrast.difference]
        panel.plot(dot, [line], "o", color=colour, markersize=SIZE, markerfacecolor=filled)
    panel.set_yticks(range(len(pairs)), [sentences.name(pair) for pair in pairs])
    panel.set_ylim(max(len(pairs), 1) - 0.5, -0.5)
    panel.grid(visible=False, axis="y")
