"""Options for values that a graph's attributes leave open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SERVICES = ("cbr", "vbr", "abr", "ubr", "random")
"""Service classes of flows."""


@dataclass(frozen=True)
class GraphOptions:
    """Values that are used where a graph gives none.

    Attributes:
        rate: Line rate of links without one.
        delay: Delay or length of links without one.
        flows: Flows in addition to those of the nodes' attributes, as names of two hosts.
        service: Service class of all flows.
        host_rate: If given, every switch gets its own host, named `h.` and the switch's name, over
            a link of this rate.
        host_delay: Delay or length of these links.
        duration: Simulated time.
        join_parallel: True if several links between two nodes become one, with the sum of their
            rates and the longest of their delays; otherwise they are refused.
    """

    rate: str | None = None
    delay: str | None = None
    flows: Sequence[tuple[str, str]] = ()
    service: str = "abr"
    host_rate: str | None = None
    host_delay: str = "1 km"
    duration: str = "1 s"
    join_parallel: bool = False
