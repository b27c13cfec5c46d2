"""Objects that stand for finished runs in expressions."""

# ruff: noqa: ANN401 - values of JSON are of any type
from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import cache, cached_property, partial
from typing import Any, ClassVar, Protocol

import numpy as np

from cellrate import _core
from cellrate.language.ended_flows import unfinished
from cellrate.language.expressions import Readable
from cellrate.language.measured import measured
from cellrate.language.records import (
    Events,
    Group,
    NetworkRecord,
    Port,
    Record,
    Trace,
    described,
    described_by,
    shared_queues,
)

Value = str | int | float
"""Value of a parameter that varies from run to run."""


MOST_LISTED = 10
"""Greatest number of names that an error message lists."""


class Recorded(Protocol):
    """Interface of what a run has recorded besides its summary."""

    def resolved(self) -> str:
        """Scenario as TOML text with every default written out."""

    def series(self) -> Any:
        """Kind, entity, unit and length of each trace."""

    def series_data(self, index: int) -> tuple[bytes, bytes, bytes]:
        """Times, minima and maxima of a trace as little-endian doubles."""

    def events(self) -> Any:
        """Columns of the event log."""


class Outcome(Recorded, Protocol):
    """Interface of a finished run, as `cellrate._core.Outcome` has it."""

    def summary(self) -> str:
        """Summary as JSON text."""


