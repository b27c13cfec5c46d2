"""Statements on a network over Ethernet: lines, shares, throughput, queues, losses, completion."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement, Value
from cellrate.advice.explain.claims import Claim
from cellrate.advice.explain.datagram_losses import certain_loss
from cellrate.advice.explain.ethernet_deadlocks import deadlocks
from cellrate.advice.explain.ethernet_shares import fair_shares, from_to, gbit, targets
from cellrate.advice.explain.losses import CERTAIN
from cellrate.advice.explain.subject import EQUAL
from cellrate.advice.formulas.frame_bounds import EARLY, FrameBounds, outstanding_bytes
from cellrate.advice.formulas.frame_growth import CertainGrowth, certain_growth
from cellrate.advice.roce_controls import ROCE_CONTROLS
from cellrate.common.numbers import counted, seconds
from cellrate.simulation.network.ethernet_view import (
    GAP_BYTES,
    PREAMBLE_BYTES,
    FrameFlow,
    FrameNetwork,
    Line,
    hop_rate,
)
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.dcqcn import dcqcn_mark_probability, dcqcn_queue_bytes
from cellrate.theory.dctcp import greatest_queue_packets, queue_swing_packets
from cellrate.theory.hpcc import hpcc_line_share, hpcc_queue_bytes
from cellrate.theory.timely import timely_queue_bytes

BY = {
    "link": "its slowest line",
    "pcr": "PCR",
    "window": "a window in each round trip",
    "size": "the size of the file",
    "credit": "credit",
}
IN_TIME = {
    "pfc": "PFC pauses every priority in time",
    "cbfc": "CBFC sends a frame only if the next buffer has room for it",
}
AROUND_BYTES = PREAMBLE_BYTES + GAP_BYTES
# The shortest frame, with preamble and gap, carries returned credits.
CREDIT_LINE_BYTES = 64 + AROUND_BYTES
# Greatest ratio of round trips that count as equal.
SAME = 1.1


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
    yield from _completion(bounds, tcp | roce)


def _ports(network: FrameNetwork) -> tuple[Line, ...]:
    """Ports at which frames can wait for others: bottlenecks, then ports where only bursts meet."""
    return tuple(dict.fromkeys((*network.bottlenecks, *network.meetings)))


def _bottlenecks(bounds: FrameBounds) -> Iterator[Statement]:
    network = bounds.network
    if not network.bottlenecks:
        text = "No port can receive more data than its line carries in the long run."
        yield Statement("bottleneck", text, {"ports": []})
    for port in network.meetings:
        if not _exceeds_at_peaks(network, port):
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


def _exceeds_at_peaks(network: FrameNetwork, port: Line) -> bool:
    """True if datagrams exceed the line at their peaks, and data do not in the long run."""
    peak = network.peak_of_datagrams(port)
    return peak > port.bits_per_second and port not in network.bottlenecks


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
    is_bottleneck = port in bounds.network.bottlenecks
    if is_bottleneck:
        yield from _by_dctcp(bounds, port)
        yield from _by_dcqcn(bounds.network, port)
        yield from _by_hpcc(bounds.network, port)
        yield from _by_timely(bounds.network, port)
    yield _loss(bounds, port)


def _loss(bounds: FrameBounds, port: Line) -> Prediction:
    """Statement on the packets that a port loses: none, some for certain, or possibly some."""
    if bounds.loses_nothing or bounds.is_endless(port):
        why = "all TCP windows together fit into the buffer"
        if bounds.is_endless(port):
            why = "the buffer has no limit"
        elif bounds.network.credit is not None:
            why = "a frame is sent only if the next buffer has room for it"
        elif bounds.network.lossless is not None:
            why = IN_TIME[bounds.network.lossless["by"]]
        return Statement(
            "loss",
            f"{port.name}: {CERTAIN['no'].format(unit='packet')}: {why}.",
            {"port": port.name, "expected": "no"},
            kind="bound",
            claims=(Claim("lost", port.name, "none", 0.0, "loss"),),
        )
    certain = certain_loss(bounds, port)
    if certain is not None:
        return Statement(
            "loss",
            f"{port.name}: {CERTAIN['yes'].format(unit='packet')}: {certain.why}.",
            {
                "port": port.name,
                "expected": "yes",
                "least_lost_share": certain.share,
                "least_lost_packets": certain.packets,
            },
            kind="bound",
            claims=(Claim("lost", port.name, "some", 0.0, "loss"),),
        )
    if port in bounds.network.bottlenecks:
        why = _why_lost(bounds, port)
    elif _exceeds_at_peaks(bounds.network, port):
        why = _why_peaks_lose(bounds, port)
    else:
        reason = (
            "in the long run no more arrives than the line carries, and no formula here bounds "
            "the bursts that meet"
        )
        return NoStatement("loss", f"{port.name}: losses", reason)
    return Statement(
        "loss",
        f"{port.name}: losses are possible: {why}.",
        {"port": port.name, "expected": "possible"},
        kind="prediction",
    )


def _why_peaks_lose(bounds: FrameBounds, port: Line) -> str:
    """Reason why a port may lose datagrams that exceed its line at their peaks alone."""
    if bounds.network.lossless is not None:
        return str(bounds.network.lossless["loses"])
    room = f"the buffer has room for {port.buffer_bytes:,.0f} bytes"
    if math.isinf(port.buffer_bytes):
        room = "the memory of the switch is finite"
    return f"no formula here bounds the queue of datagrams at their peaks, and {room}"


def _why_lost(bounds: FrameBounds, port: Line) -> str:
    """Reason why a port may lose packets."""
    if bounds.network.lossless is not None:
        return str(bounds.network.lossless["loses"])
    if all(flow.is_unchecked for flow in bounds.network.over[port]):
        return "datagrams alone exceed the line in the long run"
    if any(flow.roce is not None for flow in bounds.network.over[port]):
        return _why_roce_loses(bounds, port)
    if bounds.may_drop(port):
        return _why_dropped(bounds, port)
    if bounds.fits(port):
        return _why_sent_twice(bounds, port)
    return "the TCP windows may exceed the buffer"


def _why_roce_loses(bounds: FrameBounds, port: Line) -> str:
    """Reason why a port may lose packets of flows over RoCE, or of other flows beside them."""
    controls = [flow.roce["control"] for flow in bounds.network.over[port] if flow.roce is not None]
    algorithms = {control["algorithm"] for control in controls}
    if algorithms == {"expresspass"} and len(controls) == len(bounds.network.over[port]):
        return "no formula here bounds the bursts that credits of ExpressPass let meet"
    if math.isinf(port.buffer_bytes):
        return _why_dropped(bounds, port)
    if port.switch is not None and port.switch["trim_priority"] is not None:
        return (
            "the queue of trimmed packets may be full, and packets that are not of RoCE are dropped"
        )
    if algorithms == {"rccc"} and len(controls) == len(bounds.network.over[port]):
        resends = {flow.roce["resend"] for flow in bounds.network.over[port] if flow.roce}
        again = "go-back-N sends again" if "go-back-n" in resends else "are sent after a timeout"
        return (
            "the first windows of receiver credits may exceed the buffer; later packets await "
            f"pulls, but those that {again} await none, so losses can go on"
        )
    if not all(ROCE_CONTROLS[name].has_window for name in algorithms):
        return "flows over RoCE have no windows"
    titles = sorted(ROCE_CONTROLS[name].title for name in algorithms)
    return f"the windows of {' and '.join(titles)} may exceed the buffer"


def _why_dropped(bounds: FrameBounds, port: Line) -> str:
    """Reason why the queue management of a port may drop packets."""
    flows = bounds.network.over[port]
    marked = any(_reacts(flow) for flow in flows)
    if port.switch is None or port.switch["aqm"]["algorithm"] != "threshold" or not marked:
        return "`switch.aqm` may drop packets"
    if not all(_reacts(flow) for flow in flows):
        return "above `switch.aqm.k` packets of flows without ECN are dropped"
    return (
        "the TCP windows may exceed the buffer; above `switch.aqm.k` packets that cannot carry "
        "marks are dropped: acknowledgements, and segments sent again"
    )


def _reacts(flow: FrameFlow) -> bool:
    """True if TCP reacts to marks."""
    return flow.tcp is not None and (flow.recovery == "dctcp" or flow.tcp.get("ecn") is True)


def _why_sent_twice(bounds: FrameBounds, port: Line) -> str:
    """Reason why a port whose buffer holds all windows may still lose packets."""
    if bounds.network.links_err:
        held = f"the windows fit, {bounds.windows_bytes(port):,.0f} bytes together"
        return f"{held}, but TCP sends segments again that bit errors lose"
    late = [flow for flow in bounds.network.flows if not bounds.is_in_time(flow)]
    longest = max(map(bounds.longest_trip_seconds, late), default=0.0)
    held = f"the windows fit, {bounds.windows_bytes(port):,.0f} bytes together"
    if not late:
        return f"{held}, but TCP sends segments again that other ports lose"
    if not math.isfinite(longest):
        return f"{held}, but a timer may expire early, and TCP then sends segments twice"
    least = min(flow.tcp["min_rto_seconds"] for flow in late if flow.tcp is not None)
    return (
        f"{held}, but with full queues an acknowledgement may take {seconds(longest)}. The least "
        f"timeout of {seconds(least)} is not {1 / EARLY:g} times as long: a timer may expire "
        f"early, and TCP then sends segments twice"
    )


def _by_dctcp(bounds: FrameBounds, port: Line) -> Iterator[Prediction]:
    """Statements on longest and shortest queue of DCTCP in steady state, with the assumptions."""
    flows = bounds.network.over[port]
    aqm = port.switch["aqm"] if port.switch is not None else {}
    if aqm.get("algorithm") != "threshold":
        return
    if not any(flow.recovery == "dctcp" for flow in flows):
        if any(map(_reacts, flows)):
            reason = "the formula is DCTCP's, which reduces windows by the share of marks"
            yield NoStatement("queue", f"{port.name}: queue under marks", reason, "dctcp-queue")
        return
    number, _, unit = str(aqm["k"]).partition(" ")
    marks, count, longest = float(number), len(flows), max(flow.line_bytes for flow in flows)
    if unit != "packets":
        marks /= max(flow.frame_bytes for flow in flows)
    trips = [flow.least_round_trip_seconds for flow in flows]
    path = port.bits_per_second * max(trips) / 8 / longest
    top = float(greatest_queue_packets(count, marks))
    swing = float(queue_swing_packets(count, marks, path))
    low = max(0.0, top - swing)
    held = {flow: outstanding_bytes(flow) // flow.payload_bytes for flow in flows}
    assumed = {
        "all flows run DCTCP": all(flow.recovery == "dctcp" for flow in flows),
        "all flows have data without end": all(flow.kind == "greedy" for flow in flows),
        "all flows have the same round trip": max(trips) <= SAME * min(trips),
        "the port is the only bottleneck of its flows": not any(
            other is not port and set(bounds.network.over[other]) & set(flows)
            for other in bounds.network.bottlenecks
        ),
        "acknowledgements wait behind no data": not any(
            line in bounds.network.bottlenecks for flow in flows for line in flow.lines_back
        ),
        "each flow takes one path": not any(flow.is_sprayed for flow in flows),
        "windows do not limit the flows": min(held.values()) * count > path + top,
        "each window has two segments or more": path + marks - swing >= 2 * count,
        "K is above a seventh of the path's packets (equation 13)": marks > path / 7,
        "neither pauses nor credits of links hold frames back": bounds.network.lossless is None,
        "no buffer is full": top * longest <= port.buffer_bytes,
    }
    yield Statement(
        "queue",
        f"{port.name}: in the steady state the queue swings under DCTCP from {low:,.0f} to "
        f"{top:,.0f} packets, if all its flows see marks at once.",
        {
            "port": port.name,
            "dctcp_queue_most_packets": top,
            "dctcp_queue_least_packets": low,
            "path_packets": path,
        },
        "dctcp-queue",
        tuple(text for text, holds in assumed.items() if not holds),
        "prediction",
    )


def _by_dcqcn(network: FrameNetwork, port: Line) -> Iterator[Prediction]:
    """Statement on the fixed point of DCQCN's fluid model, if one control and RED mark the port."""
    flows = network.over[port]
    aqm = port.switch["aqm"] if port.switch is not None else {}
    controls = [flow.roce["control"] if flow.roce is not None else {} for flow in flows]
    if aqm.get("algorithm") != "red" or not flows or controls[0].get("algorithm") != "dcqcn":
        return
    control, octets = controls[0], max(flow.line_bytes for flow in flows)
    limits = [str(aqm[key]).partition(" ") for key in ("min", "max")]
    k_min, k_max = (
        float(number) * (octets if unit == "packets" else 1) for number, _, unit in limits
    )
    assumed = {
        "all flows run DCQCN with the same parameters and data without end": all(
            flow.kind == "greedy" and other == control
            for flow, other in zip(flows, controls, strict=True)
        ),
        "RED marks by the queue itself, each packet for itself": aqm["weight"] == 1
        and aqm["spacing"] == "geometric"
        and aqm["ecn"]
        and not aqm["gentle"],
        "the port is the only bottleneck of its flows": not any(
            other is not port and set(network.over[other]) & set(flows)
            for other in network.bottlenecks
        ),
        "neither pauses nor credits of links hold frames back": network.lossless is None,
        "no increase is a hyper increase": control["r_hai_bits_per_second"] is None,
    }
    model: dict[str, Any] = {
        "increase_bits_per_second": control["r_ai_bits_per_second"],
        "kmin_bytes": k_min,
        "kmax_bytes": k_max,
        "p_max": aqm["max_p"],
        "cnp_interval_seconds": control["tau_seconds"],
        "alpha_interval_seconds": control["tau_alpha_seconds"],
        "increase_interval_seconds": control["t_seconds"],
        "counter_bytes": control["b_bytes"],
        "recovery_events": control["f"],
        "gain": control["g"],
        "packet_bytes": octets,
    }
    formula, name = "dcqcn-fixed-point", f"{port.name}: queue of DCQCN in the steady state"
    try:
        marks = float(dcqcn_mark_probability(len(flows), port.bits_per_second, **model))
        queue = float(dcqcn_queue_bytes(len(flows), port.bits_per_second, **model))
    except AssumptionError as error:
        yield NoStatement("queue", name, f"the fluid model has no fixed point: {error}", formula)
        return
    yield Statement(
        "queue",
        f"{port.name}: in the steady state the queue under DCQCN stands near {queue:,.0f} bytes, "
        f"where {marks:.3%} of packets are marked, and each flow has "
        f"{gbit(port.bits_per_second / len(flows))} of the line. With packets it is longer, since "
        "a flow has no CNP within tau of its last.",
        {"port": port.name, "dcqcn_queue_bytes": queue, "dcqcn_mark_probability": marks},
        formula,
        tuple(text for text, holds in assumed.items() if not holds),
        "prediction",
    )


