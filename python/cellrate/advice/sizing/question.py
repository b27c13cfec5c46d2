"""Inputs of buffer sizing (scenario, port, target and seeds), and the measured runs."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cellrate import _core
from cellrate.advice.locked_phases import has_locked
from cellrate.simulation.network import Link, Network
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job
from cellrate.simulation.series import Series, series_of


@dataclass(frozen=True)
class PortRun:
    """Results of one run at one port.

    Attributes:
        seed: Seed of the run.
        longest_queue_cells: Greatest length of the longest queue of the port.
        loss_ratio: Cells dropped per cell that arrived.
        cells_dropped: Cells dropped.
        cells_dropped_elsewhere: Cells dropped at other ports.
        utilisation: Share of the line that was used.
        tcp_bits_per_second: TCP throughput of the whole run.
        locked: True if TCP sources ran in step, so that one of them took the link.
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
    """A finished run of buffer sizing, with its queues."""

    seed: int
    summary: dict[str, Any]
    outcome: _core.Outcome

    @property
    def digest(self) -> str:
        """Hash of all events of the run."""
        return str(self.summary["digest"])

    def longest_queues(self) -> dict[str, int]:
        """Greatest queue length by port, in cells over ATM and in bytes over Ethernet."""
        return {
            port["name"]: max(
                (
                    int(queue[key])
                    for queue in port["queues"]
                    for key in ("queue_max_cells", "queue_max_bytes")
                    if key in queue
                ),
                default=0,
            )
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
            locked=has_locked(self.summary),
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


# Points of the queue's trace; each holds the least and the greatest of several samples.
POINTS = 1000
SAMPLES = 8 * POINTS
# Policies that accept every cell while the buffer is not full, and keep no state until it is.
REFUSE_ONLY_WHEN_FULL = frozenset({"tail-drop", "ppd"})


def whole_run(picoseconds: int) -> tuple[str, ...]:
    """Settings of a run of a given length that is measured from its start and traces the queues."""
    return (
        f'run.duration="{picoseconds} ps"',
        'measure.from="0 s"',
        f'measure.to="{picoseconds} ps"',
        f'measure.sample="{max(1, picoseconds // SAMPLES)} ps"',
        f"measure.trace_points={POINTS}",
        'measure.traces=["queue"]',
        "measure.events=[]",
    )


class SizingError(ValueError):
    """The question has no answer; the message gives the reason and what is allowed."""


@dataclass(frozen=True)
class Question:
    """Inputs of buffer sizing: a scenario, a port, and the target that the buffer must meet.

    Attributes:
        text: The scenario, as TOML.
        path: Name of the scenario.
        overrides: ``path=value`` settings, applied in order.
        port: Name of the port; None for the port with the longest queue.
        loss_ratio: Target: largest mean cell loss ratio of the port; 0 for no loss at all.
        delay_seconds: Target: longest queueing delay, instead of a loss ratio.
        seeds: Seeds of the runs.
        credit_cells: Cells per credit, to compute the buffer under credit control as well.
    """

    text: str
    path: str
    overrides: tuple[str, ...] = ()
    port: str | None = None
    loss_ratio: float = 0.0
    delay_seconds: float | None = None
    seeds: tuple[int, ...] = tuple(range(1, 21))
    credit_cells: int | None = None

    def __post_init__(self) -> None:
        if not self.seeds:
            raise SizingError("`seeds` is empty: at least one seed is needed")
        if self.credit_cells is not None and self.credit_cells < 1:
            raise SizingError(f"{self.credit_cells} cells per credit: allowed is 1 or more")
        if not 0.0 <= self.loss_ratio < 1.0:
            raise SizingError(f"a loss ratio of {self.loss_ratio:g}: allowed is 0 to below 1")
        if self.delay_seconds is not None and not self.delay_seconds > 0.0:
            raise SizingError(f"a delay of {self.delay_seconds:g} s: must be above 0 s")
        if self.delay_seconds is not None and self.loss_ratio > 0.0:
            raise SizingError(
                "a loss ratio and a delay are both given; allowed is only one of them"
            )

    @cached_property
    def scenario(self) -> _core.Scenario:
        """The scenario file after the question's overrides have been applied.

        Raises:
            ScenarioError: The scenario is wrong.
        """
        return _core.Scenario(self.text, self.path, self.overrides)

    @cached_property
    def network(self) -> Network:
        """The network of the scenario.

        Raises:
            ScenarioError: The scenario is wrong.
        """
        self.scenario.require_point_to_point()
        return Network.of_scenario(self.scenario)

    def link(self) -> Link | None:
        """The named port; None if no port is named.

        Raises:
            SizingError: The port does not exist, or no flow crosses it.
        """
        if self.port is None:
            return None
        try:
            port = self.network.port(self.port)
        except ValueError as error:
            raise SizingError(str(error)) from None
        crossed = {link for flow in self.network.flows for link in (*flow.forward, *flow.backward)}
        if port not in crossed:
            used = ", ".join(link.name for link in self.network.ports if link in crossed)
            raise SizingError(f"no flow crosses the output port {port.name!r}; flows cross {used}")
        return port

    @property
    def is_exact(self) -> bool:
        """True if one run without a limit gives the least lossless buffer.

        There are two conditions: the discard policies accept every cell while the buffer is not
        full, and no threshold depends on the buffer. Runs with a buffer and without a limit are
        then equal until the queue first exceeds this buffer. So the least buffer that loses nothing
        is the longest queue itself.
        """
        switches = (node.switch for node in self.network.nodes)
        return all(one is None or one.policy in REFUSE_ONLY_WHEN_FULL for one in switches)

    @cached_property
    def _buffer_paths(self) -> dict[str, str]:
        """Path of each switch's buffer, by switch; a template has one path for all switches."""
        switches = [node.name for node in self.network.nodes if node.switch is not None]
        if tomllib.loads(self.scenario.resolved())["topology"]["template"] != "graph":
            return dict.fromkeys(switches, "switch.buffer")
        return {name: f'topology.node."{name}".buffer' for name in switches}

    def job(
        self,
        seed: int,
        buffer_cells: int | None = None,
        *,
        at: Link | None = None,
        longer: int = 1,
    ) -> Job:
        """A run that is measured from its start and traces the queues.

        Args:
            seed: Seed of the run.
            buffer_cells: Size of the buffer; no limit if None.
            at: The port with this buffer; every port if None. The other ports of the same switch
                get the same buffer, and in a template all ports do.
            longer: Factor by which the run is longer than the scenario says.
        """
        buffer = "infinite" if buffer_cells is None else f"{buffer_cells} cells"
        paths = self._buffer_paths
        limited = set(paths.values()) if at is None else {paths[at.sender.name]}
        buffers = {path: buffer if path in limited else "infinite" for path in paths.values()}
        picoseconds = round(self.network.duration_seconds * 1e12) * longer
        settings = (
            *(f'{path}="{cells}"' for path, cells in buffers.items()),
            *whole_run(picoseconds),
        )
        return Job(self.text, self.path, (*self.overrides, *settings), seed)
