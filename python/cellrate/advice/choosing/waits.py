"""Waits of cells of elastic flows at bottlenecks, from lengths of their queues."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cellrate.simulation.network import Network
from cellrate.simulation.network.elements import Flow, Link
from cellrate.simulation.network.loads import mean_cells_per_second, service_cells_per_second

STEADY = frozenset({"cbr", "on-off"})
"""Kinds of sources whose cells in any time have a limit near their mean."""


@dataclass(frozen=True)
class Before:
    """Limit of the cells that a source of higher priority sends in any time t.

    It is the least of `peak` t and `mean` t + `burst`, in cells and cells/s.
    """

    peak: float
    mean: float
    burst: float

    @classmethod
    def of(cls, flow: Flow) -> Before:
        """The limit of a CBR source or of periods on and off; else the mean, which is no limit."""
        mean = mean_cells_per_second(flow) or 0.0
        if flow.kind != "on-off" or flow.own_rate is None:
            return cls(mean, mean, 0.0)
        peak, share = flow.own_rate.peak_cells_per_second, float(flow.source["duty_cycle"])
        return cls(peak, mean, (peak - mean) * share * float(flow.source["period_seconds"]))

    @property
    def bend(self) -> float:
        """Time from which on `mean` t + `burst` is the lesser."""
        return self.burst / (self.peak - self.mean) if self.peak > self.mean else 0.0


@dataclass(frozen=True)
class Service:
    """Service of the last queue with elastic flows at a port, beside queues of higher priority.

    Attributes:
        line: Rate of the line.
        mean: Rate that queues of higher priority leave on average; not positive if they may take
            the whole line.
        before: Limits of the sources with their own rates in queues of higher priority.
        is_limit: True if these limits hold at any time.
    """

    line: float
    mean: float
    before: tuple[Before, ...]
    is_limit: bool

    @classmethod
    def of(cls, network: Network, port: Link) -> Service:
        """The service of a port."""
        flows, queue = network.flows_over(port), port.switch.queue_of
        last = max((queue(one.service) for one in flows if one.is_elastic), default=0)
        first = [one for one in flows if queue(one.service) < last and not one.is_elastic]
        mean = service_cells_per_second(network, port)
        by_weight = bool(port.switch.queue_weights)
        return cls(
            port.cells_per_second,
            mean,
            () if by_weight else tuple(map(Before.of, first)),
            all(one.kind in STEADY for one in first) and not (by_weight and first),
        )

    @property
    def is_known(self) -> bool:
        """True if something of the line is left on average."""
        return self.mean > 0

    def mean_seconds(self, cells: float) -> float:
        """Wait behind a number of cells, if flows of higher priority send at their mean rates."""
        return cells / (self.mean if self.is_known else self.line)

    def longest_seconds(self, cells: float) -> float:
        """Longest wait behind a number of cells.

        The first time t in which the line sends these cells beside the limits of `before`.
        """
        if not self.is_known:
            return cells / self.line
        ends = sorted({0.0, *(one.bend for one in self.before)})
        for begin, end in zip(ends, [*ends[1:], math.inf], strict=True):
            bent = [one.bend <= begin for one in self.before]
            pairs = [*zip(self.before, bent, strict=True)]
            rate = self._beside() - sum(one.mean if is_bent else one.peak for one, is_bent in pairs)
            ahead = cells + sum(one.burst for one, is_bent in pairs if is_bent)
            if rate > 0 and ahead <= rate * end:
                return ahead / rate
        return math.inf

    def cells_within(self, longest_seconds: float) -> float:
        """Greatest number of cells that leave within a time, whatever `before` sends in it."""
        if not self.is_known:
            return longest_seconds * self.line
        taken = sum(
            min(one.peak * longest_seconds, one.mean * longest_seconds + one.burst)
            for one in self.before
        )
        return max(0.0, longest_seconds * self._beside() - taken)

    def _beside(self) -> float:
        """Rate of the line beside all that `before` does not count."""
        return self.mean + sum(one.mean for one in self.before)


@dataclass(frozen=True)
class Waits:
    """Waits at the slowest of some bottlenecks."""

    ports: tuple[Service, ...]

    @classmethod
    def of(cls, network: Network, names: Iterable[str]) -> Waits:
        """The waits at the ports with these names."""
        return cls(tuple(Service.of(network, network.port(name)) for name in names))

    def mean_seconds(self, cells: float) -> float:
        """Mean wait behind a queue of this mean length."""
        return max(one.mean_seconds(cells) for one in self.ports)

    def longest_seconds(self, cells: float) -> float:
        """Longest wait behind a queue of this greatest length."""
        return max(one.longest_seconds(cells) for one in self.ports)

    def cells_within(self, longest_seconds: float) -> float:
        """Greatest length of a queue whose last cell waits no longer."""
        return min(one.cells_within(longest_seconds) for one in self.ports)

    def words(self) -> Iterator[str]:
        """A sentence on what the waits count; none if no queue is served before."""
        shared = [one for one in self.ports if one.mean < one.line]
        if not all(one.is_known for one in shared):
            yield (
                "Waits do not count flows of higher priority, which may take the whole line: cells "
                "wait longer."
            )
        elif not all(one.is_limit for one in shared):
            yield (
                "Waits count background of higher priority at its mean rate: cells wait longer "
                "while it sends more."
            )
        elif shared:
            yield (
                "The mean wait counts background of higher priority at its mean rate; the longest "
                "wait counts its bursts, too."
            )
