"""First windows that overflow a buffer over Ethernet, and the ways out of their losses."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from cellrate.advice.formulas.frame_bounds import outstanding_packets
from cellrate.common.numbers import counted, seconds
from cellrate.simulation.network.ethernet_view import FrameFlow, FrameNetwork, Line


@dataclass(frozen=True)
class FirstWindows:
    """First windows of TCP that meet at a port and exceed its buffer.

    Attributes:
        port: The port.
        flows: The flows, which start at one instant.
        duration_seconds: Simulated time.
    """

    port: Line
    flows: tuple[FrameFlow, ...]
    duration_seconds: float

    @classmethod
    def of(cls, network: FrameNetwork) -> FirstWindows | None:
        """The first windows that exceed a buffer by the greatest factor; None if none exceed."""
        end = network.duration_seconds
        found = (
            cls(port, flows, end) for port in network.ports for flows in _at_once(network, port)
        )
        over = [one for one in found if one.queue_bytes() > one.port.buffer_bytes]
        return max(over, key=lambda one: one.queue_bytes() / one.port.buffer_bytes, default=None)

    @property
    def segments(self) -> int:
        """The longest of the first windows in segments."""
        return max(map(_first_segments, self.flows))

    def queue_bytes(self, most_segments: float = math.inf) -> float:
        """Longest queue of the first windows, as a fluid that arrives at the rates of the lines.

        Args:
            most_segments: Limit of each first window in segments.
        """
        held: dict[Line, float] = defaultdict(float)
        for flow in self.flows:
            came = flow.before(self.port)
            octets = min(_first_segments(flow), most_segments) * flow.frame_bytes
            for line in came:
                held[line] += octets / len(came)
        ends = [line.seconds(octets) for line, octets in held.items()]
        rate = self.port.bits_per_second / 8

        def queue(at: float) -> float:
            came = sum(min(o, at * one.bits_per_second / 8) for one, o in held.items())
            return came - rate * at

        return max(map(queue, ends), default=0.0)

    @property
    def fitting_segments(self) -> int:
        """Greatest limit in segments with which all first windows fit the buffer; 0 without one."""
        windows = range(self.segments, 0, -1)
        fits = (one for one in windows if self.queue_bytes(one) <= self.port.buffer_bytes)
        return next(fits, 0)

    def words(self) -> Iterator[str]:
        """Sentences on the windows, and on what keeps them from losses."""
        port, least = self.port, self.fitting_segments
        yield (
            f"{len(self.flows)} first windows of up to {counted(self.segments, 'segment')} start "
            f"at once, and would make a queue of {self.queue_bytes():,.0f} bytes at {port.name}; "
            f"its buffer has {port.buffer_bytes:,.0f}. Recoveries and queue management act later."
        )
        fit = "no `tcp.initial_window` is small enough"
        if least:
            fit = f"with a `tcp.initial_window` of {least} or less they fit, but later ones may not"
        yield (
            "Four ways out: with `--set pfc={}` or `--set cbfc={}` links hold senders back, and no "
            "buffer overflows; `cellrate size-buffer` finds a `switch.buffer` without losses; "
            f"{fit}; under `expresspass` over RoCE sources wait for credits of the receiver."
        )
        first, timer = self.flows[0], max(_initial_rto_seconds(flow) for flow in self.flows)
        if first.start_seconds + timer >= self.duration_seconds:
            yield (
                "A flow that loses its whole first window sends again after `tcp.initial_rto`, "
                f"{seconds(timer)}, so not in this run of {seconds(self.duration_seconds)}. A "
                "longer run or a shorter `tcp.initial_rto` may rank the alternatives differently."
            )


def _first_segments(flow: FrameFlow) -> int:
    """Segments of a flow's first window."""
    assert flow.tcp is not None  # noqa: S101  callers ask for flows over TCP alone
    return int(min(flow.tcp["initial_window"], outstanding_packets(flow)))


def _initial_rto_seconds(flow: FrameFlow) -> float:
    """First timeout of a flow over TCP (RFC 6298 2.1)."""
    assert flow.tcp is not None  # noqa: S101  callers ask for flows over TCP alone
    return float(flow.tcp["initial_rto_seconds"])


def _at_once(network: FrameNetwork, port: Line) -> Iterator[tuple[FrameFlow, ...]]:
    """For each instant, the flows over TCP through a port that start at this instant.

    Nothing if starts are drawn from a longer time than the port needs to send a full buffer. Flows
    that await others start at no known instant, and are left out.
    """
    if not math.isfinite(port.buffer_bytes):
        return
    if network.start_jitter_seconds > port.seconds(port.buffer_bytes):
        return
    starts: dict[float, list[FrameFlow]] = defaultdict(list)
    for flow in network.over[port]:
        if flow.tcp is not None and flow.sends and not flow.after and not flow.rate_controlled:
            starts[flow.start_seconds].append(flow)
    yield from map(tuple, starts.values())
