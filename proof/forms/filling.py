"""Max-min fair rates in exact fractions, independent of the package's (`cellrate.theory`).

All rates rise together. A link that is full stops the rates of the flows that cross it; all other
rates rise further (Bertsekas and Gallager, Data Networks, section 6.5.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from proof.forms.graphs import Graph, Hop

BACKWARD_SHARE = Fraction(1, 31)
"""Cells of a backward channel without data, for each cell of the flow: the flow's every 32nd cell
returns as a backward RM cell, and every 32nd cell of the channel is a forward RM cell (TM 4.0,
source rule 3)."""
_STEPS = 40
_NEAR = Fraction(1, 10**6)


def filled(capacities: Mapping[Hop, Fraction], ways: Sequence[Sequence[Hop]]) -> list[Fraction]:
    """Max-min fair rate on each path `ways` through links with these capacities."""
    left = dict(capacities)
    rates: list[Fraction | None] = [None] * len(ways)
    while None in rates:
        levels = []
        for hop, capacity in left.items():
            sharers = sum(
                rate is None and hop in way for rate, way in zip(rates, ways, strict=True)
            )
            if sharers:
                levels.append((capacity / sharers, hop))
        level, full = min(levels)
        for number, way in enumerate(ways):
            if rates[number] is None and full in way:
                rates[number] = level
                for hop in way:
                    left[hop] -= level
    return [rate for rate in rates if rate is not None]


def fair_rates(graph: Graph, target: Fraction) -> list[Fraction]:
    """Max-min fair rates of the flows in kbit/s, within a millionth, RM cells counted.

    `target` is the share of each link that is allocated. The rate of a backward channel follows
    from the rate of its flow, so the links are filled again until the rates no longer change.
    """
    ways = graph.flows
    rates = [Fraction(0)] * len(ways)
    for _ in range(_STEPS):
        left = _capacities(graph, target)
        for flow, rate in enumerate(rates):
            for hop in graph.backward(flow):
                left[hop] -= BACKWARD_SHARE * rate
        # Rounded, since denominators would grow with every step.
        found = [Fraction(round(rate * 10**9), 10**9) for rate in filled(left, ways)]
        if all(abs(a - b) <= _NEAR * a for a, b in zip(found, rates, strict=True)):
            return found
        rates = found
    raise ArithmeticError(f"rates do not settle: {graph}")


def rates_among_all_channels(graph: Graph, target: Fraction) -> list[Fraction]:
    """Max-min fair rates of the flows in kbit/s if every backward channel had data without end."""
    backward = [graph.backward(flow) for flow in range(len(graph.flows))]
    both = filled(_capacities(graph, target), [*graph.flows, *backward])
    return both[: len(graph.flows)]


def _capacities(graph: Graph, target: Fraction) -> dict[Hop, Fraction]:
    return {
        (number, onward): target * link.kbit
        for number, link in enumerate(graph.links)
        for onward in (True, False)
    }
