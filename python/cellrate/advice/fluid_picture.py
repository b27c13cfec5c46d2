"""A trajectory of the fluid model as a table and as a figure."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
from matplotlib import style
from matplotlib.figure import Figure

from cellrate.simulation.drawn_lines import label_ends
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure
from cellrate.theory.efci import EfciLoop, Trajectory

# Whole cells of 424 bits.
MEGABITS_PER_CELL = 424e-6
COLUMNS = "time_seconds,acr_cells_per_second,queue_cells,phase"


PHASES = {
    1: "marks a round trip ago, ACR falls",
    2: "no marks, ACR rises",
    3: "queue empty a round trip ago",
    4: "ACR rises from an empty queue",
}
"""The four phases of Ohsaki et al. 1995, section II.B, by the law of the rate in each."""


def _factor(value: npt.ArrayLike) -> str:
    """A factor as TM 4.0 signals it, such as 1/64; others as numbers."""
    fraction = Fraction(float(np.asarray(value))).limit_denominator(32768)
    return str(fraction) if fraction.numerator == 1 else f"{float(np.asarray(value)):.4g}"


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
            label = f"{phase}: {PHASES[phase]}"
            above.plot(milliseconds, trajectory.queue_cells * gap, color=colour, label=label)
            below.plot(milliseconds, megabits * gap, color=colour)
        levels = [(float(loop.high), f"Q_H {float(loop.high):g}")]
        if loop.low != loop.high:
            levels.append((float(loop.low), f"Q_L {float(loop.low):g}"))
        for level, _ in levels:
            above.axhline(level, color=FAINT, lw=0.8, ls="--")
        share = float(loop.bw / loop.n) * MEGABITS_PER_CELL
        below.axhline(share, color=FAINT, lw=0.8, ls="--")
        above.set_ylabel("queue (cells)")
        below.set_ylabel("ACR (Mbit/s)")
        below.set_xlabel("time (ms)")
        above.set_ylim(bottom=0)
        below.set_ylim(bottom=0)
        above.margins(x=0)
        label_ends(above, [], levels)
        label_ends(below, [], [(share, f"BW / N {share:.3g}")])
        above.legend(loc="upper left", bbox_to_anchor=(1.15, 1.0), title="phase")
        title = f"Fluid model of EFCI: {float(loop.n):g} sources, RIF {_factor(loop.rif)}, RDF "
        figure.suptitle(f"{title}{_factor(loop.rdf)}", x=0.01, ha="left")
    return figure
