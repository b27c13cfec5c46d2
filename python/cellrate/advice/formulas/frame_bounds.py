"""Bounds of a network over Ethernet that no run exceeds: throughput, queues, completion times."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from cellrate.advice.formulas.greatest_sum import greatest_sum
from cellrate.simulation.network.ethernet_view import (
    GAP_BYTES,
    PREAMBLE_BYTES,
    SHORTEST_BYTES,
    FrameFlow,
    FrameNetwork,
    Hop,
    Line,
    hop_rate,
)

Limit: TypeAlias = Literal["link", "window", "size", "credit"]
# A timer cannot expire early if the longest round trip is below this share of the least timeout.
EARLY = 0.5
BUFFERS = {
    "pfc": "XOFF and headroom of all links to it",
    "cbfc": "the credits of all links to it",
}
"""Bounds of a queue under each flow control by priority."""
LEAST_BYTES = PREAMBLE_BYTES + SHORTEST_BYTES
"""Bytes of the shortest frame on a line, with its preamble."""


@dataclass(frozen=True)
class QueueLimit:
    """An upper bound of the length of a queue of a port.

    Attributes:
        octets: Length of the queue in bytes.
        why: What the bound counts.
    """

    octets: float
    why: str


@dataclass(frozen=True)
class FrameBounds:
    """The bounds of one network over Ethernet."""

    network: FrameNetwork

    @cached_property
    def window(self) -> tuple[float, float]:
        """Begin and end of the measuring window in seconds."""
        measure = self.network.measure
        return float(measure["from_seconds"]), float(measure["to_seconds"])

    @cached_property
    def window_seconds(self) -> float:
        """Length of the measuring window."""
        begin, end = self.window
        return end - begin

    def rate(self, flow: FrameFlow) -> tuple[float, Limit]:
        """The greatest TCP throughput of a flow alone in the measuring window in bit/s, and why.

        The least of four bounds: whole frames with preambles and gaps on the slowest hop; a window
        in each round trip that has begun; the size of the file; the credit reserve in each round
        trip.
        """
        begin, end = self.window
        active = max(0.0, end - max(begin, flow.start_seconds))
        slowest = flow.slowest
        frames = active * hop_rate(slowest) / 8 / flow.line_bytes
        carried = (frames + len(slowest)) * flow.payload_bytes + self._early_bytes(flow)
        trips = math.ceil(active / flow.least_round_trip_seconds * (1 - 1e-12))
        found: list[tuple[float, Limit]] = [
            (carried, "link"),
            (trips * outstanding_bytes(flow), "window"),
        ]
        if flow.kind == "transfer":
            found.append((flow.source["size_bytes"], "size"))
        if flow.credit is not None:
            admitted = active * self.credit_octets_per_second(flow)
            admitted += max(flow.credit["reserve_bytes"])
            payload = admitted / flow.line_bytes * flow.payload_bytes
            found.append((payload + self._early_bytes(flow), "credit"))
        for hop in self.links_with_credits(flow):
            window, trip = self.link_credit(flow, hop)
            loops = math.ceil(active / trip * (1 - 1e-12)) + 1
            payload = loops * window / flow.line_bytes * flow.payload_bytes
            found.append((payload + self._early_bytes(flow), "credit"))
        most, why = min(found)
        return 8 * most / self.window_seconds, why

    def credit_octets_per_second(self, flow: FrameFlow) -> float:
        """The greatest rate of a flow in bytes/s on a line that credit admits, at its tightest hop.

        (N2 + N3) / (RTT + N2 / C) of Kung, Blackwell and Chapman 1994, at most the line's rate C.
        """
        assert flow.credit is not None  # noqa: S101  callers know it
        assert self.network.credit is not None  # noqa: S101  as above
        n2 = self.network.credit["n2_bytes"]
        reserves, trips = flow.credit["reserve_bytes"], flow.credit["trip_seconds"]
        hops = zip(flow.hops, reserves, trips, strict=True)
        rates = (reserve / (trip + hop[0].seconds(n2)) for hop, reserve, trip in hops)
        return float(min(hop_rate(flow.slowest) / 8, *rates))

    def links_with_credits(self, flow: FrameFlow) -> range:
        """Numbers of the hops of a flow's data whose links have credits (CBFC)."""
        lossless = self.network.lossless
        is_covered = (
            lossless is not None
            and lossless["by"] == "cbfc"
            and flow.priority in lossless["priorities"]
        )
        return range(len(flow.hops) if is_covered else 0)

    def link_credit(self, flow: FrameFlow, hop: int) -> tuple[float, float]:
        """Bytes on the line of full frames that credits of a link cover, and the time of its loop.

        The loop in seconds: a full frame with its preamble, the propagation, the service at the
        next port unless a host takes the frame, the return of the credits. Frames take whole
        credits.
        """
        lossless = self.network.lossless
        assert lossless is not None  # noqa: S101  callers know it
        line, number = flow.hops[hop][0], self.network.lines.index(flow.hops[hop][0])
        taken = math.ceil(flow.frame_bytes / lossless["unit_bytes"])
        window = lossless["credits"][number] // taken * flow.line_bytes
        trip = line.seconds(flow.line_bytes - GAP_BYTES) + lossless["return_seconds"][number]
        if hop + 1 < len(flow.hops):
            trip += flow.hops[hop + 1][0].seconds(flow.line_bytes)
        return float(window), trip

    def together(self, flows: Sequence[FrameFlow], *, early: bool = True) -> float:
        """Bound in bit/s of the sum of the TCP throughputs of flows, since hops are shared.

        Args:
            flows: The flows.
            early: False to leave out data that were sent before the measuring window.
        """
        hops = list(dict.fromkeys(hop for flow in flows for hop in flow.hops))
        rows = {hop: row for row, hop in enumerate(hops)}
        room = np.array([hop_rate(hop) for hop in hops])
        taken: list[tuple[float, int, int]] = []
        for column, flow in enumerate(flows):
            cost = flow.line_bytes / flow.payload_bytes
            early_bytes = self._early_bytes(flow) * cost
            for hop in flow.hops:
                before = 8 * (early_bytes + len(hop) * flow.line_bytes) / self.window_seconds
                taken.append((cost, rows[hop], column))
                room[rows[hop]] += before if early else 0.0
        return greatest_sum([self.rate(flow)[0] for flow in flows], taken, room)

    @cached_property
    def crowded_hops(self) -> frozenset[Hop]:
        """Hops that cannot carry all flows at their own bounds."""
        brought: dict[Hop, float] = defaultdict(float)
        for flow in self.network.flows:
            rate = flow.own_bits_per_second or math.inf
            early_bytes = 0.0
            if flow.tcp is not None:
                per_byte = flow.line_bytes / flow.payload_bytes
                rate = self.rate(flow)[0] * per_byte
                early_bytes = self._early_bytes(flow) * per_byte
            for hop in flow.hops:
                early = 8 * (early_bytes + len(hop) * flow.line_bytes) / self.window_seconds
                brought[hop] += rate - early
        return frozenset(hop for hop, rate in brought.items() if rate > hop_rate(hop))

    def _early_bytes(self, flow: FrameFlow) -> float:
        """Payload in bytes that may pass a line before the measuring window and arrive in it."""
        return 0.0 if self.window[0] <= flow.start_seconds else float(outstanding_bytes(flow))

    def queue(self, port: Line) -> QueueLimit | None:
        """The least bound of each queue of a port; None without a bound."""
        found = []
        if port.switch is not None and port.switch["memory"] is not None:
            found.append(QueueLimit(self._of_memory(port), "alpha times what a queue alone leaves"))
        # Under PFC or CBFC queues have no limit of their own.
        if math.isfinite(port.buffer_bytes) and self.network.lossless is None:
            found.append(QueueLimit(port.buffer_bytes, "its buffer"))
        if self.network.credit is not None:
            promised = self.network.credit["promised_bytes"][self.network.lines.index(port)]
            found.append(QueueLimit(promised, "the reserves of all flows over it"))
        if self.network.lossless is not None and self.loses_nothing:
            found.append(QueueLimit(self._of_links(port), BUFFERS[self.network.lossless["by"]]))
        if self.windows_fit:
            found.append(QueueLimit(self._windows[port], "all TCP windows over it"))
        return min(found, key=lambda limit: limit.octets, default=None)

    def _of_links(self, port: Line) -> float:
        """Most bytes that a switch holds for a port, over all links and priorities."""
        assert self.network.lossless is not None  # noqa: S101  the caller knows it
        numbers = {line: number for number, line in enumerate(self.network.lines)}
        used = {
            (line, priority)
            for flow in self.network.flows
            for way, priorities in (
                (flow.hops, {flow.priority}),
                (flow.hops_back, {flow.priority, flow.notification_priority}),
            )
            for (line,), (after,) in pairwise(way)
            if after is port
            for priority in priorities
        }
        room = self.network.lossless["room_bytes"]
        return float(sum(room[numbers[line]] for line, _ in used))

    def _of_memory(self, port: Line) -> float:
        """Most bytes of a shared memory that one queue can hold, if all other queues are empty.

        Choudhury and Hahne 1998: x <= alpha (B - x), where x does not yet count the arriving frame.
        """
        shared, alpha, reserved = self._shared(port)
        largest = max((flow.frame_bytes for flow in self.network.flows), default=0)
        return reserved + min(shared, alpha * (shared + largest) / (1 + alpha))

    def _shared(self, port: Line) -> tuple[float, float, float]:
        """Shared part of the memory of a port's switch, alpha, and the reserve of each queue."""
        assert port.switch is not None  # noqa: S101  callers know it
        memory = port.switch["memory"]
        # A port that no flow uses has no queues and no reserve.
        ports = sum(line.sender == port.sender for line in self._windows)
        reserved = float(memory["reserved_bytes"])
        shared = float(memory["total_bytes"]) - reserved * ports * len(port.switch["queues"])
        return shared, float(memory["alpha"]), reserved

    @cached_property
    def loses_nothing(self) -> bool:
        """True if no run loses a packet, due to credits or pauses, or since all windows fit."""
        lossless = self.network.lossless
        by_links = lossless is not None and lossless["loses"] is None
        return self.network.credit is not None or by_links or self.windows_fit

    @cached_property
    def windows_fit(self) -> bool:
        """True if windows fit into all buffers and no timer expires early.

        False under credits or pauses, since these hold frames back.
        """
        if self.network.credit is not None or self.network.lossless is not None:
            return False
        ports = (line for line in self._windows if line.switch is not None)
        return self.sends_once and all(map(self.fits, ports))

    @cached_property
    def sends_once(self) -> bool:
        """True if no timer can expire before the acknowledgement, even if all queues are full."""
        return all(map(self._is_in_time, self.network.flows))

    def fits(self, port: Line) -> bool:
        """True if a port can hold all windows that cross it."""
        assert port.switch is not None  # noqa: S101  the caller asks for ports alone
        held = self._windows[port]
        if port.switch["aqm"]["algorithm"] != "none" or math.isinf(held):
            return False
        if held > port.buffer_bytes:
            return False
        if port.switch["memory"] is None:
            return True
        shared, alpha, _ = self._shared(port)
        of_switch = (held for line, held in self._windows.items() if line.sender == port.sender)
        free = shared - sum(of_switch)
        return held <= min(alpha * free, free)

    @cached_property
    def _windows(self) -> Mapping[Line, float]:
        """Most bytes that a port holds if each frame is sent once, by the line of the port.

        Each segment of a window is under way as data or as an acknowledgement; one further frame
        may be in its interframe gap.
        """
        held: dict[Line, float] = defaultdict(float)
        for flow in self.network.flows:
            packets = outstanding_packets(flow)
            for line in flow.lines:
                held[line] += packets * flow.frame_bytes
            answer = (flow.acknowledgement_line_bytes or 0) - PREAMBLE_BYTES - GAP_BYTES
            for line in flow.lines_back:
                held[line] += packets * answer
        largest = max((flow.frame_bytes for flow in self.network.flows), default=0)
        return {line: octets + largest for line, octets in held.items()}

    def _is_in_time(self, flow: FrameFlow) -> bool:
        """True if a segment is acknowledged long before its timeout in the fullest queues."""
        if flow.tcp is None or not math.isfinite(outstanding_packets(flow)):
            return False
        # With preambles and gaps a frame takes less than twice its bytes.
        waiting = sum(
            line.seconds(2 * self._windows[line]) for line in (*flow.lines, *flow.lines_back)
        )
        delayed = flow.tcp["delayed_ack_interval_seconds"] if flow.tcp["delayed_ack"] else 0.0
        trip = flow.least_round_trip_seconds + waiting + delayed
        return bool(trip < EARLY * flow.tcp["min_rto_seconds"])

    def completion(self, flows: Sequence[FrameFlow], line: Line) -> float:
        """Time before which files that all cross a line cannot all be acknowledged.

        The sum of three times: of the first frame over the lines before; of all frames on the line;
        of the last frame over the lines behind, with its acknowledgement.
        """
        octets = sum(map(file_line_bytes, flows)) - GAP_BYTES
        at = [flow.hops.index((line,)) for flow in flows]
        first = min(
            flow.start_seconds + _least_seconds(flow.hops[:hop])
            for flow, hop in zip(flows, at, strict=True)
        )
        last = min(
            line.delay_seconds + _least_seconds((*flow.hops[hop + 1 :], *flow.hops_back))
            for flow, hop in zip(flows, at, strict=True)
        )
        return first + line.seconds(octets) + last


