"""Loop of rate control by EFCI: its parameters, and the symbols of the fluid model."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import lambertw

from cellrate.theory.assumptions import (
    require,
    require_finite,
    require_not_negative,
    require_positive,
)

Floats: TypeAlias = npt.NDArray[np.float64]
Truths: TypeAlias = bool | npt.NDArray[np.bool_]
Decrease: TypeAlias = Literal["continuous", "per-cell"]
RmCells: TypeAlias = Literal["ignored", "corrected"]
Growth: TypeAlias = Literal["immediate", "delayed"]


def truths(values: npt.ArrayLike) -> Truths:
    """Converts values to an array of truth values, or to a bool if they have no dimensions."""
    array = np.asarray(values, dtype=bool)
    return bool(array) if array.ndim == 0 else array


@dataclass(frozen=True)
class EfciLoop:
    """N persistent sources with equal parameters that share one queue marking EFCI.

    Model of Ohsaki et al. 1995, section II. Every number may be an array; arrays broadcast.

    Attributes:
        sources: N_VC, the number of sources.
        bandwidth_cells_per_second: BW of the bottleneck.
        round_trip_seconds: tau, propagation from the switch over destination and source back to the
            switch. Only the sum matters.
        high_cells: Q_H; congestion begins when the queue grows longer.
        low_cells: Q_L; congestion ends when the queue becomes shorter. Equal to Q_H if None.
        rif: RIF of TM 4.0, the paper's AIRF: a BRM without CI adds `rif` * PCR to ACR.
        rdf: RDF of TM 4.0, one over the paper's RDFF: a BRM with CI takes `rdf` * ACR.
        nrm: Cells per forward RM cell.
        pcr_cells_per_second: PCR; BW if None.
        mcr_cells_per_second: MCR.
        decrease: `continuous` is the paper's law: ACR decays at kappa = BW rdf / (N Nrm).
            `per-cell` is ours: every BRM leaves the share 1 - rdf, so that kappa = -ln(1 - rdf) BW
            / (N Nrm). Both agree for small `rdf`; the simulator decreases per cell.
        rm_cells: `ignored`: ACR, BW and queue count all cells. So do the simulator and TM 4.0,
            where one of each Nrm cells is the forward RM cell. `corrected`: ACR and queue count
            data cells only, with an additional RM cell after each Nrm of them, for which the paper
            replaces BW by BW Nrm / (Nrm + 1).
        growth: Law of ACR while the queue is empty. `immediate` is the paper's approximation
            dACR/dt = AIR ACR(t). `delayed` is ours: RM cells arrive as fast as ACR was a round trip
            ago, and the slowest mode of dACR/dt = AIR ACR(t - tau) grows at W(AIR tau) / tau.

    Raises:
        AssumptionError: A value is outside the model's assumptions; the message names it.
    """

    sources: npt.ArrayLike
    bandwidth_cells_per_second: npt.ArrayLike
    round_trip_seconds: npt.ArrayLike
    high_cells: npt.ArrayLike
    low_cells: npt.ArrayLike | None = None
    rif: npt.ArrayLike = 1 / 16
    rdf: npt.ArrayLike = 1 / 16
    nrm: npt.ArrayLike = 32
    pcr_cells_per_second: npt.ArrayLike | None = None
    mcr_cells_per_second: npt.ArrayLike = 0.0
    decrease: Decrease = "continuous"
    rm_cells: RmCells = "ignored"
    growth: Growth = "immediate"

    def __post_init__(self) -> None:
        defaults = {
            "low_cells": self.high_cells,
            "pcr_cells_per_second": self.bandwidth_cells_per_second,
        }
        for name, value in defaults.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        for name in NUMBERS:
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        self._check()
        np.broadcast_shapes(*(getattr(self, name).shape for name in NUMBERS))

    def _check(self) -> None:
        for name, kind in (("decrease", Decrease), ("rm_cells", RmCells), ("growth", Growth)):
            value, allowed = getattr(self, name), get_args(kind)
            if value not in allowed:
                raise ValueError(f"{name} = {value!r}: must be one of {', '.join(allowed)}")
        # The factors are checked first, because the corrected BW is computed from Nrm.
        self._check_factors()
        self._check_network()
        self._check_rates()

    def _check_factors(self) -> None:
        """Refuses factors that do not change ACR, or change it by more than PCR or ACR itself."""
        rif, rdf, nrm = np.asarray(self.rif), np.asarray(self.rdf), np.asarray(self.nrm)
        require((rif > 0) & (rif <= 1), "rif", rif, "must be above 0 and at most 1")
        allowed = (
            "must be above 0 and at most 1: RDFF = 1/rdf below 1 would take more than all of ACR"
        )
        require((rdf > 0) & (rdf <= 1), "rdf", rdf, allowed)
        if self.decrease == "per-cell":
            require(rdf < 1, "rdf", rdf, "must be below 1: one BRM would end all sending")
        require_finite(nrm=nrm)
        require(nrm >= 2, "nrm", nrm, "must be at least 2: a forward RM cell and a data cell")

    def _check_network(self) -> None:
        """Refuses a network without sources, link, delay or thresholds."""
        require_finite(sources=self.n, round_trip_seconds=self.tau)
        require(self.n >= 1, "sources", self.n, "must be at least 1, or no source sends")
        require_positive(bandwidth_cells_per_second=self.bw)
        allowed = "must be above 0: the feedback delay causes the model's cycle"
        require(self.tau > 0, "round_trip_seconds", self.tau, allowed)
        require_positive(high_cells=self.high, low_cells=self.low)
        allowed = "must be at most high_cells: congestion ends below where it begins"
        require(self.low <= self.high, "low_cells", self.low, allowed)

    def _check_rates(self) -> None:
        """Refuses a PCR that cannot fill the link, and an MCR that overloads the link for ever."""
        require_positive(pcr_cells_per_second=self.pcr)
        require_not_negative(mcr_cells_per_second=self.mcr)
        allowed = "sources * PCR must exceed the bandwidth, or there is no bottleneck"
        require(self.pcr * self.n > self.bw, "pcr_cells_per_second", self.pcr, allowed)
        allowed = "sources * MCR must be below the bandwidth, or the queue grows without end"
        require(self.mcr * self.n < self.bw, "mcr_cells_per_second", self.mcr, allowed)

    def with_(self, **changes: npt.ArrayLike | None) -> EfciLoop:
        """The same loop with other values, checked again."""
        return replace(self, **cast(dict[str, Any], changes))

    def with_cell_delays(self, hops: int = 4) -> EfciLoop:
        """The same loop with the delay that whole cells add to tau, (N + hops) / BW (our addition).

        A forward RM cell reports the mark of the last data cell of its source, which left the
        switch N cells earlier. And each hop of the loop transmits whole cells.

        Args:
            hops: Number of links in the loop; four with one link between each host and the switch.
        """
        cells = (self.n + hops) / np.asarray(self.bandwidth_cells_per_second)
        return self.with_(round_trip_seconds=self.tau + cells)

    def where(self, chosen: npt.NDArray[np.bool_]) -> EfciLoop:
        """The loops that a mask of the loop's shape selects, in an array of one dimension."""
        spread = {name: np.broadcast_to(getattr(self, name), self.shape) for name in NUMBERS}
        return self.with_(**{name: values[chosen] for name, values in spread.items()})

    @property
    def n(self) -> Floats:
        """Number of connections N_VC."""
        return np.asarray(self.sources)

    @property
    def tau(self) -> Floats:
        """Round trip in seconds."""
        return np.asarray(self.round_trip_seconds)

    @property
    def high(self) -> Floats:
        """Upper queue threshold Q_H in cells."""
        return np.asarray(self.high_cells)

    @property
    def low(self) -> Floats:
        """Lower queue threshold Q_L in cells."""
        return np.asarray(self.low_cells)

    @property
    def pcr(self) -> Floats:
        """PCR in cells/s."""
        return np.asarray(self.pcr_cells_per_second)

    @property
    def mcr(self) -> Floats:
        """MCR in cells/s."""
        return np.asarray(self.mcr_cells_per_second)

    @cached_property
    def bw(self) -> Floats:
        """Link rate BW in cells/s, or BW' (section II.A) with the correction for RM cells."""
        bandwidth, nrm = np.asarray(self.bandwidth_cells_per_second), np.asarray(self.nrm)
        shared = nrm / (nrm + 1) if self.rm_cells == "corrected" else np.ones(())
        return np.asarray(bandwidth * shared, dtype=np.float64)

    @cached_property
    def air(self) -> Floats:
        """AIR in 1/s: increase of ACR by a BRM, divided by the cells between BRMs."""
        return np.asarray(np.asarray(self.rif) * self.pcr / np.asarray(self.nrm), dtype=np.float64)

    @cached_property
    def rdf_cells(self) -> Floats:
        """RDF of the paper in cells, RDFF * Nrm; N RDF served cells divide ACR by e."""
        return self.bw / (self.n * self.kappa)

    @cached_property
    def kappa(self) -> Floats:
        """Rate of decay of ACR under congestion, in 1/s: BW / (N RDF) of the paper."""
        rdf = np.asarray(self.rdf)
        taken = -np.log1p(-rdf) if self.decrease == "per-cell" else rdf
        kappa: Floats = taken * self.bw / (self.n * np.asarray(self.nrm))
        return kappa

    @cached_property
    def lam(self) -> Floats:
        """Rate of growth of ACR while the queue is empty, in 1/s."""
        if self.growth == "immediate":
            return self.air
        # The type stub of lambertw lacks arrays of floats.
        mode: Floats = lambertw(self.air * self.tau).real  # type: ignore[call-overload]
        return np.asarray(mode / self.tau)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape that the parameters broadcast to."""
        return np.broadcast_shapes(*(getattr(self, name).shape for name in NUMBERS))


NUMBERS = tuple(
    f.name for f in fields(EfciLoop) if f.name not in ("decrease", "rm_cells", "growth")
)
