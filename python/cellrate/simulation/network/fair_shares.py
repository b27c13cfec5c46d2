"""Max-min fair rates of a scenario's flows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cellrate.simulation.network.elements import Flow, Link
from cellrate.simulation.network.loads import capacity_left_cells_per_second
from cellrate.simulation.network.view import Network
from cellrate.theory import MaxMin, max_min
from cellrate.theory.assumptions import require
from cellrate.theory.max_min import Fairness


def fair_shares(
    network: Network,
    fairness: Fairness = "mcr-plus-share",
    *,
    flows: Sequence[Flow] | None = None,
    offered: Callable[[Network, Link], float] = capacity_left_cells_per_second,
) -> MaxMin:
    """Max-min fair rates in cells/s, RM cells included.

    Backward RM cells and acknowledgements are assumed to take no capacity of reverse links.

    Args:
        network: The network of a scenario.
        fairness: Definition of a flow's rate by its share, as in `cellrate.theory.max_min`.
        flows: Flows that share; the ABR flows by default.
        offered: Capacity of a link for these flows in cells/s; by default the mean capacity that
            sources with their own rates leave.

    Raises:
        ValueError: There are no flows to share.
        AssumptionError: A link has no capacity left, or less than its flows' MCRs.
    """
    sharing = [flow for flow in network.flows if flow.abr is not None] if flows is None else flows
    if not sharing:
        raise ValueError("the scenario has no ABR flow")
    crossed = {link for flow in sharing for link in flow.forward}
    links = {link.name: offered(network, link) for link in network.links if link in crossed}
    for name, left in links.items():
        allowed = "sources with rates of their own must leave something of it"
        require(left > 0, f"what is left of link {name}", left, allowed)
    return max_min(
        links,
        {flow.name: [link.name for link in flow.forward] for flow in sharing},
        mcr={flow.name: flow.abr.mcr_cells_per_second for flow in sharing if flow.abr},
        pcr={flow.name: flow.abr.pcr_cells_per_second for flow in sharing if flow.abr},
        fairness=fairness,
    )
