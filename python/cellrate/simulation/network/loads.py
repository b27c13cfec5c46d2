"""Loads that flows put on links, and their fair shares, computed without a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from cellrate.simulation.network.elements import Flow, Link
from cellrate.simulation.network.view import Network
from cellrate.theory import MaxMin, max_min
from cellrate.theory.assumptions import require
from cellrate.theory.max_min import Fairness

UNDER_CREDIT = frozenset({"ubr", "random"})
"""Service classes whose channels wait for credits under credit control."""


def mean_cells_per_second(flow: Flow) -> float | None:
    """Mean rate of the flow behind its first switch; None if the flow is elastic.

    The mean rate of the source, but at most the sustained rate of a shaper, or of a policer that
    drops cells: SCR, or PCR without SCR. A policer may let less pass of a source in bursts.
    """
    if flow.own_rate is None:
        return None
    return min(flow.own_rate.mean_cells_per_second, contract_cells_per_second(flow))


def contract_cells_per_second(flow: Flow) -> float:
    """Greatest long-run rate that a shaper, or a policer that drops cells, lets pass.

    The least of PCR and SCR of both; infinity without such a contract.
    """
    return min(
        (
            float(contract[key])
            for contract in flow.enforced_contracts
            for key in ("pcr_cells_per_second", "scr_cells_per_second")
            if contract.get(key) is not None
        ),
        default=math.inf,
    )


def peak_cells_per_second(flow: Flow) -> float:
    """Greatest rate at which cells of the flow can leave its host.

    The least of the rate of the access link, the PCR of ABR, the PCR of a shaper, and the peak
    rate of the source. A limited TCP window is not considered.
    """
    rates = [flow.access.cells_per_second]
    if flow.abr is not None:
        rates.append(flow.abr.greatest_cells_per_second)
    if flow.shaper is not None:
        rates.append(flow.shaper["pcr_cells_per_second"])
    if flow.own_rate is not None:
        rates.append(flow.own_rate.peak_cells_per_second)
    return min(rates)


def offered_cells_per_second(network: Network, link: Link) -> float:
    """Greatest total rate at which flows can reach a link through the links before it."""
    known = network.known_offered
    if link not in known:
        known[link] = _at_most(network.flows_over(link), link, peak_cells_per_second)
    return known[link]


def lasting_cells_per_second(network: Network, link: Link) -> float:
    """Greatest long-run total rate that shapers and policers let flows bring to a link."""
    return _at_most(network.flows_over(link), link, _lasting_cells_per_second)


def certain_cells_per_second(network: Network, link: Link) -> float:
    """Lower bound of the long-run rate at which cells reach a link, whatever the network does.

    Counts flows that nothing slows down, neither TCP, ABR, credits, a policer nor a shaper: sources
    with their own rates at their mean rates, all others at the rate of their access link. On each
    link before this one, they get only the capacity that the other flows of the link must leave.
    """
    held = frozenset() if network.credit is None else UNDER_CREDIT
    flows = (flow for flow in network.flows_over(link) if flow.service not in held)
    return _at_least(network, filter(_is_unchecked, flows), link)


def booked_cells_per_second(network: Network, link: Link) -> float:
    """Rate that a link has promised: mean rates of sources that do not yield, and MCRs.

    Counts the MCRs of ABR, also of channels of acknowledgements, and those of GFR.
    """
    back = (flow for flow in network.flows if link in flow.backward)
    return sum(map(_promised_cells_per_second, network.flows_over(link))) + sum(
        flow.abr.mcr_cells_per_second for flow in back if flow.abr and flow.ack_service == "abr"
    )


def _promised_cells_per_second(flow: Flow) -> float:
    if flow.abr is not None:
        return flow.abr.mcr_cells_per_second
    if flow.gfr is not None:
        return float(flow.gfr["mcr_cells_per_second"])
    return mean_cells_per_second(flow) or 0.0


def overloaded_ports(network: Network) -> tuple[Link, ...]:
    """Ports where queues can grow, since their flows together can exceed the link's rate."""
    return tuple(link for link in network.links if can_be_overloaded(network, link))