def _by_hpcc(network: FrameNetwork, port: Line) -> Iterator[Prediction]:
    """Statement on the steady state of HPCC, if a flow over the port has it."""
    flows = network.over[port]
    controls = [flow.roce["control"] if flow.roce is not None else {} for flow in flows]
    told = [control for control in controls if control.get("algorithm") == "hpcc"]
    if not told:
        return
    control = told[0]
    trips = [flow.least_round_trip_seconds for flow in flows]
    base = control["t_seconds"] or max(trips)
    assumed = {
        "all flows run HPCC with the same parameters and data without end": all(
            flow.kind == "greedy" and other == control
            for flow, other in zip(flows, controls, strict=True)
        ),
        "all flows have the same round trip, which is T": max(trips) <= SAME * min(trips)
        and max(base, max(trips)) <= SAME * min(base, max(trips)),
        "the port is the only bottleneck of its flows": not any(
            other is not port and set(network.over[other]) & set(flows)
            for other in network.bottlenecks
        ),
        "neither pauses nor credits of links hold frames back": network.lossless is None,
    }
    law: dict[str, Any] = {
        "base_round_trip_seconds": base,
        "increase_bytes": control["w_ai_bytes"],
        "target": control["eta"],
    }
    share = float(hpcc_line_share(len(flows), port.bits_per_second, **law))
    queue = float(hpcc_queue_bytes(len(flows), port.bits_per_second, **law))
    stands = f"stands near {queue:,.0f} bytes and a few frames" if queue else "has a few frames"
    yield Statement(
        "queue",
        f"{port.name}: in the steady state HPCC uses {share:.2%} of the line, each flow has "
        f"{gbit(share * port.bits_per_second / len(flows))} of it, and the queue {stands}.",
        {"port": port.name, "hpcc_line_share": share, "hpcc_queue_bytes": queue},
        "hpcc-steady-state",
        tuple(text for text, holds in assumed.items() if not holds),
        "prediction",
    )


