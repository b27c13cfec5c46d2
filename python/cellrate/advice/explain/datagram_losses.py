"""Certain losses of datagrams over Ethernet: means above the line, and bursts in phase."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from cellrate.advice.formulas.frame_bounds import FrameBounds
from cellrate.simulation.network.ethernet_view import FrameFlow, Line

# Packets at the ends of an interval: one in service at the port, one that the line has begun.
ENDS = 2


@dataclass(frozen=True)
class DatagramLoss:
    """Packets that a port loses for certain.

    Attributes:
        packets: Least number of packets lost in the measuring window.
        share: Least ratio of lost packets to the packets of these sources, in the long run.
        why: Reason of the loss.
    """

    packets: float
    share: float
    why: str


def certain_loss(bounds: FrameBounds, port: Line) -> DatagramLoss | None:
    """The greatest loss that is certain at a port; None without one."""
    network, limit = bounds.network, bounds.queue(port)
    lossless = network.credit is not None or network.lossless is not None
    trims = port.switch is not None and port.switch["trim_priority"] is not None
    if lossless or trims or limit is None or network.links_err:
        return None
    alike: dict[tuple[object, ...], list[FrameFlow]] = defaultdict(list)
    for flow in _alone(bounds, port):
        access = flow.hops[0][0]
        kind = flow.kind if flow.kind == "cbr" else repr((flow.source, flow.start_seconds))
        way = access.bits_per_second, access.delay_seconds
        alike[flow.priority, flow.frame_bytes, kind, *way].append(flow)
    found = [
        loss
        for flows in alike.values()
        if (loss := _loss(bounds, port, flows, limit.octets)) is not None
    ]
    return max(found, key=lambda loss: loss.packets, default=None)


def _alone(bounds: FrameBounds, port: Line) -> Iterator[FrameFlow]:
    """Sources of datagrams that each come straight to the port over a line of their own."""
    network = bounds.network
    begins = Counter(line for flow in network.flows for line in flow.hops[0])
    for flow in network.over[port]:
        straight = len(flow.hops) > 1 and (port,) == flow.hops[1] and len(flow.hops[0]) == 1
        if straight and flow.is_unchecked and begins[flow.hops[0][0]] == 1:
            yield flow


def _loss(
    bounds: FrameBounds, port: Line, flows: list[FrameFlow], octets: float
) -> DatagramLoss | None:
    kind = flows[0].kind
    if kind == "cbr":
        return _of_means(bounds, port, flows, octets)
    if kind == "on-off" and bounds.network.start_jitter_seconds == 0:
        return _of_bursts(bounds, port, flows, octets)
    return None


def _of_means(
    bounds: FrameBounds, port: Line, flows: list[FrameFlow], octets: float
) -> DatagramLoss | None:
    """Loss of sources of constant rate that together send more than the line carries."""
    rate = sum(min(flow.own_bits_per_second or 0.0, _access(flow)) for flow in flows)
    begin, end = bounds.window
    latest = max(map(_arrival_seconds, flows)) + bounds.network.start_jitter_seconds
    seconds = max(0.0, end - max(begin, latest))
    over = (rate - port.bits_per_second) * seconds / 8 / flows[0].line_bytes
    packets = over - octets / flows[0].frame_bytes - len(flows) - ENDS
    if packets <= 0:
        return None
    share = 1 - port.bits_per_second / rate
    why = (
        f"{len(flows)} sources of constant rate send {rate / 1e9:.4g} Gbit/s, preambles and gaps "
        f"included, to a line of {port.bits_per_second / 1e9:.4g} Gbit/s, so at least {share:.3g} "
        "of as many packets are lost in the long run"
    )
    return DatagramLoss(packets, share, why)


def _of_bursts(
    bounds: FrameBounds, port: Line, flows: list[FrameFlow], octets: float
) -> DatagramLoss | None:
    """Loss of ON-OFF sources whose ON times begin together.

    During an ON time the port takes what its buffer holds and what the line carries.
    """
    first, size = flows[0], flows[0].line_bytes
    period = float(first.source["period_seconds"])
    on = period * float(first.source["duty_cycle"])
    peak = min(first.peak_bits_per_second or math.inf, _access(first))
    each = math.floor(on * peak / 8 / size)
    taken = octets / first.frame_bytes + port.bits_per_second * on / 8 / size + ENDS
    lost = len(flows) * each - taken
    begin, end = bounds.window
    # Frames of an ON time have all come a frame's time after its end.
    came = _arrival_seconds(first)
    earliest = max(0, math.ceil((begin - came) / period))
    bursts = math.floor((end - came - on - 8 * size / _access(first)) / period) + 1 - earliest
    if lost <= 0 or bursts <= 0:
        return None
    share = lost / (len(flows) * each)
    why = (
        f"the ON times of {len(flows)} ON-OFF sources begin together; in each of them "
        f"{len(flows) * each:,} packets come, and buffer and line take at most "
        f"{math.floor(taken):,}, so at least {share:.3g} of as many packets are lost"
    )
    return DatagramLoss(lost * bursts, share, why)


def _access(flow: FrameFlow) -> float:
    return flow.hops[0][0].bits_per_second


def _arrival_seconds(flow: FrameFlow) -> float:
    """Time at which the first frame of a flow has come to its switch, without jitter."""
    [access] = flow.hops[0]
    return flow.start_seconds + access.delay_seconds + access.seconds(flow.line_bytes)