class Run(Record):
    """A run over any link layer: its summary, its traces, its events.

    Args:
        summary: Summary of the run.
        recorded: Scenario, traces and events of the run.
        label: Name of the run in error messages.
        scenario: The parsed scenario of the run, if available.
    """

    # Unit of queue lengths, in the names of measures.
    _unit: ClassVar[str]

    def __init__(
        self,
        summary: dict[str, Any],
        recorded: Recorded,
        label: str,
        scenario: _core.Scenario | None = None,
    ) -> None:
        super().__init__(summary, f"`{label}`")
        self._recorded = recorded
        self._described = None if scenario is None else cache(partial(described_by, scenario))

    @property
    def scenario(self) -> NetworkRecord:
        """The simulated network with its parameters in plain units."""
        if self._described is None:
            return described(self._recorded.resolved())
        return self._described()

    def flow(self, name: str) -> Record:
        """A flow by its name, or by the beginning of its name if only one flow fits."""
        return Record(self._named("flows", name), name)

    def port(self, name: str) -> Port:
        """An output port of a switch by its name, or by the beginning of its name as for `flow`."""
        return Port(self._named("ports", name), name)

    def _named(self, kind: str, name: str) -> dict[str, Any]:
        items = self._table[kind]
        exact = [item for item in items if item["name"] == name]
        matching = exact or [item for item in items if item["name"].startswith(name)]
        if not matching:
            known = ", ".join(item["name"] for item in items[:MOST_LISTED]) or "none"
            raise ValueError(f"no {kind} of {self._place} begin with `{name}`; there are {known}")
        if len(matching) > 1:
            raise ValueError(
                f"{len(matching)} {kind} of {self._place} begin with `{name}`; write more of the "
                "name"
            )
        chosen: dict[str, Any] = matching[0]
        return chosen

    def group(self, name: str) -> Group:
        """Flows of a group of the scenario."""
        flows = [flow for flow in self._table["flows"] if flow["group"] == name]
        return Group(flows, f"flows of group {name} in {self._place}")

    @property
    def tcp(self) -> Group:
        """Flows over TCP, which have a `balance` of bytes sent, delivered, lost and so on."""
        flows = [flow for flow in self._table["flows"] if flow["balance"] is not None]
        return Group(flows, f"flows over TCP in {self._place}")

    @property
    @measured(
        "Sum over the TCP flows of bytes delivered per second, in Mbit/s.",
        "Mbit/s",
        "sum of `tcp_throughput_bits_per_second` of the flows over TCP / 1e6",
        "Kalyanaraman 97 section 8.8",
        better="more",
    )
    def throughput_mbit(self) -> float:
        return float(self.tcp.sum("tcp_throughput_bits_per_second")) / 1e6

    @property
    @measured(
        "Files that do not end in the run; those whose start lies after its end do not count.",
        "flows",
        "number of flows with `source` transfer and without `completion_seconds`",
        "cellrate",
        better="less",
    )
    def files_unfinished(self) -> int:
        return unfinished(self._table) or 0

    @property
    def bottleneck_port(self) -> Port:
        """Switch port with the longest queue; of equal ports the most utilised."""
        port, _ = self._bottleneck
        return Port(port, port["name"])

    @property
    def bottleneck(self) -> Record:
        """Longest queue at the bottleneck port."""
        port, queue = self._bottleneck
        return Record(queue, f"the queue of {port['name']}")

    @cached_property
    def _bottleneck(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The bottleneck port and its longest queue."""
        ports = [p for p in self._table["ports"] if self._queues_of(p)]
        if not ports:
            raise ValueError(
                f"the run {self._place} has no bottleneck: none of its ports serves ABR or UBR"
            )
        port = max(
            ports, key=lambda p: (max(map(self._longest, self._queues_of(p))), p["utilisation"])
        )
        return port, max(self._queues_of(port), key=self._longest)

    @property
    @measured(
        "Mean time in the bottleneck's queue (over ATM of ABR and UBR), the own service included; "
        "not the wait in the source, nor propagation.",
        "s",
        "`queue_mean_cells` / cells that the queue takes per second (Little's law); over Ethernet "
        "of packets",
        "cellrate",
        better="less",
    )
    def queue_delay_seconds(self) -> float:
        (_, queue), unit = self._bottleneck, self._unit
        window = self._table["window_seconds"]
        taken = queue[f"{unit}_arrived"] - queue[f"{unit}_dropped"]
        return float(queue[f"queue_mean_{unit}"] * window / taken) if taken else float("nan")

    def _queues_of(self, port: dict[str, Any]) -> list[dict[str, Any]]:
        """Queues of a port in which TCP's data may wait."""
        queues: list[dict[str, Any]] = port["queues"]
        return queues

    def _longest(self, queue: dict[str, Any]) -> int:
        return int(queue[f"queue_max_{self._unit}"])

    def series_all(self, kind: str, pattern: str = "*") -> list[Trace]:
        """Traces of a kind whose entity matches a pattern; `*` stands for any text."""
        matching = [
            (i, info["entity"])
            for i, info in enumerate(self._recorded.series())
            if info["kind"] == kind and fnmatchcase(info["entity"], pattern)
        ]
        if not matching:
            raise ValueError(f"{self._place} has no trace `{kind}` of `{pattern}`")
        return [self._trace(index, entity) for index, entity in matching]

    def series(self, kind: str, pattern: str = "*") -> Trace:
        """The only trace of a kind that matches a pattern; an error if there are several."""
        traces = self.series_all(kind, pattern)
        if len(traces) > 1:
            names = ", ".join(trace.entity for trace in traces)
            raise ValueError(f"{self._place} has several traces of {kind}: {names}")
        return traces[0]

    def series_sum(self, kind: str, pattern: str = "*") -> Trace:
        """Sum of the traces of a kind that match a pattern; all of them need the same times."""
        traces = self.series_all(kind, pattern)
        times = traces[0].times
        if any(not np.array_equal(each.times, times) for each in traces):
            raise ValueError(f"{self._place}: traces of {kind} have different times, so no sum")
        low = np.sum([each.low for each in traces], axis=0)
        high = np.sum([each.high for each in traces], axis=0)
        return Trace(f"sum of {len(traces)} traces of {kind}", times, low, high)

    def _trace(self, index: int, entity: str) -> Trace:
        columns = (np.frombuffer(data, dtype="<f8") for data in self._recorded.series_data(index))
        return Trace(entity, *columns)

    def events(self, kind: str) -> Events:
        """Logged events of a kind, in order of time."""
        columns = self._recorded.events()
        kept = [i for i, each in enumerate(columns["kind"]) if each == kind]
        part = {name: [column[i] for i in kept] for name, column in columns.items()}
        return Events(part["time_seconds"], part)


class CellRun(Run):
    """A run over ATM, as an object in expressions."""

    _unit = "cells"

    def vc(self, name: str) -> Record:
        """A directed channel by its name, or by the beginning of its name as for `flow`."""
        return Record(self._named("vcs", name), name)

    def service(self, name: str) -> Record:
        """Totals over all flows of a service class."""
        for totals in self._table["classes"]:
            if totals["service"] == name:
                return Record(totals, f"class {name} of {self._place}")
        raise ValueError(f"no flow of {self._place} is of class `{name}`")

    @property
    @measured(
        "Sum over the TCP flows of acknowledged cells / cells that the bottleneck carries.",
        "",
        "sum of `effective_throughput_ratio` of the flows over TCP",
        "Ohsaki 95 section III.B",
        better="more",
    )
    def effective_throughput(self) -> float:
        return float(self.tcp.sum("effective_throughput_ratio"))

    @property
    @measured(
        "PDUs of TCP flows that lost at least one cell at a switch; links do not count.",
        "PDUs",
        "sum of `packets_lost` of the flows over TCP",
        "cellrate",
        better="less",
    )
    def packets_lost(self) -> int:
        return int(self.tcp.sum("packets_lost"))

    @property
    @measured(
        "Cells dropped at switches / cells sent, over the forward channels of the TCP "
        "flows. That is what Kalyanaraman 97 section 8.8 counts: data goes one way there.",
        "",
        "cells_dropped / cells_sent of these channels",
        "Kalyanaraman 97 section 8.8",
        better="less",
        greatest=1,
    )
    def cell_loss_ratio(self) -> float:
        channels = [self.vc(f"{name}/forward") for name in self.tcp.values("name")]
        return float(sum(c.cells_dropped for c in channels) / sum(c.cells_sent for c in channels))

    @property
    @measured(
        "The longest queue: of ABR and UBR where some port serves them, otherwise of any class.",
        "cells",
        "greatest `queue_max_cells` of these queues",
        "cellrate",
        better="less",
    )
    def longest_queue_cells(self) -> int:
        ports = self._table["ports"]
        queues = [q for p in ports for q in self._queues_of(p)] or [
            q for p in ports for q in p["queues"]
        ]
        return max(int(queue["queue_max_cells"]) for queue in queues)

    @property
    @measured(
        "Completion time that 99 % of the files that ended do not exceed.",
        "s",
        "`completion_seconds` of rank ceil(0.99 n)",
        "cellrate",
        better="less",
    )
    def completion_p99_seconds(self) -> float:
        times = [flow["completion_seconds"] for flow in self._table["flows"]]
        found = sorted(time for time in times if time is not None)
        return float(found[math.ceil(0.99 * len(found)) - 1]) if found else float("nan")

    def _queues_of(self, port: dict[str, Any]) -> list[dict[str, Any]]:
        """Queues of ABR and UBR."""
        return shared_queues(port)


class PacketRun(Run):
    """A run over Ethernet, as an object in expressions."""

    _unit = "packets"

    @property
    @measured(
        "Sum over the TCP flows of acknowledged bytes per second, in Gbit/s.",
        "Gbit/s",
        "sum of `goodput_bits_per_second` of the flows over TCP / 1e9",
        "cellrate",
        better="more",
    )
    def goodput_gbit(self) -> float:
        return float(self.tcp.sum("goodput_bits_per_second")) / 1e9

    @property
    @measured(
        "The longest queue of all switch ports.",
        "packets",
        "greatest `queue_max_packets` of all queues",
        "cellrate",
        better="less",
    )
    def longest_queue_packets(self) -> int:
        return max(self._longest(q) for p in self._table["ports"] for q in p["queues"])


RUNS: dict[str, type[Run]] = {"atm": CellRun, "ethernet": PacketRun}
"""The class of a run by the link layer of its scenario."""


def run_of(outcome: Outcome, label: str, scenario: _core.Scenario | None = None) -> Run:
    """The object that stands for a finished run in expressions.

    Args:
        outcome: The run.
        label: Name of the run in error messages.
        scenario: Scenario of the run as it was read, if that is at hand.
    """
    return run_in_expressions(json.loads(outcome.summary()), outcome, label, scenario)


def run_in_expressions(
    summary: dict[str, Any],
    recorded: Recorded,
    label: str,
    scenario: _core.Scenario | None = None,
) -> Run:
    """The object for a finished run: a `CellRun` or a `PacketRun`; arguments as of `Run`."""
    return RUNS[summary.get("link_layer", "atm")](summary, recorded, label, scenario)


class Row(Readable):
    """Runs of a scenario with varied parameters, by the parameters' values."""

    def __init__(self, name: str, runs: dict[tuple[Value, ...], Callable[[], Run]]) -> None:
        self._name = name
        self._runs = runs

    @property
    def axis(self) -> list[Value | tuple[Value, ...]]:
        """Keys of the runs: values of the varied parameter, or tuples if several are varied."""
        return [key[0] if len(key) == 1 else key for key in self._runs]

    def __getitem__(self, key: Value | tuple[Value, ...]) -> Run:
        wanted = key if isinstance(key, tuple) else (key,)
        if wanted not in self._runs:
            raise LookupError(f"`{self._name}` has no run at {key}; it has {self.axis}")
        return self._runs[wanted]()

    def __iter__(self) -> Iterator[Run]:
        return (run() for run in self._runs.values())

    def __len__(self) -> int:
        return len(self._runs)
