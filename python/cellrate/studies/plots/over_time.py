"""Draws traces of several runs in one panel, and phase portraits of two traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import style
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from cellrate.common.problems import BadInput
from cellrate.simulation.drawn_lines import label_ends, reveal
from cellrate.simulation.figures import COLOURS, STYLE, Scale, draw, new_figure, new_grid, scale_of
from cellrate.simulation.phase_picture import arrows
from cellrate.simulation.series import Series
from cellrate.studies.plots.over_runs import COLOURS_OF_MAP


def overlaid(traces: Mapping[str, Series]) -> Figure:
    """Draws traces of one kind, from several runs, in one panel.

    Args:
        traces: Traces by the names that label them.

    Raises:
        BadInput: There are no traces, or they are of several kinds.
    """
    kinds = {series.kind for series in traces.values()}
    if len(kinds) != 1:
        listed = ", ".join(sorted(kinds)) or "none"
        raise BadInput(f"traces in one figure must be of one kind; these are {listed}")
    scale = scale_of(next(iter(traces.values())))
    figure, [panel] = new_figure(1, height=3.0)
    with style.context(STYLE):
        for number, (name, series) in enumerate(traces.items()):
            colour = COLOURS[number % len(COLOURS)]
            draw(panel, series, scale.divisor, colour=colour, name=name)
        panel.set(xlabel="time (s)", ylabel=scale.label)
        panel.margins(x=0)
        panel.set_ylim(bottom=0)
        lines = list(panel.get_lines())
        reveal(panel, lines)
        label_ends(panel, lines)
    return figure


def phase_portrait(pairs: Sequence[tuple[str, Series, Series]]) -> Figure:
    """Draws the second trace of each pair against the first; colours go from dark to light in time.

    Two traces are read at the sample times of both; a trace keeps its value until its next sample.

    Args:
        pairs: For each panel its title, the horizontal trace and the vertical trace, such as rate
            and queue.

    Raises:
        BadInput: There is no pair, or two traces have fewer than two times in common.
    """
    if not pairs:
        raise BadInput("a phase portrait needs two traces")
    figure, panels = new_grid(1, len(pairs), width=3.4 * len(pairs) + 1.2, height=3.2)
    ways = [_way(across, up) for _, across, up in pairs]
    last = max(float(times[-1]) for times, _, _ in ways)
    first = min(float(times[0]) for times, _, _ in ways)
    with style.context(STYLE):
        for panel, (title, across, up), (times, x, y) in zip(panels, pairs, ways, strict=True):
            scales = scale_of(across), scale_of(up)
            points = np.column_stack([x / scales[0].divisor, y / scales[1].divisor])
            way = LineCollection(
                np.stack([points[:-1], points[1:]], axis=1).tolist(),
                array=times[:-1], cmap=COLOURS_OF_MAP, norm=Normalize(first, last), linewidth=0.9,
            )  # fmt: skip
            panel.add_collection(way)
            panel.autoscale_view()
            arrows(panel, points[:, 0], points[:, 1])
            panel.plot(*points[0], "o", color=COLOURS[1], markersize=5,
                       label=f"start, at {times[0]:.4g} s")  # fmt: skip
            panel.legend(loc="best")
            panel.set_title(title)
            panel.set_xlabel(_of(across, scales[0]))
            panels[0].set_ylabel(_of(up, scales[1]))
        figure.colorbar(panels[-1].collections[0], ax=panels, label="time (s)")
    return figure


def _of(series: Series, scale: Scale) -> str:
    """Label of an axis: the quantity, the name of its entity, and the unit."""
    name, bracket, unit = scale.label.partition(" (")
    return f"{name} of {series.entity.removesuffix('/forward')}{bracket}{unit}"


def _way(across: Series, up: Series) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
    """Sample times of both traces in their common span, and both traces' values at these times."""
    start = max(float(across.time[0]), float(up.time[0]))
    end = min(float(across.time[-1]), float(up.time[-1]))
    times = np.union1d(across.time, up.time)
    times = times[(times >= start) & (times <= end)]
    if len(times) < 2:
        raise BadInput(f"{across.kind} and {up.kind} are traces without a common time")
    at = [np.searchsorted(trace.time, times, side="right") - 1 for trace in (across, up)]
    return times, across.middle[at[0]], up.middle[at[1]]
