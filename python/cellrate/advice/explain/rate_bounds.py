"""Bounds of TCP throughput in the measuring window that no run exceeds."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from cellrate.advice.explain.served_first import served_first_cells_per_second
from cellrate.advice.explain.subject import Subject, backward_cells
from cellrate.advice.formulas.credit import credit_burst_cells, credited_cells_per_second
from cellrate.advice.formulas.greatest_sum import greatest_sum
from cellrate.simulation.network import (
    Flow,
    Link,
    Tcp,
    mean_cells_per_second,
    peak_cells_per_second,
)
from cellrate.simulation.network.ends import Parameters
from cellrate.theory.cell_conversions import PAYLOAD_BYTES

Limit: TypeAlias = Literal[
    "link", "pcr", "contract", "credit", "window", "delayed-ack", "processing", "size"
]
# Sources whose segments are all full.
FULL = frozenset({"greedy"})
# In any interval a line may carry one cell more than rate times time, and a flow one data cell more
# than its share without RM cells.
MORE_CELLS = 2


@dataclass(frozen=True)
class RateBound:
    """The greatest TCP throughput that a flow can have in the measuring window.

    Attributes:
        bits_per_second: The bound in bit/s.
        by: Name of the limit: the slowest link, PCR, the contract of a shaper or policer, credits,
            a window in each round trip, a delayed acknowledgement for each segment, the receiver's
            processing time, or the file's size.
    """

    bits_per_second: float
    by: Limit


def flow_bound(subject: Subject, flow: Flow, tcp: Tcp) -> RateBound:
    """The bound of one flow over TCP, as if the flow were alone in the network."""
    known = subject.known_bounds
    if flow not in known:
        known[flow] = _computed(subject, flow, tcp)
    return known[flow]


def _computed(subject: Subject, flow: Flow, tcp: Tcp) -> RateBound:
    slowest = min(link.cells_per_second for link in flow.forward)
    carried = RateBound(_in_window(subject, flow, tcp, slowest), "link")
    found = [carried]
    if flow.abr is not None and flow.abr.greatest_cells_per_second < slowest:
        rate = _in_window(subject, flow, tcp, flow.abr.greatest_cells_per_second)
        found.append(RateBound(rate, "pcr"))
    for contract in flow.enforced_contracts:
        bits = _by_contract(subject, flow, tcp, contract)
        found.append(RateBound(bits, "contract"))
    if (credit := subject.network.credit) is not None:
        hops = credit, flow.forward, flow.backward, flow.service
        rate = credited_cells_per_second(*hops)
        if rate < slowest:
            payload = _payload_bits_per_cell(subject, flow, tcp)
            more = credit_burst_cells(*hops) * payload / subject.window_seconds
            found.append(RateBound(_in_window(subject, flow, tcp, rate) + more, "credit"))
    if flow.propagation_round_trip_seconds:
        found.append(RateBound(_by_window(subject, flow, tcp), "window"))
    if waits_for_acknowledgements(subject, flow, tcp):
        found.append(RateBound(_by_delayed_ack(subject, flow, tcp), "delayed-ack"))
    if tcp.parameters["processing_time_seconds"] > 0:
        found.append(RateBound(_by_processing(subject, tcp), "processing"))
    if flow.kind == "transfer":
        size = 8 * float(flow.source["size_bytes"]) / subject.window_seconds
        found.append(RateBound(size, "size"))
    return min(found, key=lambda one: one.bits_per_second)


def bound_together(
    subject: Subject, flows: Sequence[tuple[Flow, Tcp]], *, early: bool = True
) -> float:
    """Bound in bit/s of the sum of the throughputs of flows over TCP, since links are shared.

    The bound is the solution of a linear program: the greatest sum of rates, where each rate is at
    most the flow's own bound, and the rates over a link are together at most what cells that are
    certainly sent first leave of it.

    Args:
        subject: The network.
        flows: The flows.
        early: False to leave out data that have passed a link before the measuring window begins.
    """
    most = [flow_bound(subject, flow, tcp).bits_per_second for flow, tcp in flows]
    links = list(dict.fromkeys(link for flow, _ in flows for link in flow.forward))
    rows = {link: row for row, link in enumerate(links)}
    taken: list[tuple[float, int, int]] = []
    first = [served_first_cells_per_second(subject, link) for link in links]
    room = np.array([link.cells_per_second for link in links]) - np.array(first)
    for column, (flow, tcp) in enumerate(flows):
        cost = 1 / _payload_bits_per_cell(subject, flow, tcp)
        for link in flow.forward:
            taken.append((cost, rows[link], column))
            # Data sent before the window may arrive in it.
            cells = _early_bits(subject, flow, tcp, link) * cost if early else 0.0
            room[rows[link]] += (cells + MORE_CELLS) / subject.window_seconds
    return greatest_sum(most, taken, room)


def crowded_links(subject: Subject, flows: Sequence[tuple[Flow, Tcp]]) -> frozenset[Link]:
    """Links that cannot carry all flows over TCP at their own bounds beside all other traffic.

    Args:
        subject: The network.
        flows: All flows over TCP.
    """
    brought: dict[Link, float] = defaultdict(float)
    for flow, tcp in flows:
        payload = _payload_bits_per_cell(subject, flow, tcp)
        rate = flow_bound(subject, flow, tcp).bits_per_second / payload
        for link in flow.forward:
            early = _early_bits(subject, flow, tcp, link) / payload
            brought[link] += rate - (early + MORE_CELLS) / subject.window_seconds
        for link in flow.backward:
            brought[link] += rate * backward_cells(flow)
    for flow in subject.network.flows:
        if flow.tcp is None:
            mean = mean_cells_per_second(flow)
            for link in flow.forward:
                brought[link] += peak_cells_per_second(flow) if mean is None else mean
    return frozenset(link for link, rate in brought.items() if rate > link.cells_per_second)


def _in_window(subject: Subject, flow: Flow, tcp: Tcp, cells_per_second: float) -> float:
    """Payload in bit/s that a flow with a rate in cells/s delivers in the window."""
    payload = _payload_bits_per_cell(subject, flow, tcp)
    early = max(_early_bits(subject, flow, tcp, link) for link in flow.forward)
    return cells_per_second * payload + (early + MORE_CELLS * payload) / subject.window_seconds


def _by_window(subject: Subject, flow: Flow, tcp: Tcp) -> float:
    """Bound in bit/s from a window of data in each round trip that has begun.

    Data delivered at a time t were sent at least one forward delay before t. At that time at most a
    window beyond the acknowledged data could be sent, and the acknowledged data had been delivered
    at least one backward delay earlier.
    """
    trip = flow.propagation_round_trip_seconds or 0.0
    begin = max(subject.begin_seconds, flow.start_seconds)
    trips = math.ceil(max(0.0, subject.end_seconds - begin) / trip * (1 - 1e-12))
    return 8 * trips * outstanding_bytes(flow, tcp) / subject.window_seconds


def _by_contract(subject: Subject, flow: Flow, tcp: Tcp, contract: Parameters) -> float:
    """Bound in bit/s from the cells that a shaper or a policer lets pass in the window.

    In a time T at most MBS + SCR (T + CDVT) cells pass, or 1 + PCR (T + CDVT) (I.371, annex A). A
    policer of whole PDUs may let the rest of one PDU pass.
    """
    peak, sustained = (contract.get(f"{key}_cells_per_second") for key in ("pcr", "scr"))
    early = contract.get("cdvt_seconds") or 0.0
    buckets = [(float(peak or math.inf), 1.0)]
    if sustained is not None:
        buckets.append((float(sustained), float(contract["mbs_cells"])))
    payload = _payload_bits_per_cell(subject, flow, tcp)
    return min(
        _in_window(subject, flow, tcp, rate)
        + (rate * early + burst + tcp.segment_cells) * payload / subject.window_seconds
        for rate, burst in buckets
    )


def outstanding_bytes(flow: Flow, tcp: Tcp) -> int:
    """Greatest number of outstanding bytes of a flow: whole segments, if all segments are full."""
    whole = tcp.window_bytes // tcp.mss_bytes * tcp.mss_bytes
    return whole if flow.kind in FULL else tcp.window_bytes


def holds_one_segment(flow: Flow, tcp: Tcp) -> bool:
    """True if a window holds one segment only and the receiver delays acknowledgements."""
    one = outstanding_bytes(flow, tcp) < 2 * tcp.mss_bytes
    return bool(tcp.parameters["delayed_ack"]) and flow.kind in FULL and one


def waits_for_acknowledgements(subject: Subject, flow: Flow, tcp: Tcp) -> bool:
    """True if a window holds one segment and its acknowledgement waits for the receiver's clock.

    By RFC 5681 4.2 every second full segment is acknowledged at once, but here the window holds
    only one. False if the retransmission timer can expire sooner than the receiver's clock, since a
    repeated segment is acknowledged at once.
    """
    settings, trip = tcp.parameters, flow.propagation_round_trip_seconds or 0.0
    interval = settings["delayed_ack_interval_seconds"]
    return bool(
        holds_one_segment(flow, tcp)
        and subject.lossless
        and not any(link in subject.overloaded for link in (*flow.forward, *flow.backward))
        and settings["min_rto_seconds"] > interval + 2 * trip
    )


def _by_delayed_ack(subject: Subject, flow: Flow, tcp: Tcp) -> float:
    """Bound in bit/s: a segment in each tick of the receiver's clock (RFC 1122 4.2.3.2)."""
    begin = max(subject.begin_seconds, flow.start_seconds)
    interval = tcp.parameters["delayed_ack_interval_seconds"]
    between = math.floor(max(0.0, subject.end_seconds - begin) / interval) + 2
    return float(8 * between * tcp.mss_bytes / subject.window_seconds)


