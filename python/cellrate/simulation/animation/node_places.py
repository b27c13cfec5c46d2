"""Places for the nodes of a network on a picture: from left to right in the direction of flows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from cellrate.simulation.network import Network

Places = Mapping[str, tuple[float, float]]

MARGIN = 0.07
# Hosts between switches stand this far above (sources) or below (destinations) the middle.
NEAREST, FARTHEST = 0.3, 0.43


def node_places(network: Network) -> Places:
    """Places of the nodes, x to the right and y upwards, both from 0 to 1.

    A switch is right of the switches from which flows come to it; a path that leads back is not
    followed. Sources stand left of their first switch, destinations right of their last one: at the
    edge of the picture spread over its height, elsewhere sources above the middle, destinations
    below.
    """
    after = _successors(network)
    columns = _columns(after, [node.name for node in network.nodes])
    switches = {node.name for node in network.nodes if node.switch is not None}
    sources = {flow.forward[0].sender.name for flow in network.flows} - switches
    steps = {name: 2 * columns[name] for name in switches}
    for name in (node.name for node in network.nodes if node.name not in switches):
        steps[name] = _beside(name, after, steps, is_source=name in sources)
    least = min(steps.values())
    span = max(max(steps.values()) - least, 1)
    together = defaultdict(list)
    for node in network.nodes:
        together[steps[node.name]].append(node.name)
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
    return {node.name: places[node.name] for node in network.nodes}


def _spread(count: int, low: float, high: float) -> list[float]:
    """So many heights from high to low, with equal gaps above, between and below them."""
    return [high - (high - low) * (at + 0.5) / count for at in range(count)]


def _successors(network: Network) -> dict[str, set[str]]:
    """Nodes that follow each node on the flows' paths, without those that would close a circle."""
    after: dict[str, set[str]] = defaultdict(set)
    for flow in network.flows:
        for link in flow.forward:
            sender, receiver = link.sender.name, link.receiver.name
            if receiver not in after[sender] and not _reaches(receiver, sender, after):
                after[sender].add(receiver)
    return after


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
    """The number of nodes on the longest path to each node."""
    columns = dict.fromkeys(names, 0)
    for _ in names:
        for sender, receivers in after.items():
            for receiver in receivers:
                columns[receiver] = max(columns[receiver], columns[sender] + 1)
    return columns


def _beside(
    host: str, after: Mapping[str, set[str]], steps: Mapping[str, int], *, is_source: bool
) -> int:
    """The step of a host: beside the switch that it sends to or receives from."""
    next_ = [steps[name] for name in after.get(host, ()) if name in steps]
    before = [steps[name] for name, found in after.items() if host in found and name in steps]
    if next_ and (is_source or not before):
        return min(next_) - 1
    return max(before, default=0) + 1