def _by_timely(network: FrameNetwork, port: Line) -> Iterator[Prediction]:
    """Statement on the fixed point of patched TIMELY, or that the original has none."""
    flows = network.over[port]
    controls = [flow.roce["control"] if flow.roce is not None else {} for flow in flows]
    timed = [control for control in controls if control.get("algorithm") == "timely"]
    if not timed:
        return
    control, formula = timed[0], "timely-phase-margin"
    name = f"{port.name}: queue of TIMELY in the steady state"
    if not control["patched"]:
        reason = "TIMELY has no fixed point, or infinitely many; `patched` has one"
        yield NoStatement("queue", name, reason, formula)
        return
    lines = {flow.hops[0][0].bits_per_second for flow in flows}
    trips = [flow.least_round_trip_seconds for flow in flows]
    line, trip = max(lines), max(trips)
    # A round trip begins with the last bit of a packet.
    base = trip - 8 * (max(flow.line_bytes for flow in flows) - GAP_BYTES) / line
    law: dict[str, Any] = {
        "increase_bits_per_second": control["delta_bits_per_second"] or line / 1000,
        "beta": control["beta"] or 0.008,
        "low_seconds": control["t_low_seconds"],
        "high_seconds": control["t_high_seconds"],
    }
    try:
        filled = float(timely_queue_bytes(len(flows), port.bits_per_second, **law))
    except AssumptionError as error:
        yield NoStatement("queue", name, f"the fluid model has no fixed point: {error}", formula)
        return
    start = {"start_bits_per_second": None}
    queue = filled - base * port.bits_per_second / 8
    assumed = {
        "all flows run patched TIMELY with the same parameters and data without end": all(
            flow.kind == "greedy" and {**other, **start} == {**control, **start}
            for flow, other in zip(flows, controls, strict=True)
        ),
        "the lines of all sources have one rate": len(lines) == 1,
        "all flows have the same round trip": max(trips) <= SAME * min(trips),
        "T_low is above the least round trip": control["t_low_seconds"] > trip,
        "the port is the only bottleneck of its flows": not any(
            other is not port and set(network.over[other]) & set(flows)
            for other in network.bottlenecks
        ),
        "neither pauses nor credits of links hold frames back": network.lossless is None,
    }
    yield Statement(
        "queue",
        f"{port.name}: in the steady state the queue under patched TIMELY stands near "
        f"{queue:,.0f} bytes, and each flow has {gbit(port.bits_per_second / len(flows))} of the "
        "line.",
        {"port": port.name, "timely_queue_bytes": queue},
        formula,
        tuple(text for text, holds in assumed.items() if not holds),
        "prediction",
    )


