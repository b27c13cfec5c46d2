"""The queue against time, with the buffers that were found."""

from __future__ import annotations

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellrate.figures import COLOURS, FAINT, STYLE, draw, new_figure
from cellrate.series import Series
from cellrate.sizing.answer import Answer

# A buffer so many times as long as the longest queue would make the queue a line.
IN_SIGHT = 3.0


def queue_figure(answer: Answer, queue: Series) -> Figure:
    """The longest queue of all seeds over time; formulas as lines where they are in sight."""
    figure, [panel] = new_figure(width=8.0, height=3.2)
    with style.context(STYLE):
        draw(panel, queue, colour=COLOURS[0])
        highest = float(queue.maximum.max(initial=1.0))
        if answer.buffer_cells is not None:
            _line(panel, answer.buffer_cells, "measured buffer", COLOURS[1], "-")
        for number, formula in enumerate(f for f in answer.formulas if f.cells is not None):
            cells = formula.cells or 0.0
            if cells <= IN_SIGHT * highest:
                _line(panel, cells, formula.formula, COLOURS[2 + number % 4], "--")
        own = answer.port.switch.buffer_cells
        if own <= IN_SIGHT * highest:
            _line(panel, own, "the scenario's buffer", FAINT, ":")
        panel.set_xlabel("time (s)")
        panel.set_ylabel("queue (cells)")
        panel.set_ylim(bottom=0)
        panel.margins(x=0)
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _line(panel: Axes, cells: float, label: str, colour: str, dashes: str) -> None:
    panel.axhline(cells, color=colour, linestyle=dashes, linewidth=1.0, label=label)
