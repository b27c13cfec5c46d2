"""Statements on a network over Ethernet: lines, shares, throughput, queues, losses, completion."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement, Value
from cellrate.advice.explain.claims import Claim
from cellrate.advice.explain.ethernet_controls import settled
from cellrate.advice.explain.ethernet_deadlocks import deadlocks
from cellrate.advice.explain.ethernet_files import completion
from cellrate.advice.explain.ethernet_losses import exceeds_at_peaks, loss
from cellrate.advice.explain.ethernet_shares import fair_shares, from_to, gbit, targets
from cellrate.advice.explain.subject import EQUAL
from cellrate.advice.formulas.frame_bounds import FrameBounds
from cellrate.advice.formulas.frame_growth import CertainGrowth, certain_growth
from cellrate.common.numbers import counted, seconds
from cellrate.simulation.network.ethernet_view import (
    GAP_BYTES,
    PREAMBLE_BYTES,
    FrameFlow,
    FrameNetwork,
    Line,
    hop_rate,
)

BY = {
    "link": "its slowest line",
    "pcr": "PCR",
    "window": "a window in each round trip",
    "size": "the size of the file",
    "credit": "credit",
}
AROUND_BYTES = PREAMBLE_BYTES + GAP_BYTES
# The shortest frame, with preamble and gap, carries returned credits.
CREDIT_LINE_BYTES = 64 + AROUND_BYTES


def statements(network: FrameNetwork) -> Iterator[Prediction]:
    """All statements on the network, topic by topic."""
    bounds = FrameBounds(network)
    tcp = {name: flows for name, flows in network.groups().items() if flows[0].tcp is not None}
    roce = {name: flows for name, flows in network.groups().items() if flows[0].roce is not None}
    yield from _bottlenecks(bounds)
    yield from _frames(network)
    yield from _bit_errors(network)
    yield from _retry(network)
    yield from _spraying(network.flows)
    yield from fair_shares(network)
    yield from map(_delays, (*tcp.values(), *roce.values()))
    if network.credit is not None:
        yield from _credit(bounds)
    yield from _link_credits(bounds)
    yield from _credit_frames(network)
    yield from _flow_credits(bounds)
    yield from _throughput(bounds, tcp)
    for port in _ports(network):
        yield from _queue(bounds, port)
    yield from deadlocks(network)
    yield from completion(bounds, tcp | roce)


def _ports(network: FrameNetwork) -> tuple[Line, ...]:
    """Ports at which frames can wait for others: bottlenecks, then ports where only bursts meet."""
    return tuple(dict.fromkeys((*network.bottlenecks, *network.meetings)))


def _bottlenecks(bounds: FrameBounds) -> Iterator[Statement]:
    network = bounds.network
    if not network.bottlenecks:
        text = "No port can receive more data than its line carries in the long run."
        yield Statement("bottleneck", text, {"ports": []})
    for port in network.meetings:
        if not exceeds_at_peaks(network, port):
            continue
        peak = network.peak_of_datagrams(port)
        yield Statement(
            "bottleneck",
            f"{port.name}: at their peaks sources of datagrams bring {gbit(peak)} to a line of "
            f"{gbit(port.bits_per_second)}, though less in the long run.",
            {"port": port.name, "peak_bits_per_second": peak},
        )
    for port in network.bottlenecks:
        count, offered = len(network.over[port]), network.offered[port]
        yield Statement(
            "bottleneck",
            f"{port.name}: {count} flow{'s' if count > 1 else ''} could send {gbit(offered)} to "
            f"a line of {gbit(port.bits_per_second)}.",
            {
                "port": port.name,
                "flows": count,
                "offered_bits_per_second": offered,
                "link_bits_per_second": port.bits_per_second,
            },
        )
        yield from targets(network, port)
        growth = certain_growth(network, port)
        if growth is not None:
            yield _endless(bounds, port, growth)


def _endless(bounds: FrameBounds, port: Line, growth: CertainGrowth) -> Statement:
    """Statement on data that nothing slows down and that exceed a port's line in the long run."""
    brought, rate = growth.brought_bits_per_second, port.bits_per_second
    values: dict[str, Value] = {"port": port.name, "brought_bits_per_second": brought}
    so = f"at least {gbit(brought - rate)} are lost in the long run"
    if bounds.is_endless(port):
        values["endless_growth_bytes_per_second"] = growth.bytes_per_second
        so = f"the queue grows without end, by {growth.bytes_per_second:,.0f} bytes/s or more"
    elif bounds.queue(port) is None:
        so = "the queue grows without end, unless `switch.aqm` drops packets"
    return Statement(
        "bottleneck",
        f"{port.name}: nothing slows down {' and '.join(growth.sources)}, which bring "
        f"{gbit(brought)} in the long run, preambles and gaps included, to a line of "
        f"{gbit(rate)}, so {so}.",
        values,
        kind="bound",
    )