def can_be_overloaded(network: Network, link: Link) -> bool:
    """True if the link is a port whose flows together can exceed its rate."""
    return link.is_port and offered_cells_per_second(network, link) > link.cells_per_second


def capacity_left_cells_per_second(network: Network, link: Link) -> float:
    """Mean capacity of a link that flows with their own rates leave to elastic flows.

    Flows with a lower priority than every elastic flow of the link take no capacity. A queue with
    a weight takes its mean rate, but at most its share while the elastic flows have cells.
    """
    flows = network.flows_over(link)
    if link.is_port and link.switch.queue_weights and any(flow.is_elastic for flow in flows):
        return _left_by_weights(flows, link)
    queue = {flow: link.switch.queue_of(flow.service) if link.is_port else 0 for flow in flows}
    last = max((queue[flow] for flow in flows if flow.is_elastic), default=math.inf)
    taken = sum(mean_cells_per_second(flow) or 0.0 for flow in flows if queue[flow] <= last)
    return link.cells_per_second - taken


def service_cells_per_second(network: Network, port: Link) -> float:
    """Least mean rate at which a port serves its last queue.

    The last queue is that of the elastic flows with the lowest priority or, without elastic flows,
    the queue served last. Only flows in queues of higher priority reduce the rate: sources with
    their own rates by their mean rates, elastic flows by the most that they can bring.
    """
    flows = network.flows_over(port)
    queue = {flow: port.switch.queue_of(flow.service) for flow in flows}
    if port.switch.queue_weights and flows:
        asked = _asked(flows, port)
        last = max((q for q in asked if math.isinf(asked[q])), default=max(asked))
        return _served_cells_per_second(port, {**asked, last: math.inf})[last]
    last = max((queue[f] for f in flows if f.is_elastic), default=max(queue.values(), default=0))
    first = [flow for flow in flows if queue[flow] < last]
    elastic = [flow for flow in first if flow.is_elastic]
    taken = sum(mean_cells_per_second(flow) or 0.0 for flow in first)
    return port.cells_per_second - taken - _at_most(elastic, port, _lasting_cells_per_second)


def _left_by_weights(flows: Sequence[Flow], port: Link) -> float:
    asked = _asked(flows, port)
    served = _served_cells_per_second(port, asked)
    elastic = {queue for queue, rate in asked.items() if math.isinf(rate)}
    beside = sum(
        mean_cells_per_second(flow) or 0.0
        for flow in flows
        if port.switch.queue_of(flow.service) in elastic
    )
    return sum(served[queue] for queue in elastic) - beside


def _asked(flows: Iterable[Flow], port: Link) -> dict[int, float]:
    """Mean rate that the flows of each queue bring to a port; infinity with elastic flows."""
    asked: dict[int, float] = {}
    for flow in flows:
        queue, mean = port.switch.queue_of(flow.service), mean_cells_per_second(flow)
        asked[queue] = asked.get(queue, 0.0) + (math.inf if mean is None else mean)
    return asked


def _served_cells_per_second(port: Link, asked: Mapping[int, float]) -> dict[int, float]:
    """Rate of each queue of a port, if the queues have cells at the rates that they ask for.

    Queues that ask for less than their share leave the rest to the others, by weight.
    """
    weights, left = port.switch.queue_weights, port.cells_per_second
    served: dict[int, float] = {}
    for queue in sorted(asked.keys() - weights.keys()):
        served[queue] = min(asked[queue], left)
        left -= served[queue]
    waiting = asked.keys() & weights.keys()
    while waiting:
        unit = left / sum(weights[queue] for queue in waiting)
        content = {queue for queue in waiting if asked[queue] <= unit * weights[queue]}
        if not content:
            return served | {queue: unit * weights[queue] for queue in waiting}
        for queue in content:
            served[queue] = asked[queue]
            left -= asked[queue]
        waiting -= content
    return served


