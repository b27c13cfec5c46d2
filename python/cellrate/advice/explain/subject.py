"""Properties of a network that several topics of an explanation need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cellrate.advice.formulas import Situation
from cellrate.simulation.network import Flow, Network, Switch, fair_shares, overloaded_ports
from cellrate.theory import AssumptionError, MaxMin
from cellrate.theory.cell_conversions import CELL_BITS


@dataclass(frozen=True)
class Subject:
    """A network that is explained."""

    network: Network

    @cached_property
    def bottlenecks(self) -> tuple[Situation, ...]:
        """Ports whose flows together could bring more than the link carries."""
        return tuple(Situation(self.network, port) for port in overloaded_ports(self.network))

    @cached_property
    def elastic_groups(self) -> dict[str, tuple[Flow, ...]]:
        """Elastic flows by group."""
        return self.network.groups([flow for flow in self.network.flows if flow.is_elastic])

    @cached_property
    def shares(self) -> MaxMin:
        """Max-min fair rates of elastic flows in cells/s, from the capacity that switches allocate.

        Raises:
            AssumptionError: A link has no capacity left, or less than the MCRs of its flows.
        """
        return fair_shares(
            self.network,
            flows=[flow for group in self.elastic_groups.values() for flow in group],
            offered=lambda network, link: handed_out_cells_per_second(Situation(network, link)),
        )

    def shares_or_reason(self) -> MaxMin | str:
        """The fair rates, or the reason why there are none."""
        if not self.elastic_groups:
            return "no flow is elastic: every source sends at a rate of its own"
        try:
            return self.shares
        except AssumptionError as error:
            return f"{error} (cells/s)"


def target_utilisation(switch: Switch) -> float:
    """Share of the capacity that the switch allocates to ABR."""
    return float(switch.control.get("target_utilisation") or 1.0)


def handed_out_cells_per_second(situation: Situation) -> float:
    """Mean rate that a link offers to elastic flows.

    ERICA allocates a share of the link, or of the capacity that background leaves
    (`capacity_form`).
    """
    left, port = situation.capacity_cells_per_second, situation.port
    if not port.is_port or not situation.abr:
        return left
    share = target_utilisation(port.switch)
    if port.switch.control.get("capacity_form") == "of-link":
        return left - (1.0 - share) * port.cells_per_second
    return share * left


def mbit(cells_per_second: float) -> str:
    """A rate in cells/s as text in Mbit/s."""
    return f"{cells_per_second * CELL_BITS / 1e6:,.2f} Mbit/s"
