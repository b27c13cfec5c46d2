"""The network that a scenario describes, before it runs: nodes, links, flows, loads."""

from cellrate.simulation.network.elements import Flow, Link, Node, Switch, is_own_class
from cellrate.simulation.network.ends import Abr, OwnRate, Tcp
from cellrate.simulation.network.loads import (
    UNDER_CREDIT,
    booked_cells_per_second,
    can_be_overloaded,
    capacity_left_cells_per_second,
    certain_cells_per_second,
    contract_cells_per_second,
    fair_shares,
    lasting_cells_per_second,
    mean_cells_per_second,
    offered_cells_per_second,
    overloaded_ports,
    peak_cells_per_second,
    service_cells_per_second,
)
from cellrate.simulation.network.view import Network

__all__ = [
    "UNDER_CREDIT",
    "Abr",
    "Flow",
    "Link",
    "Network",
    "Node",
    "OwnRate",
    "Switch",
    "Tcp",
    "booked_cells_per_second",
    "can_be_overloaded",
    "capacity_left_cells_per_second",
    "certain_cells_per_second",
    "contract_cells_per_second",
    "fair_shares",
    "is_own_class",
    "lasting_cells_per_second",
    "mean_cells_per_second",
    "offered_cells_per_second",
    "overloaded_ports",
    "peak_cells_per_second",
    "service_cells_per_second",
]
