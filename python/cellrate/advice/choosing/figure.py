"""Picture of a choice: throughput over buffer of the best option of each control."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellrate.advice.choosing.answer import Answer
from cellrate.advice.choosing.candidates import Option
from cellrate.advice.choosing.goals import best_of_each
from cellrate.common.numbers import seconds
from cellrate.common.picture_style import NOTE
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure

# Area, in square points, of the mark of an option whose cells wait for 0 s, and of the option with
# the longest mean wait.
SMALL, LARGE = 14.0, 160.0
# Least distance of two names above the panel, as a share of its width.
APART = 0.042


def front_figure(answer: Answer) -> Figure:
    """Draws the best option of each control, by name.

    The area of a point grows with the mean wait at the bottleneck. Points that miss a goal are
    hollow.
    """
    figure, [panel] = new_figure(1, width=6.9, height=5.2, shared=False)
    named = best_of_each(answer.options, answer.goals)
    longest = max(option.mean_delay_seconds for option in named) or 1.0
    best, hand = answer.judgement.best, answer.goals.buffer_cells
    with style.context(STYLE):
        for option in named:
            colour = (
                COLOURS[1]
                if best is not None and option.candidate == best.candidate
                else COLOURS[0]
            )
            is_missing = option.candidate.name in answer.judgement.missed
            panel.scatter(
                option.buffer_cells, _megabits(option),
                s=SMALL + (LARGE - SMALL) * math.sqrt(option.mean_delay_seconds / longest),
                facecolors="none" if is_missing else colour, edgecolors=colour, alpha=0.8,
            )  # fmt: skip
        if best is not None:
            panel.scatter(best.buffer_cells, _megabits(best), s=110, facecolors="none",
                          edgecolors=COLOURS[1], linewidths=1.4, zorder=3)  # fmt: skip
        if hand is not None:
            panel.axvline(hand, color=FAINT, linestyle=":")
            panel.annotate(
                "buffer at hand", (hand, 0.02), (3, 0), color=NOTE, size=8,
                xycoords=panel.get_xaxis_transform(), textcoords="offset points",
            )  # fmt: skip
        panel.set_xscale("log")
        rates = [_megabits(option) for option in named]
        is_whole = min(rates) < max(rates) / 2
        if is_whole:
            panel.set_ylim(0, 1.08 * max(rates))
        else:
            panel.margins(y=0.2)
        panel.set_xlabel("buffer (cells)")
        panel.set_ylabel("throughput (Mbit/s)")
        _names(panel, named, best)
        told = [f"areas are mean waits, up to {seconds(longest)}"]
        if not is_whole:
            told.append("the throughput axis does not begin at 0")
        if answer.judgement.missed:
            told.append("hollow points miss a goal")
        title = f"{answer.base.path}: buffer and throughput\n{'; '.join(told)}"
        figure.suptitle(title, x=0.01, ha="left", size=10)
    return figure


def _megabits(one: Option) -> float:
    return one.throughput_bits_per_second / 1e6


def _names(panel: Axes, options: Sequence[Option], best: Option | None) -> None:
    """Writes the names of controls above the panel, each with a line to its point."""
    to_share = panel.transData + panel.transAxes.inverted()
    own = [float(to_share.transform((option.buffer_cells, 1.0))[0]) for option in options]
    for one, place in zip(options, _spread(own), strict=True):
        recommended = best is not None and one.candidate == best.candidate
        colour = COLOURS[1] if recommended else NOTE
        point = (one.buffer_cells, _megabits(one))
        panel.annotate(
            one.candidate.name, point, (place, 1.03), textcoords="axes fraction", rotation=45,
            ha="left", va="bottom", rotation_mode="anchor", size=8, color=colour,
            weight="bold" if recommended else "normal",
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.5, "shrinkA": 0, "shrinkB": 3,
                        "relpos": (0.0, 0.0)},
        )  # fmt: skip


def _spread(own: Sequence[float]) -> list[float]:
    """Horizontal places of names, near `own`, at least `APART` from each other and at most 1."""
    places: list[float] = []
    for place in own:
        places.append(max(place, places[-1] + APART) if places else place)
    limit = 1.0
    for at in reversed(range(len(places))):
        places[at] = min(places[at], limit)
        limit = places[at] - APART
    return places
