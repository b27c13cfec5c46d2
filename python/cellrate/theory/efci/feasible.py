"""Finds pairs (RIF, RDF) with which the fluid model avoids overflow and keeps the link full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cellrate.theory.assumptions import require
from cellrate.theory.efci.extremes import maximum_queue_bound_cells
from cellrate.theory.efci.loop import Decrease, EfciLoop, Floats, RmCells, truths
from cellrate.theory.efci.steady import clips, limit_cycle
from cellrate.theory.formula import Formula, plain

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
        AssumptionError: The buffer is smaller than Q_H, so it overflows before cells are marked.
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


Maximum = Literal["bound", "steady"]


def standard_factors(decrease: Decrease) -> Floats:
    """RDF of 2^-k, k in 0..15; without 1 if a decrease is per cell, which would make ACR 0."""
    return STANDARD_FACTORS[1:] if decrease == "per-cell" else STANDARD_FACTORS


def standard_sets(loop: EfciLoop, buffer_cells: npt.ArrayLike) -> tuple[EfciLoop, Feasibility]:
    """A network with every pair of the standard: RIF along the first axis, RDF along the second.

    Raises:
        AssumptionError: The buffer is smaller than Q_H.
    """
    factors = standard_factors(loop.decrease)
    sets = loop.with_(rif=STANDARD_FACTORS[:, None], rdf=factors[None, :])
    return sets, feasibility(sets, buffer_cells)


def efci_feasible_sets(
    sources: float,
    bandwidth_cells_per_second: float,
    round_trip_seconds: float,
    high_cells: float,
    buffer_cells: float,
    *,
    low_cells: float | None = None,
    nrm: float = 32,
    pcr_cells_per_second: float | None = None,
    mcr_cells_per_second: float = 0.0,
    decrease: Decrease = "continuous",
    rm_cells: RmCells = "ignored",
    maximum: Maximum = "bound",
) -> list[str]:
    """Sets (RIF, RDF) of the standard that meet conditions (5) and (6) of Ohsaki et al. 1995.

    Args:
        sources: N_VC, persistent sources with equal parameters.
        bandwidth_cells_per_second: BW of the bottleneck.
        round_trip_seconds: tau, propagation round the loop.
        high_cells: Q_H, above which congestion begins.
        buffer_cells: BL, buffer of the switch.
        low_cells: Q_L, below which congestion ends; Q_H if absent.
        nrm: Cells per forward RM cell.
        pcr_cells_per_second: PCR; BW if absent.
        mcr_cells_per_second: MCR.
        decrease: Continuous as in the paper, or our decrease by a factor per RM cell.
        rm_cells: Ignored, or BW corrected as in section II.A for RM cells beside the data cells.
        maximum: Queue that must fit into the buffer: the bound from an empty queue, or the maximum
            in steady state.

    Raises:
        AssumptionError: A value is outside the model's assumptions, or the buffer is below Q_H.
    """
    loop = EfciLoop(
        sources,
        bandwidth_cells_per_second,
        round_trip_seconds,
        high_cells,
        low_cells,
        nrm=nrm,
        pcr_cells_per_second=pcr_cells_per_second,
        mcr_cells_per_second=mcr_cells_per_second,
        decrease=decrease,
        rm_cells=rm_cells,
        rdf=0.5,
    )
    _, conditions = standard_sets(loop, buffer_cells)
    feasible = conditions.feasible
    chosen = feasible if maximum == "bound" else conditions.feasible_in_steady_state
    factors = standard_factors(decrease)
    return [
        f"1/{1 / STANDARD_FACTORS[i]:.0f} 1/{1 / factors[j]:.0f}" for i, j in np.argwhere(chosen)
    ]


FORMULA = Formula(
    name="feasible-region",
    about="sets (RIF, RDF) of the standard that avoid overflow and keep the link full under EFCI",
    equation="BL >= Q_max and Q_min > 0",
    source="Ohsaki et al. 1995, conditions (5) and (6)",
    results={"feasible_sets": efci_feasible_sets},
)


@dataclass(frozen=True)
class Point:
    """A pair of RIF and RDF to draw in the region.

    Attributes:
        rif: RIF.
        rdf: RDF.
        label: Name; empty if there is none.
        loss_ratio: Share of cells lost, if the pair was simulated.
        utilisation: Share of the bottleneck's capacity that was used, if the pair was simulated.
    """

    rif: float
    rdf: float
    label: str = ""
    loss_ratio: float | None = None
    utilisation: float | None = None


# Pairs of Ohsaki et al. 1995: section III.A, and section III.C for 300 and 10 Kbyte.
OHSAKI_POINTS = (
    Point(1 / 64, 1 / 16, "default"),
    Point(1 / 128, 1 / 2, "tuned, N = 10"),
    Point(1 / 128, 1 / 4, "tuned, N = 30"),
    Point(1 / 256, 1 / 2, "10 Kbyte, no loss"),
    Point(1 / 256, 1 / 4, "10 Kbyte, full link"),
)
