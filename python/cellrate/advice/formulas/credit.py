"""The buffer of a channel under credit-based flow control (Gerla et al. 1995, section II.B)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from cellrate.advice.formulas.situation import DoesNotApply, PortFormula, Result, Situation
from cellrate.simulation.network import UNDER_CREDIT, Flow, Link, Network
from cellrate.simulation.network.ends import Parameters
from cellrate.theory import credit


def _admitted_cells(situation: Situation) -> Result:
    """Cells that the flows over a port could send without a new credit, each at the port's rate.

    The round trip of a flow is that of its link into the switch of the port.
    """
    if situation.network.credit is not None:
        return _given_credits(situation, situation.network.credit)
    asked = situation.credit_cells
    if asked is None:
        reason = f"the port does not use credit control but `{situation.switch.scheme}`"
        raise DoesNotApply(reason)
    before = _before(situation, situation.flows)
    rate = situation.port.bits_per_second
    cells = sum(
        float(credit.credit_buffer_cells(2 * link.delay_seconds, rate, asked)) for link in before
    )
    given = {
        "round_trip_seconds": max((2 * link.delay_seconds for link in before), default=0.0),
        "target_bits_per_second": rate,
        "credit_cells": float(asked),
        "channels": float(len(before)),
    }
    fails = (f"the port uses credit control, but here it uses `{situation.switch.scheme}`",)
    return Result(cells, given, fails)


def _given_credits(situation: Situation, control: Parameters) -> Result:
    """Cells that channels under credit control may have in the port: N2 + N3 for each channel.

    The channels of acknowledgements of flows in the other direction count, too.
    """
    if control["allocation"] != "static":
        raise DoesNotApply(
            "buffers are allocated adaptively, so the memory of the switch is the bound"
        )
    ways = _ways_under_credit(situation.network, situation.port)
    cells = reserved_cells(situation.network, situation.port)
    given = {"credit_cells": float(control["n2_cells"]), "channels": float(len(ways))}
    return Result(cells, given)


def reserved_cells(network: Network, port: Link) -> float:
    """Cells that static credits reserve at a port: N2 + N3 of each forward or backward channel."""
    control = network.credit
    if control is None:
        return 0.0
    n2 = float(control["n2_cells"])
    before = (way[way.index(port) - 1] for way in _ways_under_credit(network, port))
    return sum(n2 + _n3(control, link) for link in before)


def _ways_under_credit(network: Network, port: Link) -> list[tuple[Link, ...]]:
    """Links of each channel under credit control over a port, in either direction of its flow."""
    return [
        way
        for flow in network.flows
        for way, service in ((flow.forward, flow.service), (flow.backward, flow.ack_service))
        if port in way and service in UNDER_CREDIT
    ]


def _n3(control: Parameters, link: Link) -> float:
    """N3 of a channel: cells that arrive in the link's round trip, two cell times included."""
    if control["n3_cells"] is not None:
        return float(control["n3_cells"])
    rate = control["vc_rate_bits_per_second"] or link.bits_per_second
    round_trip = 2 * link.delay_seconds + 2 / link.cells_per_second
    return float(credit.credit_round_trip_cells(round_trip, rate))


def credited_cells_per_second(
    control: Parameters, way: Sequence[Link], back: Sequence[Link], service: str
) -> float:
    """Greatest rate of a channel by its credits, at the slowest hop; infinity without a limit.

    Args:
        control: Credit control of the network.
        way: Links of the channel, in order.
        back: Links in the other direction, over which credits return.
        service: Class of the channel.
    """
    return min(
        (
            float(
                credit.credit_rate_cells_per_second(
                    link.delay_seconds
                    + other.delay_seconds
                    + 1 / link.cells_per_second
                    + 1 / port.cells_per_second
                    + 1 / other.cells_per_second,
                    _n3(control, link),
                    float(control["n2_cells"]),
                    link.cells_per_second,
                )
            )
            for link, port, other in _hops(control, way, back, service)
        ),
        default=math.inf,
    )


def credit_burst_cells(
    control: Parameters, way: Sequence[Link], back: Sequence[Link], service: str
) -> float:
    """Cells that a channel may have at all its hops together: the sum of N2 + N3."""
    n2 = float(control["n2_cells"])
    return sum(n2 + _n3(control, link) for link, *_ in _hops(control, way, back, service))


def _hops(
    control: Parameters, way: Sequence[Link], back: Sequence[Link], service: str
) -> Iterator[tuple[Link, Link, Link]]:
    """Links into switches under static credits, each with the port behind it and the way back."""
    if service not in UNDER_CREDIT or control["allocation"] != "static":
        return
    ways = {(link.sender, link.receiver): link for link in back}
    for link, port in pairwise(way):
        other = ways.get((link.receiver, link.sender))
        if other is not None:
            yield link, port, other


def _before(situation: Situation, flows: Iterable[Flow]) -> list[Link]:
    """For each flow the link by which it enters the port's switch."""
    return [flow.forward[flow.forward.index(situation.port) - 1] for flow in flows]


[FORMULA] = [formula for formula in credit.FORMULAE if formula.name == "credit-buffer"]
BUFFER = PortFormula(
    FORMULA.name,
    "N2 + N3 cells of each channel: the most that credits would admit to the port",
    FORMULA.source,
    _admitted_cells,
    holds_under_credit=True,
)
