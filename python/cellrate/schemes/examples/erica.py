"""ERICA (Kalyanaraman 1997, chapter 6 and appendix C) as a class; twin of `scheme = "erica"`."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Annotated

from cellrate.schemes import Cells, Port, Range, RmCell, Seconds


@dataclass
class Erica:
    """Explicit rates from the load of a link and the fair share of its capacity."""

    target_utilisation: Annotated[float, Range(0.7, 1)] = 0.9
    """Share of the link that is allocated."""
    interval: Annotated[Seconds, Range(1e-4, 0.1, "log")] = 1e-3
    """Longest averaging interval."""
    interval_cells: Annotated[Cells, Range(10, 10_000, "log")] = 100
    """ABR cells after which an interval ends early."""
    delta: Annotated[float, Range(0, 0.5)] = 0.1
    """Loads above 1 + delta count as overload."""

    reads_queue = False

    def on_start(self, port: Port) -> None:
        port.every(self.interval, self.interval_cells)
        self.ccr = [0.0] * port.channels
        self.answers: dict[int, float] = {}
        self.load = 1.0
        self.capacity = self.target_utilisation * port.rate
        self.fair_share = self.capacity / max(port.channels, 1)
        self.largest = self.largest_before = self.fair_share

    def on_forward_rm(self, port: Port, rm: RmCell) -> None:
        self.ccr[rm.channel] = rm.ccr

    def on_interval(self, port: Port) -> None:
        left = self.target_utilisation * (port.rate * port.seconds) - port.background  # p. 400
        self.capacity = max(left, 0.0) / port.seconds
        load = port.cells / port.seconds
        self.load = load / self.capacity if self.capacity > 0 else inf  # p. 402
        self.fair_share = self.capacity / max(port.active, 1)  # p. 402
        self.largest_before, self.largest = self.largest, self.fair_share
        self.answers.clear()

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        if rm.channel not in self.answers:  # one answer per interval, p. 404
            self.answers[rm.channel] = self.answer(self.ccr[rm.channel])
        rm.er = self.answers[rm.channel]

    def answer(self, ccr: float) -> float:
        share: float = max(self.fair_share, ccr / self.load if self.load > 0 else 0.0)  # p. 404
        if 0 < self.load <= 1 + self.delta:
            share = max(share, self.largest_before)
        self.largest = max(self.largest, share)
        bound = self.fair_share if ccr < self.fair_share else inf  # ATM Forum 98-0408 (12)
        return min(share, bound, self.capacity)
