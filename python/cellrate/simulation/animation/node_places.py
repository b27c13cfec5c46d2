"""Places of a network's nodes: in the direction of flows, in a ring, or tier above tier."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

from cellrate.simulation.network import Network
from cellrate.simulation.network.ethernet_view import FrameNetwork

Places = Mapping[str, tuple[float, float]]
Side: TypeAlias = Literal["left", "right", "below"]

MARGIN = 0.07
# Vertical distance from the middle, for hosts between switches: sources above, destinations below.
NEAREST, FARTHEST = 0.3, 0.43
# Heights of the lowest and the highest tier; above them is room for the bars of queues.
LOWEST, HIGHEST = 0.1, 0.68
# Height of the middle of a ring, half its height, half its width, and the distance of its hosts.
# Above the highest switch is room for the bars of queues.
RING_MIDDLE, RING_HEIGHT, RING_WIDTH, OUTSIDE = 0.37, 0.28, 0.3, 0.13
# Vertical distance of two hosts at a switch of a ring.
HOSTS_APART = 0.06


@dataclass(frozen=True, slots=True)
class Way:
    """A directed link: its name, and the names of its ends."""

    name: str
    sender: str
    receiver: str


@dataclass(frozen=True, slots=True)
class Map:
    """The nodes, links and paths of a network, for its picture.

    Attributes:
        nodes: Names of the nodes, each with True for a switch.
        ways: Directed links.
        paths: Links of each flow to its destination, in the order of the hops.
    """

    nodes: Mapping[str, bool]
    ways: tuple[Way, ...]
    paths: tuple[tuple[Way, ...], ...]

    @classmethod
    def of(cls, network: Network | FrameNetwork) -> Self:
        """The map of a network of any link layer."""
        if isinstance(network, FrameNetwork):
            nodes = network.nodes
            ends = [(line.name, line.sender, line.receiver) for line in network.lines]
            paths = [[line.name for line in flow.lines] for flow in network.flows]
        else:
            nodes = {node.name: node.switch is not None for node in network.nodes}
            ends = [(link.name, link.sender.name, link.receiver.name) for link in network.links]
            paths = [[link.name for link in flow.forward] for flow in network.flows]
        ways = {end[0]: Way(*end) for end in ends}
        of_flows = (tuple(ways[name] for name in path) for path in paths)
        return cls(nodes, tuple(ways.values()), tuple(of_flows))

    @property
    def hosts(self) -> list[str]:
        """Names of the hosts."""
        return [name for name, is_switch in self.nodes.items() if not is_switch]


def node_places(network: Map) -> Places:
    """Places of the nodes, x to the right and y upwards, both from 0 to 1.

    Nodes stand from left to right in the direction of flows. Where flows go both ways, and every
    link joins neighbouring tiers, tiers stand above each other instead. A tier has the nodes with
    an equal number of links to the nearest host; hosts are the lowest tier. Switches that form a
    ring stand in a ring, with their hosts outside.
    """
    ring = _ring(network)
    if ring:
        return _around(network, ring)
    after, has_circle = _successors(network)
    tiers = _tiers(network)
    if _are_rows(network, tiers, has_circle=has_circle):
        return _tier_above_tier(tiers)
    return _from_left_to_right(network, after)


def name_sides(network: Map) -> Mapping[str, Side]:
    """The side of each host on which its name stands: away from the links of `node_places`."""
    if _ring(network):
        places = node_places(network)
        return {name: "left" if places[name][0] < 0.5 else "right" for name in network.hosts}
    tiers = _tiers(network)
    if _are_rows(network, tiers, has_circle=_successors(network)[1]):
        return dict.fromkeys(network.hosts, "below")
    sources = {path[0].sender for path in network.paths}
    return {name: "left" if name in sources else "right" for name in network.hosts}


def _are_rows(network: Map, tiers: Mapping[str, int], *, has_circle: bool) -> bool:
    is_level = any(tiers[way.sender] == tiers[way.receiver] for way in network.ways)
    return has_circle and not is_level and max(tiers.values()) > 1


def _ring(network: Map) -> list[str]:
    """The switches in the order of the ring that they form; empty if they form none.

    Every switch has links to exactly two others, and every host to one switch.
    """
    beside = _beside_each(network)
    switches = [name for name, is_switch in network.nodes.items() if is_switch]
    next_ = {name: [other for other in beside[name] if network.nodes[other]] for name in switches}
    if len(switches) < 3 or any(len(others) != 2 for others in next_.values()):
        return []
    if any(len(beside[name]) != 1 or not network.nodes[beside[name][0]] for name in network.hosts):
        return []
    ring = [switches[0]]
    while fresh := [name for name in next_[ring[-1]] if name not in ring]:
        ring.append(fresh[0])
    return ring if len(ring) == len(switches) else []


def _around(network: Map, ring: list[str]) -> Places:
    """Places of a ring, clockwise from the top, with the hosts at the sides.

    With an even number of switches two are at the top, since otherwise a switch would be below the
    queue bars of another switch.
    """
    beside = _beside_each(network)
    turned = 0.5 if len(ring) % 2 == 0 else 0.0
    places = {}
    for at, name in enumerate(ring):
        angle = math.pi / 2 - (at - turned) * 2 * math.pi / len(ring)
        x, y = 0.5 + RING_WIDTH * math.cos(angle), RING_MIDDLE + RING_HEIGHT * math.sin(angle)
        places[name] = (x, y)
        hosts = [host for host in beside[name] if not network.nodes[host]]
        for number, host in enumerate(hosts):
            aside = HOSTS_APART * ((len(hosts) - 1) / 2 - number)
            places[host] = (x + math.copysign(OUTSIDE, x - 0.5), y + aside)
    return {name: places[name] for name in network.nodes}


def _beside_each(network: Map) -> dict[str, list[str]]:
    """For each node the nodes to which it has a link, in the order of the links."""
    beside: dict[str, dict[str, None]] = {name: {} for name in network.nodes}
    for way in network.ways:
        beside[way.sender][way.receiver] = None
    return {name: list(others) for name, others in beside.items()}


def _tiers(network: Map) -> dict[str, int]:
    """For each node the number of links to the nearest host."""
    beside = _beside_each(network)
    tiers = dict.fromkeys(network.hosts, 0)
    tier, found = 0, list(tiers)
    while found:
        tier += 1
        found = [name for node in found for name in sorted(beside[node]) if name not in tiers]
        tiers |= dict.fromkeys(found, tier)
    return {name: tiers.get(name, 1) for name in network.nodes}


def _tier_above_tier(tiers: Mapping[str, int]) -> Places:
    rows = defaultdict(list)
    for name, tier in tiers.items():
        rows[tier].append(name)
    top = max(rows)
    places = {}
    for tier, names in rows.items():
        y = LOWEST + (HIGHEST - LOWEST) * tier / top
        for at, name in enumerate(names):
            places[name] = (MARGIN + (1 - 2 * MARGIN) * (at + 0.5) / len(names), y)
    return places


def _from_left_to_right(network: Map, after: Mapping[str, set[str]]) -> Places:
    """Places in the direction of flows.

    A switch is right of the switches from which flows come to it; a path that leads back is not
    followed. Sources stand left of their first switch, destinations right of their last switch.
    Hosts at the edge of the picture are spread over its height. Other sources stand above the
    middle, other destinations below.
    """
    columns = _columns(after, list(network.nodes))
    switches = {name for name, is_switch in network.nodes.items() if is_switch}
    sources = {path[0].sender for path in network.paths} - switches
    steps = {name: 2 * columns[name] for name in switches}
    for name in network.hosts:
        steps[name] = _beside(name, after, steps, is_source=name in sources)
    least = min(steps.values())
    span = max(max(steps.values()) - least, 1)
    together = defaultdict(list)
    for name in network.nodes:
        together[steps[name]].append(name)
    places: dict[str, tuple[float, float]] = {}
    for step, names in together.items():
        x = MARGIN + (1 - 2 * MARGIN) * (step - least) / span
        at_edge = step in {least, least + span}
        inner = [name for name in names if name in switches or at_edge]
        above = [name for name in names if name not in inner and name in sources]
        below = [name for name in names if name not in inner and name not in sources]
        for group, low, high in (
            (inner, 0.5 - FARTHEST, 0.5 + FARTHEST),
            (above, 0.5 + NEAREST, 0.5 + FARTHEST),
            (below, 0.5 - FARTHEST, 0.5 - NEAREST),
        ):
            for name, y in zip(group, _spread(len(group), low, high), strict=True):
                places[name] = (x, y)
    return {name: places[name] for name in network.nodes}


def _spread(count: int, low: float, high: float) -> list[float]:
    """`count` heights, downwards: the middles of equal parts of the range from `high` to `low`."""
    return [high - (high - low) * (at + 0.5) / count for at in range(count)]


def _successors(network: Map) -> tuple[dict[str, set[str]], bool]:
    """Next nodes of each node on the flows' paths; links that close a cycle are left out.

    Returns:
        The next nodes of each node, and True if a link was left out.
    """
    after: dict[str, set[str]] = defaultdict(set)
    has_circle = False
    for path in network.paths:
        for way in path:
            sender, receiver = way.sender, way.receiver
            if receiver in after[sender]:
                continue
            if _reaches(receiver, sender, after):
                has_circle = True
            else:
                after[sender].add(receiver)
    return after, has_circle


def _reaches(start: str, end: str, after: Mapping[str, set[str]]) -> bool:
    seen, open_ = {start}, [start]
    while open_:
        node = open_.pop()
        if node == end:
            return True
        fresh = after.get(node, set()) - seen
        seen |= fresh
        open_ += fresh
    return False


def _columns(after: Mapping[str, set[str]], names: list[str]) -> dict[str, int]:
    """For each node the number of nodes before it on the longest path to it."""
    columns = dict.fromkeys(names, 0)
    for _ in names:
        for sender, receivers in after.items():
            for receiver in receivers:
                columns[receiver] = max(columns[receiver], columns[sender] + 1)
    return columns


def _beside(
    host: str, after: Mapping[str, set[str]], steps: Mapping[str, int], *, is_source: bool
) -> int:
    """The column of a host: next to the switch that it sends to or receives from."""
    next_ = [steps[name] for name in after.get(host, ()) if name in steps]
    before = [steps[name] for name, found in after.items() if host in found and name in steps]
    if next_ and (is_source or not before):
        return min(next_) - 1
    return max(before, default=0) + 1