def _frames(network: FrameNetwork) -> Iterator[Statement]:
    """Statement on the payload share of a line, given headers, preambles and gaps."""
    for name, flows in network.groups().items():
        flow = flows[0]
        share = flow.payload_bytes / flow.line_bytes
        yield Statement(
            "frames",
            f"{name}: a full packet of {flow.payload_bytes:,} bytes of payload takes "
            f"{flow.line_bytes:,} bytes of the line, so {share:.4%} of a full line are payload.",
            {
                "group": name,
                "payload_bytes": flow.payload_bytes,
                "frame_bytes": flow.frame_bytes,
                "line_bytes": flow.line_bytes,
                "payload_share": share,
                "acknowledgement_line_bytes": flow.acknowledgement_line_bytes,
            },
        )


def _bit_errors(network: FrameNetwork) -> Iterator[Statement]:
    """Statements on the share of full frames that bit errors lose, by group."""
    for name, flows in network.groups().items() if network.links_err else ():
        shares = [flow.errored_frames_share for flow in flows]
        erring = max(sum(hop[0].bit_error_ratio > 0 for hop in flow.hops) for flow in flows)
        yield Statement(
            "loss",
            f"{name}: bit errors lose {from_to(f'{min(shares):.3g}', f'{max(shares):.3g}')} of "
            f"full frames of {flows[0].frame_bytes:,} bytes, on up to "
            f"{counted(erring, 'erring link')} of the way: 1 - (1 - p)^bits on each.",
            {
                "group": name,
                "least_errored_share": min(shares),
                "greatest_errored_share": max(shares),
            },
            kind="prediction",
        )


def _retry(network: FrameNetwork) -> Iterator[Statement]:
    """Statements on the replay buffers of link-level retry, by line that data cross.

    Lines with equal values share a statement. With a smaller buffer than rate times round trip the
    line carries floor(B / M) frames of M bytes in the time of a frame and its answer.
    """
    shown: dict[tuple[float, ...], list[Line]] = {}
    for line, found in zip(network.lines, network.llr or (), strict=False):
        if found is not None and network.over[line]:
            values = (*found.values(), line.bits_per_second)
            shown.setdefault(values, []).append(line)
    for values, lines in shown.items():
        buffer, needed, answer, frame, rate = values
        held = math.floor(buffer / frame)
        trip = 8 * (frame + PREAMBLE_BYTES) / rate + answer
        most = min(rate, held * 8 * (frame + AROUND_BYTES) / trip)
        more = f" and {counted(len(lines) - 1, 'line')} like it" if len(lines) > 1 else ""
        allows = "the full rate" if buffer >= needed else f"at most {gbit(most)} of {gbit(rate)}"
        yield Statement(
            "retry",
            f"{lines[0].name}{more}: link-level retry needs a replay buffer of {needed:,.0f} bytes "
            f"for full frames of {frame:,.0f} bytes at the full rate, with an answer after "
            f"{seconds(answer)}. The buffer of {buffer:,.0f} bytes allows {allows}, preambles and "
            f"gaps included. An errored frame delays all behind it by {seconds(trip)}.",
            {
                "link": lines[0].name,
                "lines": len(lines),
                "buffer_bytes": buffer,
                "needed_bytes": needed,
                "retry_seconds": trip,
                "retry_bits_per_second": min(rate, most) if buffer < needed else rate,
            },
            kind="prediction",
        )


