"""Max-min fair rates of a scenario's ABR flows."""

from __future__ import annotations

from cellrate.network.loads import capacity_left_cells_per_second
from cellrate.network.view import Network
from cellrate.theory import MaxMin, max_min
from cellrate.theory.max_min import Fairness


def fair_shares(network: Network, fairness: Fairness = "mcr-plus-share") -> MaxMin:
    """Max-min fair rates of the ABR flows in cells/s, RM cells included.

    Every link has for them what sources of its own rate leave over on average. Backward RM cells
    and acknowledgements take nothing from links of the other direction.

    Raises:
        ValueError: There is no ABR flow.
        AssumptionError: A link has nothing left, or less than its flows' MCRs.
    """
    abr = {flow.name: flow for flow in network.flows if flow.abr is not None}
    if not abr:
        raise ValueError("the scenario has no ABR flow")
    links = {
        link.name: capacity_left_cells_per_second(network, link)
        for link in network.links
        if any(link in flow.forward for flow in abr.values())
    }
    return max_min(
        links,
        {name: [link.name for link in flow.forward] for name, flow in abr.items()},
        mcr={name: flow.abr.mcr_cells_per_second for name, flow in abr.items() if flow.abr},
        pcr={name: flow.abr.pcr_cells_per_second for name, flow in abr.items() if flow.abr},
        fairness=fairness,
    )
