"""Output of `cellrate validate` for a valid scenario: warnings, and the needs of a run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from cellrate.cli.amounts import size
from cellrate.cli.answering import hand_over
from cellrate.common.document import Document, Paragraph, Remark, Table, columns, rows
from cellrate.common.numbers import counted, number, seconds

if TYPE_CHECKING:
    from cellrate import _core
    from cellrate._core import Estimate

FLUID = (
    "The number of cell-hops assumes that each flow has its max-min fair share. Runs of the "
    "templates without loss are within a factor of 3 of it, and half of them within 20 %. A run in "
    "which TCP loses cells and waits may have far fewer. No run has more than {most}."
)
BOUND = "The memory is an upper bound; most runs need far less."
SHARES = (
    "The number of packet-hops assumes that each flow has an equal share of its slowest line from "
    "its start on. Runs of the templates without routers have at most 5 % more. Hosts that send "
    "and receive at once merge acknowledgements, and have up to a third fewer. On a link of ATM "
    "each cell counts."
)
MEMORY = (
    "The memory is not estimated over Ethernet. A run that is about to fill it ends with an error."
)
MACHINE = (
    "The time assumes {nanoseconds:g} ns per {hop}, as on an idle core of a server of 2023, "
    "and is right within a factor of 2; `cellrate bench` measures this machine."
)


def validate(scenario: _core.Scenario, name: str, *, json: bool = False) -> None:
    """Makes the checks that `run` makes before the simulation, and shows warnings and needs.

    Warnings go to standard error as in `run`, some with their place in the file.

    Raises:
        ScenarioError: The run would be refused.
    """
    # Warnings of the scenario's check come first, and have path, line, column, label and help.
    warnings: list[dict[str, Any]] = [{**warning} for warning in scenario.check()]
    for warning, placed in zip(warnings, scenario.warnings(), strict=False):
        warning |= {**placed}
    is_of_cells = scenario.link_layer == "atm"
    estimate = scenario.estimate() if is_of_cells else scenario.cost()
    for warning in () if json else warnings:
        sys.stderr.write(f"warning[{warning['code']}]: {warning['message']}\n")
        if "path" in warning:
            sys.stderr.write(f" --> {warning['path']}:{warning['line']}:{warning['column']}\n")
    hand_over(
        json=json,
        as_json=lambda: {"warnings": warnings, "estimate": {**estimate}},
        report=lambda: (
            report(name, scenario.estimate()) if is_of_cells else over_ethernet(name, scenario)
        ),
    )


def over_ethernet(name: str, scenario: _core.Scenario) -> Document:
    """Size of the network, packets, time and files of a run as a document."""
    hosts, switches, flows = scenario.size()
    size_ = ", ".join(
        counted(*one) for one in ((hosts, "host"), (switches, "switch"), (flows, "flow"))
    )
    cost = scenario.cost()
    hops = f"{number(cost['hops'])} packet-hops of {number(cost['units'])} full packets"
    traces = cost["most_trace_bytes"]
    needs = (
        ("time", f"about {seconds(cost['seconds'])}", hops),
        ("disk", f"at most {size(traces)}", "traces, before compression"),
    )
    return Document(
        "",
        (
            Paragraph(f"{name} is a valid scenario over Ethernet: {size_}. A run takes"),
            Table(columns("", "amount", "of what"), rows(needs)),
            Remark(SHARES),
            Remark(MACHINE.format(nanoseconds=cost["nanoseconds_per_hop"], hop="packet-hop")),
            Remark(MEMORY),
        ),
    )


def report(name: str, estimate: Estimate) -> Document:
    """Memory, cells, time and files of a run as a document."""
    most = number(estimate["most_cell_hops"])
    return Document(
        "",
        (
            Paragraph(f"{name} is a valid scenario. A run takes"),
            Table(columns("", "amount", "of what"), rows(_amounts(estimate))),
            Remark(FLUID.format(most=most)),
            Remark(BOUND),
            Remark(
                MACHINE.format(nanoseconds=estimate["nanoseconds_per_cell_hop"], hop="cell-hop")
            ),
        ),
    )


def _amounts(estimate: Estimate) -> list[tuple[str, str, str]]:
    hops = f"{number(estimate['cell_hops'])} cell-hops of {number(estimate['cells'])} cells"
    found = [("time", f"about {seconds(estimate['seconds'])}", hops)]
    available = estimate["available_bytes"]
    free = "" if available is None else f", of {size(available)} that are free"
    found.append(("memory", f"at most {size(estimate['memory_bytes'])}", f"in all{free}"))
    for need in estimate["needs"]:
        if need["bytes"] > estimate["memory_bytes"] / 100:
            amount = f"{need['amount']:,} {need['of_what']}"
            found.append(("", size(need["bytes"]), amount))
    traces, events = estimate["most_trace_bytes"], estimate["most_event_bytes"]
    kept = f"traces {size(traces)}, events {size(events)}, before compression"
    found.append(("disk", f"at most {size(traces + events)}", kept))
    captured = "with --capture of all cells on all links"
    found.append(("", f"about {size(estimate['capture_bytes'])}", captured))
    return found
