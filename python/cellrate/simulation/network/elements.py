"""Nodes, links and flows of a network as plain values: seconds, cells, bytes, bit/s, cells/s."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from cellrate.simulation.network.ends import Abr, OwnRate, Parameters, Tcp

# Discard policies that drop a cell only if the buffer is full or its PDU has already lost a cell.
OVERFLOWING = frozenset({"tail-drop", "ppd"})


def is_own_class(name: str) -> bool:
    """True if a component is a class of Python that the scenario names as `FILE.py:CLASS`."""
    return ":" in name


@dataclass(frozen=True, slots=True, eq=False)
class Switch:
    """Settings of the output ports of an ATM switch.

    Attributes:
        buffer_cells: Limit of each queue; infinity if there is none.
        priority: Service classes of each queue, in the order of service.
        control: Congestion control of the queue that holds ABR; ``scheme`` names it.
        discard: Discard policy of every queue; ``policy`` names it.
        vsvd: Virtual source and destination, which end loops of ABR control here and begin new
            ones; None if there are none.
        rm_first: True if RM cells are served before all other cells of their queue.
        clp_threshold_cells: Limit of each queue for cells with CLP = 1; None for the same limit.
        schedule: Order of service of the channels of a queue, each with a queue of its own;
            ``discipline`` names it, and ``classes`` may have weights of the queues. None if cells
            leave in the order of their arrivals.
    """

    buffer_cells: float
    priority: tuple[tuple[str, ...], ...]
    control: Parameters
    discard: Parameters
    vsvd: Parameters | None
    rm_first: bool
    clp_threshold_cells: float | None = None
    schedule: Parameters | None = None

    @property
    def scheme(self) -> str:
        """Name of the congestion control."""
        return str(self.control["scheme"])

    @property
    def policy(self) -> str:
        """Name of the discard policy of the queues."""
        return str(self.discard["policy"])

    @property
    def queue_weights(self) -> Mapping[int, int]:
        """Weight of each queue that shares the line by weight, by the number of the queue.

        Queues without a weight are served in strict priority, before those with one.
        """
        classes = (self.schedule or {}).get("classes")
        if classes is None:
            return {}
        return dict(enumerate(classes["weights"], classes["strict"]))

    def is_strictly_before(self, queue: int, other: int) -> bool:
        """True if the cells of a queue are served before all cells of another queue."""
        return queue < other and queue not in self.queue_weights

    @property
    def unrefused_cells(self) -> float:
        """Length of a queue up to which the discard policy refuses no cell, whatever its CLP.

        The least threshold, for a policy with thresholds. The buffer, for a policy that refuses
        cells only after an overflow, less the part that is kept for last cells. 0 for all other
        policies with a finite buffer, for classes of Python, which may refuse any PDU, and for a
        policy with thresholds if cells with CLP = 1 have a limit of their own.
        """
        own = self.clp_threshold_cells
        if is_own_class(self.policy) or (own is not None and self.policy not in OVERFLOWING):
            return 0.0
        keys = ("threshold_cells", "tagged_threshold_cells", "low_cells")
        limits = self._thresholds(*keys)
        if limits or self.policy in OVERFLOWING or math.isinf(self.buffer_cells):
            return min(self.buffer_cells, *limits, math.inf if own is None else own)
        return 0.0

    @property
    def most_unrefused_cells(self) -> float:
        """Length of a queue above which the discard policy refuses cells with CLP = 0, too.

        The buffer for a policy without a threshold for such cells. Infinite for classes of Python.
        """
        if is_own_class(self.policy):
            return math.inf
        return min(self.buffer_cells, *self._thresholds("threshold_cells", "high_cells"), math.inf)

    def _thresholds(self, *keys: str) -> list[float]:
        """Thresholds among the parameters of the policy, and the buffer less its margin."""
        found = [limit(self.discard[key]) for key in keys if key in self.discard]
        margin = self.discard.get("margin_cells")
        return found if margin is None else [*found, self.buffer_cells - margin]

    @property
    def stays_full(self) -> bool:
        """True if a queue never empties while more cells arrive than the link sends.

        Policies that drop whole frames may refuse a source for good whose cells form no frames.
        Classes of Python may refuse any PDU.
        """
        drops_cells = self.policy == "tail-drop" and self.clp_threshold_cells is None
        refuses = is_own_class(self.policy)
        return drops_cells or (math.isinf(self.buffer_cells) and not refuses)

    def queue_of(self, service: str) -> int:
        """Number of the queue that holds a service class, 0 being served first.

        Raises:
            ValueError: No queue holds the class.
        """
        for number, classes in enumerate(self.priority):
            if service in classes:
                return number
        raise ValueError(f"no queue holds the class {service}")


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A switch if it has switch settings, otherwise a host."""

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
        """True if a switch's output port feeds the link."""
        return self.sender.switch is not None

    @property
    def switch(self) -> Switch:
        """Settings of the output port that feeds the link.

        Raises:
            ValueError: A host feeds the link.
        """
        if self.sender.switch is None:
            raise ValueError(f"{self.name} leaves a host, which has no output port")
        return self.sender.switch


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """A flow: a bidirectional virtual channel with a source at one end.

    Attributes:
        name: ``GROUP.INDEX``.
        group: Name of the flow's group.
        service: Class of the forward channel: cbr, vbr, abr, ubr or random.
        ack_service: Class of the data of the backward channel (acknowledgements).
        start_seconds: Start time, before jitter.
        sends: False if the source sends nothing until a change of settings during the run.
        forward: Links of the forward channel, in order.
        backward: Links of the backward channel; empty if nothing travels back.
        weight: Weight of the flow's channels where switches serve channels by weight.
        policer: Contract of the forward channel at a policer of its first switch, with the
            treatment of cells that do not conform; None without a policer.
        gfr: GFR contract of the forward channel; None without one.
        shaper: Contract to which the source shapes its cells; None without a shaper.
        port_shaper: Contract to which ports with a queue for each channel shape the cells; None
            without shapers at ports.
        source: Traffic source; ``kind`` names it.
        own_rate: Rates of a source that sends at its own rate; None if the flow is elastic.
        tcp: TCP, if the source runs over it.
        errored_pdus_share: Expected share of the PDUs of full segments that have an errored bit on
            the way; None without TCP.
        abr: ABR end systems, if the flow is of that class.
        source_queue_cells: Limit of the source queue; infinity if there is none.
        source_queue_refuses: Unit that a full source queue refuses: ``pdu`` or ``cell``.
        propagation_round_trip_seconds: Propagation there and back; None if nothing travels back.
        feedback_delays_seconds: For each forward link of an ABR flow, propagation from its port to
            the source of its loop and back to the port (twice the distance). The source of the loop
            is the flow's source, or the last virtual source before the port.
    """

    name: str
    group: str
    service: str
    ack_service: str
    start_seconds: float
    sends: bool
    forward: tuple[Link, ...]
    backward: tuple[Link, ...]
    weight: int
    policer: Parameters | None
    gfr: Parameters | None
    shaper: Parameters | None
    port_shaper: Parameters | None
    source: Parameters
    own_rate: OwnRate | None
    tcp: Tcp | None
    errored_pdus_share: float | None
    abr: Abr | None
    source_queue_cells: float
    source_queue_refuses: str
    propagation_round_trip_seconds: float | None
    feedback_delays_seconds: tuple[float, ...]

    @property
    def kind(self) -> str:
        """Kind of the source."""
        return str(self.source["kind"])

    @property
    def is_elastic(self) -> bool:
        """True if the source has no own rate and sends as much as the network lets it."""
        return self.own_rate is None

    @property
    def access(self) -> Link:
        """First link, which leaves the source's host."""
        return self.forward[0]

    @property
    def enforced_contracts(self) -> tuple[Parameters, ...]:
        """Contracts that all cells meet: that of a shaper, and of a policer that drops cells."""
        found = [] if self.shaper is None else [self.shaper]
        return (*found, self.policer) if self.policer and self.is_dropped else tuple(found)

    @property
    def is_dropped(self) -> bool:
        """True if a policer drops cells of the flow that do not conform."""
        return self.policer is not None and self.policer["action"] == "drop"

    @property
    def relays(self) -> tuple[Node, ...]:
        """Switches on the path that end the loop of ABR control and begin another (VS/VD)."""
        switches = (link.sender for link in self.forward if link.is_port and link.switch.vsvd)
        return () if self.abr is None else tuple(switches)

    @property
    def first_loop_seconds(self) -> float:
        """Propagation round trip of the first loop of ABR control, which begins at the source.

        Raises:
            ValueError: The flow is not an ABR flow.
        """
        if self.abr is None or self.propagation_round_trip_seconds is None:
            raise ValueError(f"{self.name} is in no loop of ABR control")
        if not self.relays:
            return self.propagation_round_trip_seconds
        return self.feedback_delay_seconds(
            next(link for link in self.forward if link.sender is self.relays[0])
        )

    def feedback_delay_seconds(self, link: Link) -> float:
        """Propagation from the port of a link to the source of its loop and back.

        Raises:
            ValueError: The flow is not an ABR flow over that link.
        """
        if link not in self.forward or not self.feedback_delays_seconds:
            raise ValueError(f"{self.name} gets no feedback from {link.name}")
        return self.feedback_delays_seconds[self.forward.index(link)]


def limit(cells: float | None) -> float:
    """A limit in cells or cells/s as a float; None, for no limit, becomes infinity."""
    return math.inf if cells is None else float(cells)
