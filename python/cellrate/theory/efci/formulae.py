"""Results of the fluid model as functions of numbers, and their entries in the catalogue."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cellrate.theory.arrays import Numbers, plain
from cellrate.theory.efci.loop import EfciLoop
from cellrate.theory.efci.maximum import (
    LOGARITHM,
    ROOT_TERM,
    corrected_terms,
    maximum_queue_bound_cells,
    overload,
    printed_maximum_queue_cells,
    printed_terms,
)
from cellrate.theory.efci.parameters import of_parameters
from cellrate.theory.efci.proof import phase_1_area_cells, phase_4_area_cells
from cellrate.theory.efci.steady import (
    LimitCycle,
    limit_cycle,
    require_below_pcr,
    require_unclipped,
)
from cellrate.theory.formula import Formula


@of_parameters
def efci_maximum_queue_cells(loop: EfciLoop) -> Numbers:
    """Greatest queue that grows from an empty one: (5) of Ohsaki et al. 1995, corrected."""
    require_below_pcr(loop, loop.bw / loop.n * (1 + overload(loop, np.zeros(loop.shape))))
    return maximum_queue_bound_cells(loop)


@of_parameters
def efci_printed_maximum_queue_cells(loop: EfciLoop) -> Numbers:
    """Equation (5) of Ohsaki et al. 1995 exactly as printed, wrong in two terms."""
    return printed_maximum_queue_cells(loop)


@of_parameters
def efci_phase_4_area_cells(loop: EfciLoop) -> Numbers:
    """Cells that queue up in phase 4, by quadrature of the aggregate rate less BW."""
    return plain(phase_4_area_cells(loop))


@of_parameters
def efci_phase_1_area_cells(loop: EfciLoop) -> Numbers:
    """Cells that queue up in phase 1, by quadrature of the aggregate rate less BW."""
    return plain(phase_1_area_cells(loop))


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

    It is negative where the queue empties: the link is then not full, and the value is only the
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


efci_cycle_maximum_queue_cells = _of_cycle(
    "maximum_queue_cells", "Maximum of the queue in the limit cycle."
)
efci_cycle_minimum_queue_cells = _of_cycle(
    "minimum_queue_cells", "Minimum of the queue in the limit cycle; 0 where it empties."
)
efci_cycle_amplitude_cells = _of_cycle(
    "amplitude_cells", "Greatest minus least queue of the limit cycle."
)
efci_cycle_period_seconds = _of_cycle(
    "period_seconds", "Period of the limit cycle: the sum of its phases."
)
efci_cycle_phase_1_seconds = _of_cycle(
    "phase_1_seconds", "Phase 1, decrease: from the crossing of Q_H to that of Q_L."
)
efci_cycle_phase_2_seconds = _of_cycle(
    "phase_2_seconds", "Phase 2, increase: until the queue is empty, or else exceeds Q_H."
)
efci_cycle_phase_3_seconds = _of_cycle(
    "phase_3_seconds", "Phase 3, growth while the queue is empty; 0 if it never is."
)
efci_cycle_phase_4_seconds = _of_cycle(
    "phase_4_seconds", "Phase 4, increase from an empty queue to Q_H; 0 without phase 3."
)
efci_cycle_maximum_acr_cells_per_second = _of_cycle(
    "maximum_acr_cells_per_second", "Greatest ACR of a source in the limit cycle."
)
efci_cycle_minimum_acr_cells_per_second = _of_cycle(
    "minimum_acr_cells_per_second", "Least ACR of a source in the limit cycle."
)
efci_cycle_utilisation = _of_cycle(
    "utilisation", "Share of the bottleneck's capacity that is used in the limit cycle."
)

EFCI_CYCLE = Formula(
    name="efci-cycle",
    about="the limit cycle of queue and ACR under EFCI: extremes, phases, period, utilisation",
    equation="dr/ds = -kappa r, AIR BW, AIR r while congested, not congested, the queue empty"
    " a round trip ago; dQ/ds = r - BW",
    source="Ohsaki et al. 1995, section II.B",
    results={
        "maximum_queue_cells": efci_cycle_maximum_queue_cells,
        "minimum_queue_cells": efci_cycle_minimum_queue_cells,
        "amplitude_cells": efci_cycle_amplitude_cells,
        "period_seconds": efci_cycle_period_seconds,
        "phase_1_seconds": efci_cycle_phase_1_seconds,
        "phase_2_seconds": efci_cycle_phase_2_seconds,
        "phase_3_seconds": efci_cycle_phase_3_seconds,
        "phase_4_seconds": efci_cycle_phase_4_seconds,
        "maximum_acr_cells_per_second": efci_cycle_maximum_acr_cells_per_second,
        "minimum_acr_cells_per_second": efci_cycle_minimum_acr_cells_per_second,
        "utilisation": efci_cycle_utilisation,
    },
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
