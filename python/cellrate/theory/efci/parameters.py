"""Turns functions of a loop into functions of the loop's parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy.typing as npt

from cellrate.theory.arrays import Numbers
from cellrate.theory.efci.loop import Decrease, EfciLoop, Growth, RmCells


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
        growth: While the queue is empty: immediate as in the paper, or our delayed one.

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


def of_parameters(function: Callable[[EfciLoop], Numbers]) -> Callable[..., Numbers]:
    """Turns a function of a loop into a function of the loop's parameters, and documents them."""
    signature = inspect.signature(loop_of).replace(return_annotation="Numbers")
    parameters = (inspect.getdoc(loop_of) or "").partition("\n")[2]

    def of_numbers(*args: npt.ArrayLike, **named: npt.ArrayLike) -> Numbers:
        return function(loop_of(*args, **named))  # type: ignore[arg-type]

    of_numbers.__name__ = of_numbers.__qualname__ = function.__name__
    of_numbers.__doc__ = f"{inspect.getdoc(function)}\n{parameters}"
    of_numbers.__signature__ = signature  # type: ignore[attr-defined]
    of_numbers.__annotations__ = {**loop_of.__annotations__, "return": "Numbers"}
    return of_numbers
