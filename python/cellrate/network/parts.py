"""Nodes, links and flows of a network as plain values: seconds, cells, bytes, bit/s, cells/s."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from cellrate.theory import segment_cells, window_cells
from cellrate.theory.cell_conversions import AAL5_TRAILER_BYTES

Parameters: TypeAlias = Mapping[str, Any]
"""Parameters under the keys of the scenario file, a quantity's unit appended to its key."""


@dataclass(frozen=True, slots=True, eq=False)
class Switch:
    """Settings of a switch's output ports.

    Attributes:
        buffer_cells: Limit of each queue; infinity if there is none.
        priority: Queues, the one served first in front, each with its service classes.
        control: Congestion control of the queue that holds ABR; ``scheme`` names it.
        discard: Discard policy of every queue; ``policy`` names it.
    """

    buffer_cells: float
    priority: tuple[tuple[str, ...], ...]
    control: Parameters
    discard: Parameters

    @property
    def scheme(self) -> str:
        """Name of the congestion control."""
        return str(self.control["scheme"])

    @property
    def policy(self) -> str:
        """Name of the discard policy."""
        return str(self.discard["policy"])

    def queue_of(self, service: str) -> int:
        """Number of the queue that holds a service class, 0 being served first.

        Raises:
            ValueError: No queue holds it.
        """
        for number, classes in enumerate(self.priority):
            if service in classes:
                return number
        raise ValueError(f"no queue holds the class {service}")


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A host, or a switch if it has settings."""

    name: str
    switch: Switch | None


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A directed link and, if it leaves a switch, the output port that feeds it.

    Attributes:
        name: ``FROM->TO``.
        sender: Node that sends.
        receiver: Node that receives.
        bits_per_second: Line rate.
        cells_per_second: Line rate in cells of 424 bits.
        delay_seconds: Propagation delay.
    """

    name: str
    sender: Node
    receiver: Node
    bits_per_second: float
    cells_per_second: float
    delay_seconds: float

    @property
    def is_port(self) -> bool:
        """Whether a switch's output port feeds it."""
        return self.sender.switch is not None

    @property
    def switch(self) -> Switch:
        """Settings of the port that feeds it.

        Raises:
            ValueError: A host feeds it.
        """
        if self.sender.switch is None:
            raise ValueError(f"{self.name} leaves a host, which has no output port")
        return self.sender.switch


@dataclass(frozen=True, slots=True)
class Tcp:
    """TCP at both ends of a flow.

    Attributes:
        mss_bytes: Payload of a full segment.
        header_bytes: TCP and IP header of each segment.
        window_bytes: Receive window, the most that is ever outstanding.
        encapsulation_bytes: What AAL5 carries before each packet.
        parameters: All parameters.
    """

    mss_bytes: int
    header_bytes: int
    window_bytes: int
    encapsulation_bytes: int
    parameters: Parameters

    @property
    def overhead_bytes(self) -> int:
        """Bytes of a PDU that are neither payload nor padding: headers, encapsulation, trailer."""
        return self.header_bytes + self.encapsulation_bytes + AAL5_TRAILER_BYTES

    @property
    def segment_cells(self) -> int:
        """Cells of a full segment."""
        return int(segment_cells(self.mss_bytes, overhead_bytes=self.overhead_bytes))

    @property
    def window_cells(self) -> int:
        """Cells of a full window; a sender sends whole segments only (RFC 1122 4.2.3.4)."""
        overhead = self.overhead_bytes
        return int(window_cells(self.window_bytes, self.mss_bytes, overhead_bytes=overhead))


@dataclass(frozen=True, slots=True)
class Abr:
    """ABR end systems of a flow; parameters have TM 4.0's names.

    Attributes:
        pcr_cells_per_second: Peak cell rate; that of the access link unless set.
        mcr_cells_per_second: Minimum cell rate; 0 unless set.
        icr_cells_per_second: Initial cell rate.
        rif: Rate increase factor.
        rdf: Rate decrease factor.
        nrm: In-rate cells per forward RM cell, itself included.
        parameters: All parameters.
    """

    pcr_cells_per_second: float
    mcr_cells_per_second: float
    icr_cells_per_second: float
    rif: float
    rdf: float
    nrm: int
    parameters: Parameters


@dataclass(frozen=True, slots=True)
class OwnRate:
    """Rates of a source that sends by itself, whatever the network does.

    Attributes:
        mean_cells_per_second: Mean rate.
        peak_cells_per_second: Greatest rate; infinity if any number of cells may come at once.
    """

    mean_cells_per_second: float
    peak_cells_per_second: float


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """One flow: a bidirectional virtual channel with a source at one end.

    Attributes:
        name: ``GROUP.INDEX``.
        group: Group of like flows.
        service: Class of the forward channel: cbr, vbr, abr, ubr or random.
        ack_service: Class of the backward channel.
        start_seconds: When it starts, before jitter.
        forward: Links of the forward channel, in order.
        backward: Links of the backward channel; empty if nothing travels back.
        source: What is sent; ``kind`` names it.
        own_rate: Rates of a source that sends by itself; None if it takes what it is given.
        tcp: TCP, if the source runs over it.
        abr: ABR end systems, if it is of that class.
        source_queue_cells: Limit of the source queue; infinity if there is none.
        propagation_round_trip_seconds: There and back; None if nothing travels back.
        feedback_delays_seconds: For each forward link of an ABR flow, propagation from its port to
            the source and back to the port (twice the distance).
    """

    name: str
    group: str
    service: str
    ack_service: str
    start_seconds: float
    forward: tuple[Link, ...]
    backward: tuple[Link, ...]
    source: Parameters
    own_rate: OwnRate | None
    tcp: Tcp | None
    abr: Abr | None
    source_queue_cells: float
    propagation_round_trip_seconds: float | None
    feedback_delays_seconds: tuple[float, ...]

    @property
    def kind(self) -> str:
        """Kind of the source."""
        return str(self.source["kind"])

    @property
    def is_elastic(self) -> bool:
        """Whether it takes what the network gives it."""
        return self.own_rate is None

    @property
    def access(self) -> Link:
        """The source's own link."""
        return self.forward[0]

    def feedback_delay_seconds(self, link: Link) -> float:
        """Propagation from the port of a link to the source and back.

        Raises:
            ValueError: The flow is no ABR flow over that link.
        """
        if link not in self.forward or not self.feedback_delays_seconds:
            raise ValueError(f"{self.name} gets no feedback from {link.name}")
        return self.feedback_delays_seconds[self.forward.index(link)]


def limit(cells: float | None) -> float:
    """Null, which stands for no limit, as infinity."""
    return math.inf if cells is None else float(cells)
