"""Conditions for source parameters that avoid overflow and keep the link full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cellrate.theory.arrays import plain
from cellrate.theory.assumptions import require
from cellrate.theory.efci.loop import EfciLoop, Floats, truths
from cellrate.theory.efci.maximum import maximum_queue_bound_cells
from cellrate.theory.efci.steady import clips, limit_cycle

# TM 4.0 signals RIF and RDF as 2^-k with k of 0..15.
STANDARD_FACTORS: Floats = np.exp2(-np.arange(16.0))


@dataclass(frozen=True)
class Feasibility:
    """Conditions (5) and (6) of Ohsaki et al. 1995, evaluated for one loop or an array of loops.

    Attributes:
        maximum_queue_bound_cells: Q_max from an empty queue, for condition (5).
        maximum_queue_cells: Maximum of the limit cycle.
        minimum_queue_cells: Q_min for condition (6); negative where the queue empties, as the
            model's continuation below 0 has it.
        utilisation: Share of the bottleneck's capacity that is used, with an infinite buffer.
        avoids_overflow: Condition (5), BL >= Q_max, with the bound.
        avoids_steady_overflow: Condition (5) with the maximum of the limit cycle.
        keeps_link_full: Condition (6), Q_min > 0.
        clipped: PCR or MCR would clip ACR. The true maximum is then lower and the true minimum
            higher, so that both conditions are sufficient but not necessary.
        feasible: Both conditions, (5) with the bound.
        feasible_in_steady_state: Both conditions, (5) with the maximum of the limit cycle.
    """

    maximum_queue_bound_cells: Any
    maximum_queue_cells: Any
    minimum_queue_cells: Any
    utilisation: Any
    avoids_overflow: Any
    avoids_steady_overflow: Any
    keeps_link_full: Any
    clipped: Any
    feasible: Any
    feasible_in_steady_state: Any


def feasibility(loop: EfciLoop, buffer_cells: npt.ArrayLike) -> Feasibility:
    """Checks loops against a buffer of `buffer_cells` (Ohsaki et al. 1995, (5) and (6)).

    Where the queue empties, ACR grows as with `growth` = "delayed", whatever the loop says:
    "immediate" has no cycle for a large RIF, and is nowhere closer to the simulator.

    Raises:
        AssumptionError: The buffer is smaller than Q_H: it overflows before anything is marked.
    """
    buffer = np.asarray(buffer_cells, dtype=np.float64)
    require(
        buffer >= loop.high,
        "buffer_cells",
        buffer,
        "must be at least high_cells, or the buffer overflows before congestion is marked",
    )
    cycle = limit_cycle(loop.with_(growth="delayed"), settle=False)
    bound = np.asarray(maximum_queue_bound_cells(loop))
    steady = np.asarray(cycle.maximum_queue_cells)
    full = np.asarray(cycle.continued_minimum_cells) > 0
    return Feasibility(
        maximum_queue_bound_cells=plain(bound),
        maximum_queue_cells=plain(steady),
        minimum_queue_cells=cycle.continued_minimum_cells,
        utilisation=cycle.utilisation,
        avoids_overflow=truths(buffer >= bound),
        avoids_steady_overflow=truths(buffer >= steady),
        keeps_link_full=truths(full),
        clipped=clips(loop, cycle),
        feasible=truths((buffer >= bound) & full),
        feasible_in_steady_state=truths((buffer >= steady) & full),
    )
