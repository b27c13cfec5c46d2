"""Sets of RIF and RDF that are shown in a feasible region, and those of the paper."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """A set that is shown in the region.

    Attributes:
        rif: RIF.
        rdf: RDF.
        label: Its name, if it has one.
        loss_ratio: Share of cells lost, if it was simulated.
        utilisation: Share of the bottleneck used, if it was simulated.
    """

    rif: float
    rdf: float
    label: str = ""
    loss_ratio: float | None = None
    utilisation: float | None = None


# Sets of Ohsaki et al. 1995: section III.A, and section III.C for 300 and 10 Kbyte.
OHSAKI_POINTS = (
    Point(1 / 64, 1 / 16, "default"),
    Point(1 / 128, 1 / 2, "tuned, N = 10"),
    Point(1 / 128, 1 / 4, "tuned, N = 30"),
    Point(1 / 256, 1 / 2, "10 Kbyte, no loss"),
    Point(1 / 256, 1 / 4, "10 Kbyte, full link"),
)
