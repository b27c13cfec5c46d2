"""What flows ask of links before anything runs."""

from __future__ import annotations

import math

from cellrate.network.parts import Flow, Link
from cellrate.network.view import Network


def mean_cells_per_second(flow: Flow) -> float | None:
    """Mean rate of the flow's source; None if it takes what the network gives it."""
    return None if flow.own_rate is None else flow.own_rate.mean_cells_per_second


def peak_cells_per_second(flow: Flow) -> float:
    """The fastest that cells of the flow can leave its host.

    That is the rate of its access link, PCR, or the peak rate of its source. A limited TCP window
    is not considered.
    """
    rates = [flow.access.cells_per_second]
    if flow.abr is not None:
        rates.append(flow.abr.pcr_cells_per_second)
    if flow.own_rate is not None:
        rates.append(flow.own_rate.peak_cells_per_second)
    return min(rates)


def offered_cells_per_second(network: Network, link: Link) -> float:
    """What the flows over a link could bring to it together, each as fast as its way allows."""
    return sum(
        min(peak_cells_per_second(flow), *(hop.cells_per_second for hop in _before(flow, link)))
        for flow in network.flows_over(link)
    )


def overloaded_ports(network: Network) -> tuple[Link, ...]:
    """Ports whose flows together could bring more than the link carries: where queues can grow."""
    return tuple(
        port
        for port in network.ports
        if offered_cells_per_second(network, port) > port.cells_per_second
    )


def capacity_left_cells_per_second(network: Network, link: Link) -> float:
    """Mean rate that flows with rates of their own leave to those that take what they can get.

    Flows in a lower priority than every elastic flow of the link take nothing away.
    """
    flows = network.flows_over(link)
    queue = {flow: link.switch.queue_of(flow.service) if link.is_port else 0 for flow in flows}
    last = max((queue[flow] for flow in flows if flow.is_elastic), default=math.inf)
    taken = sum(mean_cells_per_second(flow) or 0.0 for flow in flows if queue[flow] <= last)
    return link.cells_per_second - taken


def _before(flow: Flow, link: Link) -> tuple[Link, ...]:
    """Links of the flow before the link; its access link at least."""
    return flow.forward[: flow.forward.index(link)] or (flow.access,)
