"""Results of the fluid model as functions of numbers, and their entries in the catalogue."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.integrate import quad_vec

from cellrate.theory.efci.extremes import (
    LOGARITHM,
    ROOT_TERM,
    corrected_terms,
    maximum_queue_bound_cells,
    overload,
    printed_maximum_queue_cells,
    printed_terms,
)
from cellrate.theory.efci.integration import Integrated, integrate
from cellrate.theory.efci.loop import Decrease, EfciLoop, Floats, Growth, RmCells
from cellrate.theory.efci.steady import (
    LimitCycle,
    limit_cycle,
    require_below_pcr,
    require_unclipped,
)
from cellrate.theory.efci.trajectories import Trajectory, periodic_trajectory, trajectory
from cellrate.theory.formula import Formula, Numbers, plain, taking

# Relative error of the areas by quadrature.
TOLERANCE = 1e-10


def loop_of(
    sources: npt.ArrayLike,
    bandwidth_cells_per_second: npt.ArrayLike,
    round_trip_seconds: npt.ArrayLike,
    high_cells: npt.ArrayLike,
    *,
    rif: npt.ArrayLike,
    rdf: npt.ArrayLike,
    low_cells: npt.ArrayLike | None = None,
    nrm: npt.ArrayLike = 32,
    pcr_cells_per_second: npt.ArrayLike | None = None,
    mcr_cells_per_second: npt.ArrayLike = 0.0,
    decrease: Decrease = "continuous",
    rm_cells: RmCells = "ignored",
    growth: Growth = "immediate",
) -> EfciLoop:
    """A loop from numbers or arrays.

    Args:
        sources: N_VC, persistent sources with equal parameters.
        bandwidth_cells_per_second: BW of the bottleneck.
        round_trip_seconds: tau, propagation round the loop.
        high_cells: Q_H, above which congestion begins.
        rif: RIF of TM 4.0: an unmarked BRM adds this share of PCR to ACR.
        rdf: RDF of TM 4.0: a marked BRM takes this share of ACR.
        low_cells: Q_L, below which congestion ends; Q_H if absent.
        nrm: Cells per forward RM cell.
        pcr_cells_per_second: PCR; BW if absent.
        mcr_cells_per_second: MCR.
        decrease: Continuous as in the paper, or our decrease by a factor per RM cell.
        rm_cells: Ignored, or BW corrected as in section II.A for RM cells beside the data cells.
        growth: Growth of ACR from an empty queue: immediate as in the paper, or our delayed one.

    Raises:
        AssumptionError: A value is outside the model's assumptions, or ACR would be clipped.
    """
    return EfciLoop(
        sources,
        bandwidth_cells_per_second,
        round_trip_seconds,
        high_cells,
        low_cells,
        rif,
        rdf,
        nrm,
        pcr_cells_per_second,
        mcr_cells_per_second,
        decrease,
        rm_cells,
        growth,
    )


of_parameters = taking(loop_of)


@of_parameters
def efci_phase_4_area_cells(loop: EfciLoop) -> Numbers:
    """Cells that queue up in phase 4, by quadrature of the aggregate rate less BW.

    The integral of the surplus rate AIR BW s over the time in which the queue reaches Q_H,
    plus a round trip.
    """
    slope = loop.air * loop.bw
    lasts = np.sqrt(2 * loop.high / slope) + loop.tau
    return _integral(lambda s: slope * s, lasts)


@of_parameters
def efci_phase_1_area_cells(loop: EfciLoop) -> Numbers:
    """Cells that queue up in phase 1, by quadrature of the aggregate rate less BW.

    The integral of (BW + AIR BW s_4) e^(-kappa s) - BW until it is 0, with s_4 for the
    length of phase 4.
    """
    slope = loop.air * loop.bw
    peak = loop.bw + slope * (np.sqrt(2 * loop.high / slope) + loop.tau)
    lasts = np.log(peak / loop.bw) / loop.kappa
    return _integral(lambda s: peak * np.exp(-loop.kappa * s) - loop.bw, lasts)


def _integral(surplus: Callable[[Floats], Floats], lasts: Floats) -> Numbers:
    """Integral over 0 to `lasts`, which may be an array."""

    def scaled(x: float) -> Floats:
        return surplus(x * lasts) * lasts

    area, _ = quad_vec(scaled, 0.0, 1.0, epsrel=TOLERANCE)
    return plain(area)


@of_parameters
def efci_maximum_queue_cells(loop: EfciLoop) -> Numbers:
    """Greatest queue after an empty queue: (5) of Ohsaki et al. 1995, corrected."""
    require_below_pcr(loop, loop.bw / loop.n * (1 + overload(loop, np.zeros(loop.shape))))
    return maximum_queue_bound_cells(loop)


@of_parameters
def efci_printed_maximum_queue_cells(loop: EfciLoop) -> Numbers:
    """Equation (5) of Ohsaki et al. 1995 exactly as printed, wrong in two terms."""
    return printed_maximum_queue_cells(loop)


@of_parameters
def efci_root_term_cells(loop: EfciLoop) -> Numbers:
    """Second term of equation (5), corrected: N RDF sqrt(2 AIR Q_H / BW)."""
    return plain(corrected_terms(loop)[ROOT_TERM])


@of_parameters
def efci_printed_root_term_cells(loop: EfciLoop) -> Numbers:
    """Second term of equation (5) as printed: RDF sqrt(2 AIR N Q_H / BW)."""
    return plain(printed_terms(loop)[ROOT_TERM])


@of_parameters
def efci_logarithm_cells(loop: EfciLoop) -> Numbers:
    """Third term of equation (5), corrected: -N RDF ln(1 + AIR tau + sqrt(2 AIR Q_H / BW))."""
    return plain(corrected_terms(loop)[LOGARITHM])


@of_parameters
def efci_printed_logarithm_cells(loop: EfciLoop) -> Numbers:
    """Third term of equation (5) as printed: -N RDF ln(1 + 2 AIR Q_H / BW)."""
    return plain(printed_terms(loop)[LOGARITHM])


def _cycle(loop: EfciLoop) -> LimitCycle:
    cycle = limit_cycle(loop)
    require_unclipped(loop, cycle)
    return cycle


@of_parameters
def efci_minimum_queue_cells(loop: EfciLoop) -> Numbers:
    """Minimum of the queue by equations (6) to (8) of Ohsaki et al. 1995.

    Negative where the queue empties: the link is then not full, and the value is only the
    continuation of the model.
    """
    minimum: Numbers = _cycle(loop).continued_minimum_cells
    return minimum


def _of_cycle(field: str, about: str) -> Callable[..., Numbers]:
    def result(loop: EfciLoop) -> Numbers:
        value: Numbers = getattr(_cycle(loop), field)
        return value

    result.__name__, result.__doc__ = f"efci_cycle_{field}", about
    return of_parameters(result)


CYCLE = {
    field: _of_cycle(field, about)
    for field, about in (
        ("maximum_queue_cells", "Maximum of the queue in the limit cycle."),
        ("minimum_queue_cells", "Minimum of the queue in the limit cycle; 0 where it empties."),
        ("amplitude_cells", "Greatest minus least queue of the limit cycle."),
        ("period_seconds", "Period of the limit cycle: the sum of its phases."),
        ("phase_1_seconds", "Phase 1, decrease: from the crossing of Q_H to that of Q_L."),
        ("phase_2_seconds", "Phase 2, increase: until the queue is empty, or else exceeds Q_H."),
        ("phase_3_seconds", "Phase 3, growth while the queue is empty; 0 if it never is."),
        ("phase_4_seconds", "Phase 4, increase from an empty queue to Q_H; 0 without phase 3."),
        ("maximum_acr_cells_per_second", "Greatest ACR of a source in the limit cycle."),
        ("minimum_acr_cells_per_second", "Least ACR of a source in the limit cycle."),
        ("utilisation", "Share of the bottleneck's capacity that is used in the limit cycle."),
    )
}
efci_cycle_maximum_queue_cells = CYCLE["maximum_queue_cells"]
efci_cycle_minimum_queue_cells = CYCLE["minimum_queue_cells"]
efci_cycle_amplitude_cells = CYCLE["amplitude_cells"]
efci_cycle_period_seconds = CYCLE["period_seconds"]
efci_cycle_phase_1_seconds = CYCLE["phase_1_seconds"]
efci_cycle_phase_2_seconds = CYCLE["phase_2_seconds"]
efci_cycle_phase_3_seconds = CYCLE["phase_3_seconds"]
efci_cycle_phase_4_seconds = CYCLE["phase_4_seconds"]
efci_cycle_maximum_acr_cells_per_second = CYCLE["maximum_acr_cells_per_second"]
efci_cycle_minimum_acr_cells_per_second = CYCLE["minimum_acr_cells_per_second"]
efci_cycle_utilisation = CYCLE["utilisation"]


@of_parameters
def efci_periodic_trajectory(loop: EfciLoop) -> Trajectory:
    """One period of ACR and queue, from one crossing of Q_H to the next (Ohsaki 95, figure 2)."""
    return periodic_trajectory(loop)


@of_parameters
def efci_first_rise(loop: EfciLoop) -> Trajectory:
    """ACR and queue of a cycle from BW / N and an empty queue (Ohsaki 95, figure 3; (3), (4))."""
    return trajectory(loop, cycles=1)


@of_parameters
def efci_settled_trajectory(loop: EfciLoop) -> Trajectory:
    """ACR and queue over 40 cycles from BW / N and an empty queue; the last cycle has settled."""
    return trajectory(loop, cycles=40)


@of_parameters
def efci_integrated_first_rise(loop: EfciLoop) -> Integrated:
    """ACR and queue of a cycle from BW / N and an empty queue, by numerical integration."""
    return integrate(loop, cycles=1)


@of_parameters
def efci_integrated(loop: EfciLoop) -> Integrated:
    """Integrates the delayed equations over 40 cycles, independently of the closed forms."""
    return integrate(loop, cycles=40)


EFCI_CYCLE = Formula(
    name="efci-cycle",
    about="the limit cycle of queue and ACR under EFCI: extremes, phases, period, utilisation",
    equation="dr/ds = -kappa r, AIR BW, AIR r while congested, not congested, the queue empty"
    " a round trip ago; dQ/ds = r - BW",
    source="Ohsaki et al. 1995, section II.B",
    results=CYCLE,
)

FORMULAE = (
    Formula(
        name="q-max",
        about="greatest queue under EFCI, corrected and as printed, and the areas that prove it",
        equation="Q_max = Q_H + N RDF sqrt(2 AIR Q_H / BW) - N RDF ln(1 + AIR tau + sqrt(2 AIR Q_H"
        " / BW)) + tau^2 AIR BW / 2 + tau (sqrt(2 AIR BW Q_H) + AIR RDF N)",
        source="Ohsaki et al. 1995, equation (5), corrected in two terms",
        results={
            "maximum_queue_cells": efci_maximum_queue_cells,
            "phase_4_area_cells": efci_phase_4_area_cells,
            "phase_1_area_cells": efci_phase_1_area_cells,
            "printed_maximum_queue_cells": efci_printed_maximum_queue_cells,
            "root_term_cells": efci_root_term_cells,
            "printed_root_term_cells": efci_printed_root_term_cells,
            "logarithm_cells": efci_logarithm_cells,
            "printed_logarithm_cells": efci_printed_logarithm_cells,
        },
    ),
    Formula(
        name="q-min",
        about="least queue under EFCI in steady state; negative if the queue empties",
        equation="Q_min = F(Q_min), F = Q_L - BW (tau - e^(-kappa y) (1 - e^(-kappa tau)) / kappa)"
        " - BW d^2 / (2 AIR), d = 1 - e^(-kappa (y + tau)), y from Q_max(Q_min) to Q_L",
        source="Ohsaki et al. 1995, equations (6) to (8), solved as a fixed point",
        results={
            "minimum_queue_cells": efci_minimum_queue_cells,
            "steady_maximum_queue_cells": efci_cycle_maximum_queue_cells,
            "utilisation": efci_cycle_utilisation,
        },
    ),
    EFCI_CYCLE,
)
