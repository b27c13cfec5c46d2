"""Figures with panels in the common style, and plots of a run's traces over time."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from cellrate import _core
from cellrate.common.picture_style import COLOURS, FAINT, FORMATS, NOTE, STYLE, save, svg
from cellrate.simulation.drawn_lines import label_ends, reveal
from cellrate.simulation.picture_context import BITS_PER_CELL, NO_CONTEXT, Context
from cellrate.simulation.series import Series

__all__ = [
    "COLOURS",
    "FAINT",
    "FORMATS",
    "SCALES",
    "STYLE",
    "Scale",
    "draw",
    "new_figure",
    "new_grid",
    "new_panels",
    "save",
    "scale_of",
    "svg",
    "time_traces",
]

# Greatest number of lines that have names.
NAMED_LINES = len(COLOURS)
OF_PORTS = ("queue", "utilisation")
# Ports whose peak is below this share of the highest peak are not drawn.
NEGLIGIBLE = 0.03
# A level above this multiple of the highest value is written as text instead of a line.
IN_SIGHT = 2.5


@dataclass(frozen=True, slots=True)
class Scale:
    """Axis label of a quantity, and the divisor of its values."""

    label: str
    divisor: float = 1.0


SCALES = {
    "queue": Scale("queue (cells)"),
    "source-queue": Scale("source queue (cells)"),
    # Rates include the headers of cells, so the line rate is the limit.
    "acr": Scale("ACR (Mbit/s)", 1e6 / BITS_PER_CELL),
    "rate": Scale("rate (Mbit/s)", 1e6),
    "cwnd": Scale("cwnd (kB)", 1e3),
    "sequence": Scale("acknowledged (MB)", 1e6),
    "throughput": Scale("throughput (Mbit/s)", 1e6),
    "utilisation": Scale("utilisation (share of line rate)"),
}
OF_ATM = "atm-"
"""Prefix of the kinds of traces of the ATM part, in a network with routers."""
OVER_ETHERNET = {
    ("queue", "bytes"): Scale("queue (kB)", 1e3),
    ("acr", "bit/s"): Scale("ACR (Mbit/s)", 1e6),
}
"""Scales of kinds and units that differ from those over ATM."""


def scale_of(series: Series) -> Scale:
    """Axis label and divisor for a trace."""
    kind = series.kind.removeprefix(OF_ATM)
    scale = OVER_ETHERNET.get((kind, series.unit)) or SCALES.get(kind, Scale(kind))
    is_of_atm = kind != series.kind
    return Scale(f"ATM: {scale.label}", scale.divisor) if is_of_atm else scale


class ShownFigure(Figure):
    """A figure of matplotlib that a notebook shows without `%matplotlib inline`.

    The figure does not belong to pyplot, whose figures a notebook shows once more at the end of a
    cell.
    """

    def _repr_svg_(self) -> str:
        return svg(self)


def new_figure(
    rows: int = 1, *, width: float = 7.0, height: float = 2.4, shared: bool = True
) -> tuple[Figure, list[Axes]]:
    """Makes a figure with panels above each other.

    Args:
        rows: Number of panels.
        width: Width of the figure, in inches.
        height: Height of each panel, in inches.
        shared: True if the panels share the time axis.
    """
    return _panels(rows, 1, width, height * rows + 0.4, sharex=shared)


class Thousands(ScalarFormatter):
    """Ticks of a linear axis, with thousands separated as in tables."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = super().__call__(x, pos)
        whole = re.match(r"(\D?)(\d{4,})", text)
        return f"{whole[1]}{int(whole[2]):,}{text[whole.end() :]}" if whole else text


def new_grid(
    rows: int, columns: int, *, width: float = 7.0, height: float = 2.8
) -> tuple[Figure, list[Axes]]:
    """Makes a figure with panels in rows, which share both axes; sizes are in inches.

    Returns:
        The figure, and its panels row by row.
    """
    return _panels(rows, columns, width, height * rows + 0.4, sharex=True, sharey=True)


