"""Fairness and throughput of flows: Jain's index over max-min shares, never of files."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np

from cellrate.advice.formulas.greatest_sum import greatest_sum
from cellrate.advice.tuning.measures import Criterion
from cellrate.advice.tuning.objective import Objective
from cellrate.language.ended_flows import TRANSFER
from cellrate.language.functions import jain
from cellrate.simulation.network import Network, fair_shares
from cellrate.simulation.network.elements import Flow
from cellrate.simulation.network.ethernet_view import FrameFlow, FrameNetwork, hop_rate
from cellrate.theory import AssumptionError, max_min
from cellrate.theory.cell_conversions import PAYLOAD_BYTES

Shares: TypeAlias = Mapping[str, float]
OF_MCR = "share of the MCR of "
"""Beginning of the names of criteria that compare throughput with an MCR."""
BACKGROUND = "background"
"""Name of the criterion that counts flows with rates of their own, which no control changes."""
LEFT_OUT = "Fairness is that of the flows without files, since the size of a file sets its rate."
"""A sentence on scenarios with files beside other flows."""
NO_SHARES = "Files have no fairness, since the size of a file sets its throughput."
"""A sentence on scenarios in which all flows that a control can slow transfer files."""
RELATIVE = (
    "Fairness is Jain's index of throughputs over max-min shares, since the shares of the flows "
    "differ here."
)
"""A sentence on scenarios whose flows have unequal max-min shares."""
BY_QUEUE = (
    "Fairness is the least index of Jain of the flows of one queue, since the order of service "
    "divides a line among queues."
)
"""A sentence on scenarios whose flows are in several queues over Ethernet."""
EQUAL = 1e-6
"""Relative difference up to which shares count as equal."""
KEPT_MCR = 0.95
"""Share of an MCR in payload with which a flow group counts as having it."""
WITHOUT_FILES = "no files"
"""Words in the heading of a column of such fairness."""


def _adapts(flow: Flow | FrameFlow) -> bool:
    """True if the network sets the rate of a flow, over TCP, RoCE or explicit rates."""
    if isinstance(flow, FrameFlow):
        return bool(flow.tcp or flow.roce or flow.rate_controlled)
    return flow.is_elastic


def are_files(flows: Iterable[Flow | FrameFlow]) -> bool:
    """True if all flows transfer files, except background, whose rate no control changes."""
    return {one.kind for one in flows if _adapts(one)} == {TRANSFER}


def leaves_out_files(flows: Iterable[Flow | FrameFlow]) -> bool:
    """True if files are beside other flows whose rates the network sets."""
    return len({one.kind == TRANSFER for one in flows if _adapts(one)}) > 1


def shares_of(network: Network) -> dict[str, float]:
    """Max-min shares of elastic flows in cells/s; empty if they are equal or not known.

    The share of a flow is at least its MCR, of ABR or of GFR.
    """
    elastic = [one for one in network.flows if one.is_elastic]
    try:
        found = fair_shares(network, flows=elastic, with_gfr=True).rates
    except (AssumptionError, ValueError):
        return {}
    return _unless_equal({one.name: found[one.name] for one in elastic})


def _index(flows: Iterable[Mapping[str, Any]], rate: str, shares: Shares) -> float | None:
    """Jain's index of the flows in a summary that are not files.

    Files that end have throughputs in the ratio of their sizes, whatever the control. Each
    throughput counts relative to the flow's share, if there are shares. None if all flows are files
    or these flows deliver nothing.
    """
    counted = (flow for flow in flows if flow["source"] != TRANSFER)
    rates = [flow[rate] / shares.get(flow["name"], 1.0) for flow in counted]
    return jain(rates) if any(rates) else None


def _fairness(of: Callable[[Mapping[str, Any]], float | None]) -> Criterion:
    """Takes the place of the criterion of the same name, which counts all flows alike."""
    about = "Jain's index over the flows that are not files"
    return Criterion("fairness", about, "", "greatest", 0.001, relative=False, of=of)


def over_ethernet(network: FrameNetwork) -> tuple[Criterion, Criterion]:
    """Criteria of a run over Ethernet: fairness by max-min shares, and throughput.

    The throughput is that of the flows that a control can slow, if there are any. It is at most
    what links carry. More arrives in a measuring window if data that were sent before it wait in
    queues, or in a TCP receiver for a segment that is sent again.
    """
    [throughput] = Objective.named("throughput", "ethernet").criteria
    shares = shares_over_ethernet(network)
    flows = [one for one in network.flows if not one.is_unchecked] or network.flows
    names = {flow.name for flow in flows}
    rows = {hop: row for row, hop in enumerate({hop: 0 for one in flows for hop in one.hops})}
    costs = [_cost(flow) for flow in flows]
    alone = [hop_rate(flow.slowest) / cost for flow, cost in zip(flows, costs, strict=True)]
    taken = [
        (costs[column], rows[hop], column) for column, flow in enumerate(flows) for hop in flow.hops
    ]
    carried = greatest_sum(alone, taken, np.array([hop_rate(hop) for hop in rows]))

    classes = _classes(network)

    def fairness(summary: Mapping[str, Any]) -> float | None:
        counted = [one for one in summary["flows"] if one["goodput_bits_per_second"] is not None]
        by_class = ([one for one in counted if one["name"] in some] for some in classes)
        found = (_index(some, "throughput_bits_per_second", shares) for some in by_class)
        return min((one for one in found if one is not None), default=None)

    def at_most(summary: Mapping[str, Any]) -> float:
        counted = (one for one in summary["flows"] if one["name"] in names)
        return min(float(sum(one["throughput_bits_per_second"] for one in counted)), carried)

    about = throughput.about
    if len(flows) < len(network.flows):
        about = "throughput of the flows that a control can slow"
    return _fairness(fairness), replace(throughput, about=about, of=at_most)


def shares_over_ethernet(network: FrameNetwork) -> dict[str, float]:
    """Max-min shares of flows in bit/s of payload; empty if they are equal or not known.

    They are not known where flows or datagrams are in several queues, nor where datagrams take a
    whole line. Files have no share.
    """
    datagrams = [one for one in network.flows if one.is_unchecked]
    flows = [one for one in network.flows if not one.is_unchecked and one.kind != TRANSFER]
    if not flows or len({network.queue(flow.priority) for flow in (*flows, *datagrams)}) != 1:
        return {}
    left = {hop: hop_rate(hop) for flow in flows for hop in flow.hops}
    for flow in datagrams:
        for hop in left.keys() & set(flow.hops):
            left[hop] -= flow.own_bits_per_second or 0.0
    if min(left.values()) <= 0:
        return {}
    names = {hop: " ".join(line.name for line in hop) for hop in left}
    rates = max_min(
        {name: left[hop] for hop, name in names.items()},
        {flow.name: [names[hop] for hop in flow.hops] for flow in flows},
        pcr={one.name: most for one in flows if (most := one.sent_bits_per_second) < math.inf},
    ).rates
    return _unless_equal({flow.name: rates[flow.name] / _cost(flow) for flow in flows})


def _classes(network: FrameNetwork) -> tuple[frozenset[str], ...]:
    """Names of the flows of each queue; the order in which queues are served divides a line."""
    found = defaultdict[int, set[str]](set)
    for flow in network.flows:
        found[network.queue(flow.priority)].add(flow.name)
    return tuple(map(frozenset, found.values()))


def _of_classes(network: FrameNetwork) -> bool:
    """True if flows that the network slows are in several queues and not all are files."""
    adapting = [one for one in network.flows if _adapts(one) and one.kind != TRANSFER]
    return len({network.queue(one.priority) for one in adapting}) > 1


def _cost(flow: FrameFlow) -> float:
    """Octets on the line for an octet of payload."""
    return flow.line_bytes / flow.payload_bytes


def _unless_equal(shares: dict[str, float]) -> dict[str, float]:
    least, most = min(shares.values(), default=0.0), max(shares.values(), default=0.0)
    return shares if 0 < least * (1 + EQUAL) < most else {}


def over_atm(network: Network) -> tuple[Criterion, ...]:
    """Criteria over ATM: fairness, throughput of elastic flows, and that of background, if any.

    The max-min shares of elastic flows may differ. Flows without TCP count by the payload of their
    cells.
    """
    shares, rate = shares_of(network), "tcp_throughput_bits_per_second"
    elastic = {flow.name for flow in network.flows if flow.is_elastic}

    def of(summary: Mapping[str, Any], *, is_elastic: bool) -> list[Mapping[str, Any]]:
        return [one for one in summary["flows"] if (one["name"] in elastic) is is_elastic]

    def total(summary: Mapping[str, Any], *, is_elastic: bool) -> float:
        return float(sum(flow[rate] for flow in of(summary, is_elastic=is_elastic)))

    [throughput] = Objective.named("throughput").criteria
    background = replace(
        throughput,
        name=BACKGROUND,
        about="throughput of the background",
        of=lambda summary: total(summary, is_elastic=False),
    )
    return (
        _fairness(lambda summary: _index(of(summary, is_elastic=True), rate, shares)),
        replace(throughput, of=lambda summary: total(summary, is_elastic=True)),
        *((background,) if len(elastic) < len(network.flows) else ()),
    )


def gfr_mcrs(network: Network) -> dict[str, float]:
    """MCR of each flow group with a GFR contract, in bit/s of payload of full segments."""
    return {
        flow.group: flow.gfr["mcr_cells_per_second"] * _payload_bits(flow)
        for flow in network.flows
        if flow.gfr and flow.gfr["mcr_cells_per_second"] and _adapts(flow) and flow.kind != TRANSFER
    }


def _payload_bits(flow: Flow) -> float:
    """Payload of a cell; over TCP the mean over the cells of a full segment."""
    if flow.tcp is None:
        return 8.0 * PAYLOAD_BYTES
    return 8 * flow.tcp.mss_bytes / flow.tcp.segment_cells


def mcr_shares(network: Network) -> Iterator[Criterion]:
    """For each group with a GFR contract: its mean throughput as a share of its MCR."""
    [throughput] = Objective.named("throughput").criteria
    for group, mcr in gfr_mcrs(network).items():

        def share(summary: Mapping[str, Any], group: str = group, mcr: float = mcr) -> float:
            flows = [one for one in summary["flows"] if one["group"] == group]
            return fmean(one["tcp_throughput_bits_per_second"] for one in flows) / mcr

        about = f"mean throughput of {group} as a share of its MCR"
        yield replace(throughput, name=f"{OF_MCR}{group}", about=about, unit="", of=share)


def kept_mcrs(means: Mapping[str, float | None]) -> dict[str, float]:
    """The values of `mcr_shares` among the means of runs, by flow group."""
    found = ((name.removeprefix(OF_MCR), mean) for name, mean in means.items() if OF_MCR in name)
    return {group: mean or 0.0 for group, mean in found}


def notes(network: Network | FrameNetwork) -> Iterator[str]:
    """Sentences on fairness in a network where it is not the index of all flows."""
    if isinstance(network, FrameNetwork):
        shares = shares_over_ethernet(network)
        if _of_classes(network):
            yield BY_QUEUE
    else:
        shares = shares_of(network)
    if shares and not are_files(network.flows):
        yield RELATIVE
    if leaves_out_files(network.flows):
        yield LEFT_OUT
    if are_files(network.flows):
        yield NO_SHARES
