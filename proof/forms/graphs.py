"""Random networks with several bottlenecks, for the fairness of control schemes."""

import random
from dataclasses import dataclass
from typing import TypeAlias

Hop: TypeAlias = tuple[int, bool]
"""A link by its number, and True if it is crossed from its first switch to its second."""

ACCESS_KBIT = 200_000
"""Rate of the links of hosts, which limits no flow."""
STAGGER_US = 137


@dataclass(frozen=True, slots=True)
class Link:
    """A link between two switches, with a rate and a delay in both directions."""

    first: int
    second: int
    kbit: int
    delay_us: int


@dataclass(frozen=True, slots=True)
class Graph:
    """Switches, links between them, and flows that always have cells.

    Each flow has hosts of its own, and hops in the order of its path.
    """

    switches: int
    links: tuple[Link, ...]
    flows: tuple[tuple[Hop, ...], ...]

    def backward(self, flow: int) -> tuple[Hop, ...]:
        """The hops of the channel that carries the backward RM cells of a flow."""
        return tuple((link, not onward) for link, onward in reversed(self.flows[flow]))

    def scenario(self, control: str, from_ms: int, to_ms: int) -> str:
        """Text of a scenario that measures from a time to its end, both in milliseconds.

        `control` has the lines of the table `switch.control`.
        """
        names = [(f"s{number}", "switch") for number in range(self.switches)]
        names += [(f"{end}{flow}", "host") for flow in range(len(self.flows)) for end in "ab"]
        parts = [
            _HEAD.format(control=control, from_ms=from_ms, to_ms=to_ms),
            *(f'[[topology.node]]\nname = "{name}"\nkind = "{kind}"\n' for name, kind in names),
            *(
                _LINK.format(f"s{link.first}", f"s{link.second}", link.kbit, link.delay_us)
                for link in self.links
            ),
            *(part for flow in range(len(self.flows)) for part in self._flow(flow)),
        ]
        return "".join(parts)

    def _flow(self, flow: int) -> list[str]:
        way = [f"s{number}" for number in self._switches_of(flow)]
        route = ", ".join(f'"{node}"' for node in [f"a{flow}", *way, f"b{flow}"])
        return [
            _LINK.format(f"a{flow}", way[0], ACCESS_KBIT, 5),
            _LINK.format(way[-1], f"b{flow}", ACCESS_KBIT, 5),
            _FLOW.format(flow=flow, route=route, start=STAGGER_US * flow),
        ]

    def _switches_of(self, flow: int) -> list[int]:
        ends = [
            (self.links[link].first, self.links[link].second)[:: 1 if onward else -1]
            for link, onward in self.flows[flow]
        ]
        return [ends[0][0], *(to for _, to in ends)]


_HEAD = """\
[run]
duration = "{to_ms} ms"
[measure]
from = "{from_ms} ms"
[switch]
buffer = "infinite"
[switch.control]
{control}
[abr]
icr = "5 Mbit/s"
rif = 1.0
rdf = 0.001953125
[topology]
template = "graph"
"""
_LINK = """\
[[topology.link]]
from = "{}"
to = "{}"
rate = "{} kbit/s"
delay = "{} us"
"""
_FLOW = """\
[[flow]]
name = "f{flow}"
service = "abr"
from = "a{flow}"
to = "b{flow}"
route = [{route}]
start = "{start} us"
source = {{ kind = "persistent" }}
"""


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of random graphs.

    If `two_way`, half of the flows go against the order of the row. Backward RM cells then share
    the links with data. No link has a longer delay than `longest_us`.
    """

    name: str
    two_way: bool
    longest_us: int


ONE_WAY = Family("one-way", two_way=False, longest_us=5000)
TWO_WAY_SHORT = Family("two-way, links of up to 0.5 ms", two_way=True, longest_us=500)
TWO_WAY_LONG = Family("two-way, links of up to 5 ms", two_way=True, longest_us=5000)


DEVELOPMENT, FRESH = "development", "fresh"
"""Sets of graphs: bounds are set from the first and tested on the second
(`proof.forms.fairness`)."""
_SEEDS = {DEVELOPMENT: "", FRESH: "fresh, "}
"""First words of the seeds of each set."""


def drawn(family: Family, number: int, of: str = DEVELOPMENT) -> Graph:
    """A random graph: switches in a row, up to two links that skip some, two to ten flows.

    Rates are 25 to 150 Mbit/s, some of them equal; delays are 1 us and more, with logarithms
    uniformly distributed.
    """
    chance = random.Random(f"{_SEEDS[of]}{family.name}, {number}")  # noqa: S311 - no secret
    switches = chance.randint(3, 5)
    pairs = [(first, first + 1) for first in range(switches - 1)]
    for _ in range(chance.randint(0, 2)):
        first, second = sorted(chance.sample(range(switches), 2))
        if second > first + 1 and (first, second) not in pairs:
            pairs.append((first, second))
    links = tuple(
        Link(
            first,
            second,
            chance.choice([25_000, 100_000])
            if chance.random() < 0.25
            else chance.randint(25_000, 150_000),
            round(family.longest_us ** chance.random()),
        )
        for first, second in pairs
    )
    flows = tuple(
        _way(chance, links, switches, family.two_way) for _ in range(chance.randint(2, 10))
    )
    return Graph(switches, links, flows)


def _way(
    chance: random.Random, links: tuple[Link, ...], switches: int, two_way: bool
) -> tuple[Hop, ...]:
    at = chance.randrange(switches - 1)
    way: list[int] = []
    for _ in range(chance.randint(1, 4)):
        onward = [number for number, link in enumerate(links) if link.first == at]
        if not onward:
            break
        way.append(chance.choice(onward))
        at = links[way[-1]].second
    if two_way and chance.random() < 0.5:
        return tuple((link, False) for link in reversed(way))
    return tuple((link, True) for link in way)