def _completion(
    bounds: FrameBounds, groups: dict[str, tuple[FrameFlow, ...]]
) -> Iterator[Prediction]:
    """Statement on the earliest completion of a group's files, by the line that needs longest."""
    for name, flows in groups.items():
        if flows[0].kind != "transfer":
            continue
        over = _by_line(flows)
        least, line = max(
            ((bounds.completion(files, line), line) for line, files in over.items()),
            key=lambda one: one[0],
        )
        chain = bounds.collective(flows) if any(flow.after for flow in flows) else -math.inf
        if chain > least:
            yield Statement(
                "completion",
                f"{name}: the last flow cannot end before {seconds(chain)} after the start of the "
                "run: flows await one another, and a chain of them takes so long over empty lines.",
                {"group": name, "flows": len(flows), "earliest_end_seconds": chain},
                kind="bound",
                claims=(Claim("end", name, "at least", chain, "completion"),),
            )
            continue
        count = len(over[line])
        files = f"{count} files that cross" if count > 1 else "the longest file over"
        takes = "take" if count > 1 else "takes"
        extra = "headers, preambles and gaps"
        if all(flow.flow_credit_line_bytes is not None for flow in flows):
            extra = "headers, preambles, gaps and credits of the way back"
        yield Statement(
            "completion",
            f"{name}: the last file cannot end before {seconds(least)} after the start of the "
            f"run: {files} {line.name} {takes} so long with {extra}. A run counts the time of each "
            "file from the file's own start.",
            {"group": name, "port": line.name, "files": count, "earliest_end_seconds": least},
            kind="bound",
            claims=(Claim("end", name, "at least", least, "completion"),),
        )
    yield from _of_several_groups(bounds)


