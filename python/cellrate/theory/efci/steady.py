"""Limit cycle of the fluid model on arrays: extremes, durations of phases, utilisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cellrate.theory.assumptions import require
from cellrate.theory.efci.emptying import emptying_cycle
from cellrate.theory.efci.extremes import (
    fall_from,
    fixed_minimum,
    maximum_from,
    overload,
    rise_seconds,
)
from cellrate.theory.efci.loop import EfciLoop, Floats, Truths, truths
from cellrate.theory.formula import plain


@dataclass(frozen=True)
class LimitCycle:
    """Limit cycle; values are floats, or arrays of the shape of the loop's parameters.

    Attributes:
        maximum_queue_cells: Q_max of the cycle.
        minimum_queue_cells: Q_min of the cycle; 0 where the queue empties.
        continued_minimum_cells: Fixed point of equation (8); negative where the queue empties.
        phase_1_seconds: Decrease: from the crossing of Q_H to that of Q_L.
        phase_2_seconds: Increase after that, until the queue is empty or exceeds Q_H.
        phase_3_seconds: Growth while the queue is empty; 0 if the queue never empties.
        phase_4_seconds: Increase until the queue, empty before, exceeds Q_H; 0 without phase 3.
        amplitude_cells: Greatest minus least queue.
        period_seconds: Sum of the phases.
        maximum_acr_cells_per_second: Greatest ACR of a source.
        minimum_acr_cells_per_second: Least ACR of a source.
        utilisation: Share of the bottleneck's capacity that is used.
        empties: True if the queue empties in each cycle.
    """

    maximum_queue_cells: Any
    minimum_queue_cells: Any
    continued_minimum_cells: Any
    phase_1_seconds: Any
    phase_2_seconds: Any
    phase_3_seconds: Any
    phase_4_seconds: Any
    amplitude_cells: Any
    period_seconds: Any
    maximum_acr_cells_per_second: Any
    minimum_acr_cells_per_second: Any
    utilisation: Any
    empties: Any


def limit_cycle(loop: EfciLoop, *, settle: bool = True) -> LimitCycle:
    """Periodic solution of the fluid model (Ohsaki et al. 1995, sections II.B and II.C).

    ACR is not clipped to PCR and MCR here; see `clips` and `require_unclipped`.

    Args:
        loop: The loops.
        settle: Refuse loops whose cycles do not converge. In such a loop ACR would, for example,
            grow a hundredfold within a round trip. If False, the last cycle of such a loop is
            returned.

    Raises:
        AssumptionError: The cycles of a loop do not converge.
    """
    continued = np.asarray(fixed_minimum(loop))
    empties = continued < 0
    full = _full_cycle(loop, np.where(empties, 0.0, continued))
    values = {name: np.array(value + np.zeros(loop.shape)) for name, value in full.items()}
    if np.any(empties):
        emptied = emptying_cycle(loop.where(empties), settle=settle)
        for name, value in emptied.items():
            values[name][empties] = value
    period = sum((values[f"phase_{number}_seconds"] for number in (1, 2, 3, 4)), start=np.zeros(()))
    return LimitCycle(
        **{name: plain(value) for name, value in values.items()},
        continued_minimum_cells=plain(continued),
        amplitude_cells=plain(values["maximum_queue_cells"] - values["minimum_queue_cells"]),
        period_seconds=plain(period),
        empties=truths(empties),
    )


def _full_cycle(loop: EfciLoop, minimum: Floats) -> dict[str, Floats]:
    """Cycle of a queue that never empties (phases 1 and 2 only), from the least queue `minimum`."""
    u = overload(loop, minimum)
    maximum = maximum_from(loop, minimum)
    fall = fall_from(loop, maximum)
    share = loop.bw / loop.n
    return {
        "maximum_queue_cells": maximum,
        "minimum_queue_cells": minimum,
        "phase_1_seconds": loop.tau + np.log1p(u) / loop.kappa + fall.to_low_seconds,
        "phase_2_seconds": fall.deficit / loop.air + rise_seconds(loop, minimum) + loop.tau,
        "phase_3_seconds": np.zeros(loop.shape),
        "phase_4_seconds": np.zeros(loop.shape),
        "maximum_acr_cells_per_second": share * (1 + u),
        "minimum_acr_cells_per_second": share * (1 - fall.deficit),
        "utilisation": np.ones(loop.shape),
    }


def clips(loop: EfciLoop, cycle: LimitCycle) -> Truths:
    """True if ACR would leave the range from MCR to PCR, which the model does not consider.

    If PCR or MCR clips ACR, the queue swings less: its maximum is lower and its minimum higher.
    """
    highest = cycle.maximum_acr_cells_per_second
    lowest = cycle.minimum_acr_cells_per_second
    return truths((highest > loop.pcr) | (lowest < loop.mcr))


def require_unclipped(loop: EfciLoop, cycle: LimitCycle) -> None:
    """Refuses a cycle that PCR or MCR would clip.

    Raises:
        AssumptionError: ACR would exceed PCR, or fall below MCR.
    """
    require_below_pcr(loop, cycle.maximum_acr_cells_per_second)
    lowest = np.min(cycle.minimum_acr_cells_per_second)
    allowed = (
        f"the model assumes that ACR stays above MCR, but it would fall to {lowest:.6g} cells/s"
    )
    holds = cycle.minimum_acr_cells_per_second >= loop.mcr
    require(holds, "mcr_cells_per_second", loop.mcr, allowed)


def require_below_pcr(loop: EfciLoop, acr_cells_per_second: npt.ArrayLike) -> None:
    """Refuses a greatest ACR above PCR.

    Raises:
        AssumptionError: ACR would exceed PCR.
    """
    acr = np.asarray(acr_cells_per_second)
    most = f"{np.max(acr):.6g} cells/s"
    allowed = f"the model assumes that ACR stays below PCR, but it would rise to {most}"
    require(acr <= loop.pcr, "pcr_cells_per_second", loop.pcr, allowed)
