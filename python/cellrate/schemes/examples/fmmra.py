"""FMMRA (Arulambalam, Chen and Ansari 1996) as a class; twin of `scheme = "fmmra"`."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Annotated

from cellrate.schemes import Cells, Port, Range, RmCell, Seconds


@dataclass
class Fmmra:
    """Max-min rates from bottlenecks recorded in backward RM cells."""

    target_utilisation: Annotated[float, Range(0.7, 1)] = 1.0
    """Share of the rate left by other classes that is allocated."""
    interval: Annotated[Seconds, Range(1e-4, 0.1, "log")] = 1e-3
    """Longest interval over which load and capacity are measured."""
    interval_cells: Annotated[Cells, Range(10, 10_000, "log")] = 100
    """ABR cells after which an interval ends early."""
    er_max_weight: Annotated[float, Range(0.01, 1, "log")] = 0.125
    """Weight of the newest backward RM cell in the largest rate ERmax."""
    qt: Cells = 50
    """Queue from which on no channel gets more than the advertised rate under overload."""
    dqt: Cells = 200
    """Queue above which the target is lowered until the queue is shorter than QT."""
    drain_factor: float = 0.9
    """Factor by which the target is multiplied while the queue is drained."""

    STATISTICS = ("load_factor", "advertised_rate_cells_per_second")

    def on_start(self, port: Port) -> None:
        port.every(self.interval, self.interval_cells)
        self.elsewhere: list[float | None] = [None] * port.channels  # lambda, where beta = 1
        self.count, self.sum, self.largest = 0, 0.0, (0.0, 0)
        self.capacity = self.target_utilisation * port.rate
        self.load, self.draining = 1.0, False
        self.advertised = self.er_max = self.capacity / max(port.channels, 1)

    def on_interval(self, port: Port) -> None:
        if port.knows_queue:
            self.note_queue(port.queue)
        factor = self.drain_factor if self.draining else 1.0
        self.capacity = factor * self.target_utilisation * port.capacity_left
        self.load = port.cells / port.seconds / self.capacity if self.capacity > 0 else inf
        self.advertise()

    def on_forward_rm(self, port: Port, rm: RmCell) -> None:
        self.note_queue(port.queue)
        rm.er = self.allowed(port, rm)

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        self.note_queue(port.queue)
        self.record(rm.channel, rm.er)
        scaled = self.er_max / self.load if self.load > 0 else 0.0
        self.er_max += self.er_max_weight * (max(rm.er, scaled) - self.er_max)
        self.er_max = max(min(self.er_max, port.rate), self.advertised)
        rm.er = self.allowed(port, rm)

    def allowed(self, port: Port, rm: RmCell) -> float:
        congested = port.queue >= self.qt and self.load > 1
        if congested or self.elsewhere[rm.channel] is not None:
            return self.advertised
        return max(self.advertised, self.er_max)

    def record(self, channel: int, er: float) -> None:
        """Notes a bottleneck elsewhere if ER < advertised rate (US 6,052,361, claims 1, 2)."""
        before, after = self.elsewhere[channel], er if er < self.advertised else None
        self.elsewhere[channel] = after
        self.count += (after is not None) - (before is not None)
        self.sum += (after or 0.0) - (before or 0.0)
        if self.count == 0:
            self.sum = 0.0  # the difference is rounding
        if (after or 0.0) >= self.largest[0]:
            self.largest = (after or 0.0, channel)
        elif channel == self.largest[1]:
            rates = [rate or 0.0 for rate in self.elsewhere]
            self.largest = (max(rates), rates.index(max(rates)))
        self.advertise()

    def advertise(self) -> None:
        """Computes the advertised rate: (C - sum of lambda) / (N - N_b).

        C is the capacity, N the number of channels; lambda are the rates of the N_b channels with a
        bottleneck elsewhere. If all channels are bottlenecked elsewhere, the rate is what the
        others leave to the largest channel.
        """
        free, others = self.capacity - self.sum, len(self.elsewhere) - self.count
        self.advertised = max(free / others if others > 0 else free + self.largest[0], 0.0)

    def note_queue(self, queue: int) -> None:
        self.draining = queue > self.dqt or (self.draining and queue >= self.qt)

    def statistics(self) -> dict[str, float]:
        return {"load_factor": self.load, "advertised_rate_cells_per_second": self.advertised}
