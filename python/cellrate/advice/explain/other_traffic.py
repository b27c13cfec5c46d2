"""Assumptions of the expected throughput that fail because of other traffic on a flow's path."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from cellrate.advice.explain.efci_cycle import cycle_utilisation
from cellrate.advice.explain.feedback_limits import counts_everywhere, feedback_too_late
from cellrate.advice.explain.subject import (
    EQUAL,
    Subject,
    acknowledgement_share,
    backward_cells,
    mbit,
    target_utilisation,
)
from cellrate.advice.formulas import Situation
from cellrate.advice.formulas.credit import credited_cells_per_second
from cellrate.advice.formulas.growth import certain_growth_cells_per_second
from cellrate.common.numbers import seconds
from cellrate.simulation.network import Flow, Link, mean_cells_per_second, peak_cells_per_second
from cellrate.simulation.network.ends import Parameters

# Least number of round trips of credits, and of segments, in the measuring window.
PARTS = 50
# Greatest load of a way back on which credits wait little.
FREE = 0.9
# Segments of several flows meet seldom up to this share of a link.
SELDOM = 1 / 3
# Waiting for a segment of each other flow is short up to this share of the round trip.
SHORT = 0.015


@dataclass(frozen=True)
class OtherTraffic:
    """The loads of links at the predicted rates, and the assumptions that these loads violate.

    Loads are data of other flows, and the acknowledgements, RM cells and credits that return.

    Attributes:
        subject: The network.
        cells: Predicted rate of each elastic flow in cells/s, RM cells included.
        shares: Rate of each of these flows in cells/s if only links limited it.
        window_limited: Flows whose TCP sends one window in each round trip, less than links allow.
    """

    subject: Subject
    cells: Mapping[Flow, float]
    shares: Mapping[Flow, float]
    window_limited: frozenset[Flow]

    def fails(self, flows: Sequence[Flow]) -> Iterator[str]:
        """Assumptions that fail on the paths of the given flows, at most one of each kind."""
        ahead = dict.fromkeys(link for flow in flows for link in flow.forward)
        for found in (self._emptied, self._late, self._mixed, self._meetings):
            yield from [found[link] for link in ahead if link in found][:1]
        links = dict.fromkeys(link for flow in flows for link in flow.backward)
        both = (*ahead, *links)
        yield from [self._unused[link] for link in both if link in self._unused][:1]
        yield from [self._back[link] for link in links if link in self._back][:1]
        yield from [self._uncredited[flow] for flow in flows if flow in self._uncredited][:1]

    def is_limited(self, flow: Flow) -> bool:
        """True if a flow is predicted to send less than its share."""
        return self.cells[flow] < EQUAL * self.shares[flow]

    @cached_property
    def _ports(self) -> tuple[Situation, ...]:
        """Ports that can be overloaded, and ports where data meet returning cells of others."""
        busy = self.subject.bottlenecks
        met = {one.port for one in busy}
        network = self.subject.network
        more = (one for one in self._returning if one.is_port and one not in met)
        found = (Situation(network, port) for port in more)
        return (*busy, *(one for one in found if one.elastic))

    @cached_property
    def _emptied(self) -> dict[Link, str]:
        """By port, the assumption that fails since its link may be idle: its scheme only marks."""
        found = {}
        for situation in self._ports:
            reason = cycle_utilisation(self.subject, situation)
            if isinstance(reason, str) and not all(map(self.is_limited, situation.abr)):
                found[situation.port] = reason
        return found

    @cached_property
    def _late(self) -> dict[Link, str]:
        """By port, the assumption that fails since feedback takes too long to keep its link full.

        A port without overload decides rates, too, if its scheme allocates less than the link.
        """
        found = {}
        busy = {situation.port for situation in self._ports}
        deciding = set(self.subject.shares.bottlenecks.values())
        for port in self.subject.network.ports:
            situation = Situation(self.subject.network, port)
            decides = port in busy or port.name in deciding or counts_everywhere(situation)
            if not decides or all(map(self.is_limited, situation.abr)):
                continue
            reason = feedback_too_late(situation, situation.abr, self.shares)
            if reason:
                found[port] = reason
        return found

    @cached_property
    def _mixed(self) -> dict[Link, str]:
        """By port, the assumption that fails since ABR flows meet elastic flows without ABR."""
        return {
            situation.port: f"all elastic flows at {situation.port.name} obey rates, but those "
            "without ABR obey none, so ABR flows get only what those leave"
            for situation in self._ports
            if situation.abr and len(situation.abr) < len(situation.elastic)
        }

    @cached_property
    def _unused(self) -> dict[Link, str]:
        """By port, the assumption that fails since flows leave a part of their share to others."""
        found = {}
        for situation in self._ports:
            returning = self._returning.get(situation.port, ())
            limited = [flow for flow in situation.elastic if self.is_limited(flow)]
            small = dict.fromkeys(
                flow.group for flow in (*situation.elastic, *returning) if self.is_limited(flow)
            )
            if small and situation.abr and any(flow.ack_service == "abr" for flow in returning):
                found[situation.port] = (
                    f"every flow uses its share at {situation.port.name}, but windows limit "
                    f"{', '.join(small)}, and acknowledgements of the other direction may get more"
                )
                continue
            least = min((self.cells[flow] for flow in situation.elastic), default=math.inf)
            needs = [self.cells[f] * backward_cells(f) for f in returning if f.ack_service == "abr"]
            if situation.abr and max(needs, default=0.0) * EQUAL > least:
                found[situation.port] = (
                    "channels of acknowledgements need less than a share at "
                    f"{situation.port.name}, but one needs {mbit(max(needs))}, and a flow there "
                    f"has {mbit(least)}"
                )
                continue
            spare = sum(self.shares[flow] - self.cells[flow] for flow in limited)
            back = [(backward_cells(flow), flow) for flow in returning if self.is_limited(flow)]
            spare += sum(share * (self.shares[flow] - self.cells[flow]) for share, flow in back)
            over = spare > (1 - EQUAL) * situation.port.cells_per_second
            if over and len(limited) < len(situation.elastic):
                names = ", ".join(
                    dict.fromkeys(one.group for one in (*limited, *(flow for _, flow in back)))
                )
                found[situation.port] = (
                    f"every flow uses its share at {situation.port.name}, but {names} can use "
                    f"{mbit(spare)} less, which others may get"
                )
        return found

    @cached_property
    def _meetings(self) -> dict[Link, str]:
        """By port, the assumption that fails since segments of window-limited flows may queue."""
        found = {}
        for situation in self.subject.bottlenecks:
            port, flows = situation.port, situation.elastic
            segments = sum(flow.tcp.segment_cells for flow in flows if flow.tcp)
            windows = sum(flow.tcp.window_cells if flow.tcp else math.inf for flow in flows)
            pipe = port.cells_per_second * max(situation.round_trips_seconds, default=0.0)
            limited = self.window_limited.intersection(flows)
            if not situation.abr and windows < pipe + segments:
                limited = frozenset(flows)
            if not limited or len(flows) == 1:
                continue
            load = sum(self.cells[flow] for flow in flows) / situation.capacity_cells_per_second
            wait = max(
                (segments - (flow.tcp.segment_cells if flow.tcp else 0))
                / port.cells_per_second
                / (flow.propagation_round_trip_seconds or math.inf)
                for flow in limited
            )
            if load > SELDOM or wait > SHORT:
                found[port] = (
                    "a window meets an empty path in each round trip, but segments of "
                    f"{len(flows)} flows, {load:.0%} of the link, may meet at {port.name}"
                )
        return found

    @cached_property
    def _returning(self) -> Mapping[Link, Sequence[Flow]]:
        """The elastic flows whose acknowledgements and RM cells return over each link."""
        found: dict[Link, list[Flow]] = defaultdict(list)
        for flow in self.cells:
            for link in flow.backward:
                found[link].append(flow)
        return found

    @cached_property
    def _back(self) -> dict[Link, str]:
        """By link, the assumption that fails since acknowledgements and RM cells do not fit it."""
        found = {}
        for link, flows in self._returning.items():
            reason = self._too_slow(link, flows)
            if reason:
                found[link] = reason
        return found

    def _too_slow(self, link: Link, flows: Sequence[Flow]) -> str:
        """The assumption that fails if cells on the way back do not fit a link; else empty."""
        if certain_growth_cells_per_second(self.subject.network, link) > 0:
            return (
                f"acknowledgements and RM cells do not wait long, but the queue of {link.name} on "
                "their way grows without end"
            )
        here = self.subject.network.flows_over(link)
        ahead = [flow for flow in here if flow.is_elastic]
        rated = any(flow.ack_service == "abr" for flow in flows)
        if rated and any(flow.abr is None for flow in ahead):
            return (
                f"acknowledgements and RM cells do not wait long, but at {link.name} they share "
                "the link with data of flows that obey no rate"
            )
        last = max(_queue(link, flow.ack_service) for flow in flows)
        others = [f for f in here if not f.is_elastic and _queue(link, f.service) <= last]
        taken = sum(map(_greatest, others))
        room = link.cells_per_second - taken
        if rated and link.is_port:
            control = link.switch.control
            share = min(1.0, target_utilisation(control))
            of_link = control.get("capacity_form") == "of-link"
            room -= (1 - share) * (link.cells_per_second if of_link else room)
        room -= sum(self.cells[flow] for flow in ahead)
        need = sum(
            self.cells[flow] * (backward_cells(flow) + self.subject.credit_share(flow.service))
            for flow in flows
        )
        if self.subject.network.credit is not None:
            room *= FREE
        if need <= room + (1 - EQUAL) * link.cells_per_second * bool(ahead):
            return ""
        left = max(0.0, room)
        text = (
            f"acknowledgements and RM cells fit the way back, but {link.name} has {mbit(left)} for "
            f"{mbit(need)} of them"
        )
        if any(flow.abr or flow.tcp is None for flow in flows) or ahead:
            return text
        bits = sum(
            self.cells[f] * f.tcp.mss_bytes * 8 / f.tcp.segment_cells for f in flows if f.tcp
        )
        return f"{text}, which allows about {bits * left / need / 1e6:.2f} Mbit/s of TCP payload"

    @cached_property
    def _uncredited(self) -> dict[Flow, str]:
        """By flow, the assumption that fails since credits vary, or delay cells of the flow."""
        credit, found = self.subject.network.credit, dict[Flow, str]()
        if credit is None:
            return found
        for flow, cells in self.cells.items():
            if credit["allocation"] != "static":
                found[flow] = (
                    "credits do not limit a flow, but adaptive buffers change the credits of a "
                    "round trip"
                )
                continue
            reason = self._of_credits(credit, flow, cells)
            if reason:
                found[flow] = reason
        return found

    def _of_credits(self, credit: Parameters, flow: Flow, cells: float) -> str:
        """The assumption that fails for a flow under static credits; empty if none fails."""
        need = cells * acknowledgement_share(flow)
        most = credited_cells_per_second(credit, flow.backward, flow.forward, flow.ack_service)
        if need > most:
            return (
                f"acknowledgements do not wait for credits, but these allow {mbit(most)} of "
                f"{mbit(need)}"
            )
        own = credited_cells_per_second(credit, flow.forward, flow.backward, flow.service)
        if flow.tcp is None or cells < EQUAL * own:
            return ""
        trip = 2 * max(link.delay_seconds for link in flow.forward)
        lasts = self.subject.window_seconds
        if lasts < PARTS * max(trip, flow.tcp.segment_cells / cells):
            return "the measuring window is long beside round trips of credits and segments"
        ahead = 1 + flow.tcp.acknowledgement_cells
        waits = max(
            len(self._returning[link]) * ahead / link.cells_per_second for link in flow.backward
        )
        if waits > (1 - EQUAL) * trip:
            return (
                "credits return at once, but they may wait for other cells for up to "
                f"{seconds(waits)} in a round trip of {seconds(trip)}"
            )
        return ""


def _queue(link: Link, service: str) -> int:
    return link.switch.queue_of(service) if link.is_port else 0


def _greatest(flow: Flow) -> float:
    """Rate of background: the peak if it is known, since a burst holds up acknowledgements."""
    peak = peak_cells_per_second(flow)
    rate = flow.own_rate
    is_known = rate is not None and math.isfinite(rate.peak_cells_per_second)
    return peak if is_known else mean_cells_per_second(flow) or 0.0
