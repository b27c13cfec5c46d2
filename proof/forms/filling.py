"""Max-min fair rates of the flows of a graph by the package's closed form, RM cells counted."""

from collections.abc import Mapping, Sequence

import numpy as np
from cellrate.theory import max_min

from proof.forms.graphs import Graph, Hop

BACKWARD_SHARE = 1 / 31
"""Cells of a backward channel without data, for each cell of the flow: the flow's every 32nd cell
returns as a backward RM cell, and every 32nd cell of the channel is a forward RM cell (TM 4.0,
source rule 3)."""
_STEPS = 40


def fair_rates(graph: Graph, target: float) -> list[float]:
    """Max-min fair rates of the flows in kbit/s, within a millionth, RM cells counted.

    `target` is the share of each link that is allocated. The rate of a backward channel follows
    from the rate of its flow, so the links are filled again until the rates no longer change.
    """
    rates = [0.0] * len(graph.flows)
    for _ in range(_STEPS):
        left = _capacities(graph, target)
        for flow, rate in enumerate(rates):
            for hop in graph.backward(flow):
                left[hop] -= BACKWARD_SHARE * rate
        found = _filled(left, graph.flows)
        if np.allclose(found, rates, rtol=1e-6, atol=0):
            return found
        rates = found
    raise ArithmeticError(f"rates do not settle: {graph}")


def rates_among_all_channels(graph: Graph, target: float) -> list[float]:
    """Max-min fair rates of the flows in kbit/s if every backward channel had data without end."""
    backward = [graph.backward(flow) for flow in range(len(graph.flows))]
    both = _filled(_capacities(graph, target), [*graph.flows, *backward])
    return both[: len(graph.flows)]


def _filled(capacities: Mapping[Hop, float], ways: Sequence[Sequence[Hop]]) -> list[float]:
    links = {str(hop): capacity for hop, capacity in capacities.items()}
    flows = {str(number): [str(hop) for hop in way] for number, way in enumerate(ways)}
    return list(max_min(links, flows).rates.values())


def _capacities(graph: Graph, target: float) -> dict[Hop, float]:
    return {
        (number, onward): target * link.kbit
        for number, link in enumerate(graph.links)
        for onward in (True, False)
    }
