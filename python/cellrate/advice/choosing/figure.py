"""Picture of a choice: speed over buffer or queue of the best option of each control."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellrate.advice.choosing.answer import Answer
from cellrate.advice.choosing.packet_choice import PacketChoice
from cellrate.common.numbers import number, seconds
from cellrate.common.picture_style import NOTE
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure

# Area, in square points, of the mark of an option whose cells wait for 0 s, and of the option with
# the longest mean wait.
SMALL, LARGE = 14.0, 160.0
# Least distance of two names above the panel, as a share of the panel's width.
APART = 0.042
WIDTH = 90
"""Characters of a line above the picture."""


@dataclass(frozen=True)
class Dot:
    """An option in the picture.

    Attributes:
        name: Name, written above the panel.
        x: Buffer in cells, or over Ethernet the mean queue in packets.
        y: Throughput or completion time, in the unit of the axis.
        share: Mean wait, or over Ethernet the longest queue, as a share of the greatest in the
            picture; sets the area.
        is_missing: True if the option misses a goal.
        is_best: True for the recommended option.
    """

    name: str
    x: float
    y: float
    share: float
    is_missing: bool
    is_best: bool


def front_figure(answer: Answer) -> Figure:
    """Draws the best option of each control, by name.

    The area of a point grows with the mean wait at the bottleneck. Points that miss a goal are
    hollow. Options under which files do not end have no completion time, and are left out.
    """
    files = answer.goals.all_files_end
    rows = {
        one: missed
        for one, missed in answer.rows.items()
        if not files or one.completion_seconds is not None
    }
    longest = max((option.mean_delay_seconds for option in rows), default=0.0) or 1.0
    best = answer.judgement.best
    dots = [
        Dot(
            one.candidate.name,
            one.buffer_cells,
            1e3 * (one.completion_seconds or 0.0)
            if files
            else one.throughput_bits_per_second / 1e6,
            one.mean_delay_seconds / longest,
            bool(missed),
            best is not None and one.candidate == best.candidate,
        )
        for one, missed in rows.items()
    ]
    speed, unit = ("completion", "ms") if files else ("throughput", "Mbit/s")
    title = f"{answer.base.path}: buffer and {speed}"
    areas = f"areas are mean waits, up to {seconds(longest)}"
    if len(rows) < len(answer.rows):
        areas += f"; {len(answer.rows) - len(rows)} without completion time left out"
    axes = ("buffer (cells)", f"{speed} ({unit})")
    return _drawn(dots, axes, title, areas, answer.goals.buffer_cells)


def packet_figure(choice: PacketChoice) -> Figure:
    """Draws the best alternative of each kind over Ethernet, by name.

    The area of a point grows with the longest queue. Points that miss a goal are hollow.
    Alternatives under which files do not end have no completion time, and are left out.
    """
    speed, best = choice.speed, choice.best
    scale, unit = (1e-3, "ms") if speed.unit == "s" else (speed.divisor, speed.shown_unit)
    named = choice.best_of_each(lambda one: one.kind)
    shown = [one for one in named if one.means[speed.name] is not None]
    longest = max((one.means["queue-peak"] or 0.0 for one in shown), default=0.0) or 1.0
    dots = [
        Dot(
            one.named.name,
            one.means["queue"] or 0.0,
            (one.means[speed.name] or 0.0) / scale,
            (one.means["queue-peak"] or 0.0) / longest,
            one.key in choice.refuted or bool(choice.misses(one)),
            one.named == best.named,
        )
        for one in shown
    ]
    areas = f"areas are longest queues, up to {number(longest)} bytes"
    if len(shown) < len(named):
        areas += f"; {len(named) - len(shown)} without completion time left out"
    title = f"{choice.base.path}: mean queue and {speed.name}"
    return _drawn(dots, ("mean queue (packets)", f"{speed.name} ({unit})"), title, areas)


def _drawn(
    dots: Sequence[Dot], axes: tuple[str, str], title: str, areas: str, allowed: float | None = None
) -> Figure:
    """The points with their names, and a line at the greatest buffer that the goals allow."""
    figure, [panel] = new_figure(1, width=6.9, height=5.2, shared=False)
    dots = sorted(dots, key=lambda one: one.x)
    with style.context(STYLE):
        for one in dots:
            colour = COLOURS[1] if one.is_best else COLOURS[0]
            panel.scatter(
                one.x, one.y, s=SMALL + (LARGE - SMALL) * math.sqrt(one.share),
                facecolors="none" if one.is_missing else colour, edgecolors=colour, alpha=0.8,
            )  # fmt: skip
            if one.is_best:
                panel.scatter(one.x, one.y, s=110, facecolors="none",
                              edgecolors=COLOURS[1], linewidths=1.4, zorder=3)  # fmt: skip
        if allowed is not None:
            panel.axvline(allowed, color=FAINT, linestyle=":")
            panel.annotate(
                "greatest buffer allowed", (allowed, 0.02), (3, 0), color=NOTE, size=8,
                xycoords=panel.get_xaxis_transform(), textcoords="offset points",
            )  # fmt: skip
        if all(one.x > 0 for one in dots):
            panel.set_xscale("log")
        most = max((one.y for one in dots), default=1.0)
        is_whole = min((one.y for one in dots), default=0.0) < most / 2
        if is_whole:
            panel.set_ylim(0, 1.08 * most)
        else:
            panel.margins(y=0.2)
        panel.set_xlabel(axes[0])
        panel.set_ylabel(axes[1])
        _names(panel, dots)
        told = [areas]
        if not is_whole:
            told.append(f"the {axes[1].partition(' (')[0]} axis does not begin at 0")
        if any(one.is_missing for one in dots):
            told.append("hollow points miss a goal")
        notes = textwrap.fill("; ".join(told), WIDTH)
        figure.suptitle(f"{title}\n{notes}", x=0.01, ha="left", size=10)
    return figure


def _names(panel: Axes, dots: Sequence[Dot]) -> None:
    """Writes the names of options above the panel, each with a line to its point."""
    to_share = panel.transData + panel.transAxes.inverted()
    own = [float(to_share.transform((one.x, 1.0))[0]) for one in dots]
    for one, place in zip(dots, _spread(own), strict=True):
        colour = COLOURS[1] if one.is_best else NOTE
        panel.annotate(
            one.name, (one.x, one.y), (place, 1.03), textcoords="axes fraction", rotation=45,
            ha="left", va="bottom", rotation_mode="anchor", size=8, color=colour,
            weight="bold" if one.is_best else "normal",
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
