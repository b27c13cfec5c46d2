"""Draws the differences of alternatives with simultaneous intervals and the better direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from cellrate.language.measured import Better
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_panels
from cellrate.studies.compare.answer import Comparison, Pair
from cellrate.studies.compare.report import name, title

REAL, CHANCE = COLOURS[0], FAINT
SIZE = 4.5
# Width in inches of a figure with two columns of panels, and with one.
WIDTH, NARROW = 9.0, 7.0
# Height in inches of a line, and of the margins of a panel.
LINE, ROUND = 0.19, 0.62
# Greatest number of differences of a measure that are drawn: those with the least p-values.
MOST_LINES = 30
# Names up to this length leave room for two panels side by side.
SHORT = 24
# An interval is cut at this multiple of the greatest difference, and ends in an arrow.
IN_SIGHT = 4.0
MOST_TICKS = 5


def differences(
    comparison: Comparison, units: Mapping[str, str], *, all_pairs: bool = False
) -> Figure:
    """Draws a panel per measure with a line per pair; the dot is full if the difference is real.

    With `all_pairs` all pairs are drawn even if there is a best alternative.
    """
    by_measure = {
        measure: _clearest(_drawn(comparison, measure, all_pairs=all_pairs))
        for measure in comparison.measures
    }
    names = [name(comparison, pair) for pairs in by_measure.values() for pair in pairs]
    across = 2 if len(by_measure) > 1 and max(map(len, names), default=0) <= SHORT else 1
    lines = max(2, *(len(pairs) for pairs in by_measure.values()))
    figure, panels = new_panels(
        len(by_measure),
        across,
        width=WIDTH if across > 1 else NARROW,
        height=LINE * lines + ROUND,
    )
    with style.context(STYLE):
        for panel, (measure, pairs) in zip(panels, by_measure.items(), strict=True):
            _panel(panel, pairs, share=measure in comparison.shares)
            names = [name(comparison, pair) for pair in pairs]
            panel.set_yticks(range(len(pairs)), names)
            _titled(panel, measure, units.get(measure, ""), comparison.better.get(measure))
        figure.suptitle(
            f"Differences of the means, {title(comparison)}", x=0.01, ha="left", fontsize=10
        )
        handles = [_handle(real=True), _handle(real=False)]
        texts = [
            f"real, at {comparison.level:.10g} for all {comparison.tests} tests together",
            "may be chance, or too few seeds",
        ]
        if comparison.tests == 0:
            handles, texts = handles[:1], ["exact: seeds change nothing"]
        figure.legend(handles, texts, loc="outside lower left", ncols=2)
    return figure


def _drawn(comparison: Comparison, measure: str, *, all_pairs: bool) -> list[Pair]:
    """Pairs of a measure to draw: those with the best alternative; all if nothing is ranked."""
    rankings = comparison.rankings_of(measure)
    if all_pairs or not rankings:
        return [pair for pair in comparison.pairs_of(measure) if pair.contrast]
    against = [place.against_best for one in rankings for place in one.places]
    return [pair for pair in against if pair is not None and pair.contrast]


def _handle(*, real: bool) -> Line2D:
    """Legend symbol for differences that are real, or may be chance."""
    colour = REAL if real else CHANCE
    filled = colour if real else "white"
    return Line2D([], [], color=colour, marker="o", markersize=SIZE, markerfacecolor=filled)


def _clearest(drawn: Sequence[Pair]) -> list[Pair]:
    """The pairs with the least p-values, at most `MOST_LINES`, in their order."""
    if len(drawn) <= MOST_LINES:
        return list(drawn)
    order = sorted(range(len(drawn)), key=lambda at: _p(drawn[at]))[:MOST_LINES]
    return [drawn[at] for at in sorted(order)]


def _p(pair: Pair) -> float:
    return 2.0 if pair.adjusted_p is None else pair.adjusted_p


def _titled(panel: Axes, measure: str, unit: str, better: Better | None) -> None:
    """Names the measure above a panel, and marks the side where the second one is better."""
    panel.set_title(f"{measure} ({unit})" if unit else measure, loc="left")
    if better is not None:
        mark = "better \N{RIGHTWARDS ARROW}" if better == "more" else "\N{LEFTWARDS ARROW} better"
        panel.set_title(mark, loc="right", fontsize=8, color=COLOURS[2])


def _panel(panel: Axes, pairs: Sequence[Pair], *, share: bool) -> None:
    panel.axvline(0.0, color="black", linewidth=0.8)
    dots = [pair.contrast.difference if pair.contrast else 0.0 for pair in pairs]
    bars = [pair.simultaneous or (dot, dot) for pair, dot in zip(pairs, dots, strict=True)]
    low, high = _in_sight(dots, bars, share=share)
    for line, (pair, dot, bar) in enumerate(zip(pairs, dots, bars, strict=True)):
        _difference(panel, line, pair, dot, bar, (low, high))
    panel.set_ylim(max(len(pairs), 1) - 0.5, -0.5)
    panel.grid(visible=False, axis="y")
    panel.xaxis.set_major_locator(MaxNLocator(MOST_TICKS))
    panel.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    if not any(dots):
        panel.set_xticks([0.0])
        panel.text(0.52, 0.5, "no difference seen", transform=panel.transAxes, va="center")


def _difference(
    panel: Axes,
    line: int,
    pair: Pair,
    dot: float,
    bar: tuple[float, float],
    limits: tuple[float, float],
) -> None:
    """Draws a dot with its interval, which ends in an arrow if it extends beyond the limits."""
    colour = REAL if pair.real else CHANCE
    panel.plot(np.clip(bar, *limits), [line, line], color=colour, linewidth=1.4)
    beyond = [(limits[0], "<")] if bar[0] < limits[0] else []
    beyond += [(limits[1], ">")] if bar[1] > limits[1] else []
    for end, arrow in beyond:
        panel.plot([end], [line], arrow, color=colour, markersize=SIZE, clip_on=False)
    filled = colour if pair.real else "white"
    panel.plot([dot], [line], "o", color=colour, markersize=SIZE, markerfacecolor=filled)


def _in_sight(
    dots: Sequence[float], bars: Sequence[tuple[float, float]], *, share: bool
) -> tuple[float, float]:
    """Limits beyond which intervals are cut, so that the dots stay readable."""
    greatest = max(map(abs, dots), default=0.0)
    ends = [end for bar in bars for end in bar]
    limit = IN_SIGHT * greatest if greatest else max(map(abs, ends), default=1.0)
    limit = min(limit, 1.0) if share else limit
    return -limit, limit
