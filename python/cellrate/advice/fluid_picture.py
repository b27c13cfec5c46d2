"""A trajectory of the fluid model as a table and as a figure."""

from __future__ import annotations

import numpy as np
from matplotlib import style
from matplotlib.figure import Figure

from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure
from cellrate.theory.efci import EfciLoop, Trajectory

# Whole cells of 424 bits.
MEGABITS_PER_CELL = 424e-6
COLUMNS = "time_seconds,acr_cells_per_second,queue_cells,phase"


def table(trajectory: Trajectory) -> str:
    """The points as comma-separated values with a header; times and rates in full precision."""
    columns = (
        trajectory.time_seconds.tolist(),
        trajectory.acr_cells_per_second.tolist(),
        trajectory.queue_cells.tolist(),
        trajectory.phase.tolist(),
    )
    rows = (",".join(map(repr, row)) for row in zip(*columns, strict=True))
    return "\n".join([COLUMNS, *rows]) + "\n"


def draw(loop: EfciLoop, trajectory: Trajectory) -> Figure:
    """Draws queue and ACR over time, with thresholds, fair share, and phases in colours."""
    figure, (above, below) = new_figure(2)
    milliseconds = trajectory.time_seconds * 1e3
    megabits = trajectory.acr_cells_per_second * MEGABITS_PER_CELL
    with style.context(STYLE):
        above.plot(milliseconds, trajectory.queue_cells, color=FAINT, lw=0.8)
        below.plot(milliseconds, megabits, color=FAINT, lw=0.8)
        for phase in range(1, 5):
            inside = trajectory.phase == phase
            if not inside.any():
                continue
            colour, gap = COLOURS[phase - 1], np.where(inside, 1.0, np.nan)
            label = f"phase {phase}"
            above.plot(milliseconds, trajectory.queue_cells * gap, color=colour, label=label)
            below.plot(milliseconds, megabits * gap, color=colour)
        for level, name in ((float(loop.high), "Q_H"), (float(loop.low), "Q_L")):
            above.axhline(level, color=FAINT, lw=0.8, ls="--")
            above.annotate(
                name, (1.0, level), (3, 0), xycoords=above.get_yaxis_transform(),
                textcoords="offset points", va="center",
            )  # fmt: skip
            if loop.high == loop.low:
                break
        below.axhline(float(loop.bw / loop.n) * MEGABITS_PER_CELL, color=FAINT, lw=0.8, ls="--")
        above.set_ylabel("queue (cells)")
        below.set_ylabel("ACR (Mbit/s)")
        below.set_xlabel("time (ms)")
        above.set_ylim(bottom=0)
        below.set_ylim(bottom=0)
        above.margins(x=0)
        above.legend(loc="upper left", bbox_to_anchor=(1.03, 1.0))
    return figure
