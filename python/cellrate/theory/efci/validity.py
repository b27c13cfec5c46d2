"""Checks of the fluid model's assumptions on its parameters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cellrate.theory.assumptions import (
    require,
    require_finite,
    require_not_negative,
    require_positive,
)


def check_network(
    sources: npt.NDArray[np.float64],
    bandwidth: npt.NDArray[np.float64],
    tau: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
    low: npt.NDArray[np.float64],
) -> None:
    """Refuses a network without sources, link, delay or thresholds.

    Raises:
        AssumptionError: An argument is outside the assumptions; the message names it.
    """
    require_finite(sources=sources, round_trip_seconds=tau)
    require(sources >= 1, "sources", sources, "must be at least 1, or nobody sends")
    require_positive(bandwidth_cells_per_second=bandwidth)
    allowed = "must be above 0: the model's cycle is made by the delay of the feedback"
    require(tau > 0, "round_trip_seconds", tau, allowed)
    require_positive(high_cells=high, low_cells=low)
    allowed = "must be at most high_cells: congestion ends below where it begins"
    require(low <= high, "low_cells", low, allowed)


def check_factors(
    rif: npt.ArrayLike, rdf: npt.ArrayLike, nrm: npt.ArrayLike, decrease: str
) -> None:
    """Refuses factors that do not change ACR, or that change it by more than PCR or ACR itself.

    Raises:
        AssumptionError: An argument is outside the assumptions; the message names it.
    """
    rif, rdf, nrm = np.asarray(rif), np.asarray(rdf), np.asarray(nrm)
    require((rif > 0) & (rif <= 1), "rif", rif, "must be above 0 and at most 1 (PCR per BRM)")
    allowed = "must be above 0 and at most 1: RDFF = 1/rdf below 1 would take more than all of ACR"
    require((rdf > 0) & (rdf <= 1), "rdf", rdf, allowed)
    if decrease == "per-cell":
        require(rdf < 1, "rdf", rdf, "must be below 1: one BRM would end all sending")
    require_finite(nrm=nrm)
    require(nrm >= 2, "nrm", nrm, "must be at least 2: a forward RM cell and a data cell")


def check_rates(
    sources: npt.NDArray[np.float64],
    bandwidth: npt.NDArray[np.float64],
    pcr: npt.NDArray[np.float64],
    mcr: npt.NDArray[np.float64],
) -> None:
    """Refuses a PCR that makes no bottleneck, and an MCR that keeps it overloaded.

    Raises:
        AssumptionError: An argument is outside the assumptions; the message names it.
    """
    require_positive(pcr_cells_per_second=pcr)
    require_not_negative(mcr_cells_per_second=mcr)
    allowed = "sources * PCR must exceed the bandwidth, or there is no bottleneck"
    require(pcr * sources > bandwidth, "pcr_cells_per_second", pcr, allowed)
    allowed = "sources * MCR must be below the bandwidth, or the queue grows without end"
    require(mcr * sources < bandwidth, "mcr_cells_per_second", mcr, allowed)
