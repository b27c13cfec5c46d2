"""A port with its flows, at which formulas are evaluated."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from cellrate.simulation.network import (
    Flow,
    Link,
    Network,
    Switch,
    can_be_overloaded,
    capacity_left_cells_per_second,
    mean_cells_per_second,
)
from cellrate.theory.assumptions import AssumptionError

# Delays that differ by less than this share count as equal.
EQUAL = 1e-6


@dataclass(frozen=True)
class Situation:
    """A port of a network with its flows, as formulas need it.

    Attributes:
        network: The network.
        port: One of its ports.
        credit_cells: Cells per credit, to compute the buffer under credit control as well.
        loss_ratio: Share of cells that may be lost.
    """

    network: Network
    port: Link
    credit_cells: int | None = None
    loss_ratio: float = 0.0

    @property
    def switch(self) -> Switch:
        """Settings of the switch at the port."""
        return self.port.switch

    @cached_property
    def flows(self) -> tuple[Flow, ...]:
        """Flows over the port."""
        return self.network.flows_over(self.port)

    @cached_property
    def elastic(self) -> tuple[Flow, ...]:
        """Elastic flows over the port: those whose rate depends on the network."""
        return tuple(flow for flow in self.flows if flow.is_elastic)

    @cached_property
    def abr(self) -> tuple[Flow, ...]:
        """Elastic ABR flows over the port."""
        return tuple(flow for flow in self.elastic if flow.abr is not None)

    @cached_property
    def others(self) -> tuple[Flow, ...]:
        """Inelastic flows over the port: those with rates of their own."""
        return tuple(flow for flow in self.flows if not flow.is_elastic)

    @cached_property
    def capacity_cells_per_second(self) -> float:
        """Mean rate that inelastic flows leave to elastic ones."""
        return capacity_left_cells_per_second(self.network, self.port)

    @cached_property
    def round_trips_seconds(self) -> tuple[float, ...]:
        """Propagation round trips of the elastic flows that have one."""
        found = (flow.propagation_round_trip_seconds for flow in self.elastic)
        return tuple(sorted({value for value in found if value is not None}))

    @cached_property
    def feedback_delays_seconds(self) -> tuple[float, ...]:
        """Feedback delays of the ABR flows at the port."""
        return tuple(sorted({flow.feedback_delay_seconds(self.port) for flow in self.abr}))

    @cached_property
    def split(self) -> str:
        """Reason why laws of end-to-end loops do not apply to the ABR flows; else empty."""
        relays = dict.fromkeys(node.name for flow in self.abr for node in flow.relays)
        if not relays:
            return ""
        return (
            f"the control loops are split at {', '.join(relays)} (VS/VD); the formula assumes "
            "end-to-end loops"
        )

    @property
    def has_unequal_round_trips(self) -> bool:
        """True if elastic flows have different round trips."""
        trips = self.round_trips_seconds
        return bool(trips) and trips[-1] - trips[0] > EQUAL * trips[-1]

    @property
    def has_unequal_end_systems(self) -> bool:
        """True if elastic flows differ in a parameter of TCP or of ABR."""
        ends = [(flow.tcp, flow.abr) for flow in self.elastic]
        return any(end != ends[0] for end in ends)

    @property
    def has_other_bottlenecks(self) -> bool:
        """True if an elastic flow also crosses another port that can be overloaded."""
        return any(
            link is not self.port and can_be_overloaded(self.network, link)
            for flow in self.elastic
            for link in flow.forward
        )

    @property
    def has_varying_background(self) -> bool:
        """True if an inelastic flow over the port changes its rate.

        Poisson sources do not count: they vary from cell to cell, not over longer times.
        """
        rates = (flow.own_rate for flow in self.others)
        return any(
            rate is not None and rate.mean_cells_per_second < rate.peak_cells_per_second < math.inf
            for rate in rates
        )

    @property
    def is_two_way(self) -> bool:
        """True if elastic flows also send data in the opposite direction of the link."""
        return (self.port.receiver, self.port.sender) in self.network.ways_of_elastic_flows

    @cached_property
    def queue(self) -> int:
        """Number of the queue of lowest priority with elastic flows; without these, with any."""
        numbers = [self.switch.queue_of(flow.service) for flow in self.elastic or self.flows]
        return max(numbers, default=len(self.switch.priority) - 1)

    @cached_property
    def service(self) -> str:
        """A service class of the flows in the queue with the number `queue`."""
        return self.switch.priority[self.queue][0]

    def sharing(self) -> tuple[Flow, ...]:
        """Inelastic flows that share a queue with elastic ones."""
        queues = {self.switch.queue_of(flow.service) for flow in self.elastic}
        return tuple(f for f in self.others if self.switch.queue_of(f.service) in queues)

    @cached_property
    def is_starved(self) -> bool:
        """True if inelastic flows of higher priority leave the elastic flows nothing of the link.

        Their mean rates decide. False if a policer drops cells of an inelastic flow, since less of
        this flow may then arrive than its mean rate says, and if the queue may empty in overload.
        """
        if not self.elastic or any(flow.is_dropped for flow in self.others):
            return False
        if not self.switch.stays_full:
            return False
        queue_of, is_before = self.switch.queue_of, self.switch.is_strictly_before
        first = min(queue_of(flow.service) for flow in self.elastic)
        before = [flow for flow in self.others if is_before(queue_of(flow.service), first)]
        taken = sum(mean_cells_per_second(flow) or 0.0 for flow in before)
        return taken >= self.port.cells_per_second * (1 - EQUAL)

    def background_cells_per_second(self) -> float:
        """Mean rate of all inelastic flows over the port."""
        return sum(mean_cells_per_second(flow) or 0.0 for flow in self.others)


def full_load_interval_seconds(situation: Situation) -> float:
    """ERICA's averaging interval at line rate: the lesser of its time and its cells' time."""
    control, rate = situation.switch.control, situation.port.cells_per_second
    return float(min(control["interval_seconds"], control["interval_cells"] / rate))


@dataclass(frozen=True)
class FormulaAnswer:
    """Result of a formula, or the reason why it does not apply.

    Attributes:
        formula: Name of the formula in `cellrate theory`.
        title: The quantity that the formula computes.
        source: Paper and equation or section.
        cells: Length of the queue in cells; None if the formula does not apply.
        given: Parameters of the formula, units in their names.
        fails: Assumptions of the formula that do not hold here.
        inapplicable: The reason why the formula does not apply; empty if it does.
    """

    formula: str
    title: str
    source: str
    cells: float | None = None
    given: Mapping[str, float] = field(default_factory=dict)
    fails: tuple[str, ...] = ()
    inapplicable: str = ""

    @property
    def applies(self) -> bool:
        """True if the formula has a result, and no assumption is known to fail."""
        return self.cells is not None and not self.fails


class DoesNotApply(Exception):
    """A formula does not apply to the port; the message gives the reason."""


@dataclass(frozen=True)
class Result:
    """Result of a formula that applies; the attributes are those of `FormulaAnswer`."""

    cells: float
    given: Mapping[str, float]
    fails: tuple[str, ...] = ()


@dataclass(frozen=True)
class PortFormula:
    """A formula for the queue at a port.

    Attributes:
        name: Name of the formula in `cellrate theory`.
        title: The quantity that the formula computes.
        source: Paper and equation or section.
        compute: Computes the quantity; raises `DoesNotApply` or `AssumptionError` if the formula
            does not apply.
        holds_under_credit: True if the formula also holds where sources must wait for credit.
    """

    name: str
    title: str
    source: str
    compute: Callable[[Situation], Result]
    holds_under_credit: bool = False

    def answer(self, situation: Situation) -> FormulaAnswer:
        """The formula's result at a port, or the reason why the formula does not apply."""
        named = (self.name, self.title, self.source)
        if situation.network.credit is not None and not self.holds_under_credit:
            reason = "under credit control cells wait in the sources until they have credit"
            return FormulaAnswer(*named, inapplicable=reason)
        if held := [flow.group for flow in situation.network.flows if flow.port_shaper]:
            reason = f"ports hold cells of `{held[0]}` until they conform"
            return FormulaAnswer(*named, inapplicable=reason)
        try:
            found = self.compute(situation)
        except (AssumptionError, DoesNotApply) as error:
            return FormulaAnswer(*named, inapplicable=str(error))
        return FormulaAnswer(*named, found.cells, found.given, found.fails)
