"""Documents that show a scenario or the result of its checks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cellrate.common.document import (
    Block,
    Column,
    Document,
    Paragraph,
    Remark,
    Section,
    Table,
    columns,
    rows,
)
from cellrate.common.numbers import counted, number, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cellrate.simulation.network import Flow, Link
    from cellrate.simulation.network.ethernet_view import FrameFlow, Line
    from cellrate.simulation.scenarios import Scenario, Validation

# Greatest number of ports in the document: those that most flows cross.
MOST_PORTS = 12


def scenario_document(scenario: Scenario) -> Document:
    """The flows of a scenario by group, and the ports that they cross."""
    from cellrate.simulation.network.ethernet_view import FrameNetwork, network_of

    checked = scenario.job.scenario()
    network, (hosts, switches, flows) = network_of(checked), checked.size()
    if isinstance(network, FrameNetwork):
        busy: Sequence[tuple[Any, int]] = _busy((p, len(network.over[p])) for p in network.ports)
        tables = _frame_flows(network.groups()), _frame_ports(busy[:MOST_PORTS])
    else:
        busy = _busy((p, len(network.flows_over(p))) for p in network.ports)
        tables = _flows(network.groups()), _ports(busy[:MOST_PORTS])
    parts: list[Block] = [
        Paragraph(
            f"{counted(switches, 'switch')}, {counted(hosts, 'host')}, {counted(flows, 'flow')}; "
            f"{scenario['run.duration']} simulated, measured from {scenario['measure.from']} to "
            f"{scenario['measure.to']}, seed {scenario.seed}"
        ),
        Section("Flows", (tables[0],)),
        Section("Output ports of switches", (tables[1],)),
    ]
    shown = busy[:MOST_PORTS]
    if len(shown) < len(busy):
        parts.append(
            Remark(f"{counted(len(busy) - len(shown), 'further port')}, which no more flows cross")
        )
    parts += _warnings(scenario.validate().warnings)
    return Document(f"Scenario {scenario.name}", tuple(parts))


def _busy(ports: Iterable[tuple[Any, int]]) -> list[tuple[Any, int]]:
    """Ports that flows cross, in descending order of their numbers of flows."""
    return sorted((pair for pair in ports if pair[1]), key=lambda pair: -pair[1])


def _frame_flows(groups: Mapping[str, Sequence[FrameFlow]]) -> Table:
    titles = columns("group", "flows", "source", "TCP recovery", "round trip", numbers=(1, 4))
    found = [
        (name, f"{len(flows)}", flows[0].kind, flows[0].recovery, _trip(flows[0]))
        for name, flows in groups.items()
    ]
    return Table(titles, rows(found), wide=True)


def _trip(flow: FrameFlow) -> str:
    return "" if flow.tcp is None else seconds(flow.least_round_trip_seconds)


def _frame_ports(ports: Sequence[tuple[Line, int]]) -> Table:
    titles = columns("port", "flows", "rate\nGbit/s", "delay", "buffer\nbytes", numbers=range(1, 5))
    found = [
        (
            line.name,
            f"{flows}",
            f"{line.bits_per_second / 1e9:g}",
            seconds(line.delay_seconds),
            "infinite" if math.isinf(line.buffer_bytes) else f"{line.buffer_bytes:,.0f}",
        )
        for line, flows in ports
    ]
    return Table(titles, rows(found))


def _flows(groups: Mapping[str, Sequence[Flow]]) -> Table:
    titles = columns(
        "group", "flows", "class", "source", "TCP recovery", "round trip", "path", numbers=(1, 5)
    )
    found = rows(_flow(name, members) for name, members in groups.items())
    return Table(titles, found, wide=True)


def _flow(name: str, members: Sequence[Flow]) -> tuple[str, ...]:
    first = members[0]
    trip = first.propagation_round_trip_seconds
    path = " > ".join((first.access.sender.name, *(link.receiver.name for link in first.forward)))
    return (
        name,
        f"{len(members)}",
        first.service,
        first.kind,
        "" if first.tcp is None else first.tcp.recovery,
        "" if trip is None else seconds(trip),
        path if len(members) == 1 else f"{path} (of {first.name})",
    )


def _ports(ports: Sequence[tuple[Link, int]]) -> Table:
    titles = columns(
        "port",
        "flows",
        "rate\nMbit/s",
        Column("delay", "right"),
        "buffer\ncells",
        "control",
        "discard",
        numbers=(1, 2, 4),
    )
    return Table(titles, rows(_port(link, flows) for link, flows in ports))


def _port(link: Link, flows: int) -> tuple[str, ...]:
    buffer = link.switch.buffer_cells
    return (
        link.name,
        f"{flows}",
        f"{link.bits_per_second / 1e6:g}",
        seconds(link.delay_seconds),
        "infinite" if math.isinf(buffer) else f"{buffer:,.0f}",
        link.switch.scheme,
        link.switch.policy,
    )


def validation_document(found: Validation) -> Document:
    """The warnings of a scenario, and the memory or time that its run needs."""
    parts = (Paragraph(_needs(found.estimate)), *_warnings(found.warnings))
    return Document(f"{found.name} is a valid scenario", parts)


def _needs(estimate: Mapping[str, Any]) -> str:
    """A sentence on the memory of a run, or over Ethernet on its time."""
    if estimate["memory_bytes"] is None:
        return f"A run takes about {seconds(estimate['seconds'])} of a core."
    needed, available = estimate["memory_bytes"], estimate["available_bytes"]
    memory = f"A run needs at most {number(needed / 1e6)} MB of memory"
    has = "." if available is None else f"; this machine has {number(available / 1e6)} MB for it."
    return memory + has


def _warnings(warnings: Sequence[Mapping[str, Any]]) -> list[Block]:
    return [
        Remark(
            f"{warning['message']} ({warning['path']}:{warning['line']}:{warning['column']})", "bad"
        )
        for warning in warnings
    ]
