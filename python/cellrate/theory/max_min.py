"""Max-min fair rates on any graph, with MCR, PCR and weights."""

from __future__ import annotations

import bisect
import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from cellrate.theory.assumptions import require, require_not_negative, require_positive
from cellrate.theory.formula import Formula


@dataclass(frozen=True)
class Demand:
    """Rate of a flow as a function of its share: offset + weight * share, within two limits."""

    offset: float
    weight: float
    least: float
    most: float

    def rate(self, share: float) -> float:
        """Rate of the flow at a share, between `least` and `most`."""
        return min(self.most, max(self.least, self.offset + self.weight * share))

    @property
    def leaves_least_at(self) -> float:
        """Share above which the rate of a flow is more than its least rate."""
        return max(0.0, (self.least - self.offset) / self.weight)

    @property
    def reaches_most_at(self) -> float:
        """Share from which on the rate does not grow any more."""
        return max(0.0, (self.most - self.offset) / self.weight)


def filling_level(demands: Sequence[Demand], capacity: float) -> float:
    """Share at which the sum of the rates reaches the capacity; infinite if it never does.

    The sum is continuous and linear between the shares at which a rate starts or ceases to grow.
    """
    corners = {corner for d in demands for corner in (d.leaves_least_at, d.reaches_most_at)}
    ordered = sorted(corner for corner in corners | {0.0} if corner < math.inf)

    def left_at(corner: float) -> float:
        return capacity - math.fsum(d.rate(corner) for d in demands)

    # The capacity is reached after the last corner with capacity left. The search begins one corner
    # earlier, because of rounding.
    first = max(bisect.bisect_left(ordered, x=True, key=lambda corner: left_at(corner) <= 0) - 2, 0)
    ends = [*ordered[1:], math.inf]
    for begin, end in zip(ordered[first:], ends[first:], strict=True):
        growing = [d for d in demands if d.leaves_least_at <= begin < d.reaches_most_at]
        slope = math.fsum(d.weight for d in growing)
        left = left_at(begin)
        if left <= 0:
            return begin
        if slope > 0 and begin + left / slope <= end:
            return begin + left / slope
    return math.inf


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
        advertised: Rate that each link allows a flow of weight 1 among its present flows: the
            greatest share of its flows, plus the unused capacity if the link is not full. Empty
            under `proportional-to-mcr`, where shares are multiples of MCRs.
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
    found = _result(links, flows, demands, level, bottlenecks)
    return replace(found, advertised={}) if fairness == "proportional-to-mcr" else found


class _Filling:
    """State of the filling: links that fill while the share of all open flows rises.

    The level at which a link is full rises as flows over it are closed. The level is computed again
    only when the share reaches the old level, since updating all links in all rounds would take
    quadratic time.
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
        """The least share at which a link is full, and this link.

        Of equal links the first in order.
        """
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
        """Fixes the rate of a flow and removes the flow from the open flows."""
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
        require(
            len(set(route)) == len(route),
            f"flow {flow}",
            "+".join(route),
            "must not have a link twice",
        )
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
    require(least > 0, f"mcr of {flow}", least, "a rate in proportion to MCR needs an MCR above 0")
    require(weight == 1, f"weight of {flow}", weight, "a rate in proportion to MCR has no weight")
    return Demand(0.0, least, 0.0, most)


def _part_of(attribute: str) -> Callable[..., Any]:
    """Function that computes one part of the solution."""

    def part(
        links_bits_per_second: Mapping[str, float],
        flows: Mapping[str, Sequence[str]],
        *,
        mcr_bits_per_second: Mapping[str, float] | None = None,
        pcr_bits_per_second: Mapping[str, float] | None = None,
        weights: Mapping[str, float] | None = None,
        fairness: Fairness = "mcr-plus-share",
    ) -> dict[str, Any]:
        """One part of the solution.

        Args:
            links_bits_per_second: Rate of each link for these flows, as "L1=150 Mbit/s, L2=...".
            flows: Links of each flow, as "A=L1+L2, B=L1".
            mcr_bits_per_second: Least rates of flows, as "A=1 Mbit/s"; 0 for flows not named.
            pcr_bits_per_second: Greatest rates of flows; no limit for flows not named.
            weights: Weights of flows, as "A=2"; 1 for flows not named.
            fairness: Definition of a flow's rate by its share.
        """
        solution = max_min(
            links_bits_per_second,
            flows,
            mcr=mcr_bits_per_second,
            pcr=pcr_bits_per_second,
            weights=weights,
            fairness=fairness,
        )
        values: dict[str, Any] = getattr(solution, attribute)
        return values

    return part


FORMULA = Formula(
    name="max-min",
    about="max-min fair rates of flows over a graph of links",
    equation="rate = MCR + w s, max(MCR, w s) or MCR s, by the fairness; at most PCR",
    source="ATM Forum Traffic Management 4.0, appendix I.3; Bertsekas and Gallager 1992, 6.5.2",
    results={
        "rates_bits_per_second": _part_of("rates"),
        "bottlenecks": _part_of("bottlenecks"),
        "loads_bits_per_second": _part_of("loads"),
        "advertised_bits_per_second": _part_of("advertised"),
    },
    python=("max_min",),
)