def _by_line(flows: Iterable[FrameFlow]) -> dict[Line, list[FrameFlow]]:
    """Flows by each line that all their data cross."""
    over: dict[Line, list[FrameFlow]] = {}
    for flow in flows:
        for line in flow.forward:
            over.setdefault(line, []).append(flow)
    return over


def _of_several_groups(bounds: FrameBounds) -> Iterator[Statement]:
    """Statement on the earliest end of files of several groups, by the line that needs longest."""
    files = [flow for flow in bounds.network.flows if flow.kind == "transfer" and flow.sends]
    over = _by_line(flow for flow in files if flow.tcp is not None or flow.roce is not None)
    shared = {
        line: flows for line, flows in over.items() if len({flow.group for flow in flows}) > 1
    }
    if not shared:
        return
    least = {line: bounds.completion(flows, line) for line, flows in shared.items()}
    line = max(least, key=least.__getitem__)
    groups = list(dict.fromkeys(flow.group for flow in shared[line]))
    yield Statement(
        "completion",
        f"{', '.join(groups[:-1])} and {groups[-1]}: the last of their "
        f"{len(shared[line])} files that cross {line.name} cannot end before "
        f"{seconds(least[line])} after the start of the run, since together they take so long.",
        {
            "groups": groups,
            "port": line.name,
            "files": len(shared[line]),
            "earliest_end_seconds": least[line],
        },
        kind="bound",
        claims=(Claim("end", "", "at least", least[line], "completion"),),
    )
