"""Pairs of RIF and RDF to mark in a feasible region, and those of the paper."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """A pair of RIF and RDF to mark in the region.

    Attributes:
        rif: RIF.
        rdf: RDF.
        label: Name; empty if there is none.
        loss_ratio: Share of cells lost, if the pair was simulated.
        utilisation: Share of the bottleneck's capacity that was used, if the pair was simulated.
    """

    rif: float
    rdf: float
    label: str = ""
    loss_ratio: float | None = None
    utilisation: float | None = None


# Pairs of Ohsaki et al. 1995: section III.A, and section III.C for 300 and 10 Kbyte.
OHSAKI_POINTS = (
    Point(1 / 64, 1 / 16, "default"),
    Point(1 / 128, 1 / 2, "tuned, N = 10"),
    Point(1 / 128, 1 / 4, "tuned, N = 30"),
    Point(1 / 256, 1 / 2, "10 Kbyte, no loss"),
    Point(1 / 256, 1 / 4, "10 Kbyte, full link"),
)
