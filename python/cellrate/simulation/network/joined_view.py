"""The network of a scenario with routers as plain values: seconds, bytes, bit/s."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Self

from cellrate import _core
from cellrate.simulation.network.changes import Change, Changing
from cellrate.simulation.network.ends import Parameters
from cellrate.simulation.network.ethernet_view import GAP_BYTES
from cellrate.theory.cell_conversions import CELL_BYTES


@dataclass(frozen=True, slots=True, eq=False)
class JoinedLink:
    """A directed link of a network with routers.

    Attributes:
        name: ``FROM->TO``.
        over_atm: True for a link of ATM, False for one of Ethernet.
        bits_per_second: Line rate.
        delay_seconds: Propagation delay.
    """

    name: str
    over_atm: bool
    bits_per_second: float
    delay_seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class JoinedFlow:
    """A flow of a network with routers.

    Attributes:
        name: ``GROUP.INDEX``.
        group: Name of the flow's group.
        start_seconds: Start time, before jitter.
        sends: True; in networks with routers no setting changes during the run, so all flows send.
        forward: Links of the data, in order.
        backward: Links of the acknowledgements, in order; empty without TCP.
        source: Parameters of the source; ``kind`` names it.
        tcp: Parameters of TCP; None without TCP.
        payload_bytes: Payload of a full packet.
        line_bytes: A full frame with preamble and gap.
        packet_cells: Cells of a full packet, with LLC/SNAP and AAL5.
        acknowledgement_line_bytes: An acknowledgement with preamble and gap; None without TCP.
        acknowledgement_cells: Cells of an acknowledgement; None without TCP.
        forwarding_seconds: Forwarding delays of all routers, there and back.
        over_abr: True if the data cross links of ATM under ABR.
    """

    name: str
    group: str
    start_seconds: float
    sends: bool
    forward: tuple[JoinedLink, ...]
    backward: tuple[JoinedLink, ...]
    source: Parameters
    tcp: Parameters | None
    payload_bytes: int
    line_bytes: int
    packet_cells: int
    acknowledgement_line_bytes: int | None
    acknowledgement_cells: int | None
    forwarding_seconds: float
    over_abr: bool

    @property
    def outstanding_bytes(self) -> int:
        """Most outstanding bytes: whole segments, if all segments of the flow are full."""
        window = 0 if self.tcp is None else int(self.tcp["window_bytes"])
        is_greedy = self.source["kind"] == "greedy"
        return window // self.payload_bytes * self.payload_bytes if is_greedy else window

    def bytes_on(self, link: JoinedLink) -> int:
        """Bytes of a link that a full packet takes, with all headers."""
        return CELL_BYTES * self.packet_cells if link.over_atm else self.line_bytes

    def payload_rate(self, link: JoinedLink) -> float:
        """Payload in bit/s that the link carries, if it carries full packets of the flow alone."""
        return link.bits_per_second * self.payload_bytes / self.bytes_on(link)

    @property
    def least_round_trip_seconds(self) -> float:
        """Least round trip: propagation, forwarding delays, a full packet and its acknowledgement.

        Each Ethernet node takes a whole frame before it sends it on. Between routers the cells of a
        packet follow one another on the slowest link.
        """
        there = _least(self.forward, self.line_bytes, self.packet_cells)
        answer = self.acknowledgement_line_bytes or 0, self.acknowledgement_cells or 0
        return there + _least(self.backward, *answer) + self.forwarding_seconds


def _least(path: tuple[JoinedLink, ...], line_bytes: int, cells: int) -> float:
    """Least time in seconds of a packet on a path, without the routers."""
    total = sum(link.delay_seconds for link in path)
    for over_atm, links in groupby(path, lambda link: link.over_atm):
        rates = [link.bits_per_second for link in links]
        if over_atm:
            total += 8 * CELL_BYTES * cells / min(rates)
        else:
            total += sum(8 * (line_bytes - GAP_BYTES) / rate for rate in rates)
    return total


@dataclass(frozen=True)
class JoinedNetwork(Changing):
    """Network of a scenario with routers.

    Attributes:
        measure: Measuring window, and the traces that are kept.
        links: Directed links.
        flows: Every flow of every group.
        changes: Empty; in networks with routers no setting changes during the run.
    """

    measure: Parameters
    links: tuple[JoinedLink, ...]
    flows: tuple[JoinedFlow, ...]
    changes: tuple[Change, ...] = ()

    @classmethod
    def of_described(cls, described: Mapping[str, Any]) -> Self:
        """The network that the engine describes, see `Scenario.network`."""
        names = JoinedLink.__dataclass_fields__
        links = tuple(
            JoinedLink(**{name: one[name] for name in names}) for one in described["links"]
        )

        def flow(one: Mapping[str, Any]) -> JoinedFlow:
            values = {name: one[name] for name in JoinedFlow.__dataclass_fields__}
            paths = {way: tuple(links[at] for at in one[way]) for way in ("forward", "backward")}
            return JoinedFlow(**(values | paths))

        return cls(described["measure"], links, tuple(map(flow, described["flows"])))


def joined_network(scenario: _core.Scenario) -> JoinedNetwork | None:
    """Network of a scenario with routers; None for a network of one link layer."""
    if scenario.link_layer != "ethernet":
        return None
    described = json.loads(scenario.network())
    return JoinedNetwork.of_described(described) if described["joined"] else None
