"""Picture of all options: throughput over buffer, with the front and the recommendation."""

from __future__ import annotations

import math

from matplotlib import style
from matplotlib.figure import Figure

from cellrate.advice.choosing.answer import Answer
from cellrate.common.numbers import seconds
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure

# Area in square points of a point without any wait, and of the longest mean wait.
SMALL, LARGE = 14.0, 160.0


def front_figure(answer: Answer) -> Figure:
    """Draws every option; the front is joined by a line, the recommendation named.

    The area of a point grows with the mean wait at the bottleneck.
    """
    figure, [panel] = new_figure(1, width=8.0, height=4.4, shared=False)
    longest = max(one.mean_delay_seconds for one in answer.options) or 1.0

    def area(delay: float) -> float:
        return SMALL + (LARGE - SMALL) * math.sqrt(delay / longest)

    with style.context(STYLE):
        for options, colour, order in (
            (answer.options, FAINT, 1),
            (answer.front, COLOURS[0], 2),
        ):
            panel.scatter(
                [one.buffer_cells for one in options],
                [one.throughput_bits_per_second / 1e6 for one in options],
                s=[area(one.mean_delay_seconds) for one in options],
                color=colour,
                alpha=0.7,
                linewidths=0,
                zorder=order,
            )
        panel.plot(
            [one.buffer_cells for one in answer.front],
            [one.throughput_bits_per_second / 1e6 for one in answer.front],
            color=COLOURS[0],
            linewidth=0.8,
            zorder=2,
        )
        best, hand = answer.judgement.best, answer.goals.buffer_cells
        if best is not None:
            place = (best.buffer_cells, best.throughput_bits_per_second / 1e6)
            panel.annotate(
                f"{best.candidate.name}: {best.buffer_cells:,} cells",
                place,
                xytext=(8, -14),
                textcoords="offset points",
                color=COLOURS[1],
            )
            panel.scatter(*place, s=90, facecolors="none", edgecolors=COLOURS[1], zorder=3)
        if hand is not None:
            panel.axvline(hand, color=FAINT, linestyle=":", label="buffer at hand")
        panel.set_xscale("log")
        panel.set_ylim(bottom=0)
        panel.set_xlabel("buffer (cells)")
        panel.set_ylabel("throughput (Mbit/s)")
        panel.set_title(f"{len(answer.options)} options; a large point waits {seconds(longest)}")
    return figure
