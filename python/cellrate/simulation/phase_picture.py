"""Phase portrait of one run: queue against ACR, with arrows, the start and the phases named."""

from __future__ import annotations

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from cellrate.common.picture_style import COLOURS, NOTE, STYLE
from cellrate.simulation.dynamics import Floats
from cellrate.simulation.figures import new_figure, scale_of
from cellrate.simulation.picture_context import Context
from cellrate.simulation.series import Series

# Colour and name of each phase, by the signs of the changes of ACR and queue.
PHASES = {
    (1, 1): (COLOURS[1], "ACR rises, queue grows"),
    (-1, 1): (COLOURS[3], "ACR falls, queue grows"),
    (-1, -1): (COLOURS[0], "ACR falls, queue shrinks"),
    (1, -1): (COLOURS[6], "ACR rises, queue shrinks"),
}
ARROWS = 14
# Changes up to this share of the whole range keep the phase, to ignore single cells.
SMALL = 0.01


def draw(rate: Series, queue: Series, context: Context) -> Figure:
    """Draws the curve of queue and ACR, in a colour for each of its four phases.

    Raises:
        ValueError: The traces have fewer than two times in common.
    """
    times = np.union1d(rate.time, queue.time)
    first, last = max(rate.time[0], queue.time[0]), min(rate.time[-1], queue.time[-1])
    times = times[(times >= first) & (times <= last)]
    if len(times) < 2:
        raise ValueError("the traces of queue and ACR have fewer than two times in common")
    across, up = scale_of(rate), scale_of(queue)
    x = _at(rate, times) / across.divisor
    y = _at(queue, times) / up.divisor
    figure, [panel] = new_figure(1, width=8.0, height=4.1)
    with style.context(STYLE):
        _way(panel, x, y)
        panel.set_xlim(0, 1.08 * float(x.max()) or 1.0)
        panel.set_ylim(0, 1.12 * float(y.max()) or 1.0)
        arrows(panel, x, y)
        panel.plot(x[:1], y[:1], "o", color="#000000", markersize=6, zorder=4, clip_on=False,
                   label=f"start, at {times[0]:.4g} s")  # fmt: skip
        panel.plot(x[-1:], y[-1:], "s", color="#000000", markersize=5, zorder=4, clip_on=False,
                   markerfacecolor="white", label=f"end, at {times[-1]:.4g} s")  # fmt: skip
        _levels(panel, rate, queue, context)
        panel.set_xlabel(f"ACR of {rate.entity.split('/')[0]} (Mbit/s)")
        unit = up.label.rpartition(" ")[2]
        panel.set_ylabel(f"queue of {queue.entity} {unit}")
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        title = f"{context.title}: queue against ACR" if context.title else "queue against ACR"
        figure.suptitle(title, x=0.01, ha="left")
    return figure


def _at(series: Series, times: Floats) -> Floats:
    found: Floats = series.middle[np.searchsorted(series.time, times, side="right") - 1]
    return found


def _way(panel: Axes, x: Floats, y: Floats) -> None:
    """Draws the curve in the colours of its phases.

    Parts without change keep the previous colour.
    """
    signs = list(zip(_signs(x), _signs(y), strict=True))
    segments = np.stack([np.column_stack([x[:-1], y[:-1]]), np.column_stack([x[1:], y[1:]])], 1)
    for phase, (colour, name) in PHASES.items():
        own = [segment for segment, sign in zip(segments, signs, strict=True) if sign == phase]
        if own:
            panel.add_collection(LineCollection(own, colors=[colour], linewidths=1.1, label=name))


def _signs(values: Floats) -> list[int]:
    """Sign of the change in each step, 1 or -1; a small change back keeps the previous sign.

    >>> _signs(np.array([0.0, 50.0, 100.0, 99.5, 100.0, 99.5, 20.0, 60.0]))
    [1, 1, 1, 1, -1, -1, 1]
    """
    enough = SMALL * float(np.ptp(values))
    signs = [1] * (len(values) - 1)
    sign, turn = 1, 0
    for at, value in enumerate(values[1:], 1):
        away = sign * float(value - values[turn])
        if away < -enough:
            # The steps since the last extreme were the beginning of this change.
            sign, signs[turn:at] = -sign, [-sign] * (at - turn)
        signs[at - 1] = sign
        if away >= 0 or away < -enough:
            turn = at
    return signs


def arrows(panel: Axes, x: Floats, y: Floats) -> None:
    """Draws arrows at equal distances along the curve, measured in the panel."""
    across, up = np.ptp(panel.get_xlim()), np.ptp(panel.get_ylim())
    lengths = np.hypot(np.diff(x) / across, np.diff(y) / up)
    way = np.concatenate([[0.0], np.cumsum(lengths)])
    if way[-1] == 0:
        return
    for place in way[-1] * (np.arange(ARROWS) + 0.5) / ARROWS:
        at = min(int(np.searchsorted(way, place)), len(x) - 1)
        tail, tip = (x[at - 1], y[at - 1]), (x[at], y[at])
        panel.annotate(
            "", tip, tail, zorder=3,
            arrowprops={"arrowstyle": "-|>", "color": NOTE, "lw": 0.0, "mutation_scale": 11,
                        "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip


def _levels(panel: Axes, rate: Series, queue: Series, context: Context) -> None:
    """Draws fair shares and thresholds that are within the panel."""
    for level in context.levels_of("acr", [rate.entity]):
        value = level.value / scale_of(rate).divisor
        if value <= panel.get_xlim()[1]:
            panel.axvline(value, color=NOTE, lw=0.9, ls=(0, (5, 3)), zorder=1,
                          label=f"{level.name} Mbit/s")  # fmt: skip
    for level, dashes in zip(context.levels_of("queue", [queue.entity]), ("-.", ":", "--", "-."),
                             strict=False):  # fmt: skip
        if level.value <= panel.get_ylim()[1]:
            panel.axhline(level.value, color=NOTE, lw=0.9, ls=dashes, label=level.name)
