"""The network of a scenario over Ethernet as plain values: seconds, bytes, bit/s."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, Self, TypeAlias

from cellrate import _core
from cellrate.simulation.network.changes import Change, Changing
from cellrate.simulation.network.ends import Parameters
from cellrate.simulation.network.view import Network

PREAMBLE_BYTES, GAP_BYTES = 8, 12
"""Bytes of the preamble before each frame, and of the least gap behind it (IEEE 802.3)."""
SHORTEST_BYTES = 64
"""Bytes of the shortest frame, from header to frame check sequence (IEEE 802.3 clause 4.4.2)."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A directed link of an Ethernet network.

    Attributes:
        name: ``FROM->TO``.
        sender: Name of the node that sends.
        receiver: Name of the node that receives.
        bits_per_second: Line rate.
        delay_seconds: Propagation delay.
        switch: Settings of the output port that feeds the link; None if a host feeds it.
        bit_error_ratio: Mean probability that a bit is errored.
    """

    name: str
    sender: str
    receiver: str
    bits_per_second: float
    delay_seconds: float
    switch: Parameters | None
    bit_error_ratio: float = 0.0

    def seconds(self, octets: float) -> float:
        """Time in seconds that `octets` bytes take on the line."""
        return 8 * octets / self.bits_per_second

    @property
    def buffer_bytes(self) -> float:
        """Limit of each queue of the port; infinity if there is none, or for a host."""
        limit = None if self.switch is None else self.switch["buffer_bytes"]
        return math.inf if limit is None else float(limit)


Hop: TypeAlias = tuple[Line, ...]
"""One link that all frames of a flow cross, or equal-cost links over which a switch sprays them."""


def hop_rate(hop: Hop) -> float:
    """Sum of the rates of all links of a hop, in bit/s."""
    return sum(line.bits_per_second for line in hop)


@dataclass(frozen=True, slots=True, eq=False)
class FrameFlow:
    """A flow of an Ethernet network.

    Attributes:
        name: ``GROUP.INDEX``.
        group: Name of the flow's group.
        priority: Priority of the flow's frames, 7 the highest.
        start_seconds: Start time, before jitter.
        after: Indices of the flows that this flow awaits.
        wait_seconds: Least times from the ends of the awaited flows to the start of this flow.
        sends: False if the source sends nothing until a change of settings during the run.
        hops: Links to the destination, hop by hop; see `Hop`.
        hops_back: Links of the acknowledgements, hop by hop; empty without TCP and RoCE.
        source: Parameters of the source; ``kind`` names it.
        own_bits_per_second: Rate of a source of datagrams, with preambles and gaps; None for other
            sources.
        peak_bits_per_second: Greatest rate of such a source; None if any number of packets may come
            at once, and for other sources.
        rate_controlled: True if the source obeys explicit rates, which rate records (frames with an
            RM cell's fields) carry.
        roce: Parameters of RoCE, with its rate control; None without RoCE.
        credit: For each link of the flow's data, the buffer ``reserve_bytes`` that the next node
            reserves for the flow, and the round trip ``trip_seconds`` of a credit. None without
            credit control.
        tcp: Parameters of TCP; None without TCP.
        payload_bytes: Payload of a full packet.
        frame_bytes: A full frame, from header to frame check sequence.
        line_bytes: A full frame with preamble and gap.
        errored_frames_share: Expected share of full frames that bit errors lose on the way.
        acknowledgement_line_bytes: An acknowledgement with preamble and gap; None without TCP and
            RoCE.
        flow_credit_line_bytes: A flow credit with preamble and gap; None without ExpressPass.
        propagation_round_trip_seconds: Propagation there and back over the quickest link of each
            hop; None without TCP and RoCE.
        mcr_bits_per_second: MCR of a source that obeys explicit rates; 0 unless set.
        pcr_bits_per_second: PCR of a source that obeys explicit rates; infinite unless set.
    """

    name: str
    group: str
    priority: int
    start_seconds: float
    after: Sequence[int]
    wait_seconds: Sequence[float]
    sends: bool
    hops: tuple[Hop, ...]
    hops_back: tuple[Hop, ...]
    source: Parameters
    own_bits_per_second: float | None
    peak_bits_per_second: float | None
    rate_controlled: bool
    mcr_bits_per_second: float
    pcr_bits_per_second: float
    roce: Parameters | None
    credit: Mapping[str, Any] | None
    tcp: Parameters | None
    payload_bytes: int
    frame_bytes: int
    line_bytes: int
    errored_frames_share: float
    acknowledgement_line_bytes: int | None
    flow_credit_line_bytes: int | None
    propagation_round_trip_seconds: float | None

    @property
    def sent_bits_per_second(self) -> float:
        """Greatest rate at which the source sends: its own or PCR; infinite without a limit."""
        return min(self.own_bits_per_second or math.inf, self.pcr_bits_per_second)

    @property
    def kind(self) -> str:
        """Kind of the source."""
        return str(self.source["kind"])

    @property
    def is_unchecked(self) -> bool:
        """True if nothing slows the source down: it sends datagrams at a rate of its own."""
        return self.own_bits_per_second is not None and not self.rate_controlled

    @property
    def recovery(self) -> str:
        """Name of TCP's recovery; empty without TCP."""
        recovery = None if self.tcp is None else self.tcp["recovery"]
        return str(recovery["policy"] if isinstance(recovery, Mapping) else recovery or "")

    @property
    def notification_priority(self) -> int:
        """Priority of congestion notifications; the priority of the flow if none is set."""
        control = {} if self.roce is None else self.roce["control"]
        return int(control.get("cnp_priority", self.priority))

    @property
    def forward(self) -> tuple[Line, ...]:
        """Links that all data of the flow cross, in order; hops with several links are left out."""
        return tuple(hop[0] for hop in self.hops if len(hop) == 1)

    @property
    def lines(self) -> Iterator[Line]:
        """Links that data of the flow may cross, including all equal-cost links."""
        return chain.from_iterable(self.hops)

    @property
    def lines_back(self) -> Iterator[Line]:
        """Links that acknowledgements of the flow may cross, including all equal-cost links."""
        return chain.from_iterable(self.hops_back)

    @property
    def is_sprayed(self) -> bool:
        """True if switches spray the frames of the flow or of its acknowledgements."""
        return any(len(hop) > 1 for hop in self.hops + self.hops_back)

    @property
    def slowest(self) -> Hop:
        """The slowest hop on the way of the data."""
        return min(self.hops, key=hop_rate)

    def before(self, line: Line) -> Hop:
        """Links of the hop before the one with the link `line`; empty for the first hop."""
        hops = (before for before, hop in pairwise(self.hops) if line in hop)
        return tuple(one for one in next(hops, ()) if one.receiver == line.sender)

    @property
    def least_round_trip_seconds(self) -> float:
        """Least round trip: propagation, and the times of a full frame and its acknowledgement.

        Each switch takes a whole frame before it sends it on. Where switches spray frames over
        several links, the quickest link counts.
        """
        full = self.line_bytes - GAP_BYTES
        there = sum(min(line.seconds(full) for line in hop) for hop in self.hops)
        answer = (self.acknowledgement_line_bytes or 0) - GAP_BYTES
        back = sum(min(line.seconds(answer) for line in hop) for hop in self.hops_back)
        return (self.propagation_round_trip_seconds or 0.0) + there + back


@dataclass(frozen=True)
class FrameNetwork(Changing):
    """Network of a scenario over Ethernet, with all groups and templates expanded.

    Attributes:
        seed: Seed of every random stream.
        duration_seconds: Simulated time.
        start_jitter_seconds: Largest random addition to the start of every flow.
        measure: Measuring window, and the traces that are kept.
        nodes: Names of the nodes, each with True for a switch.
        lines: Directed links.
        flows: Every flow of every group.
        credit: ``n2_bytes``, the bytes after which a node returns a credit; and by link
            ``promised_bytes``, the buffer reserved at its sender for all flows that leave over the
            link. None without credit control.
        lossless: Flow control by priority; None without flow control. ``by`` is ``pfc`` or
            ``cbfc``, ``priorities`` are the covered priorities. ``loses`` is the reason why frames
            may be lost, None if no frame can be lost. ``room_bytes`` has by line the most bytes of
            one priority that the line's end holds, None for a line without such a limit. CBFC has
            more by line: ``credits`` of ``unit_bytes`` each, and ``return_seconds``, the least time
            from the last bit of a frame to the return of its credits, without the service at the
            next port. ``batch`` freed credits are returned together.
        llr: Link-level retry by line: ``buffer_bytes`` of the replay buffer; ``full_rate_bytes``,
            the buffer with which frames of ``frame_bytes``, the longest, are sent back to back; and
            ``answer_seconds`` from the last bit of a frame to its answer. None for a line without
            an opposite line. None without link-level retry.
        changes: Changes during the run; all other attributes describe the time before the first.
    """

    seed: int
    duration_seconds: float
    start_jitter_seconds: float
    measure: Parameters
    nodes: Mapping[str, bool]
    lines: tuple[Line, ...]
    flows: tuple[FrameFlow, ...]
    credit: Mapping[str, Any] | None
    lossless: Mapping[str, Any] | None
    llr: Sequence[Mapping[str, Any] | None] | None = None
    changes: tuple[Change, ...] = ()

    @classmethod
    def of_scenario(cls, scenario: _core.Scenario) -> Self:
        """Network of a scenario over Ethernet that has been read.

        Raises:
            ScenarioError: The network has routers, so a part of it is an ATM network.
        """
        scenario.require_one_link_layer()
        described: Mapping[str, Any] = json.loads(scenario.network())
        nodes = described["nodes"]
        lines = tuple(
            Line(
                link["name"],
                nodes[link["from"]]["name"],
                nodes[link["to"]]["name"],
                link["bits_per_second"],
                link["delay_seconds"],
                nodes[link["from"]]["switch"],
                link["bit_error_ratio"],
            )
            for link in described["links"]
        )
        plain = (
            "seed",
            "duration_seconds",
            "start_jitter_seconds",
            "measure",
            "credit",
            "llr",
        )
        lossless = described["lossless"]
        if lossless is not None and lossless["by"] == "cbfc":
            batch = tomllib.loads(scenario.resolved())["cbfc"]["batch"]
            lossless = {**lossless, "batch": batch}
        return cls(
            **{name: described[name] for name in plain},
            lossless=lossless,
            nodes={node["name"]: node["switch"] is not None for node in nodes},
            lines=lines,
            flows=tuple(_flow(flow, lines) for flow in described["flows"]),
            changes=Change.of_described(described),
        )

    @cached_property
    def links_err(self) -> bool:
        """True if bit errors may lose frames: a line errs, without link-level retry."""
        return self.llr is None and any(line.bit_error_ratio > 0 for line in self.lines)

    @cached_property
    def ports(self) -> tuple[Line, ...]:
        """Links that a switch's output port feeds."""
        return tuple(line for line in self.lines if line.switch is not None)

    @cached_property
    def over(self) -> Mapping[Line, tuple[FrameFlow, ...]]:
        """Flows whose data may cross a link, by link."""
        found: dict[Line, list[FrameFlow]] = {line: [] for line in self.lines}
        for flow in self.flows:
            for line in flow.lines:
                found[line].append(flow)
        return {line: tuple(flows) for line, flows in found.items()}

    @cached_property
    def bottlenecks(self) -> tuple[Line, ...]:
        """Ports at which data can arrive in the long run faster than the port sends."""
        return tuple(line for line in self.ports if _exceeds(self.offered[line], line))

    @cached_property
    def meetings(self) -> tuple[Line, ...]:
        """Ports at which bursts can meet: links to the switch bring more than the port can send.

        A link that carries only datagrams brings no more than the peak rates of their sources.
        """
        return tuple(line for line in self.ports if _exceeds(self._at_once(line), line))

    def peak_of_datagrams(self, line: Line) -> float:
        """Greatest rate in bit/s at which the links before a link bring datagrams."""
        return self._brought_at_once(line, [f for f in self.over[line] if f.is_unchecked])

    @cached_property
    def offered(self) -> Mapping[Line, float]:
        """Greatest long-run rate in bit/s at which data can reach a link, by link.

        Each preceding link brings at most its own rate, and at most what its flows can bring. A
        host sends at most the rate of its link.
        """
        return {line: brought(flows, line) for line, flows in self.over.items()}

    def queue(self, priority: int) -> int:
        """Number from 0 of the queue of a priority at ports; under credit control always 0."""
        switch = next((line.switch for line in self.ports), None)
        queues = [] if switch is None or self.credit is not None else switch["queues"]
        found = (at for at, priorities in enumerate(queues) if priority in priorities)
        return next(found, max(0, len(queues) - 1))

    def _at_once(self, line: Line) -> float:
        """Greatest rate in bit/s at which the links before a link bring bursts."""
        return self._brought_at_once(line, self.over[line])

    def _brought_at_once(self, line: Line, flows: Sequence[FrameFlow]) -> float:
        """Greatest rate in bit/s at which the links before a link bring frames of some flows."""
        before: dict[Line, float] = {}
        for flow in flows:
            peak = flow.peak_bits_per_second or math.inf
            for other in flow.before(line):
                before[other] = before.get(other, 0.0) + peak
        brought = sum(min(other.bits_per_second, peak) for other, peak in before.items())
        return min(brought, sum(flow.peak_bits_per_second or math.inf for flow in flows))

    def groups(self) -> dict[str, tuple[FrameFlow, ...]]:
        """Flows by group, in order."""
        found: dict[str, list[FrameFlow]] = {}
        for flow in self.flows:
            found.setdefault(flow.group, []).append(flow)
        return {name: tuple(flows) for name, flows in found.items()}


def _exceeds(bits_per_second: float, line: Line) -> bool:
    return bits_per_second > line.bits_per_second * (1 + 1e-9)


def brought(flows: Sequence[FrameFlow], line: Line) -> float:
    """Greatest long-run rate in bit/s that some flows bring to a link; see `offered`."""
    return min(_brought(flows, line), _sent(flows))


def _brought(flows: Iterable[FrameFlow], line: Line) -> float:
    """Greatest long-run rate in bit/s that flows bring to a link over the links before it."""
    new, before = 0.0, dict[Line, list[FrameFlow]]()
    for flow in flows:
        if line in flow.hops[0]:
            new += flow.sent_bits_per_second
        for other in flow.before(line):
            before.setdefault(other, []).append(flow)
    return new + sum(
        min(other.bits_per_second, _brought(group, other)) for other, group in before.items()
    )


def _sent(flows: Iterable[FrameFlow]) -> float:
    """Greatest rate in bit/s at which flows leave their hosts, however switches spray them."""
    sent: dict[Hop, float] = {}
    for flow in flows:
        sent[flow.hops[0]] = sent.get(flow.hops[0], 0.0) + flow.sent_bits_per_second
    return sum(min(hop_rate(hop), own) for hop, own in sent.items())


def network_of(scenario: _core.Scenario) -> Network | FrameNetwork:
    """Network of a scenario: a `Network` over ATM, a `FrameNetwork` over Ethernet."""
    if scenario.link_layer == "ethernet":
        return FrameNetwork.of_scenario(scenario)
    return Network.of_scenario(scenario)


def _flow(flow: Mapping[str, Any], lines: tuple[Line, ...]) -> FrameFlow:
    values = {name: flow[name] for name in FrameFlow.__dataclass_fields__ if name in flow}
    paths = zip(("forward", "backward"), flow["sprayed"], strict=True)
    there, back = (sprayed or [[link] for link in flow[path]] for path, sprayed in paths)
    hops, hops_back = (
        tuple(tuple(lines[link] for link in hop) for hop in way) for way in (there, back)
    )
    pcr = math.inf if flow["pcr_bits_per_second"] is None else flow["pcr_bits_per_second"]
    return FrameFlow(**(values | {"pcr_bits_per_second": pcr}), hops=hops, hops_back=hops_back)
