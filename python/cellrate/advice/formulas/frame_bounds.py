"""Bounds of a network over Ethernet that no run exceeds: throughput, queues, completion times."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

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

Limit: TypeAlias = Literal["link", "pcr", "window", "size", "credit"]
# A timer cannot expire early if the longest round trip is below this share of the least timeout.
EARLY = 0.5
BUFFERS = {
    "pfc": "XOFF and headroom of all links to it",
    "cbfc": "the credits of all links to it",
}
"""Words for what bounds a queue, by the flow control of the links."""
OPTION_BYTES = 40
"""Most bytes of options in a TCP header (RFC 9293 3.1)."""
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
        """Start and end of the measuring window in seconds."""
        measure = self.network.measure
        return float(measure["from_seconds"]), float(measure["to_seconds"])

    @cached_property
    def window_seconds(self) -> float:
        """Length of the measuring window."""
        begin, end = self.window
        return end - begin

    def rate(self, flow: FrameFlow) -> tuple[float, Limit]:
        """The greatest TCP throughput of a flow alone in the measuring window, and what limits it.

        The least of five bounds in bit/s: whole frames with preambles and gaps on the slowest hop;
        whole frames at PCR; a window in each round trip that has begun; the size of the file; the
        credit reserve in each round trip.
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
        if flow.pcr_bits_per_second < hop_rate(slowest):
            frames = active * flow.pcr_bits_per_second / 8 / flow.line_bytes
            paced = (frames + len(slowest)) * flow.payload_bytes + self._early_bytes(flow)
            found.append((paced, "pcr"))
        if flow.kind == "transfer":
            found.append((flow.source["size_bytes"], "size"))
        if flow.credit is not None:
            admitted = active * self.credit_octets_per_second(flow)
            admitted += max(flow.credit["reserve_bytes"])
            payload = admitted / flow.line_bytes * flow.payload_bytes
            found.append((payload + self._early_bytes(flow), "credit"))
        for hop in self._links_with_credits(flow):
            payload = self._payload_by_links(flow, hop, active)
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

    def _links_with_credits(self, flow: FrameFlow) -> range:
        """Numbers of the hops of a flow's data whose links have credits (CBFC)."""
        is_covered = flow.priority in self._covered
        return range(len(flow.hops) if is_covered else 0)

    @cached_property
    def _covered(self) -> frozenset[int]:
        """Priorities that have credits of links."""
        lossless = self.network.lossless
        by_credits = lossless is not None and lossless["by"] == "cbfc"
        return frozenset(lossless["priorities"] if lossless is not None and by_credits else ())

    @cached_property
    def _numbers(self) -> Mapping[Line, int]:
        return {line: number for number, line in enumerate(self.network.lines)}

    def _payload_by_links(self, flow: FrameFlow, hop: int, seconds: float) -> float:
        """Most payload in bytes whose frames the credits of a link let begin within `seconds`.

        A frame holds its credits for a loop: until they have returned to the sender. So the sum of
        credits times loop over all frames is at most all credits times (`seconds` plus the longest
        loop).
        """
        line, after = flow.hops[hop][0], _after(flow.hops, hop)
        lengths = np.arange(*_data_lengths(flow))
        taken, loops = self._held(line, after, lengths)
        carried = np.maximum(0, lengths - (flow.frame_bytes - flow.payload_bytes))
        usable = self._usable(line, taken)
        return float(usable * (carried / (taken * loops)).max() * (seconds + loops.max()))

    def _held(
        self, line: Line, after: Line | None, lengths: npt.NDArray[np.int_]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Credits that frames of some lengths in bytes take of a link, and for how many s at least.

        The time is a loop: the frame with its preamble, the propagation, the service at the next
        port unless a host takes the frame, the return of the credits.
        """
        lossless = self.network.lossless
        assert lossless is not None  # noqa: S101  callers know it
        taken = np.ceil(lengths.astype(np.float64) / float(lossless["unit_bytes"]))
        loops = line.seconds(1) * (lengths.astype(np.float64) + PREAMBLE_BYTES)
        loops += float(lossless["return_seconds"][self._numbers[line]])
        # A frame that the next port drops returns its credits at once.
        if after is not None and lossless["loses"] is None:
            loops += after.seconds(1) * (lengths + PREAMBLE_BYTES + GAP_BYTES)
        return taken, loops

    def _usable(self, line: Line, taken: npt.NDArray[np.float64]) -> float:
        """Credits of a link that frames can hold together.

        If all frames take n credits, this is a multiple of n; otherwise it is all credits.
        """
        assert self.network.lossless is not None  # noqa: S101  callers know it
        credits_ = float(self.network.lossless["credits"][self._numbers[line]])
        least = float(taken.min())
        return credits_ // least * least if least == taken.max() else credits_

    @cached_property
    def link_credit_rates(self) -> Mapping[tuple[Line, int], float]:
        """Greatest rate in bit/s, with preambles and gaps, that CBFC admits, by link and priority.

        The rate is that of frames whose length makes the most of the credits; a run reaches it if
        all frames have this length. Links that carry no data are left out.
        """
        kinds: dict[tuple[Line, int], set[tuple[Line | None, int, int]]] = defaultdict(set)
        data: dict[tuple[Line, int], None] = {}
        for flow in self.network.flows:
            back = {flow.priority, flow.notification_priority} & self._covered
            for hop in self._links_with_credits(flow):
                key = flow.hops[hop][0], flow.priority
                data[key] = None
                kinds[key].add((_after(flow.hops, hop), *_data_lengths(flow)))
            for hop, (line,) in enumerate(flow.hops_back if back else ()):
                for priority in back:
                    kind = _after(flow.hops_back, hop), *_answer_lengths(flow)
                    kinds[line, priority].add(kind)
        return {key: self._link_credit_rate(key[0], kinds[key]) for key in data}

    def _link_credit_rate(self, line: Line, kinds: Iterable[tuple[Line | None, int, int]]) -> float:
        """Greatest rate in bit/s of kinds of frames, each given by next line and lengths."""
        all_taken, rates = [], []
        for after, *lengths_between in kinds:
            lengths = np.arange(*lengths_between)
            taken, loops = self._held(line, after, lengths)
            all_taken.append(taken)
            around = PREAMBLE_BYTES + GAP_BYTES
            rates.append(((lengths + around) / (taken * loops)).max())
        return float(8 * self._usable(line, np.concatenate(all_taken)) * max(rates))

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
            rate = flow.sent_bits_per_second
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
            trims = port.switch is not None and port.switch["trim_priority"] is not None
            why = "twice its buffer, which headers of trimmed packets may fill"
            limit = QueueLimit(2 * port.buffer_bytes, why)
            found.append(limit if trims else QueueLimit(port.buffer_bytes, "its buffer"))
        if self.network.credit is not None:
            promised = self.network.credit["promised_bytes"][self._numbers[port]]
            found.append(QueueLimit(promised, "the reserves of all flows over it"))
        if self.network.lossless is not None and self.loses_nothing_at(port):
            found.append(QueueLimit(self._of_links(port), BUFFERS[self.network.lossless["by"]]))
        if self.windows_fit:
            found.append(QueueLimit(self._windows[port], "all TCP windows over it"))
        return min(found, key=lambda limit: limit.octets, default=None)

    def _of_links(self, port: Line) -> float:
        """Most bytes that a switch holds for a port, over all links and priorities."""
        assert self.network.lossless is not None  # noqa: S101  the caller knows it
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
        return float(sum(room[self._numbers[line]] for line, _ in used))

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

    def loses_nothing_at(self, port: Line) -> bool:
        """True if no run loses a packet at a port, though other ports may lose some.

        Only priorities without pauses or credits may lose packets, and none of them is here.
        """
        lossless = self.network.lossless
        if self.loses_nothing or lossless is None or not lossless["loses_uncovered_alone"]:
            return self.loses_nothing
        here = {flow.priority for flow in self.network.over[port]}
        for flow in self.network.flows:
            if port in flow.lines_back:
                here |= {flow.priority, flow.notification_priority}
        return here <= set(lossless["priorities"])

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
        """True if no timer can expire before the acknowledgement, even if all queues are full.

        False if bit errors lose frames, which TCP sends again, or links send frames again.
        """
        if self.network.links_err or self.network.llr is not None:
            return False
        return all(map(self.is_in_time, self.network.flows))

    def fits(self, port: Line) -> bool:
        """True if a port can hold all windows that cross it."""
        assert port.switch is not None  # noqa: S101  the caller asks for ports alone
        held = self._windows[port]
        if self.may_drop(port) or math.isinf(held):
            return False
        if held > port.buffer_bytes:
            return False
        if port.switch["memory"] is None:
            return True
        shared, alpha, _ = self._shared(port)
        of_switch = (held for line, held in self._windows.items() if line.sender == port.sender)
        free = shared - sum(of_switch)
        return held <= min(alpha * free, free)

    def is_endless(self, port: Line) -> bool:
        """True if nothing limits the queues of a port: no buffer, memory, AQM or headroom."""
        alone = port.switch is not None and port.switch["memory"] is None
        return (
            alone
            and self.network.lossless is None
            and math.isinf(port.buffer_bytes)
            and not self.may_drop(port)
        )

    def may_drop(self, port: Line) -> bool:
        """True if `switch.aqm` may drop packets at a port.

        With marks, a threshold, RED without `hard_drop` and CoDel drop packets that cannot carry
        marks alone. Under DCTCP all packets of a flow carry marks, and over RoCE all but credits of
        ExpressPass. Under ECN (RFC 3168) acknowledgements and segments sent again do not.
        """
        aqm: Mapping[str, Any] = (
            {"algorithm": "none"} if port.switch is None else port.switch["aqm"]
        )
        algorithm = aqm["algorithm"]
        marks = (
            algorithm == "threshold"
            or (algorithm == "red" and aqm["ecn"] and not aqm["hard_drop"])
            or (algorithm == "codel" and aqm["ecn"])
        )
        if not marks:
            return bool(algorithm != "none")
        return any(
            not _carries_marks(flow)
            for flow in self.network.flows
            if port in {*flow.lines, *flow.lines_back}
        )

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

    def windows_bytes(self, port: Line) -> float:
        """Most bytes that a port holds if each frame is sent once."""
        return self._windows[port]

    def is_in_time(self, flow: FrameFlow) -> bool:
        """True if a segment is acknowledged long before its timeout in the fullest queues."""
        longest = self.longest_trip_seconds(flow)
        return flow.tcp is not None and longest < EARLY * float(flow.tcp["min_rto_seconds"])

    def longest_trip_seconds(self, flow: FrameFlow) -> float:
        """Time in the fullest queues until a segment is acknowledged; infinity if not known."""
        if flow.tcp is None or not math.isfinite(outstanding_packets(flow)):
            return math.inf
        # With preambles and gaps a frame takes less than twice its bytes.
        waiting = sum(
            line.seconds(2 * self._windows[line]) for line in (*flow.lines, *flow.lines_back)
        )
        delayed = flow.tcp["delayed_ack_interval_seconds"] if flow.tcp["delayed_ack"] else 0.0
        return float(flow.least_round_trip_seconds + waiting + delayed)

    def completion(self, flows: Sequence[FrameFlow], line: Line) -> float:
        """Time in s before which files that all cross a line cannot all be acknowledged.

        The sum of three times: of the first frame over the lines before this line; of all frames on
        this line; of the last frame over the lines behind, with its acknowledgement.
        """
        octets = sum(map(file_line_bytes, flows)) - GAP_BYTES
        lasts = max(line.seconds(octets), self._seconds_of_credits(flows, line))
        at = [flow.hops.index((line,)) for flow in flows]
        first = min(
            flow.start_seconds + _least_seconds(flow.hops[:hop])
            for flow, hop in zip(flows, at, strict=True)
        )
        last = min(
            line.delay_seconds + _least_seconds((*flow.hops[hop + 1 :], *flow.hops_back))
            for flow, hop in zip(flows, at, strict=True)
        )
        return first + lasts + last

    def flow_credit_share(self, flow: FrameFlow, line: Line) -> float:
        """Greatest share of a line that credits of ExpressPass let a flow's data take.

        The port of the reverse direction lets one credit pass in the time in which a credit and the
        longest packet cross the line: Cho, Jang and Han 2017, C 1538/(84 + 1538).
        """
        return flow.line_bytes / self._span_bytes(line)

    def _span_bytes(self, line: Line) -> int:
        """Bytes of a line for each credit of ExpressPass: a credit and the longest packet."""
        sizes = (
            flow.flow_credit_line_bytes + flow.line_bytes
            for flow in self.network.flows
            if flow.flow_credit_line_bytes is not None and (line,) in flow.hops
        )
        return max(sizes)

    def _seconds_of_credits(self, flows: Sequence[FrameFlow], line: Line) -> float:
        """Least time in s of the credits for files over a line; 0 without ExpressPass.

        Each packet needs a credit. After a burst, credits are the time of `_span_bytes` apart.
        """
        controls = [
            flow.roce["control"]
            for flow in flows
            if flow.roce is not None and flow.flow_credit_line_bytes is not None
        ]
        if len(controls) < len(flows):
            return 0.0
        packets = sum(-(-flow.source["size_bytes"] // flow.payload_bytes) for flow in flows)
        apart = max(0, packets - max(control["burst"] for control in controls))
        return float(apart * line.seconds(self._span_bytes(line)))

    def collective(self, flows: Sequence[FrameFlow]) -> float:
        """Time before which the flows of a group that await one another cannot all be acknowledged.

        No flow begins before the flows that it awaits have ended at its host. Each flow takes its
        least time over empty lines.
        """
        arrived, acknowledged = dict[int, float](), dict[int, float]()
        of_group = set(flows)
        for number, flow in enumerate(self.network.flows):
            if flow not in of_group:
                continue
            host = flow.hops[0][0].sender
            begin = flow.start_seconds
            for one, wait in zip(flow.after, flow.wait_seconds, strict=True):
                is_sent_here = self.network.flows[one].hops[0][0].sender == host
                ends = acknowledged if is_sent_here else arrived
                begin = max(begin, ends[one] + wait)
            octets = file_line_bytes(flow) - GAP_BYTES
            arrived[number] = begin + max(
                line.seconds(octets)
                + line.delay_seconds
                + _least_seconds(hop for hop in flow.hops if hop != (line,))
                for line in flow.forward
            )
            acknowledged[number] = arrived[number] + _least_seconds(flow.hops_back)
        return max(acknowledged.values())


def _least_seconds(hops: Iterable[Hop]) -> float:
    """Least time in s of the shortest frame over hops, one after the other."""
    return sum(min(line.delay_seconds + line.seconds(LEAST_BYTES) for line in hop) for hop in hops)


def _after(way: Sequence[Hop], hop: int) -> Line | None:
    """The line after a hop of one line; None if the hop leads to a host."""
    return way[hop + 1][0] if hop + 1 < len(way) else None


def _data_lengths(flow: FrameFlow) -> tuple[int, int]:
    """Least length of a flow's data frames in bytes, and one more than the greatest.

    Datagrams and the segments of endless data all have one length.
    """
    fixed = flow.kind in {"greedy", "persistent"} or flow.own_bits_per_second is not None
    return (flow.frame_bytes if fixed else SHORTEST_BYTES), flow.frame_bytes + 1


def _answer_lengths(flow: FrameFlow) -> tuple[int, int]:
    """Least length of a flow's acknowledgements in bytes, and one more than the greatest."""
    empty = (flow.acknowledgement_line_bytes or 0) - PREAMBLE_BYTES - GAP_BYTES
    return empty, empty + OPTION_BYTES + 1


def _carries_marks(flow: FrameFlow) -> bool:
    """True if each packet of a flow, there and back, can carry a mark."""
    if flow.roce is not None:
        return bool(flow.roce["control"]["algorithm"] != "expresspass")
    return flow.recovery == "dctcp"


def file_line_bytes(flow: FrameFlow) -> int:
    """Bytes that the frames of a file take on a line, with preambles and gaps."""
    full, rest = divmod(int(flow.source["size_bytes"]), flow.payload_bytes)
    around = flow.line_bytes - flow.frame_bytes
    return full * flow.line_bytes + (last_frame_bytes(flow) + around if rest else 0)


def last_frame_bytes(flow: FrameFlow) -> int:
    """Length of the last frame of a file in bytes, from header to frame check sequence."""
    rest = int(flow.source["size_bytes"]) % flow.payload_bytes
    if not rest:
        return flow.frame_bytes
    headers = flow.frame_bytes - flow.payload_bytes
    if flow.roce is not None:
        # RoCE pads payload to words of four bytes.
        headers += (-rest % 4) - (-flow.payload_bytes % 4)
    return max(SHORTEST_BYTES, headers + rest)


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
