"""Max-min fair rates on any graph, with MCR, PCR and weights."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from cellrate.theory.assumptions import require, require_not_negative, require_positive
from cellrate.theory.filling import Demand, filling_level

Fairness: TypeAlias = Literal["mcr-plus-share", "max-of-mcr-and-share", "proportional-to-mcr"]
FAIRNESS: tuple[Fairness, ...] = get_args(Fairness)
# Relative difference to the capacity that counts as rounding, far below any rate.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class MaxMin:
    """Max-min fair rates, all in the unit of the links' rates.

    Attributes:
        rates: Rate of each flow.
        bottlenecks: Link that limits each flow; None for a flow at its PCR.
        shares: Share of each flow: the level at which its bottleneck is full or its PCR is reached.
        loads: Sum of the rates over each link.
        advertised: Rate that each link can offer to a flow of weight 1: the greatest share of its
            flows, plus the unused capacity if the link is not full.
    """

    rates: dict[str, float]
    bottlenecks: dict[str, str | None]
    shares: dict[str, float]
    loads: dict[str, float]
    advertised: dict[str, float]


def max_min(
    links: Mapping[str, float],
    flows: Mapping[str, Sequence[str]],
    *,
    mcr: Mapping[str, float] | None = None,
    pcr: Mapping[str, float] | None = None,
    weights: Mapping[str, float] | None = None,
    fairness: Fairness = "mcr-plus-share",
) -> MaxMin:
    """Max-min fair rates by filling: the share of all flows rises until a link is full.

    The flows over that link keep their share, and the shares of all further flows go on rising. The
    definitions of fairness are those of Traffic Management 4.0 appendix I.3. `mcr-plus-share` is
    rate = MCR + weight * share; without MCRs it is plain max-min (Bertsekas and Gallager, Data
    Networks, section 6.5.2), and with weights the weighted allocation. `max-of-mcr-and-share` is
    rate = max(MCR, weight * share). `proportional-to-mcr` is rate = MCR * share. No rate exceeds
    PCR.

    Args:
        links: Rate of each link for these flows.
        flows: Links of each flow.
        mcr: Least rates of flows; 0 for flows not named.
        pcr: Greatest rates of flows; no limit for flows not named.
        weights: Weights of flows; 1 for flows not named.
        fairness: Definition of a flow's rate by its share.

    Raises:
        AssumptionError: A link, flow or fairness is unknown, a rate or weight is out of range, a
            flow has no link, or the MCRs over a link exceed its rate.
    """
    demands = _demands(links, flows, mcr or {}, pcr or {}, weights or {}, fairness)
    filling = _Filling(links, flows, demands)
    level: dict[str, float] = {}
    bottlenecks: dict[str, str | None] = {}
    while len(level) < len(flows):
        full, name = filling.first_full()
        for flow in filling.open_flows() if full == math.inf else filling.open_flows(name):
            demand = demands[flow]
            level[flow] = min(full, demand.reaches_most_at)
            bottlenecks[flow] = None if demand.reaches_most_at <= full else name
            filling.close(flow, demand.rate(full))
    return _result(links, flows, demands, level, bottlenecks)


class _Filling:
    """Links that fill while the share of all open flows rises, and the first of them to be full.

    The level at which a link is full rises as flows over it are closed, so it is computed again
    only once the share has come to the old one: all links in all rounds would be quadratic work.
    """

    def __init__(
        self,
        links: Mapping[str, float],
        flows: Mapping[str, Sequence[str]],
        demands: Mapping[str, Demand],
    ) -> None:
        self._flows = flows
        self._demands = demands
        self._left = dict(links)
        self._open = {link: dict.fromkeys(over) for link, over in _users(links, flows).items()}
        self._numbers = {link: number for number, link in enumerate(links)}
        self._levels: dict[str, float] = {}
        self._known: list[tuple[float, int, str]] = []
        self._outdated: list[tuple[float, int, str]] = []
        for link, over in self._open.items():
            if over:
                self._compute(link)

    def first_full(self) -> tuple[float, str]:
        """Share at which a link is full first, and that link; of equals the first in order."""
        while True:
            # Rounding may put a level a little below its old one.
            while self._outdated and (
                not self._known or self._outdated[0][0] <= self._known[0][0] * (1 + TOLERANCE)
            ):
                link = heapq.heappop(self._outdated)[2]
                if self._open[link]:
                    self._compute(link)
            level, _, link = self._known[0]
            if self._open[link] and self._levels.get(link) == level:
                return level, link
            heapq.heappop(self._known)

    def open_flows(self, link: str | None = None) -> list[str]:
        """Open flows, or those over a link, in their order."""
        if link is not None:
            return list(self._open[link])
        return [flow for flow, route in self._flows.items() if flow in self._open[route[0]]]

    def close(self, flow: str, rate: float) -> None:
        """Gives a flow its rate."""
        for link in self._flows[flow]:
            self._left[link] -= rate
            del self._open[link][flow]
            level = self._levels.pop(link, None)
            if level is not None:
                heapq.heappush(self._outdated, (level, self._numbers[link], link))

    def _compute(self, link: str) -> None:
        over = [self._demands[flow] for flow in self._open[link]]
        level = self._levels[link] = filling_level(over, self._left[link])
        heapq.heappush(self._known, (level, self._numbers[link], link))


def _result(
    links: Mapping[str, float],
    flows: Mapping[str, Sequence[str]],
    demands: Mapping[str, Demand],
    level: Mapping[str, float],
    bottlenecks: Mapping[str, str | None],
) -> MaxMin:
    rates = {flow: demands[flow].rate(level[flow]) for flow in flows}
    over = _users(links, flows)
    loads = {link: math.fsum(rates[flow] for flow in over[link]) for link in links}
    advertised = {
        link: max((level[flow] for flow in over[link]), default=0.0)
        + (spare if (spare := links[link] - loads[link]) > TOLERANCE * links[link] else 0.0)
        for link in links
    }
    named = {flow: bottlenecks[flow] for flow in flows}
    return MaxMin(rates, named, {flow: level[flow] for flow in flows}, loads, advertised)


def _demands(
    links: Mapping[str, float],
    flows: Mapping[str, Sequence[str]],
    mcr: Mapping[str, float],
    pcr: Mapping[str, float],
    weights: Mapping[str, float],
    fairness: Fairness,
) -> dict[str, Demand]:
    """Checks all arguments and returns the demand of each flow as a function of its share."""
    allowed = f"must be one of {', '.join(FAIRNESS)}"
    require(fairness in FAIRNESS, "fairness", fairness, allowed)
    for link, rate in links.items():
        require_positive(**{f"link {link}": rate})
    allowed = f"there is no such link; there are {', '.join(links)}"
    for flow, route in flows.items():
        require(len(route) > 0, f"flow {flow}", "no link", "a flow needs one link at least")
        for link in route:
            require(link in links, f"flow {flow}", link, allowed)
        require(len(set(route)) == len(route), f"flow {flow}", "+".join(route), "no link twice")
    allowed = f"there is no such flow; there are {', '.join(flows)}"
    for what, values in (("mcr", mcr), ("pcr", pcr), ("weights", weights)):
        for flow in values:
            require(flow in flows, what, flow, allowed)
    demands = {}
    for flow in flows:
        least, most, weight = mcr.get(flow, 0.0), pcr.get(flow, math.inf), weights.get(flow, 1.0)
        require_not_negative(**{f"mcr of {flow}": least})
        require(
            most > 0 and most >= least,
            f"pcr of {flow}",
            most,
            "must be above 0 and at least the MCR",
        )
        require_positive(**{f"weight of {flow}": weight})
        demands[flow] = _demand(flow, least, most, weight, fairness)
    users = _users(links, flows)
    for link, rate in links.items():
        total = math.fsum(mcr.get(flow, 0.0) for flow in users[link])
        allowed = f"must be at least the sum of its flows' MCRs, {total:.9g}"
        require(total <= rate * (1 + TOLERANCE), f"link {link}", rate, allowed)
    return demands


def _users(links: Mapping[str, float], flows: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Flows over each link, in their order."""
    users: dict[str, list[str]] = {link: [] for link in links}
    for flow, route in flows.items():
        for link in route:
            users[link].append(flow)
    return users


def _demand(flow: str, least: float, most: float, weight: float, fairness: Fairness) -> Demand:
    if fairness == "mcr-plus-share":
        return Demand(least, weight, least, most)
    if fairness == "max-of-mcr-and-share":
        return Demand(0.0, weight, least, most)
    require(least > 0, f"mcr of {flow}", least, "a rate in proportion to MCR needs one above 0")
    require(weight == 1, f"weight of {flow}", weight, "a rate in proportion to MCR has no weight")
    return Demand(0.0, least, 0.0, most)
