"""Max-min fair rates as a formula of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cellrate.theory.formula import Formula
from cellrate.theory.max_min import Fairness, max_min


def _result(attribute: str) -> Callable[..., Any]:
    """Function that computes one part of the solution."""

    def part(
        links_bits_per_second: Mapping[str, float],
        flows: Mapping[str, Sequence[str]],
        *,
        mcr_bits_per_second: Mapping[str, float] | None = None,
        pcr_bits_per_second: Mapping[str, float] | None = None,
        weights: Mapping[str, float] | None = None,
        fairness: Fairness = "mcr-plus-share",
    ) -> dict[str, Any]:
        """One part of the solution.

        Args:
            links_bits_per_second: Rate of each link for these flows, as "L1=150 Mbit/s, L2=...".
            flows: Links of each flow, as "A=L1+L2, B=L1".
            mcr_bits_per_second: Least rates of flows, as "A=1 Mbit/s"; 0 for flows not named.
            pcr_bits_per_second: Greatest rates of flows; no limit for flows not named.
            weights: Weights of flows, as "A=2"; 1 for flows not named.
            fairness: Definition of a flow's rate by its share.
        """
        solution = max_min(
            links_bits_per_second,
            flows,
            mcr=mcr_bits_per_second,
            pcr=pcr_bits_per_second,
            weights=weights,
            fairness=fairness,
        )
        values: dict[str, Any] = getattr(solution, attribute)
        return values

    return part


FORMULA = Formula(
    name="max-min",
    about="max-min fair rates of flows over a graph of links",
    equation="rate = min(PCR, MCR + weight share); the share rises until a link is full",
    source="ATM Forum Traffic Management 4.0, appendix I.3; Bertsekas and Gallager 1992, 6.5.2",
    results={
        "rates_bits_per_second": _result("rates"),
        "bottlenecks": _result("bottlenecks"),
        "loads_bits_per_second": _result("loads"),
        "advertised_bits_per_second": _result("advertised"),
    },
    python=("max_min",),
)