def _spraying(flows: Sequence[FrameFlow]) -> Iterator[Statement]:
    """Statement on the number of lines over which frames are sprayed, and on the effect on TCP."""
    sprayed = [flow for flow in flows if flow.is_sprayed]
    if sprayed:
        most = max(len(hop) for flow in sprayed for hop in flow.hops + flow.hops_back)
        yield Statement(
            "spraying",
            f"Switches spray the frames of {len(sprayed)} of {counted(len(flows), 'flow')}, over "
            f"up to {counted(most, 'line')} each. If the lines differ in queue or delay, frames "
            "overtake one another. TCP retransmits a segment that three later segments overtake, "
            "as if it were lost.",
            {"flows_sprayed": len(sprayed), "most_lines": most},
        )


def _delays(flows: Sequence[FrameFlow]) -> Statement:
    trips = [flow.least_round_trip_seconds for flow in flows]
    pipes = [hop_rate(flow.slowest) * flow.least_round_trip_seconds / 8 for flow in flows]
    pipe = from_to(f"{min(pipes):,.0f}", f"{max(pipes):,.0f}")
    return Statement(
        "delays",
        f"{flows[0].group}: a full frame and its acknowledgement take "
        f"{from_to(seconds(min(trips)), seconds(max(trips)))} through empty queues. In this time "
        f"the path carries {pipe} bytes.",
        {
            "group": flows[0].group,
            "least_round_trip_seconds": min(trips),
            "greatest_round_trip_seconds": max(trips),
            "least_pipe_bytes": min(pipes),
            "greatest_pipe_bytes": max(pipes),
        },
    )


def _credit(bounds: FrameBounds) -> Iterator[Statement]:
    """Statement on the rate that credit allows, (N2 + N3) / (RTT + N2 / C), at the tightest hop."""
    for name, flows in bounds.network.groups().items():
        found = [8 * bounds.credit_octets_per_second(flow) for flow in flows]
        least, most = min(found), max(found)
        yield Statement(
            "credit",
            f"{name}: credit control allows at most {from_to(gbit(least), gbit(most))} each, "
            "preambles and gaps included: N2 + N3 in the round trip of a link plus the time to "
            "send N2.",
            {
                "group": name,
                "least_credit_bits_per_second": least,
                "greatest_credit_bits_per_second": most,
            },
            kind="bound",
        )


def _link_credits(bounds: FrameBounds) -> Iterator[Statement]:
    """Statements on CBFC links that at the full rate run out of credits before these return."""
    for (line, priority), rate in bounds.link_credit_rates.items():
        if rate < line.bits_per_second:
            yield Statement(
                "credit",
                f"{line.name}: credits allow priority {priority} at most {gbit(rate)} of "
                f"{gbit(line.bits_per_second)}, preambles and gaps included: what all credits "
                "cover, in the time until they return, with frames of the length that makes the "
                "most of them.",
                {"link": line.name, "priority": priority, "credit_bits_per_second": rate},
                kind="bound",
            )


def _credit_frames(network: FrameNetwork) -> Iterator[Statement]:
    """Statements on the frames in which CBFC returns credits, by group.

    A data frame takes one credit per unit of bytes, rounded up. The receiving end of the link
    returns credits once a batch is free, so one credit frame follows every few data frames.
    """
    lossless = network.lossless
    if lossless is None or lossless["by"] != "cbfc":
        return
    batch, unit = int(lossless["batch"]), int(lossless["unit_bytes"])

    def share(line_bytes: int) -> float:
        taken = math.ceil((line_bytes - AROUND_BYTES) / unit)
        return CREDIT_LINE_BYTES / (math.ceil(batch / taken) * float(line_bytes))

    for name, flows in network.groups().items():
        flow = flows[0]
        if flow.priority not in lossless["priorities"]:
            continue
        data, answer = flow.line_bytes, flow.acknowledgement_line_bytes
        costs = f"{share(data):.2%} of the rate of full frames of {data:,} bytes"
        if answer is not None:
            costs += f", and {share(answer):.2%} of that of acknowledgements of {answer:,} bytes"
        yield Statement(
            "frames",
            f"{name}: CBFC returns {counted(batch, 'credit')} of {unit:,} bytes, or more, in a "
            f"frame of {CREDIT_LINE_BYTES} bytes of the opposite line, ahead of all data there. "
            f"These frames take {costs}.",
            {
                "group": name,
                "credit_line_bytes": CREDIT_LINE_BYTES,
                "credits_returned": batch,
                "unit_bytes": unit,
                "credit_share_of_data": share(data),
                "credit_share_of_acknowledgements": None if answer is None else share(answer),
            },
        )


