"""The answer of `cellrate validate` for a valid scenario: its warnings, and the needs of a run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from cellrate.cli.amounts import size
from cellrate.cli.answering import hand_over
from cellrate.common.document import Document, Paragraph, Remark, Table, columns, rows
from cellrate.common.numbers import number, seconds

if TYPE_CHECKING:
    from cellrate import _core
    from cellrate._core import Estimate

FLUID = (
    "The number of cell-hops assumes that each flow has its max-min fair share. Runs of the "
    "templates without loss are within a factor of 3 of it, and half of them within 20 %. A run in "
    "which TCP loses cells and waits may have far fewer. No run has more than {most}."
)
BOUND = "The memory is an upper bound; most runs need far less."
MACHINE = (
    "The time assumes {nanoseconds:g} ns per cell-hop, as on an idle core of a server of 2023, "
    "and is right within a factor of 2; `cellrate bench` measures this machine."
)


def validate(scenario: _core.Scenario, name: str, *, json: bool = False) -> None:
    """Makes the checks that `run` makes before the simulation, and shows the findings.

    Warnings go to standard error as in `run`, some with their place in the file.

    Raises:
        ScenarioError: The run would be refused.
    """
    # Warnings of the scenario's check come first, and have path, line, column, label and help.
    warnings: list[dict[str, Any]] = [{**warning} for warning in scenario.check()]
    for warning, placed in zip(warnings, scenario.warnings(), strict=False):
        warning |= {**placed}
    estimate = scenario.estimate() if scenario.link_layer == "atm" else None
    for warning in () if json else warnings:
        sys.stderr.write(f"warning[{warning['code']}]: {warning['message']}\n")
        if "path" in warning:
            sys.stderr.write(f" --> {warning['path']}:{warning['line']}:{warning['column']}\n")
    hand_over(
        json=json,
        as_json=lambda: {"warnings": warnings, "estimate": estimate and {**estimate}},
        report=lambda: report(name, estimate) if estimate else over_ethernet(scenario, name),
    )


def over_ethernet(scenario: _core.Scenario, name: str) -> Document:
    """The size of a network over Ethernet; needs of a run are not estimated."""
    hosts, switches, flows = scenario.size()
    size = f"{hosts:,} hosts, {switches:,} switches, {flows:,} flows"
    return Document("", (Paragraph(f"{name} is a valid scenario over Ethernet: {size}."),))


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
            Remark(MACHINE.format(nanoseconds=estimate["nanoseconds_per_cell_hop"])),
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
