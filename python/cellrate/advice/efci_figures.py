"""Figures of the fluid model of EFCI: a trajectory, and the feasible region of a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from cellrate.simulation.drawn_lines import label_ends
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure
from cellrate.theory.efci import EfciLoop, Feasibility, Trajectory, feasibility
from cellrate.theory.efci.feasible import Point, standard_sets
from cellrate.theory.efci.loop import Floats

# Bits of a cell, with its header.
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
    """A factor as text: a power of two as a fraction such as 1/64, others as numbers."""
    fraction = Fraction(float(np.asarray(value))).limit_denominator(32768)
    return str(fraction) if fraction.numerator == 1 else f"{float(np.asarray(value)):.4g}"


def trajectory_table(trajectory: Trajectory) -> str:
    """The points as comma-separated values with a header; times and rates in full precision."""
    columns = (
        trajectory.time_seconds.tolist(),
        trajectory.acr_cells_per_second.tolist(),
        trajectory.queue_cells.tolist(),
        trajectory.phase.tolist(),
    )
    rows = (",".join(map(repr, row)) for row in zip(*columns, strict=True))
    return "\n".join([COLUMNS, *rows]) + "\n"


def trajectory_figure(loop: EfciLoop, trajectory: Trajectory) -> Figure:
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


# Least exponent of two at which the region is drawn, and number of steps per exponent.
LEAST, STEPS = -15, 12


@dataclass(frozen=True, eq=False)
class Region:
    """The region of RIF and RDF in which both conditions of Ohsaki et al. 1995 hold.

    Attributes:
        loop: The network; its own RIF and RDF do not matter.
        buffer_cells: The buffer, BL.
    """

    loop: EfciLoop
    buffer_cells: float

    @cached_property
    def axis(self) -> Floats:
        """Exponents of two at which the conditions are evaluated; RDF leaves out the exponent 0."""
        return np.linspace(LEAST, 0, -LEAST * STEPS + 1)

    @cached_property
    def grid(self) -> Feasibility:
        """Feasibility on a grid of pairs: RDF along the first axis, RIF along the second."""
        rdf = np.exp2(self.axis[:-1])
        loops = self.loop.with_(rif=np.exp2(self.axis)[None, :], rdf=rdf[:, None])
        return feasibility(loops, self.buffer_cells)

    @cached_property
    def standard(self) -> tuple[EfciLoop, Feasibility]:
        """The pairs of RIF and RDF that can be signalled, with their feasibility."""
        return standard_sets(self.loop, self.buffer_cells)

    def boundaries(self) -> dict[str, list[Floats]]:
        """Curves on which a condition is just met, as points of (RIF, RDF), shape (n, 2).

        An unlimited buffer cannot overflow, so only the other condition has a curve.
        """
        found = self.grid
        queues = {
            "bound": found.maximum_queue_bound_cells,
            "steady_maximum": found.maximum_queue_cells,
        }
        overflow = {
            name: self._lines(np.log(queue / self.buffer_cells))
            for name, queue in queues.items()
            if np.isfinite(self.buffer_cells)
        }
        return {**overflow, "full_link": self._lines(found.minimum_queue_cells)}

    def _lines(self, values: Floats) -> list[Floats]:
        drawn = Figure().subplots().contour(self.axis, self.axis[:-1], values, levels=[0.0])
        return [np.exp2(np.asarray(line)) for line in drawn.allsegs[0] if len(line)]

    def as_json(self, points: Sequence[Point] = ()) -> dict[str, Any]:
        """The region as one object: the network, boundaries, the standard's sets, points.

        An unlimited buffer is null.
        """
        loops, found = self.standard
        rif, rdf = np.broadcast_arrays(np.asarray(loops.rif), np.asarray(loops.rdf))
        columns = {name: np.asarray(value).ravel().tolist() for name, value in vars(found).items()}
        return {
            "buffer_cells": self.buffer_cells if np.isfinite(self.buffer_cells) else None,
            "sources": float(self.loop.n),
            "bandwidth_cells_per_second": float(self.loop.bw),
            "round_trip_seconds": float(self.loop.tau),
            "high_cells": float(self.loop.high),
            "low_cells": float(self.loop.low),
            "decrease": self.loop.decrease,
            "boundaries": {
                name: [line.tolist() for line in lines] for name, lines in self.boundaries().items()
            },
            "standard_sets": {"rif": rif.ravel().tolist(), "rdf": rdf.ravel().tolist(), **columns},
            "points": [vars(point) for point in points],
        }


def region_figure(region: Region, points: Sequence[Point] = ()) -> Figure:
    """Draws the region with both boundaries, the standard's pairs, and given points.

    Points with a utilisation are coloured by it, and crossed if cells were lost.
    """
    with style.context(STYLE):
        figure = Figure(figsize=(7.0, 5.2), layout="constrained")
        FigureCanvasAgg(figure)
        panel = figure.subplots()
        draw_into(panel, region, points)
        figure.suptitle(_title(region), x=0.01, ha="left")
        if any(point.utilisation is not None for point in points):
            _draw_simulated(figure, panel, points)
    return figure


def _title(region: Region) -> str:
    """The parameters of the network, and the number of feasible pairs of the standard."""
    loop, count = region.loop, int(np.count_nonzero(region.standard[1].feasible))
    rate, delay = float(loop.bw) * 424e-6, float(loop.tau) * 1e3
    network = f"EFCI, {float(loop.n):g} sources, {rate:.4g} Mbit/s, round trip {delay:.3g} ms"
    room = f"Q_H {float(loop.high):g}, BL {region.buffer_cells:g} cells"
    return f"{network}\n{room}: {count or 'no'} feasible pair{'s' * (count != 1)}"


def draw_into(panel: Axes, region: Region, points: Sequence[Point] = ()) -> None:
    """Draws the region into a given panel."""
    found = region.grid
    rif, rdf = np.exp2(region.axis), np.exp2(region.axis[:-1])
    for feasible, strength in ((found.feasible_in_steady_state, 0.12), (found.feasible, 0.2)):
        if np.any(feasible):
            levels, colours = [0.5, 1.5], [COLOURS[2]]
            panel.contourf(rif, rdf, feasible * 1.0, levels, colors=colours, alpha=strength)
    names = {
        "bound": ("Q_max from an empty queue = BL", COLOURS[1], "-"),
        "steady_maximum": ("maximum of the limit cycle = BL", COLOURS[1], "--"),
        "full_link": ("Q_min = 0", COLOURS[0], "-"),
    }
    for name, lines in region.boundaries().items():
        label, colour, dashes = names[name]
        for line in lines:
            panel.plot(*line.T, dashes, color=colour, label=label)
            label = "_"
    loops, standard = region.standard
    sets = np.broadcast_arrays(np.asarray(loops.rif), np.asarray(loops.rdf))
    panel.plot(*(one[~standard.feasible] for one in sets), ".", color=FAINT, ms=3)
    inside = [one[standard.feasible] for one in sets]
    if len(inside[0]):
        panel.plot(*inside, "o", color=COLOURS[2], ms=5, label="feasible sets of the standard")
    for number, point in enumerate(point for point in points if point.label):
        if point.utilisation is None:
            panel.plot(point.rif, point.rdf, "*", color=COLOURS[6], ms=9)
        above = 8 if number % 2 else -14
        panel.annotate(
            point.label, (point.rif, point.rdf), (4, above), textcoords="offset points", size=7
        )
    panel.set_xscale("log", base=2)
    panel.set_yscale("log", base=2)
    panel.set_xlim(2.0**LEAST * 0.8, 1.25)
    panel.set_ylim(2.0**LEAST * 0.8, 1.25)
    panel.set_xlabel("RIF")
    panel.set_ylabel("RDF")
    _draw_legend(panel)


def _draw_legend(panel: Axes) -> None:
    """Draws the legend, if a line has a label, with a background, since dots cover the panel."""
    if not panel.get_legend_handles_labels()[0]:
        return
    panel.legend(loc="lower right", frameon=True, facecolor="white", edgecolor="none", framealpha=1)


def _draw_simulated(figure: Figure, panel: Axes, points: Sequence[Point]) -> None:
    simulated = [(p.rif, p.rdf, p.utilisation) for p in points if p.utilisation is not None]
    rif, rdf, used = np.array(simulated).T
    drawn = panel.scatter(rif, rdf, c=used, s=45, cmap="viridis", edgecolors="white", zorder=3)
    figure.colorbar(drawn, ax=panel, label="measured utilisation")
    lossy = [point for point in points if point.loss_ratio]
    if lossy:
        places = [point.rif for point in lossy], [point.rdf for point in lossy]
        panel.plot(*places, "x", color=COLOURS[1], ms=7, zorder=4, label="cells lost")
        _draw_legend(panel)