def _flow_credits(bounds: FrameBounds) -> Iterator[Statement]:
    """Statements on the share of a line that credits of ExpressPass leave to data."""
    for name, flows in bounds.network.groups().items():
        flow = flows[0]
        if flow.flow_credit_line_bytes is None:
            continue
        lines = {line for flow in flows for line in flow.forward}
        share = max(bounds.flow_credit_share(flow, line) for line in lines)
        yield Statement(
            "credit",
            f"{name}: credits of ExpressPass let data take at most {share:.4%} of a line: a "
            f"packet of {flow.line_bytes:,} bytes for each credit of "
            f"{flow.flow_credit_line_bytes} bytes, preambles and gaps included.",
            {"group": name, "data_share": share},
            kind="bound",
        )


def _throughput(
    bounds: FrameBounds, groups: dict[str, tuple[FrameFlow, ...]]
) -> Iterator[Prediction]:
    topic = "TCP throughput"
    if not groups:
        yield NoStatement(topic, "TCP throughput", "no flow runs over TCP")
        return
    crowded = bounds.crowded_hops
    for name, flows in groups.items():
        found, total = [bounds.rate(flow) for flow in flows], bounds.together(flows)
        rates = [min(rate, total) for rate, _ in found]
        by = " or ".join(dict.fromkeys(BY[why] for _, why in found))
        limits = (
            why if crowded.isdisjoint(flow.hops) else "link"
            for flow, (_, why) in zip(flows, found, strict=True)
        )
        yield Statement(
            topic,
            f"{name}: at most {from_to(gbit(min(rates)), gbit(max(rates)))} each, by {by}, and "
            f"{gbit(total)} together.",
            {
                "group": name,
                "least_bound_bits_per_second": min(rates),
                "greatest_bound_bits_per_second": max(rates),
                "bound_by": list(dict.fromkeys(limits)),
            },
            kind="bound",
            claims=(Claim("throughput", name, "at most", total, "throughput"),),
        )
    everyone = [flow for flows in groups.values() for flow in flows]
    total, carried = bounds.together(everyone), bounds.together(everyone, early=False)
    more = (
        f": links carry {gbit(carried)}, and data that were sent before the window may arrive in it"
        if carried < EQUAL * total
        else ""
    )
    yield Statement(
        topic,
        f"All together at most {gbit(total)} of TCP payload in the measuring window{more}.",
        {"bound_bits_per_second": total, "carried_bits_per_second": carried},
        kind="bound",
        claims=(Claim("throughput", "", "at most", total, "throughput"),),
    )
    reason = "no formula here predicts how TCP shares lines over Ethernet"
    yield NoStatement(topic, "expected TCP throughput", reason)


def _queue(bounds: FrameBounds, port: Line) -> Iterator[Prediction]:
    limit, void = bounds.queue(port), ""
    if bounds.network.lossless is not None and math.isfinite(port.buffer_bytes):
        name = bounds.network.lossless["by"].upper()
        void = (
            f" Its buffer of {port.buffer_bytes:,.0f} bytes does not limit priorities under {name}."
        )
    if limit is None:
        reason = (
            "the port has no buffer limit, and windows bound no queue here: some flow has no "
            "window, or TCP may send data twice"
        )
        if bounds.network.lossless is not None:
            name = bounds.network.lossless["by"].upper()
            reason = f"under {name} the port has no limit; each link into the switch has one"
        yield NoStatement("queue", f"{port.name}: longest queue", reason)
    else:
        yield Statement(
            "queue",
            f"{port.name}: at most {limit.octets:,.0f} bytes in each queue: {limit.why}.{void}",
            {"port": port.name, "queue_bytes": limit.octets},
            kind="bound",
            claims=(Claim("queue", port.name, "at most", limit.octets, "queue"),),
        )
    if port in bounds.network.bottlenecks:
        yield from settled(bounds, port)
    yield loss(bounds, port)
