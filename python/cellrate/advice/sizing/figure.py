"""Figure of the queue over time, with the measured buffer and the buffers of the formulas."""

from __future__ import annotations

import math

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellrate.advice.sizing.answer import Answer
from cellrate.common.numbers import counted, seconds
from cellrate.common.picture_style import COLOURS, NOTE, STYLE
from cellrate.simulation.drawn_lines import label_ends
from cellrate.simulation.figures import draw, new_figure
from cellrate.simulation.picture_context import NAMES
from cellrate.simulation.series import Series

# Buffers above this multiple of the longest queue are not drawn: the queue would look flat.
IN_SIGHT = 3.0
# The detail round the maximum is drawn only if it covers at most this share of the run.
LARGEST_SHARE = 0.25
# Least number of points of a detail.
LEAST_POINTS = 10
# A queue has a plateau if it is within this share of its maximum for at least this share of a run.
PLATEAU, LEAST_STAY = 0.05, 0.25
# Share of all windows that a queue holds if the windows bound the queue; the rest is on the links.
LEAST_FILLED = 0.7


def queue_figure(answer: Answer, queue: Series) -> Figure:
    """Draws the longest queue of all seeds, with a detail round its maximum if the peak is short.

    Buffers are levels with their names; those far above the queue are left out.
    """
    brief = round_the_maximum(queue)
    figure, panels = new_figure(2 if brief else 1, width=8.0, height=3.2, shared=False)
    with style.context(STYLE):
        for panel in panels:
            _draw(panel, answer, queue)
        panels[-1].set_xlabel("time (s)")
        if brief:
            panels[0].set_title("the whole run")
            panels[1].set_title("round the maximum")
            panels[1].set_xlim(*brief)
        note_plateau(panels[0], answer, queue)
        figure.suptitle(_title(answer), x=0.01, ha="left")
    return figure


def _title(answer: Answer) -> str:
    """The scenario, the control and the port, and the buffer that was found."""
    control = NAMES.get(answer.port.switch.scheme, answer.port.switch.scheme)
    asked = f"{answer.question.path}, {control}: queue of {answer.port.name}"
    if answer.buffer_cells is None:
        return asked
    return f"{asked}; {counted(answer.buffer_cells, 'cell')} {_target(answer)}"


def _target(answer: Answer) -> str:
    question = answer.question
    if question.delay_seconds is not None:
        return f"keep every wait below {seconds(question.delay_seconds)}"
    if question.loss_ratio:
        return f"lose at most {question.loss_ratio:g} of the cells"
    return "lose nothing"


def note_plateau(panel: Axes, answer: Answer, queue: Series) -> None:
    """Writes a note on a plateau: the queue holds all cells that TCP may have outstanding.

    There is such a plateau under two conditions. The queue is near its maximum for a quarter of the
    run. The maximum is near the sum of the windows minus the cells on the links.
    """
    [windows] = [
        formula.cells for formula in answer.formulas if formula.formula == "window-sum"
    ] or [None]
    high = float(queue.maximum.max(initial=0.0))
    stays = float((queue.minimum >= (1 - PLATEAU) * high).mean()) if len(queue) else 0.0
    if windows is None or stays < LEAST_STAY or not LEAST_FILLED * windows <= high:
        return
    panel.annotate(
        f"bound by the windows: {high / windows:.0%} of the {windows:,.0f} cells that TCP may have "
        "outstanding wait here",
        (0.99, high), (0, -4), xycoords=panel.get_yaxis_transform(), textcoords="offset points",
        ha="right", va="top", fontsize=7.5, color=NOTE,
    )  # fmt: skip


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
    """Draws the queue, and each buffer as a level with its name and whole cells beside it."""
    draw(panel, queue, colour=COLOURS[0])
    highest = float(queue.maximum.max(initial=1.0))
    own = answer.port.switch.buffer_cells
    levels = [
        (formula.cells or 0.0, formula.formula) for formula in answer.formulas if formula.applies
    ]
    levels.append((own, "the scenario's buffer"))
    named = []
    for cells, name in levels:
        if 0 < cells <= IN_SIGHT * highest:
            panel.axhline(cells, color=NOTE, linestyle="--", linewidth=0.9)
            named.append((cells, f"{name} {math.ceil(cells):,}"))
    if answer.buffer_cells is not None:
        panel.axhline(answer.buffer_cells, color=COLOURS[1], linewidth=1.1)
        named.append((answer.buffer_cells, f"measured {answer.buffer_cells:,}"))
    panel.set_ylabel("queue (cells)")
    panel.set_ylim(0, 1.08 * max([highest, *(cells for cells, _ in named)]))
    panel.margins(x=0)
    label_ends(panel, [], named)
