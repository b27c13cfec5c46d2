"""Statements on a network with routers: headers, round trips, and bounds of throughput."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement
from cellrate.advice.explain.claims import Claim
from cellrate.advice.explain.ethernet_shares import from_to, gbit
from cellrate.common.numbers import seconds
from cellrate.simulation.network.joined_view import JoinedFlow, JoinedLink, JoinedNetwork

BY = {
    "link": "its slowest leg",
    "window": "a window in each round trip",
    "size": "the size of the file",
}
TOPIC = "TCP throughput"
NO_FORMULA = "no formula here is for a network with both link layers"


def statements(network: JoinedNetwork) -> Iterator[Prediction]:
    """All statements on the network, topic by topic."""
    bounds = _Bounds(network)
    groups: dict[str, list[JoinedFlow]] = {}
    for flow in network.flows:
        groups.setdefault(flow.group, []).append(flow)
    yield from _headers(groups)
    tcp = {name: flows for name, flows in groups.items() if flows[0].tcp is not None}
    for name, flows in tcp.items():
        yield _delays(name, flows)
    for name, flows in tcp.items():
        yield _throughput(bounds, name, flows)
    everyone = [flow for flows in tcp.values() for flow in flows]
    if everyone:
        total = bounds.together(everyone)
        yield Statement(
            TOPIC,
            f"All together at most {gbit(total)} of TCP payload in the measuring window.",
            {"bound_bits_per_second": total},
            kind="bound",
            claims=(Claim("throughput", "", "at most", total, "throughput"),),
        )
    else:
        yield NoStatement(TOPIC, TOPIC, "no flow runs over TCP")
    for topic, quantity in (
        ("fair shares", "fair shares of flows"),
        (TOPIC, "expected TCP throughput"),
        ("queue", "longest queues at routers and switches"),
        ("loss", "losses"),
    ):
        yield NoStatement(topic, quantity, NO_FORMULA)


def _headers(groups: dict[str, list[JoinedFlow]]) -> Iterator[Statement]:
    """Statements on the payload share of both kinds of links."""
    for name, (flow, *_) in groups.items():
        kinds = {link.over_atm: link for link in flow.forward}
        shares = {over: flow.payload_bytes / flow.bytes_on(link) for over, link in kinds.items()}
        parts = []
        if False in shares:
            parts.append(
                f"{flow.line_bytes:,} bytes of an Ethernet line, of which {shares[False]:.4%} are "
                "payload"
            )
        if True in shares:
            parts.append(
                f"{flow.packet_cells} cells of an ATM link, of which {shares[True]:.4%} are payload"
            )
        records = ". RM cells of ABR take a further share" if flow.over_abr else ""
        yield Statement(
            "headers",
            f"{name}: a full packet of {flow.payload_bytes:,} bytes of payload takes "
            f"{', and '.join(parts)}{records}.",
            {
                "group": name,
                "payload_bytes": flow.payload_bytes,
                "payload_share_over_ethernet": shares.get(False),
                "payload_share_over_atm": shares.get(True),
            },
        )


def _delays(name: str, flows: Sequence[JoinedFlow]) -> Statement:
    trips = [flow.least_round_trip_seconds for flow in flows]
    return Statement(
        "delays",
        f"{name}: a full packet and its acknowledgement take "
        f"{from_to(seconds(min(trips)), seconds(max(trips)))} through empty queues, over all legs "
        f"with {seconds(flows[0].forwarding_seconds)} in routers.",
        {
            "group": name,
            "least_round_trip_seconds": min(trips),
            "greatest_round_trip_seconds": max(trips),
            "forwarding_seconds": flows[0].forwarding_seconds,
        },
    )


def _throughput(bounds: _Bounds, name: str, flows: Sequence[JoinedFlow]) -> Statement:
    found, total = [bounds.rate(flow) for flow in flows], bounds.together(flows)
    rates = [min(rate, total) for rate, _ in found]
    by = " or ".join(dict.fromkeys(BY[why] for _, why in found))
    slowest = min(flows[0].forward, key=flows[0].payload_rate)
    return Statement(
        TOPIC,
        f"{name}: at most {from_to(gbit(min(rates)), gbit(max(rates)))} each, by {by}, and "
        f"{gbit(total)} together. The slowest leg is {slowest.name}, with "
        f"{gbit(flows[0].payload_rate(slowest))} of payload.",
        {
            "group": name,
            "least_bound_bits_per_second": min(rates),
            "greatest_bound_bits_per_second": max(rates),
            "bound_by": list(dict.fromkeys(why for _, why in found)),
            "slowest_link": slowest.name,
        },
        kind="bound",
        claims=(Claim("throughput", name, "at most", total, "throughput"),),
    )


class _Bounds:
    """Bounds of TCP throughput in the measuring window that no run exceeds."""

    def __init__(self, network: JoinedNetwork) -> None:
        self.begin = float(network.measure["from_seconds"])
        self.end = float(network.measure["to_seconds"])

    def _active(self, flow: JoinedFlow) -> float:
        return max(0.0, self.end - max(self.begin, flow.start_seconds))

    def _carried(self, flow: JoinedFlow, link: JoinedLink) -> float:
        """Most bytes of payload of a flow alone that arrive over a link in the measuring window.

        A packet that crossed the link earlier may wait at the receiver for a retransmission.
        """
        early = flow.outstanding_bytes if self.begin > flow.start_seconds else 0
        carried = self._active(flow) * flow.payload_rate(link) / 8
        return carried + flow.payload_bytes + early

    def rate(self, flow: JoinedFlow) -> tuple[float, str]:
        """The greatest TCP throughput of a flow alone in bit/s, and the reason."""
        trips = math.ceil(self._active(flow) / flow.least_round_trip_seconds * (1 - 1e-12))
        found = [
            (min(self._carried(flow, link) for link in flow.forward), "link"),
            (float(trips * flow.outstanding_bytes), "window"),
        ]
        if flow.source["kind"] == "transfer":
            found.append((float(flow.source["size_bytes"]), "size"))
        most, why = min(found)
        return 8 * most / (self.end - self.begin), why

    def together(self, flows: Iterable[JoinedFlow]) -> float:
        """The greatest sum of the throughputs of flows in bit/s, by the tightest link."""
        own = {flow: self.rate(flow)[0] for flow in flows}
        links = {link for flow in own for link in flow.forward}
        return min(self._over(own, link) for link in links)

    def _over(self, own: dict[JoinedFlow, float], link: JoinedLink) -> float:
        """Sum of throughputs in bit/s: flows over the link share it, others have own bounds."""
        window = self.end - self.begin
        over = [flow for flow in own if link in flow.forward]
        active = max(self._active(flow) for flow in over)
        rate = max(flow.payload_rate(link) for flow in over) * active / window
        early = [flow.outstanding_bytes for flow in over if self.begin > flow.start_seconds]
        begun = [flow.payload_bytes for flow in over]
        shared = rate + 8 * (sum(early) + sum(begun)) / window
        others = sum(rate for flow, rate in own.items() if flow not in over)
        return others + min(shared, sum(own[flow] for flow in over))
