"""Title of a run's pictures, and horizontal lines at the scenario's shares, limits and targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cellrate.simulation.network import Link, Network, fair_shares
from cellrate.theory.assumptions import AssumptionError

BITS_PER_CELL = 424
# Parameters of control schemes that are queue lengths in cells, and how a picture names them.
THRESHOLDS = {
    "threshold_cells": "threshold",
    "low_cells": "low threshold",
    "high_cells": "high threshold",
    "ci_threshold_cells": "CI threshold",
    "congested_cells": "congestion threshold",
}
# Names of control schemes in pictures; other schemes have their names in scenario files.
NAMES = {
    "none": "no control",
    "efci": "EFCI",
    "becn": "BECN",
    "erica": "ERICA",
    "fmmra": "FMMRA",
    "charny": "Charny's scheme",
    "ucsc": "UCSC scheme",
    "eprca": "EPRCA",
    "dmrca": "DMRCA",
    "osu": "OSU",
    "capc": "CAPC",
    "phantom": "Phantom",
}
KIBI = 1024
# Fair shares that differ by less than this fraction are drawn as one level.
SAME = 1e-6
# Greatest number of fair shares in a picture.
MOST_SHARES = 3


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal line in a panel.

    Attributes:
        value: Height of the line, in the unit of the trace.
        name: Name of the line in the picture.
        entities: The ports, channels or flows for which the level holds.
    """

    value: float
    name: str
    entities: frozenset[str]


@dataclass(frozen=True, slots=True)
class Context:
    """Title, warm-up and levels of a run, which its pictures show beside its traces.

    Attributes:
        title: Scenario, control and seed; empty for no title.
        warm_up_seconds: Start of the window of measurement.
        levels: Levels by the kind of trace.
        longest: Greatest length of each queue in the whole run, in cells or bytes, by the kind and
            the entity of its trace.
    """

    title: str
    warm_up_seconds: float
    levels: Mapping[str, Sequence[Level]]
    longest: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def levels_of(self, kind: str, entities: Iterable[str]) -> list[Level]:
        """Levels of a kind that hold for any of the entities; equal levels appear once."""
        shown = set(entities)
        found = [level for level in self.levels.get(kind, ()) if level.entities & shown]
        return list({(level.value, level.name): level for level in found}.values())

    def longest_of(self, kind: str, entities: Iterable[str]) -> tuple[int, str] | None:
        """Length and entity of the longest of these queues in the run; None without queues."""
        known = self.longest.get(kind, {})
        return max(((known[one], one) for one in entities if one in known), default=None)


NO_CONTEXT = Context("", 0.0, {})


def longest_queues(summary: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Greatest lengths of the queues of a summary, as `Context.longest` has them.

    The ATM part of a network with routers is left out: its summary covers the measuring window
    only.
    """
    return {"queue": dict(_longest(summary["ports"]))}


def _longest(ports: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    for port in ports:
        for number, queue in enumerate(port["queues"], 1):
            unit = "cells" if "queue_max_cells" in queue else "bytes"
            before = queue[f"queue_max_before_window_{unit}"] or 0
            length = max(queue[f"queue_max_{unit}"], before)
            # The trace of a port with one queue has the name of the port over ATM.
            yield f"{port['name']}/{number}", length
            if len(port["queues"]) == 1:
                yield port["name"], length


def context_of(network: Network, name: str, longest: Mapping[str, Mapping[str, int]]) -> Context:
    """Context of a run.

    Args:
        network: The scenario's network.
        name: Name of the scenario, for instance of its file.
        longest: Greatest lengths of the run's queues; see `Context`.
    """
    levels = {
        "queue": _of_queues(network),
        "acr": _shares(network),
        "cwnd": _windows(network),
        "utilisation": _targets(network),
    }
    warm_up = float(network.measure["from_seconds"])
    return Context(f"{_name(network, name)}, seed {network.seed}", warm_up, levels, longest)


def _name(network: Network, name: str) -> str:
    """Name of the scenario and of its control schemes, as a title."""
    schemes = dict.fromkeys(port.switch.scheme for port in network.ports)
    shown = [
        NAMES.get(scheme, scheme) for scheme in schemes if scheme != "none" or len(schemes) == 1
    ]
    return ", ".join([*([name] if name else []), " and ".join(shown) or "no switch"])


def _of_queues(network: Network) -> list[Level]:
    """Levels at the buffer limit and the control thresholds of every port."""
    found = []
    for port in network.ports:
        own = frozenset({port.name, *_queues(port)})
        if port.switch.buffer_cells != float("inf"):
            limit = port.switch.buffer_cells
            found.append(Level(limit, f"buffer {limit:,.0f} cells", own))
        for key, text in THRESHOLDS.items():
            value = port.switch.control.get(key)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                found.append(Level(float(value), f"{text} {value:,.0f}", own))
    return found


def _queues(port: Link) -> list[str]:
    """Names of the traces of the queues of a port."""
    return [f"{port.name}/{number}" for number in range(1, len(port.switch.priority) + 1)]


def _shares(network: Network) -> list[Level]:
    """Levels of the max-min fair rates of the ABR channels; none if the theory does not apply."""
    try:
        rates = fair_shares(network).rates
    except (AssumptionError, ValueError):
        return []
    groups: dict[float, set[str]] = {}
    for flow, rate in rates.items():
        near = next((known for known in groups if abs(known - rate) <= SAME * known), rate)
        groups.setdefault(near, set()).add(f"{flow}/forward")
    if len(groups) > MOST_SHARES:
        return []
    of = " of whole links" if _targets(network) else ""
    return [
        Level(rate, f"max-min share{of} {rate * BITS_PER_CELL / 1e6:.4g}", frozenset(channels))
        for rate, channels in groups.items()
    ]


def _windows(network: Network) -> list[Level]:
    """Levels of the limits of the flows' windows."""
    return [
        Level(
            float(flow.tcp.window_bytes),
            f"window limit {_size(flow.tcp.window_bytes)}",
            frozenset({flow.name}),
        )
        for flow in network.flows
        if flow.tcp is not None
    ]


def _size(octets: int) -> str:
    """A size in bytes as text: in KiB if it is a multiple, else in kB."""
    return f"{octets / 1e3:.4g} kB" if octets % KIBI else f"{octets // KIBI:,} KiB"


def _targets(network: Network) -> list[Level]:
    """Levels of the target utilisations of the ports' control."""
    return [
        Level(float(target), f"target {target:g}", frozenset({port.name}))
        for port in network.ports
        if isinstance(target := port.switch.control.get("target_utilisation"), (int, float))
    ]
