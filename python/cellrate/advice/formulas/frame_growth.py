"""Certain growth of queues over Ethernet, by the rates of sources that nothing slows down."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cellrate.simulation.network.ethernet_view import (
    GAP_BYTES,
    PREAMBLE_BYTES,
    SHORTEST_BYTES,
    FrameFlow,
    FrameNetwork,
    Line,
)


@dataclass(frozen=True)
class CertainGrowth:
    """Excess of a port's certain arrivals over its line, in the long run.

    Attributes:
        sources: Groups of the sources that bring it.
        brought_bits_per_second: Rate that they bring at least, with preambles and gaps.
        bytes_per_second: Least growth of a queue without a limit; queues hold no preambles or gaps.
        loss_ratio: Least share of packets that any buffer loses; None if frames differ in length.
    """

    sources: tuple[str, ...]
    brought_bits_per_second: float
    bytes_per_second: float
    loss_ratio: float | None


def certain_growth(network: FrameNetwork, port: Line) -> CertainGrowth | None:
    """The certain growth of a port's queues; None if none is certain.

    Counts sources that nothing slows down and whose host's line leads to the port's switch.
    """
    held = network.credit is not None or network.lossless is not None
    trims = port.switch is not None and port.switch["trim_priority"] is not None
    if held or trims or network.links_err or network.llr is not None:
        return None
    by_line: dict[Line, list[FrameFlow]] = {}
    for flow in network.over[port]:
        is_straight = len(flow.hops[0]) == 1 and flow.hops[1:2] == ((port,),)
        if is_straight and _endless_bits_per_second(flow) > 0:
            by_line.setdefault(flow.hops[0][0], []).append(flow)
    brought = sum(_brought(network, line, flows) for line, flows in by_line.items())
    if brought <= port.bits_per_second * (1 + 1e-9):
        return None
    over = network.over[port]
    answered = any(port in flow.lines_back for flow in network.flows)
    is_fixed = not answered and all(_endless_bits_per_second(flow) > 0 for flow in over)
    parts = [flow.frame_bytes / flow.line_bytes for flow in over]
    if not is_fixed:
        parts.append(SHORTEST_BYTES / (PREAMBLE_BYTES + SHORTEST_BYTES + GAP_BYTES))
    excess = brought - port.bits_per_second
    return CertainGrowth(
        tuple(dict.fromkeys(flow.group for flows in by_line.values() for flow in flows)),
        brought,
        excess / 8 * min(parts),
        excess / brought if is_fixed and len(set(parts)) == 1 else None,
    )


def _brought(network: FrameNetwork, line: Line, flows: list[FrameFlow]) -> float:
    """Least rate in bit/s that flows bring over their host's line, beside its other frames."""
    if any(line in flow.lines_back for flow in network.flows):
        return 0.0
    others = set(network.over[line]).difference(flows)
    left = line.bits_per_second - sum(flow.sent_bits_per_second for flow in others)
    return min(sum(map(_endless_bits_per_second, flows)), max(0.0, left))


def _endless_bits_per_second(flow: FrameFlow) -> float:
    """Rate at which a source sends for ever, whatever is lost; 0 if something may slow it down.

    Over RoCE without control a source of endless data repeats all behind a loss, and never waits.
    """
    if not flow.sends or flow.after:
        return 0.0
    if flow.is_unchecked:
        return flow.own_bits_per_second or 0.0
    roce = flow.roce or {"control": {"algorithm": ""}}
    never_waits = roce["control"]["algorithm"] == "none" and roce["resend"] == "go-back-n"
    return math.inf if never_waits and flow.kind == "greedy" else 0.0
