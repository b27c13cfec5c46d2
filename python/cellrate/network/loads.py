"""What flows ask of links before anything runs."""

from __future__ import annotations

import math
from collections.abc import Callable

from cellrate.network.parts import Flow, Link, Parameters
from cellrate.network.view import Network

# Mean and peak rate of sources that send by themselves, whatever the network does.
RATES: dict[str, Callable[[Parameters], tuple[float, float]]] = {
    "cbr": lambda source: (source["rate_cells_per_second"], source["rate_cells_per_second"]),
    # Any number of cells may be generated at once: the access link alone spaces them.
    "poisson": lambda source: (source["rate_cells_per_second"], math.inf),
    "on-off": lambda source: (
        source["peak_cells_per_second"] * source["duty_cycle"],
        source["peak_cells_per_second"],
    ),
}
# Sources that take whatever they are given.
ELASTIC = frozenset({"greedy", "transfer", "persistent"})


def is_elastic(flow: Flow) -> bool:
    """Whether the flow takes what the network gives it.

    Raises:
        ValueError: Nothing is known of sources of its kind.
    """
    if flow.kind not in ELASTIC and flow.kind not in RATES:
        raise ValueError(f"the mean rate of a source {flow.kind!r} ({flow.name}) is not known here")
    return flow.kind in ELASTIC


def mean_cells_per_second(flow: Flow) -> float | None:
    """Mean rate of the flow's source; None if it takes what the network gives it.

    Raises:
        ValueError: Nothing is known of sources of its kind.
    """
    return None if is_elastic(flow) else RATES[flow.kind](flow.source)[0]


def peak_cells_per_second(flow: Flow) -> float:
    """The fastest that cells of the flow can leave its host.

    That is the rate of its access link, PCR, or the peak rate of its source. A limited TCP window
    is not considered.

    Raises:
        ValueError: Nothing is known of sources of its kind.
    """
    rates = [flow.access.cells_per_second]
    if flow.abr is not None:
        rates.append(flow.abr.pcr_cells_per_second)
    if not is_elastic(flow):
        rates.append(RATES[flow.kind](flow.source)[1])
    return min(rates)


def offered_cells_per_second(network: Network, link: Link) -> float:
    """What the flows over a link could bring to it together, each as fast as its way allows.

    Raises:
        ValueError: Nothing is known of the sources of a flow.
    """
    return sum(
        min(peak_cells_per_second(flow), *(hop.cells_per_second for hop in _before(flow, link)))
        for flow in network.flows_over(link)
    )


def overloaded_ports(network: Network) -> tuple[Link, ...]:
    """Ports whose flows together could bring more than the link carries: where queues can grow.

    Raises:
        ValueError: Nothing is known of the sources of a flow.
    """
    return tuple(
        port
        for port in network.ports
        if offered_cells_per_second(network, port) > port.cells_per_second
    )


def capacity_left_cells_per_second(network: Network, link: Link) -> float:
    """Mean rate that flows with rates of their own leave to those that take what they can get.

    Flows in a lower priority than every elastic flow of the link take nothing away.

    Raises:
        ValueError: Nothing is known of the sources of a flow.
    """
    flows = network.flows_over(link)
    queue = {flow: link.switch.queue_of(flow.service) if link.is_port else 0 for flow in flows}
    last = max((queue[flow] for flow in flows if is_elastic(flow)), default=math.inf)
    taken = sum(mean_cells_per_second(flow) or 0.0 for flow in flows if queue[flow] <= last)
    return link.cells_per_second - taken


def _before(flow: Flow, link: Link) -> tuple[Link, ...]:
    """Links of the flow before the link; its access link at least."""
    return flow.forward[: flow.forward.index(link)] or (flow.access,)