def _least_seconds(hops: Iterable[Hop]) -> float:
    """Least time of a frame over hops, one after the other."""
    return sum(min(line.delay_seconds + line.seconds(LEAST_BYTES) for line in hop) for hop in hops)


def file_line_bytes(flow: FrameFlow) -> int:
    """Bytes that the frames of a file take on a line, with preambles and gaps."""
    full, rest = divmod(int(flow.source["size_bytes"]), flow.payload_bytes)
    around = flow.line_bytes - flow.frame_bytes
    headers = flow.frame_bytes - flow.payload_bytes
    if flow.roce is not None:
        # RoCE pads payload to words of four bytes.
        headers += (-rest % 4) - (-flow.payload_bytes % 4)
    short = max(SHORTEST_BYTES, headers + rest) + around
    return full * flow.line_bytes + (short if rest else 0)


def outstanding_bytes(flow: FrameFlow) -> int:
    """Most outstanding bytes of a flow over TCP: whole segments, if all its segments are full."""
    window = 0 if flow.tcp is None else int(flow.tcp["window_bytes"])
    return window // flow.payload_bytes * flow.payload_bytes if flow.kind == "greedy" else window


def outstanding_packets(flow: FrameFlow) -> float:
    """Greatest number of outstanding segments of a flow; infinity if some may be sent twice.

    TCP retransmits sprayed segments that arrive late.
    """
    if flow.tcp is None or flow.rate_controlled or flow.is_sprayed:
        return math.inf
    if flow.kind not in {"greedy", "transfer"}:
        return math.inf
    held = outstanding_bytes(flow)
    if flow.kind == "greedy":
        return held // flow.payload_bytes
    return min(held, int(flow.source["size_bytes"])) // flow.payload_bytes + 1
