"""Several groups of sources that share one queue: an extension of the fluid model.

The paper leaves sources with different delays to future work. For group g, with N_g sources and
round trip tau_g, only the number of returning RM cells changes. The link serves cells in the order
of arrival, so the share of group g among the cells that leave at s is its share of the arrivals a
queueing delay before. With d_g(s) for its departures (d_g = a_g while the queue is empty), every
law of the model is

    da_g/ds = AIR_g d_g(s - tau_g)                     not congested at s - tau_g
            = -taken_g a_g d_g(s - tau_g) / (N_g Nrm)  congested at s - tau_g

where `taken` is RDF, or -ln(1 - RDF) per cell. For one group d = BW, and these are the laws of the
model. The delay of a group is from the switch back to the switch. The queue does not delay marks,
because a cell is marked when it leaves the queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cellrate.theory.assumptions import require
from cellrate.theory.efci.loop import EfciLoop, Floats


@dataclass(frozen=True, eq=False)
class Groups:
    """Constants of the groups that share a queue; arrays have an entry per group.

    Attributes:
        bandwidth: BW in cells/s.
        sources: N_g.
        tau: Round trips tau_g in seconds.
        high: Q_H in cells.
        low: Q_L in cells.
        air: AIR_g in 1/s.
        decay: Rate of decay of each group if it had the link alone, in 1/s.
        delayed: True if growth from an empty queue is delayed, see `EfciLoop.growth`.
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
        """Groups from a loop per group; each loop is written as if the group were alone.

        Raises:
            AssumptionError: The loops differ in bandwidth (corrected for RM cells or not),
                thresholds or growth.
            ValueError: There is no loop, or a loop holds arrays.
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