def new_panels(
    count: int, columns: int, *, width: float = 7.0, height: float = 2.0
) -> tuple[Figure, list[Axes]]:
    """Makes a figure with panels in rows, each with axes of its own; sizes are in inches."""
    rows = -(-count // columns)
    figure, panels = _panels(rows, columns, width, height * rows + 0.2)
    for unused in panels[count:]:
        unused.set_visible(False)
    return figure, panels[:count]


def _panels(
    rows: int,
    columns: int,
    width: float,
    height: float,
    *,
    sharex: bool = False,
    sharey: bool = False,
) -> tuple[Figure, list[Axes]]:
    with style.context(STYLE):
        figure = ShownFigure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(rows, columns, sharex=sharex, sharey=sharey, squeeze=False)
        for panel in panels.flat:
            for axis in (panel.xaxis, panel.yaxis):
                axis.set_major_formatter(Thousands())
        return figure, list(panels.flat)


def trace_kinds() -> tuple[str, ...]:
    """All kinds of traces that a scenario may ask for, over ATM or Ethernet."""
    kinds: dict[str, None] = {}
    for over_ethernet in (False, True):
        definitions = json.loads(_core.schema(ethernet=over_ethernet))["$defs"]
        kinds |= dict.fromkeys(one["const"] for one in definitions["TraceKind"]["oneOf"])
    return tuple(kinds)


def time_traces(
    traces: Sequence[Series],
    kinds: Sequence[str] = (),
    *,
    context: Context = NO_CONTEXT,
    start: float = 0.0,
    end: float = math.inf,
) -> Figure:
    """Plots traces over time, one panel per kind.

    Args:
        traces: The traces of a run.
        kinds: Kinds of traces, from top to bottom; all by default.
        context: The run's title, end of warm-up and levels to draw in.
        start: Start of the time shown, in seconds.
        end: End of the time shown, in seconds.

    Raises:
        ValueError: A kind was not traced, the run has no traces, or none in the time shown.
    """
    traced = list(dict.fromkeys(series.kind for series in traces))
    missing = [kind for kind in kinds if kind not in traced]
    if missing or not traced:
        wanted = ", ".join(missing) or "anything"
        near = [one for kind in missing for one in get_close_matches(kind, traced, n=1)]
        hint = f"did you mean {', '.join(near)}?" if near else "set measure.traces in the scenario"
        unknown = [kind for kind in missing if kind.removeprefix(OF_ATM) not in trace_kinds()]
        if unknown and not near:
            hint = f"there is no such trace; allowed in measure.traces: {', '.join(trace_kinds())}"
        raise ValueError(f"the run did not trace {wanted}; {hint}")
    shown = list(kinds) or traced
    seen = [series.between(start, end) for series in traces]
    if not any(len(series) for series in seen if series.kind in shown):
        raise ValueError(f"no trace has a point in the time shown, from {start:g} s on")
    figure, panels = new_figure(len(shown), width=8.0)
    with style.context(STYLE):
        divisor, unit = _time_scale(seen)
        last = max(float(series.time[-1]) for series in seen if len(series))
        for panel, kind in zip(panels, shown, strict=True):
            own = [series for series in seen if series.kind == kind and len(series)]
            panel.set_xlim(start / divisor, min(end, last) / divisor)
            draw_kind(panel, own, kind, divisor, context)
            _mark_warm_up(panel, context, start, divisor)
        panels[-1].set_xlabel(f"time ({unit})")
        if context.title:
            first = {series.kind: series for series in reversed(traces)}
            names = [scale_of(first[kind]).label.partition(" (")[0] for kind in shown]
            seen_names = ", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1]
            figure.suptitle(f"{context.title}: {seen_names} over time", x=0.01, ha="left")
    return figure


def _mark_warm_up(panel: Axes, context: Context, start: float, divisor: float) -> None:
    """Shades the warm-up, which measures do not include, and writes the time of its end."""
    end = context.warm_up_seconds / divisor
    low, high = panel.get_xlim()
    if not start / divisor < end or end <= low:
        return
    panel.axvspan(low, min(end, high), color=FAINT, alpha=0.13, lw=0, zorder=0)
    panel.set_xlim(low, high)
    if end < high:
        panel.axvline(end, color=FAINT, lw=0.8)
    panel.annotate(
        "warm-up", (min(end, high), 1.0), (-3, -2), xycoords=panel.get_xaxis_transform(),
        textcoords="offset points", ha="right", va="top", fontsize=7, color=NOTE,
    )  # fmt: skip


def draw_kind(
    panel: Axes,
    traces: Sequence[Series],
    kind: str,
    time_divisor: float,
    context: Context = NO_CONTEXT,
) -> None:
    """Draws traces of one kind into one panel, with the limits and targets that the context has.

    Of the queues and utilisations of many ports only the highest are drawn, since most ports are
    idle; many traces of another kind are drawn as thin lines without names.
    """
    scale = scale_of(traces[0]) if traces else SCALES.get(kind, Scale(kind))
    shown = _highest(traces) if kind.removeprefix(OF_ATM) in OF_PORTS else list(traces)
    many = len(shown) > NAMED_LINES
    for number, series in enumerate(shown):
        colour = COLOURS[number % len(COLOURS)]
        draw(panel, series, scale.divisor, time_divisor, colour=colour, faint=many)
    panel.set_ylabel(scale.label)
    highest = max((float(series.maximum.max()) for series in shown), default=1.0) / scale.divisor
    levels = context.levels_of(kind, [series.entity for series in shown])
    near = [(level.value / scale.divisor, level.name) for level in levels]
    above = [name for value, name in near if value > IN_SIGHT * highest]
    near = [(value, name) for value, name in near if value <= IN_SIGHT * highest]
    for value, _ in near:
        panel.axhline(value, color=NOTE, lw=0.9, ls=(0, (5, 3)), zorder=1.5)
    panel.set_ylim(0, 1.12 * max([highest, *(value for value, _ in near)]) or 1.0)
    notes = [f"above the picture: {name}" for name in above]
    lines = list(panel.get_lines())[: len(shown)]
    if many:
        notes.insert(0, f"{len(shown)} traces: {shown[0].entity} to {shown[-1].entity}")
        label_ends(panel, [], near)
    else:
        reveal(panel, lines)
        label_ends(panel, lines, near)
    left_out = len(traces) - len(shown)
    if left_out:
        notes.insert(0, _left_out(left_out, kind, all_small=len(shown) < NAMED_LINES))
    rows = ["; ".join(notes)] if notes else []
    if longest := context.longest_of(kind, [series.entity for series in shown]):
        length, entity = longest
        beyond = ", more than any sample drawn" if length > highest * scale.divisor else ""
        rows.append(f"longest queue of the run: {length:,} {shown[0].unit} at {entity}{beyond}")
    panel.set_title("\n".join(rows), fontsize=8, color=NOTE)


def _left_out(count: int, kind: str, *, all_small: bool) -> str:
    """The note on the ports that a panel does not draw."""
    ports = f"{count} more port{'s' * (count > 1)}"
    if all_small:
        return f"not drawn: {ports} with less than {NEGLIGIBLE:.0%} of the highest {kind}"
    return f"not drawn: {ports} with a lower {kind}"


def _highest(traces: Sequence[Series]) -> list[Series]:
    """The traces with the highest peaks, as many as fit into the legend, in their order."""
    peaks = [float(series.maximum.max(initial=0.0)) for series in traces]
    by_peak = sorted(range(len(traces)), key=lambda number: -peaks[number])[:NAMED_LINES]
    return [traces[n] for n in sorted(by_peak) if peaks[n] >= NEGLIGIBLE * max(peaks)]


def draw(
    panel: Axes,
    series: Series,
    divisor: float = 1.0,
    time_divisor: float = 1.0,
    *,
    colour: str = COLOURS[0],
    faint: bool = False,
    name: str | None = None,
) -> None:
    """Draws one trace as a line; a thinned trace also as a band from least to greatest value.

    Without `name` the line has the name of the entity.
    """
    time = series.time / time_divisor
    low, high = series.minimum / divisor, series.maximum / divisor
    width, strength = (0.6, 0.6) if faint else (1.1, 1.0)
    panel.plot(
        time,
        series.middle / divisor,
        color=colour,
        lw=width,
        alpha=strength,
        label=name or series.entity,
    )
    if not np.array_equal(low, high):
        panel.fill_between(time, low, high, color=colour, alpha=0.25 * strength, lw=0)


def _time_scale(traces: Sequence[Series]) -> tuple[float, str]:
    """Divisor of times in seconds, and the resulting unit."""
    end = max((float(series.time[-1]) for series in traces if len(series)), default=1.0)
    if end < 1e-3:
        return 1e-6, "µs"
    return (1e-3, "ms") if end < 1.0 else (1.0, "s")
