"""Deadlock under PFC or CBFC: buffers that wait for one another in a cycle."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from cellrate.advice.explain.answer import Statement
from cellrate.simulation.network.ethernet_view import FrameNetwork, Line

FULL = {"pfc": "are above XOFF", "cbfc": "have no credit left"}


def deadlocks(network: FrameNetwork) -> Iterator[Statement]:
    """Statement on cycles of buffers under PFC or CBFC.

    A switch's buffer for a line waits for the buffer of the next line of each flow over this line.
    If no buffer waits for itself over others, the last ones always drain (Dally and Seitz 1987).
    Priorities that share a queue wait for one another, since the first frame may be held back.
    """
    if network.lossless is None:
        return
    name = network.lossless["by"].upper()
    full = FULL[network.lossless["by"]]
    for queue in sorted({network.queue(priority) for priority in network.lossless["priorities"]}):
        cycle = _cycle(network, queue)
        if cycle:
            names = [line.name for line in cycle]
            yield Statement(
                "deadlock",
                f"{name} can deadlock: the buffer of {', which waits for that of '.join(names)}. "
                f"If all these buffers {full} at the same time, none of them ever drains.",
                {
                    "by": network.lossless["by"],
                    "queue": queue + 1,
                    "deadlock_cycle": names,
                },
                kind="prediction",
            )
            return
    yield Statement(
        "deadlock",
        f"{name} cannot deadlock: no buffer waits, directly or over others, for itself.",
        {"by": network.lossless["by"], "deadlock_cycle": []},
    )


def _cycle(network: FrameNetwork, queue: int) -> list[Line]:
    """Lines whose buffers wait for one another in a cycle; empty if there is no cycle."""
    covered = set((network.lossless or {})["priorities"])
    waits: TopologicalSorter[Line] = TopologicalSorter()
    for flow in network.flows:
        back = {flow.priority, flow.notification_priority}
        for way, priorities in ((flow.hops, {flow.priority}), (flow.hops_back, back)):
            if not any(network.queue(one) == queue for one in priorities & covered):
                continue
            for (line,), (after,) in pairwise(way):
                # Hosts take every frame at once, so no buffer waits at a line into a host.
                if network.nodes[line.receiver] and network.nodes[after.receiver]:
                    waits.add(after, line)
    try:
        waits.prepare()
    except CycleError as error:
        found: list[Line] = error.args[1]
        return found
    return []
