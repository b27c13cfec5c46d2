"""Figure of the queue over time, with the measured buffer and those of the formulas."""

from __future__ import annotations

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellrate.advice.sizing.answer import Answer
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, draw, new_figure
from cellrate.simulation.series import Series

# Buffers above this multiple of the longest queue are not drawn: the queue would look flat.
IN_SIGHT = 3.0
# The detail round the maximum is drawn only if it covers at most this share of the run.
LARGEST_SHARE = 0.25
# A detail needs at least so many points.
LEAST_POINTS = 10


def queue_figure(answer: Answer, queue: Series) -> Figure:
    """Draws the longest queue of all seeds, with a detail round its maximum if that is brief.

    Buffers are horizontal lines; those far above the queue are left out.
    """
    brief = round_the_maximum(queue)
    figure, panels = new_figure(2 if brief else 1, width=8.0, height=3.2, shared=False)
    with style.context(STYLE):
        for panel in panels:
            _draw(panel, answer, queue)
        panels[-1].set_xlabel("time (s)")
        panels[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        if brief:
            panels[0].set_title("the whole run")
            panels[1].set_title("round the maximum")
            panels[1].set_xlim(*brief)
    return figure


def round_the_maximum(queue: Series) -> tuple[float, float] | None:
    """Start and end of the detail round the maximum of a queue; None if it needs no detail.

    The detail extends to both sides of the time in which the queue stays above half its maximum, by
    twice the length of that time.
    """
    if len(queue) < LEAST_POINTS:
        return None
    peak = int(queue.maximum.argmax())
    short = np.flatnonzero(queue.maximum < queue.maximum[peak] / 2)
    begins, ends = short[short < peak].max(initial=0), short[short > peak].min(initial=len(queue))
    last = len(queue) - 1
    margin = max(2 * int(ends - begins), LEAST_POINTS)
    first, end = max(int(begins) - margin, 0), min(int(ends) + margin, last)
    start, stop = float(queue.time[first]), float(queue.time[end])
    whole = float(queue.time[last] - queue.time[0])
    return (start, stop) if 0 < stop - start <= LARGEST_SHARE * whole else None


def _draw(panel: Axes, answer: Answer, queue: Series) -> None:
    """Draws the queue and the buffers."""
    draw(panel, queue, colour=COLOURS[0])
    highest = float(queue.maximum.max(initial=1.0))
    if answer.buffer_cells is not None:
        _line(panel, answer.buffer_cells, "measured buffer", COLOURS[1], "-")
    for number, formula in enumerate(f for f in answer.formulas if f.applies):
        cells = formula.cells or 0.0
        if cells <= IN_SIGHT * highest:
            _line(panel, cells, formula.formula, COLOURS[2 + number % 4], "--")
    own = answer.port.switch.buffer_cells
    if own <= IN_SIGHT * highest:
        _line(panel, own, "the scenario's buffer", FAINT, ":")
    panel.set_ylabel("queue (cells)")
    panel.set_ylim(bottom=0)
    panel.margins(x=0)


def _line(panel: Axes, cells: float, label: str, colour: str, dashes: str) -> None:
    panel.axhline(cells, color=colour, linestyle=dashes, linewidth=1.0, label=label)
