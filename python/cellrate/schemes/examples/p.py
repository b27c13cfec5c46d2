"""P control (Ajmone Marsan et al. 1997, (1)) as a class; twin of `scheme = "rrm-p"`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cellrate.schemes import Cells, Port, Range, RmCell


@dataclass
class P:
    """Relative-rate control by the queue length, which is sampled at equal intervals."""

    sampling: Annotated[Cells, Range(1, 10_000, "log")] = 100
    """Cell times of the link between samples (S_r)."""
    low: Cells = 100
    """Rates may increase while the queue is shorter than this (l_t)."""
    high: Cells = 2500
    """Rates decrease from this queue length on (h_t)."""

    explicit_rate = False

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"low is {self.low} cells, high only {self.high}")

    def on_start(self, port: Port) -> None:
        port.every(slots=self.sampling)
        self.keep = self.decrease = False

    def on_change(self, port: Port) -> None:
        port.every(slots=self.sampling)

    def on_interval(self, port: Port) -> None:
        waiting = max(port.queue - 1, 0)  # without the cell that is being sent
        self.keep = self.low <= waiting < self.high  # (1)
        self.decrease = waiting >= self.high  # (1)

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        if self.decrease:
            rm.ci = True  # DR
        elif self.keep:
            rm.ni = True  # KR
