"""Runs jobs and reads the queues of ports from their results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cellrate import _core
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job
from cellrate.simulation.series import Series, series_of


@dataclass(frozen=True)
class PortRun:
    """Results of one run at one port.

    Attributes:
        seed: Seed of the run.
        longest_queue_cells: Greatest length of the longest of its queues.
        loss_ratio: Cells dropped per cell that arrived.
        cells_dropped: Cells dropped.
        cells_dropped_elsewhere: Cells dropped at other ports.
        utilisation: Share of the line that was used.
        tcp_bits_per_second: TCP throughput of the whole run.
        locked: True if the phases of TCP sources locked, so that one of them has the link.
    """

    seed: int
    longest_queue_cells: int
    loss_ratio: float
    cells_dropped: int
    cells_dropped_elsewhere: int
    utilisation: float
    tcp_bits_per_second: float
    locked: bool = False


@dataclass(frozen=True)
class Measured:
    """A finished run."""

    seed: int
    summary: dict[str, Any]
    outcome: _core.Outcome

    @property
    def digest(self) -> str:
        """Hash of all events of the run."""
        return str(self.summary["digest"])

    def longest_queues(self) -> dict[str, int]:
        """Greatest queue length by port."""
        return {
            port["name"]: max((queue["queue_max_cells"] for queue in port["queues"]), default=0)
            for port in self.summary["ports"]
        }

    def at(self, port: str) -> PortRun:
        """The results of the run at one port."""
        found = next(one for one in self.summary["ports"] if one["name"] == port)
        return PortRun(
            seed=self.seed,
            longest_queue_cells=self.longest_queues()[port],
            loss_ratio=float(found["cell_loss_ratio"] or 0.0),
            cells_dropped=_dropped(found),
            cells_dropped_elsewhere=sum(map(_dropped, self.summary["ports"])) - _dropped(found),
            utilisation=float(found["utilisation"]),
            tcp_bits_per_second=float(self.summary["totals"]["tcp_throughput_bits_per_second"]),
            locked=any(one["code"] == "phases-locked" for one in self.summary["warnings"]),
        )

    def queue(self, port: str) -> Series:
        """The trace of the port's longest queue."""
        traces = [
            series
            for series in series_of(self.outcome)
            if series.kind == "queue" and series.entity.partition("/")[0] == port
        ]
        return max(traces, key=lambda series: float(series.maximum.max(initial=0.0)))


def _dropped(port: Mapping[str, Any]) -> int:
    return sum(queue["cells_dropped"] for queue in port["queues"])


def measure(jobs: Sequence[Job], runner: Runner) -> list[Measured]:
    """Runs jobs and reads their results."""
    found = []
    for outcome in runner(jobs):
        summary = json.loads(outcome.summary())
        found.append(Measured(int(summary["seed"]), summary, outcome))
    return found