def _by_processing(subject: Subject, tcp: Tcp) -> float:
    """Bound in bit/s: the receiver processes one segment after another.

    One segment may be under way when the window begins. After a loss the repeated segment delivers
    what waits behind it, up to a TCP window.
    """
    segments = math.floor(subject.window_seconds / tcp.parameters["processing_time_seconds"]) + 1
    behind = 0 if subject.lossless else tcp.window_bytes
    return float(8 * (segments * tcp.mss_bytes + behind) / subject.window_seconds)


def _payload_bits_per_cell(subject: Subject, flow: Flow, tcp: Tcp) -> float:
    """The greatest TCP payload of a cell of the flow, in bits.

    One of Nrm cells is an RM cell, unless RM cells may be lost and data take their place.
    """
    full = tcp.mss_bytes / tcp.segment_cells
    shorter = tcp.segment_cells - 1
    if flow.kind not in FULL and shorter > 0:
        # A short segment may waste less of its last cell.
        full = max(full, (PAYLOAD_BYTES * shorter - tcp.overhead_bytes) / shorter)
    certain = subject.lossless and flow.abr is not None and flow.abr.parameters["rules"] == "tm4"
    data = 1 - 1 / flow.abr.nrm if certain and flow.abr is not None else 1.0
    return 8 * full * data


def _early_bits(subject: Subject, flow: Flow, tcp: Tcp, link: Link) -> float:
    """Payload in bits that may pass the link before the measuring window and be delivered in it.

    If data may wait for a lost segment or in a later queue, this is one TCP window. Otherwise it is
    a segment whose first cells have arrived, and another segment for RM cells that are due.
    """
    if subject.begin_seconds <= flow.start_seconds:
        return 0.0
    later = flow.forward[flow.forward.index(link) + 1 :]
    waits = any(port in subject.overloaded for port in later)
    if waits or not subject.lossless or tcp.parameters["processing_time_seconds"] > 0:
        return 8.0 * tcp.window_bytes
    nrm = 0 if flow.abr is None else flow.abr.nrm
    return 8.0 * tcp.mss_bytes * (1 + math.ceil((nrm + len(flow.forward)) / tcp.segment_cells))
