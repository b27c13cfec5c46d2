"""A scenario, and its checks, as documents."""

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
from cellrate.common.numbers import number, seconds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cellrate.simulation.network import Flow, Link
    from cellrate.simulation.scenarios import Scenario, Validation

# Of more ports, those that most flows cross are shown.
MOST_PORTS = 12


def scenario_document(scenario: Scenario) -> Document:
    """The flows of a scenario by group, and the ports that they cross."""
    from cellrate.simulation.network import Network

    job = scenario.job
    network = Network.of(job.text, job.path, job.overrides, job.seed)
    crossed = [(link, len(network.flows_over(link))) for link in network.ports]
    busy = sorted((pair for pair in crossed if pair[1]), key=lambda pair: -pair[1])
    shown = busy[:MOST_PORTS]
    hosts = sum(node.switch is None for node in network.nodes)
    switches = len(network.nodes) - hosts
    parts: list[Block] = [
        Paragraph(
            f"{switches} switches, {hosts} hosts, {len(network.flows)} flows; "
            f"{scenario['run.duration']} simulated, measured from {scenario['measure.from']} to "
            f"{scenario['measure.to']}, seed {scenario.seed}"
        ),
        Section("Flows", (_flows(network.groups()),)),
        Section("Output ports of switches", (_ports(shown),)),
    ]
    if len(shown) < len(busy):
        parts.append(Remark(f"{len(busy) - len(shown)} further ports, which no more flows cross"))
    parts += _warnings(scenario.validate().warnings)
    return Document(f"Scenario {scenario.name}", tuple(parts))


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
    """The warnings of a scenario, and what its run needs."""
    needed, available = found.estimate["memory_bytes"], found.estimate["available_bytes"]
    memory = f"A run needs at most {number(needed / 1e6)} MB of memory"
    has = "." if available is None else f"; this machine has {number(available / 1e6)} MB for it."
    parts = (Paragraph(memory + has), *_warnings(found.warnings))
    return Document(f"{found.name} is a valid scenario", parts)


def _warnings(warnings: Sequence[Mapping[str, Any]]) -> list[Block]:
    return [
        Remark(
            f"{warning['message']} ({warning['path']}:{warning['line']}:{warning['column']})", "bad"
        )
        for warning in warnings
    ]
