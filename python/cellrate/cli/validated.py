"""A scenario that `cellrate validate` found right: its warnings, and what a run would take."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cellrate.cli import tables
from cellrate.cli.answering import hand_over
from cellrate.common.document import Document, Paragraph, Remark, Table, columns, rows
from cellrate.common.numbers import number

if TYPE_CHECKING:
    from cellrate import _core
    from cellrate._core import Estimate

FLUID = (
    "Cell-hops are those of a fluid in which each flow has its max-min fair share: within a factor "
    "of 3 of the runs of all templates that lose nothing, of half of them within 20 %. A run in "
    "which TCP loses cells and waits has fewer, by any factor. No run has more than {most}."
)
BOUND = "Memory is a bound: most runs take far less of it."
MACHINE = (
    "The time is {nanoseconds:g} ns for each, as on an idle core of a server of 2023, within a "
    "factor of two; `cellrate bench` measures this machine."
)


@dataclass(frozen=True, slots=True)
class Validated:
    """A scenario that `run` would run.

    Attributes:
        name: Name of the scenario's file.
        warnings: Warnings of the run that are known before it, each with code and message; those
            of the scenario's check come first and have path, line, column, label and help, too.
        estimate: Memory, cells, time and files of the run.
    """

    name: str
    warnings: list[dict[str, Any]]
    estimate: Estimate


def validate(scenario: _core.Scenario, name: str, *, json: bool = False) -> None:
    """Makes the checks of `answer` and shows what was found.

    Raises:
        ScenarioError: The run would be refused.
    """
    found = answer(scenario, name)
    if not json:
        warn(found)
    hand_over(json=json, as_json=lambda: as_json(found), report=lambda: report(found))


def answer(scenario: _core.Scenario, name: str) -> Validated:
    """Makes the checks that `run` makes before the first cell.

    Raises:
        ScenarioError: The run would be refused.
    """
    warnings: list[dict[str, Any]] = [{**one} for one in scenario.check()]
    for warning, found in zip(warnings, scenario.warnings(), strict=False):
        warning |= {**found}
    return Validated(name, warnings, scenario.estimate())


def as_json(found: Validated) -> dict[str, Any]:
    """The answer as the JSON value of `--json`."""
    return {"warnings": found.warnings, "estimate": {**found.estimate}}


def warn(found: Validated) -> None:
    """Writes the warnings to standard error as `run` does, with the places of some."""
    for warning in found.warnings:
        sys.stderr.write(f"warning[{warning['code']}]: {warning['message']}\n")
        if "path" in warning:
            sys.stderr.write(f" --> {warning['path']}:{warning['line']}:{warning['column']}\n")


def report(found: Validated) -> Document:
    """The answer as a document."""
    estimate = found.estimate
    most = number(estimate["most_cell_hops"])
    return Document(
        "",
        (
            Paragraph(f"{found.name} is a valid scenario. A run takes"),
            Table(columns("", "amount", "of what"), rows(_amounts(estimate))),
            Remark(FLUID.format(most=most)),
            Remark(BOUND),
            Remark(MACHINE.format(nanoseconds=estimate["nanoseconds_per_cell_hop"])),
        ),
    )


def _amounts(estimate: Estimate) -> list[tuple[str, str, str]]:
    from cellrate.common.numbers import number, seconds

    hops = f"{number(estimate['cell_hops'])} cell-hops of {number(estimate['cells'])} cells"
    found = [("time", f"about {seconds(estimate['seconds'])}", hops)]
    available = estimate["available_bytes"]
    free = "" if available is None else f", of {tables.size(available)} that are free"
    found.append(("memory", f"at most {tables.size(estimate['memory_bytes'])}", f"in all{free}"))
    for need in estimate["needs"]:
        if need["bytes"] > estimate["memory_bytes"] / 100:
            amount = f"{need['amount']:,} {need['of_what']}"
            found.append(("", tables.size(need["bytes"]), amount))
    traces, events = estimate["most_trace_bytes"], estimate["most_event_bytes"]
    kept = f"traces {tables.size(traces)}, events {tables.size(events)}, before compression"
    found.append(("disk", f"at most {tables.size(traces + events)}", kept))
    captured = "with --capture of all cells on all links"
    found.append(("", f"about {tables.size(estimate['capture_bytes'])}", captured))
    return found
