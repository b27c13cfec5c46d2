"""The partition that `cellrate run --plan` shows: the part of a network that each thread gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cellrate.common.document import Document, Paragraph, Remark, Table, columns, rows

if TYPE_CHECKING:
    from cellrate import _core

ESTIMATE = (
    "The gain is an estimate: cells of a fluid in which each flow has its max-min fair share, with "
    "the costs that hosts and switches have in the bench. The result does not depend on threads."
)


@dataclass(frozen=True, slots=True)
class Parted:
    """A scenario and the parts in which it would run.

    Attributes:
        name: Name of the scenario's file.
        partition: Its partition.
    """

    name: str
    partition: _core.Partition


def as_json(found: Parted) -> dict[str, Any]:
    """The answer as the JSON value of `--json`."""
    return {"threads": len(found.partition["parts"]), **found.partition}


def report(found: Parted) -> Document:
    """The answer as a document."""
    from cellrate.common.numbers import seconds

    partition = found.partition
    parts = partition["parts"]
    if len(parts) == 1:
        why = f": {partition['reason']}" if partition["reason"] else ""
        return Document("", (Paragraph(f"{found.name} runs in one thread{why}."),))
    numbered = (
        (str(number), f"{part['nodes']:,}", f"{part['work_share']:.0%}")
        for number, part in enumerate(parts, 1)
    )
    ahead = partition["lookahead_seconds"]
    between = (
        "No links lead from one part to another."
        if ahead is None
        else f"{partition['cut_links']:,} links between them carry "
        f"{partition['crossing_share']:.0%} of all link crossings. What happens in one part "
        f"reaches another after {seconds(ahead)} at the earliest, and so far each runs alone."
    )
    more = f"; {partition['reason']}" if partition["reason"] else ""
    return Document(
        "",
        (
            Paragraph(f"{found.name} runs in {len(parts)} threads{more}:"),
            Table(columns("thread", "nodes", "work"), rows(list(numbered))),
            Paragraph(f"{between} Expected gain: {partition['speedup']:.2f}."),
            Remark(ESTIMATE),
        ),
    )
