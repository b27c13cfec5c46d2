"""The network that is explained, with quantities that several topics of an explanation need."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from cellrate.advice.explain.minimum_rates import Held, counts_flows
from cellrate.advice.explain.own_classes import unknown_rates
from cellrate.advice.formulas import FormulaAnswer, Situation, formulas_of
from cellrate.simulation.network import (
    UNDER_CREDIT,
    Flow,
    Link,
    Network,
    contract_cells_per_second,
    fair_shares,
    is_own_class,
    overloaded_ports,
)
from cellrate.simulation.network.ends import Parameters
from cellrate.theory import AssumptionError, MaxMin
from cellrate.theory.cell_conversions import CELL_BITS
from cellrate.theory.peak_throughput import data_share

if TYPE_CHECKING:
    from cellrate.advice.explain.rate_bounds import RateBound

# Share of time for which a queue without a bound exceeds the length that a statement gives.
RARE = 1e-6
# Greatest time of a segment and its acknowledgement, as a share of the least timeout, at which no
# timer expires early with any clock granularity.
EARLY = 0.5
# A rate above this share of another rate counts as equal.
EQUAL = 0.99
# OSU's own target; the record of predictions with basic fairness is of this target.
OSU_TARGET = 0.9
# Recoveries that react to the round trip or the rate, and so keep queues short; what they do.
AVOIDS_QUEUES = {
    "bbr": "BBR sends at the rate that it measures, and probes for more in cycles of round trips; "
    "no formula here gives its queue",
    "vegas": "Vegas grows a window while fewer than a few segments of it wait in queues, and "
    "shrinks it while more wait; no formula here gives its queue",
}
# Number of iterations in which shares and backward traffic converge; each at least halves the
# error.
ROUNDS = 12


@dataclass(frozen=True)
class Subject:
    """A network that is explained, with quantities that several topics need."""

    network: Network

    @cached_property
    def bottlenecks(self) -> tuple[Situation, ...]:
        """Ports at which cells can arrive faster than the link sends."""
        return tuple(Situation(self.network, port) for port in overloaded_ports(self.network))

    @cached_property
    def periodic(self) -> tuple[Situation, ...]:
        """Other ports that only sources of constant rate share, where few cells wait."""
        busy = {situation.port for situation in self.bottlenecks}
        situations = (Situation(self.network, port) for port in self.network.ports)
        return tuple(
            one
            for one in situations
            if one.port not in busy
            and len(one.flows) > 1
            and all(flow.kind == "cbr" and flow.abr is None for flow in one.flows)
        )

    @cached_property
    def overloaded(self) -> frozenset[Link]:
        """Ports in which cells of flows may wait for others, on forward and backward channels."""
        back = {link for flow in self.network.flows for link in flow.backward}
        two_way = {
            link
            for flow in self.network.flows
            for link in flow.forward
            if link in back and link.is_port
        }
        return frozenset(two_way.union(situation.port for situation in self.bottlenecks))

    def formula_answers(self, situation: Situation) -> tuple[FormulaAnswer, ...]:
        """Results of every formula on the queue of a port, or the reason why one does not apply.

        At bottlenecks a formula may allow the loss ratio `RARE`; at other ports it allows no loss.
        """
        port, known = situation.port, self._known_answers
        if port not in known:
            rare = any(port is one.port for one in self.bottlenecks)
            known[port] = formulas_of(self.network, port, loss_ratio=RARE if rare else 0.0)
        return known[port]

    def queue_answers(self, situation: Situation) -> dict[str, FormulaAnswer]:
        """Results, by name, of the formulas that apply to the queue of a port."""
        answers = self.formula_answers(situation)
        return {answer.formula: answer for answer in answers if answer.cells is not None}

    @cached_property
    def known_bounds(self) -> dict[Flow, RateBound]:
        """Cache of the results of `flow_bound`."""
        return {}

    @cached_property
    def known_first(self) -> dict[Link, float]:
        """Cache of the results of `served_first_cells_per_second`."""
        return {}

    @cached_property
    def flows_by_access(self) -> Mapping[Link, int]:
        """Number of flows whose data begin on a link, by link."""
        return Counter(flow.access for flow in self.network.flows)

    @cached_property
    def _known_answers(self) -> dict[Link, tuple[FormulaAnswer, ...]]:
        """Cache of the results of `formula_answers`."""
        return {}

    @cached_property
    def controls(self) -> str:
        """The control schemes that elastic flows meet at the bottlenecks, `ubr` without ABR."""
        met = {
            situation.switch.scheme if situation.abr else "ubr"
            for situation in self.bottlenecks
            if situation.elastic
        }
        return " and ".join(sorted(met)) or "no control"

    @cached_property
    def surroundings(self) -> str:
        """Text on background, contracts and two-way data, for the name of a kind of prediction."""
        if any(situation.has_varying_background for situation in self.bottlenecks):
            beside = ", background in bursts"
        elif any(situation.others for situation in self.bottlenecks):
            beside = ", steady background"
        else:
            beside = ""
        both = any(situation.is_two_way for situation in self.bottlenecks)
        if any(flow.is_elastic and flow.enforced_contracts for flow in self.network.flows):
            beside += ", flows with contracts"
        return f"{beside}, data both ways" if both else beside

    @cached_property
    def differences(self) -> str:
        """Text on how flows of a bottleneck differ, for the name of a kind of prediction."""
        met, found = self.bottlenecks, ""
        if any(situation.has_other_bottlenecks for situation in met):
            found += ", several bottlenecks"
        if any(situation.has_unequal_round_trips for situation in met):
            found += ", unequal round trips"
        if any(situation.has_unequal_end_systems for situation in met):
            found += ", unequal end systems"
        return found

    def bottlenecks_of(self, flows: Iterable[Flow]) -> list[Situation]:
        """The bottlenecks that data of some of the flows cross, in their order."""
        met = {link for flow in flows for link in flow.forward}
        return [situation for situation in self.bottlenecks if situation.port in met]

    @cached_property
    def tcp_cells_over(self) -> Mapping[Link, float]:
        """By link, cells of all TCP windows whose data or acknowledgements cross the link."""
        return self._cells_over(0.0)

    @cached_property
    def window_cells_over(self) -> Mapping[Link, float]:
        """By link, cells of all TCP windows; infinite if flows without TCP cross the link, too."""
        return self._cells_over(math.inf)

    def _cells_over(self, without_tcp: float) -> Mapping[Link, float]:
        """Cells of windows by link; each flow without TCP counts as `without_tcp` cells."""
        found: dict[Link, float] = defaultdict(float)
        for flow in self.network.flows:
            cells = without_tcp if flow.tcp is None else float(flow.tcp.window_cells)
            for link in (*flow.forward, *flow.backward):
                found[link] += cells
        return found

    @cached_property
    def lossless(self) -> bool:
        """True if no cell can be lost: not on links, in sources, at policers, or in switches."""
        flows = self.network.flows
        return (
            not self.network.links_lose
            and all(math.isinf(flow.source_queue_cells) for flow in flows)
            and all(flow.policer is None or flow.policer["action"] != "drop" for flow in flows)
            and all(flow.gfr is None for flow in flows)
            and (
                all(math.isinf(port.switch.unrefused_cells) for port in self.network.ports)
                or self._windows_fit
            )
        )

    @property
    def _windows_fit(self) -> bool:
        """True if each port has room for all windows over it, and no segment is sent twice.

        Before the first loss no queue is longer than the windows, so there is no first loss.
        """
        plain = all(flow.abr is None and flow.kind == "greedy" for flow in self.network.flows)
        return (
            plain
            and all(map(self.is_in_time, self.network.flows))
            and all(
                self.window_cells_over[port] <= port.switch.unrefused_cells
                for port in self.network.ports
            )
        )

    def is_in_time(self, flow: Flow) -> bool:
        """True if a segment is acknowledged before its timeout even if all queues are full."""
        if flow.tcp is None or flow.propagation_round_trip_seconds is None:
            return False
        path = (*flow.forward, *flow.backward)
        held = [self.window_cells_over[link] for link in path]
        waiting = sum(cells / link.cells_per_second for cells, link in zip(held, path, strict=True))
        waiting += flow.tcp.window_cells / contract_cells_per_second(flow)
        settings = flow.tcp.parameters
        answering = settings["processing_time_seconds"] + settings["processing_variation_seconds"]
        if settings["delayed_ack"]:
            answering += settings["delayed_ack_interval_seconds"]
        trip = flow.propagation_round_trip_seconds + waiting + answering
        return bool(trip < EARLY * settings["min_rto_seconds"])

    @cached_property
    def begin_seconds(self) -> float:
        """Start of the measuring window."""
        return float(self.network.measure["from_seconds"])

    @cached_property
    def end_seconds(self) -> float:
        """End of the measuring window."""
        return float(self.network.measure["to_seconds"])

    @cached_property
    def window_seconds(self) -> float:
        """Length of the measuring window."""
        return self.end_seconds - self.begin_seconds

    @cached_property
    def elastic_groups(self) -> dict[str, tuple[Flow, ...]]:
        """Elastic flows by group."""
        return self.network.groups([flow for flow in self.network.flows if flow.is_elastic])

    @cached_property
    def shares(self) -> MaxMin:
        """Max-min fair rates of elastic flows in cells/s, from the capacity that switches allocate.

        A rate is the greater of MCR and the share (`minimum_rates`). Backward RM cells and
        acknowledgements take capacity of reverse links in proportion to the rates. So the shares
        are computed iteratively.

        Raises:
            AssumptionError: A link has no capacity left, or less than the MCRs of its flows.
        """
        return self._shares[0]

    @cached_property
    def _shares(self) -> tuple[MaxMin, MaxMin]:
        """Max-min fair rates of elastic flows, and those without MCRs."""
        elastic = [flow for group in self.elastic_groups.values() for flow in group]
        forward = {link for flow in elastic for link in flow.forward}
        against = [
            (flow, links, cells)
            for flow in elastic
            if (links := forward.intersection(flow.backward))
            and (cells := backward_cells(flow) + self.credit_share(flow.service))
        ]
        taken: dict[Link, float] = {}
        shares = self._shares_beside(elastic, taken)
        for _ in range(ROUNDS if against else 0):
            back: dict[Link, float] = {}
            for flow, links, cells in against:
                for link in links:
                    back[link] = back.get(link, 0.0) + cells * shares[0].rates[flow.name]
            # The mean of old and new values, since with short segments the backward traffic equals
            # the forward traffic.
            taken = {link: (taken.get(link, 0.0) + cells) / 2 for link, cells in back.items()}
            shares = self._shares_beside(elastic, taken)
        return shares

    def _shares_beside(
        self, elastic: list[Flow], taken: Mapping[Link, float]
    ) -> tuple[MaxMin, MaxMin]:
        """Max-min rates of flows, after a rate `taken` is subtracted from each link's capacity.

        The second rates are those without MCRs.
        """

        def offered(network: Network, link: Link) -> float:
            return handed_out_cells_per_second(Situation(network, link)) - taken.get(link, 0.0)

        def offered_with_mcr(network: Network, link: Link) -> float:
            situation, allocated = Situation(network, link), offered(network, link)
            if not link.is_port or not situation.abr or situation.has_other_bottlenecks:
                return allocated
            rates = [plain.rates[flow.name] for flow in situation.elastic]
            if not counts_flows(situation.switch.control, rates):
                return allocated
            asked = sum(
                max(flow.abr.mcr_cells_per_second if flow.abr else 0.0, plain.rates[flow.name])
                for flow in situation.elastic
            )
            most = situation.capacity_cells_per_second - taken.get(link, 0.0)
            return max(allocated, min(asked, most))

        plain = fair_shares(self.network, flows=elastic, offered=offered, with_mcr=False)
        if not any(flow.abr and flow.abr.mcr_cells_per_second for flow in elastic):
            return plain, plain
        return fair_shares(self.network, flows=elastic, offered=offered_with_mcr), plain

    def held(self, situation: Situation) -> list[Held]:
        """ABR flows over a port, with the rates that decide what their MCRs do."""
        fair, plain = self._shares
        return [
            Held(
                flow.name,
                flow.abr.mcr_cells_per_second,
                plain.rates[flow.name],
                fair.shares[flow.name],
                fair.rates[flow.name],
                flow.abr.parameters["er_below_mcr"] == "ignore",
            )
            for flow in situation.abr
            if flow.abr is not None
        ]

    def credit_share(self, service: str) -> float:
        """Credit cells that return for each cell of a channel, 1 / N2; 0 without credit control."""
        control = self.network.credit
        if control is None or service not in UNDER_CREDIT:
            return 0.0
        return 1 / float(control["n2_cells"])

    @cached_property
    def _unknown_rates(self) -> str:
        """Reason why the rates of ABR flows are not known; empty if they are."""
        return unknown_rates(self.network)

    def shares_or_reason(self) -> MaxMin | str:
        """The fair rates, or the reason why they cannot be computed."""
        if not self.elastic_groups:
            return "no flow is elastic: every source has a fixed traffic of its own"
        if self._unknown_rates:
            return self._unknown_rates
        try:
            return self.shares
        except AssumptionError as error:
            return f"{error} (cells/s)"


def acknowledgement_share(flow: Flow) -> float:
    """Cells of acknowledgements for each cell with data; 0 without TCP."""
    if flow.tcp is None:
        return 0.0
    # RFC 5681 4.2: with delayed acknowledgements every second full segment has one.
    segments = 2 if flow.tcp.parameters["delayed_ack"] else 1
    return flow.tcp.acknowledgement_cells / (segments * flow.tcp.segment_cells)


def rm_cells(flow: Flow) -> tuple[int, bool, float]:
    """Arguments of `data_share` for the channel of a flow's data.

    They are Nrm; True if the source also returns RM cells, those of the channel in the other
    direction; and the cells of acknowledgements in that channel per cell of data.
    """
    if flow.abr is None:
        return 0, False, 0.0
    beside = acknowledgement_share(flow) if flow.ack_service == "abr" else 0.0
    return flow.abr.nrm, beside > 0 or not flow.abr.parameters["frm_needs_data"], beside


def backward_cells(flow: Flow) -> float:
    """RM cells and cells of acknowledgements that return for each cell that a flow sends.

    RM cells are those that the receiver returns, and those of the channel of acknowledgements.
    """
    data = float(data_share(*rm_cells(flow)))
    return 1 - data + data * acknowledgement_share(flow)


def target_utilisation(control: Parameters) -> float:
    """Share of the capacity that a control scheme allocates; 1 if the scheme is an own class."""
    if is_own_class(control["scheme"]):
        return 1.0
    return float(control.get("target_utilisation") or 1.0)


def beside_phantom(control: Parameters, flows: int) -> float:
    """Share of the capacity that Phantom's imaginary flow leaves to a number of flows; else 1.

    The imaginary flow has 1 / u of the rate of a flow (docs/explanation/schemes.md).
    """
    if control["scheme"] != "phantom" or not flows:
        return 1.0
    parts = flows * float(control["utilisation_factor"])
    return parts / (parts + 1)


def missed_target(control: Parameters) -> str:
    """The reason why a scheme lets more pass than its target utilisation; else empty.

    FMMRA's published floor keeps ERmax high at any load. OSU's basic fairness settles at any load
    from the target on, where the queue decides (docs/explanation/schemes.md).
    """
    scheme, target = control["scheme"], target_utilisation(control)
    if scheme == "fmmra" and control["er_max_floor"] == "explicit-rate" and target < 1:
        return (
            f'`fmmra` with `er_max_floor = "explicit-rate"` uses more than {target:g} of the link'
        )
    if scheme == "osu" and control["fairness"] == "basic" and target < OSU_TARGET:
        return f"`osu` with basic fairness may use more than {target:g} of the link"
    return ""


def handed_out_cells_per_second(situation: Situation) -> float:
    """Mean rate that elastic flows get of a link: the allocation, or the capacity if less."""
    return min(allocated_cells_per_second(situation), situation.capacity_cells_per_second)


def allocated_cells_per_second(situation: Situation) -> float:
    """Mean rate that the scheme of a link allocates to elastic flows.

    With a target utilisation above 1 the rate exceeds the link's. ERICA allocates a share of the
    link, or of the capacity that background leaves (`capacity_form`). Under Phantom all
    flows whose MCR is below an equal part count as limited by the link.
    """
    left, port = situation.capacity_cells_per_second, situation.port
    if not port.is_port or not situation.abr:
        return left
    share = target_utilisation(port.switch.control)
    if port.switch.scheme == "phantom":
        # Flows with an MCR above an equal part have it; the imaginary flow shares the rest.
        mcrs = [flow.abr.mcr_cells_per_second for flow in situation.abr if flow.abr is not None]
        held = [mcr for mcr in mcrs if mcr * len(mcrs) > left]
        rest = beside_phantom(port.switch.control, len(mcrs) - len(held))
        return max(0.0, sum(held) + rest * (left - sum(held)))
    if port.switch.control.get("capacity_form") == "of-link":
        return max(0.0, left - (1.0 - share) * port.cells_per_second)
    return max(0.0, share * left)


def mbit(cells_per_second: float) -> str:
    """A rate in cells/s as text in Mbit/s."""
    return f"{cells_per_second * CELL_BITS / 1e6:,.2f} Mbit/s"
