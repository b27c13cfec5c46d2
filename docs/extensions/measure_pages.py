"""The reference page of measures, out of the documentation of the report's fields."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

STRUCT = re.compile(r"pub struct (\w+) \{")
FIELD = re.compile(r"    pub (\w+): ([^,]+),")
DOC = re.compile(r"\s*/// ?(.*)")

# Structs of the report, and where their fields stand in the summary.
PLACES = {
    "Report": "Whole run",
    "Totals": "`totals`",
    "FlowReport": "`flows[]`",
    "Balance": "`flows[].balance`",
    "ClassReport": "`classes[]`",
    "CellDelay": "`flows[]` and `classes[]`: delay of cells",
    "VcReport": "`vcs[]`",
    "PortReport": "`ports[]`",
    "QueueReport": "`ports[].queues[]`",
    "ControlReport": "`ports[].control`",
}

HEAD = """# Measures

What `cellrate run --json` prints, `summary.json` holds and the data frames have as columns. Every
measure is over the measuring window `[measure] from .. to` unless it says "whole run". Units are in
the names; a share and an index have none.
"""


@dataclass
class Struct:
    """A struct of the report: its documentation, and name, type and documentation of its fields."""

    about: str
    fields: list[tuple[str, str, str]] = field(default_factory=list)


def measures(source: str) -> str:
    """The page, from the source text of the report.

    Raises:
        KeyError: The report has a struct that `PLACES` does not know, or the reverse.
    """
    structs = read_structs(source)
    if set(structs) != set(PLACES):
        raise KeyError(
            f"structs of the report and of this page differ: {set(structs) ^ set(PLACES)}"
        )
    parts = [HEAD]
    for name, place in PLACES.items():
        parts.append(f"## {place}\n\n{structs[name].about}\n")
        for key, type_, about in structs[name].fields:
            if not any(known in type_ for known in PLACES):
                parts.append(f"`{key}`\n: {about}\n")
    return "\n".join(parts)


def read_structs(source: str) -> dict[str, Struct]:
    """Every documented public struct with its fields."""
    structs: dict[str, Struct] = {}
    about: list[str] = []
    current: Struct | None = None
    for line in source.splitlines():
        if match := DOC.fullmatch(line):
            about.append(match[1])
            continue
        if match := STRUCT.match(line):
            current = structs[match[1]] = Struct(" ".join(about))
        elif (match := FIELD.fullmatch(line)) and current is not None:
            current.fields.append((match[1], match[2], " ".join(about)))
        elif line == "}":
            current = None
        if not line.lstrip().startswith("#["):
            about = []
    return structs
