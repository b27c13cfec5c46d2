"""Several groups of sources that share one queue: an extension of the fluid model.

The paper leaves sources with different delays to future work. What changes for group g, of N_g
sources and round trip tau_g, is how many RM cells return: the link serves cells in the order of
their arrival, so that of the cells which leave at s the share of group g is what it was of the
arrivals when they came, a queueing delay before. With d_g(s) for its departures (d_g = a_g while
the queue is empty), every law of the model is

    da_g/ds = AIR_g d_g(s - tau_g)                     not congested at s - tau_g
            = -taken_g a_g d_g(s - tau_g) / (N_g Nrm)  congested at s - tau_g

where `taken` is RDF, or -ln(1 - RDF) per cell. For one group d = BW, and these are the model's. The
delay of a group counts from the switch and back to it; the queue itself delays no mark, which is
set when a cell leaves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cellrate.theory.assumptions import require
from cellrate.theory.efci.loop import EfciLoop, Floats


@dataclass(frozen=True, eq=False)
class Groups:
    """Constants of groups at one queue, an entry for each; times are in seconds.

    Attributes:
        bandwidth: BW in cells/s.
        sources: N_g.
        tau: Round trips tau_g.
        high: Q_H in cells.
        low: Q_L in cells.
        air: AIR_g in 1/s.
        decay: Rate of decay of a group that had the link for itself, in 1/s.
        delayed: Whether growth from an empty queue is delayed, see `EfciLoop.growth`.
    """

    bandwidth: float
    sources: Floats
    tau: Floats
    high: float
    low: float
    air: Floats
    decay: Floats
    delayed: bool

    @classmethod
    def of(cls, loops: Sequence[EfciLoop]) -> Groups:
        """Groups from a loop of each, as if it had queue and link for itself.

        Raises:
            AssumptionError: They differ in bandwidth or thresholds, or how RM cells are counted.
            ValueError: There is none, or one holds arrays.
        """
        if not loops or any(loop.shape for loop in loops):
            raise ValueError("groups are one or more loops, each without arrays")
        first = loops[0]
        for loop in loops[1:]:
            for name, own, shared in (
                ("bandwidth_cells_per_second", loop.bw, first.bw),
                ("high_cells", loop.high, first.high),
                ("low_cells", loop.low, first.low),
            ):
                require(own == shared, name, own, "groups share link and queue")
            require(
                loop.growth == first.growth, "growth", loop.growth, "must be that of all groups"
            )
        return cls(
            bandwidth=float(first.bw),
            sources=np.array([float(loop.n) for loop in loops]),
            tau=np.array([float(loop.tau) for loop in loops]),
            high=float(first.high),
            low=float(first.low),
            air=np.array([float(loop.air) for loop in loops]),
            decay=np.array([float(loop.kappa) for loop in loops]),
            delayed=first.growth == "delayed",
        )