def fair_shares(
    network: Network,
    fairness: Fairness = "max-of-mcr-and-share",
    *,
    flows: Sequence[Flow] | None = None,
    offered: Callable[[Network, Link], float] = capacity_left_cells_per_second,
    with_mcr: bool = True,
    with_gfr: bool = False,
) -> MaxMin:
    """Max-min fair rates of flows in cells/s, RM cells included.

    No control scheme reads MCR, and sources keep ACR at MCR or above. So by default a rate is the
    greater of MCR and the share. Backward RM cells and acknowledgements are assumed to take no
    capacity of reverse links.

    Args:
        network: The network of a scenario.
        fairness: Definition of a flow's rate by its share, as in `cellrate.theory.max_min`.
        flows: Flows that share; the ABR flows by default.
        offered: Capacity of a link for these flows in cells/s; by default the mean capacity that
            sources with their own rates leave.
        with_mcr: False for the rates as if no flow had an MCR.
        with_gfr: True if the MCRs of GFR contracts count, too.

    Raises:
        ValueError: There are no flows to share.
        AssumptionError: A link has no capacity left, or less than its flows' MCRs.
    """
    sharing = [flow for flow in network.flows if flow.abr is not None] if flows is None else flows
    if not sharing:
        raise ValueError("the scenario has no ABR flow")
    crossed = {link for flow in sharing for link in flow.forward}
    links = {link.name: offered(network, link) for link in network.links if link in crossed}
    for name, left in links.items():
        allowed = "must be above 0 after sources that do not adapt their rates"
        require(left > 0, f"capacity left on link {name}", left, allowed)
    promised = [flow for flow in sharing if (flow.abr and with_mcr) or (flow.gfr and with_gfr)]
    return max_min(
        links,
        {flow.name: [link.name for link in flow.forward] for flow in sharing},
        mcr={flow.name: _promised_cells_per_second(flow) for flow in promised},
        pcr={flow.name: most for flow in sharing if (most := _most(flow)) < math.inf},
        fairness=fairness,
    )


def _most(flow: Flow) -> float:
    pcr = math.inf if flow.abr is None else flow.abr.pcr_cells_per_second
    return min(pcr, contract_cells_per_second(flow))


def _is_unchecked(flow: Flow) -> bool:
    limits = (flow.tcp, flow.abr, flow.policer, flow.shaper, flow.port_shaper)
    return all(limit is None for limit in limits)


def _lasting_cells_per_second(flow: Flow) -> float:
    return min(peak_cells_per_second(flow), contract_cells_per_second(flow))


def _long_run_cells_per_second(flow: Flow) -> float:
    mean = mean_cells_per_second(flow)
    return peak_cells_per_second(flow) if mean is None else mean


def _at_most(flows: Iterable[Flow], link: Link, rate: Callable[[Flow], float]) -> float:
    """Upper bound of the rate that flows bring to a link, limited by the links before it."""
    new, before = _by_hop(flows, link)
    return sum(map(rate, new)) + sum(
        min(hop.cells_per_second, _at_most(group, hop, rate)) for hop, group in before.items()
    )


def _at_least(network: Network, flows: Iterable[Flow], link: Link) -> float:
    """Lower bound of the rate that flows bring to a link if nothing slows them down."""
    new, before = _by_hop(flows, link)
    total = sum(map(_long_run_cells_per_second, new))
    for hop, group in before.items():
        others = set(network.flows_over(hop)) - set(group)
        left = hop.cells_per_second - _at_most(others, hop, _long_run_cells_per_second)
        total += min(_at_least(network, group, hop), max(0.0, left))
    return total


def _by_hop(flows: Iterable[Flow], link: Link) -> tuple[list[Flow], dict[Link, list[Flow]]]:
    """Flows by the link before a given link; flows that begin with the given link are separate."""
    new: list[Flow] = []
    before: dict[Link, list[Flow]] = {}
    for flow in flows:
        place = flow.forward.index(link)
        (before.setdefault(flow.forward[place - 1], []) if place else new).append(flow)
    return new, before
