"""Bursts that a traffic contract admits, and the queue that such bursts can make."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cellrate.theory.assumptions import (
    require,
    require_at_least,
    require_not_negative,
    require_positive,
)
from cellrate.theory.formula import Formula, Numbers, plain

# Share of a cell by which a quotient of two rates may miss a whole number.
ROUNDING = 1e-9


def burst_tolerance_seconds(
    peak_cells_per_second: Numbers, sustained_cells_per_second: Numbers, burst_cells: Numbers
) -> Numbers:
    """Limit of the GCRA for SCR: tau_s = (MBS - 1) (1/SCR - 1/PCR).

    TM 4.0 section 4.4.3.2.

    Args:
        peak_cells_per_second: Peak cell rate PCR.
        sustained_cells_per_second: Sustainable cell rate SCR, at most PCR.
        burst_cells: Maximum burst size MBS, at least 1.

    Raises:
        AssumptionError: A rate is not above 0, SCR exceeds PCR, or MBS is below 1.
    """
    gap = _gap_seconds(peak_cells_per_second, sustained_cells_per_second, burst_cells)
    return plain((np.asarray(burst_cells, float) - 1) * gap)


def burst_at_peak_cells(
    peak_cells_per_second: Numbers,
    sustained_cells_per_second: Numbers,
    burst_cells: Numbers,
    tolerance_seconds: Numbers = 0.0,
) -> Numbers:
    """Number of cells that conform one after another at PCR.

    TM 4.0 section 4.4.2: 1 + floor((tau_s + CDVT) / (1/SCR - 1/PCR)), which is MBS if CDVT is 0.

    Args:
        peak_cells_per_second: Peak cell rate PCR.
        sustained_cells_per_second: Sustainable cell rate SCR, below PCR.
        burst_cells: Maximum burst size MBS, at least 1.
        tolerance_seconds: Cell delay variation tolerance CDVT.

    Raises:
        AssumptionError: A rate is not above 0, SCR is not below PCR, MBS is below 1, or CDVT is
            negative.
    """
    require_not_negative(tolerance_seconds=tolerance_seconds)
    gap = _gap_seconds(peak_cells_per_second, sustained_cells_per_second, burst_cells)
    at = sustained_cells_per_second
    require(gap > 0, "sustained_cells_per_second", at, "must be below the peak rate")
    further = np.asarray(burst_cells, float) - 1 + np.asarray(tolerance_seconds, float) / gap
    return plain(1 + np.floor(further + ROUNDING))


def worst_queue_cells(
    sources: Numbers,
    link_cells_per_second: Numbers,
    peak_cells_per_second: Numbers,
    sustained_cells_per_second: Numbers,
    burst_cells: Numbers,
) -> Numbers:
    """Longest queue of n sources behind dual leaky buckets, the cell in service included.

    All sources send their bursts at once: n MBS - floor(C (MBS - 1) / PCR) cells if n PCR exceeds
    the rate C of the link, otherwise n. The arrival curve is that of Cruz 1991, in whole cells; no
    arrivals within the contracts make a longer queue.

    Args:
        sources: Number n of sources.
        link_cells_per_second: Rate C of the link.
        peak_cells_per_second: Peak cell rate PCR of each source.
        sustained_cells_per_second: Sustainable cell rate SCR of each source, n SCR at most C.
        burst_cells: Maximum burst size MBS of each source, at least 1.

    Raises:
        AssumptionError: An argument is not above 0, SCR exceeds PCR, MBS is below 1, or n SCR
            exceeds the link, so that the queue has no bound.
    """
    require_positive(sources=sources, link_cells_per_second=link_cells_per_second)
    _gap_seconds(peak_cells_per_second, sustained_cells_per_second, burst_cells)
    n, link, peak, sustained, burst = (
        np.asarray(value, float)
        for value in (
            sources,
            link_cells_per_second,
            peak_cells_per_second,
            sustained_cells_per_second,
            burst_cells,
        )
    )
    allowed = "must be at most the link's rate / n, or the queue has no bound"
    fits = n * sustained <= link * (1 + ROUNDING)
    require(fits, "sustained_cells_per_second", sustained_cells_per_second, allowed)
    served = np.floor(link * (burst - 1) / peak + ROUNDING)
    return plain(np.where(n * peak > link, n * burst - served, n))


def _gap_seconds(peak: Numbers, sustained: Numbers, burst: Numbers) -> npt.NDArray[np.float64]:
    """Difference 1/SCR - 1/PCR, which is how much faster a burst comes than SCR allows."""
    require_positive(peak_cells_per_second=peak, sustained_cells_per_second=sustained)
    require_at_least(1, burst_cells=burst)
    gap = np.asarray(1 / np.asarray(sustained, float) - 1 / np.asarray(peak, float))
    require(gap >= 0, "sustained_cells_per_second", sustained, "must be at most the peak rate")
    return gap


WORST_QUEUE = Formula(
    name="leaky-bucket-queue",
    about="longest queue of sources behind dual leaky buckets",
    equation="Q = n MBS - floor(C (MBS - 1) / PCR) if n PCR > C, otherwise n",
    source="Cruz 1991 part I, in whole cells",
    results={"worst_queue_cells": worst_queue_cells},
)

FORMULAE = (
    Formula(
        name="gcra-burst",
        about="burst that a contract of PCR, SCR and MBS admits",
        equation=(
            "tau_s = (MBS - 1) (1/SCR - 1/PCR), burst = 1 + floor((tau_s + CDVT) / (1/SCR - 1/PCR))"
        ),
        source="TM 4.0 sections 4.4.2 and 4.4.3.2, ITU-T I.371",
        results={
            "burst_tolerance_seconds": burst_tolerance_seconds,
            "burst_at_peak_cells": burst_at_peak_cells,
        },
    ),
    WORST_QUEUE,
)
