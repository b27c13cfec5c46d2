"""The buffer of a port over Ethernet that bounds a frame's queueing delay."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from cellrate.advice.formulas.frame_bounds import last_frame_bytes
from cellrate.simulation.network.ethernet_view import (
    GAP_BYTES,
    PREAMBLE_BYTES,
    SHORTEST_BYTES,
    FrameFlow,
    FrameNetwork,
    Line,
    brought,
)

AROUND_BYTES = PREAMBLE_BYTES + GAP_BYTES


@dataclass(frozen=True)
class ShortestFrames:
    """The frames that fill a queue of a port in the greatest number.

    Attributes:
        endless_bytes: Length of the shortest frame of which any number may wait.
        few_bytes: Lengths of shorter frames, each of which waits once: last frames of files.
    """

    endless_bytes: int
    few_bytes: tuple[int, ...]

    @classmethod
    def at(cls, network: FrameNetwork, port: Line, delay_seconds: float) -> ShortestFrames:
        """The frames of all flows whose data or acknowledgements may cross a port.

        The last segment of a file waits once if no retransmission timer expires within the delay.
        """
        endless, few = [], []
        for flow in network.flows:
            if port in flow.lines_back:
                endless.append(_answer_bytes(flow))
            if port not in flow.lines:
                continue
            last = _last_bytes(flow, delay_seconds)
            endless.append(_any_bytes(flow) if last is None else flow.frame_bytes)
            few += [] if last is None else [last]
        shortest = min(endless)
        return cls(shortest, tuple(sorted(length for length in few if length < shortest)))

    def most_frames(self, octets: int) -> int:
        """Greatest number of frames that together have at most `octets` bytes."""
        sums: Sequence[int] = tuple(accumulate(self.few_bytes))
        few = bisect_right(sums, octets)
        return few + (octets - (sums[few - 1] if few else 0)) // self.endless_bytes

    def greatest_buffer(self, line_octets: int) -> int:
        """Greatest queue in bytes that takes at most `line_octets` with preambles and gaps.

        >>> ShortestFrames(100, ()).greatest_buffer(250_000)
        208340
        """
        return (
            bisect_right(
                range(line_octets + 1),
                line_octets,
                key=lambda octets: octets + AROUND_BYTES * self.most_frames(octets),
            )
            - 1
        )


def least_service_bits_per_second(network: FrameNetwork, port: Line) -> float | None:
    """Least mean rate at which a port serves the last queue with data; None if it is not known.

    Queues served before it take what their flows can bring: datagrams their mean rate, all other
    flows as much as their lines. Acknowledgements and other answers do not count.
    """
    queues = {network.queue(flow.priority) for flow in network.over[port]}
    if port.switch is None or len(queues) == 1:
        return port.bits_per_second
    if port.switch["schedule"]["discipline"] != "strict-priority":
        return None
    last = max(queues)
    first = [flow for flow in network.over[port] if network.queue(flow.priority) < last]
    return port.bits_per_second - brought(first, port)


def buffer_for_delay(
    network: FrameNetwork, port: Line, delay_seconds: float, bits_per_second: float
) -> int:
    """The greatest buffer in bytes from which each frame has left within a delay.

    The delay begins with the arrival of the frame's last bit at the port, and ends when this bit
    leaves the port. All frames in the queue take their preambles and gaps as well; the gap behind
    the frame itself is not part of its delay. The result is 0 if no frame fits.

    Args:
        network: The network.
        port: The port.
        delay_seconds: The delay in seconds.
        bits_per_second: Rate at which the port serves the queue, with preambles and gaps.
    """
    on_line = math.floor(delay_seconds * bits_per_second / 8 * (1 + 1e-12)) + GAP_BYTES
    return ShortestFrames.at(network, port, delay_seconds).greatest_buffer(on_line)


def _answer_bytes(flow: FrameFlow) -> int:
    """Length of the shortest acknowledgement; RoCE has other control frames as well."""
    if flow.acknowledgement_line_bytes is None or flow.roce is not None:
        return SHORTEST_BYTES
    return flow.acknowledgement_line_bytes - AROUND_BYTES


def _any_bytes(flow: FrameFlow) -> int:
    """Length of the shortest data frame of a flow that is no file over TCP."""
    if flow.rate_controlled or flow.roce is not None:
        return SHORTEST_BYTES
    fixed = flow.kind in {"greedy", "persistent"} or flow.own_bits_per_second is not None
    return flow.frame_bytes if fixed else SHORTEST_BYTES


def _last_bytes(flow: FrameFlow, delay_seconds: float) -> int | None:
    """Length of a file's last frame; None if the flow may send any number of short frames."""
    if flow.kind != "transfer" or flow.tcp is None or flow.rate_controlled:
        return None
    if flow.tcp["min_rto_seconds"] <= delay_seconds:
        return None
    return last_frame_bytes(flow)
