"""The reference page of measures, made from the dictionary of measures in the program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from cellrate.language.measures import EXPRESSIONS, Measure, Table

HEAD = """# Measures

What `cellrate run --json` prints, `summary.json` holds and the data frames have as columns;
`cellrate list measures NAME` says the same of one. Every measure is over the measuring window
`[measure] from .. to` unless it says "whole run". A share and an index have no unit.
"""
LANGUAGE = """What `[measures]` of a study and the values and claims of a paper may name, beside the
keys of the tables above, as in `totals.jain_index`, `flow("tcp.1").timeouts` or
`bottleneck.queue_max_cells`.
"""


def measures(tables: Mapping[str, Table]) -> str:
    """The page, from the tables of the dictionary."""
    parts = [HEAD]
    for name, table in tables.items():
        about = LANGUAGE if name == EXPRESSIONS else f"{table.about}\n"
        parts.append(f"## {_heading(name)}\n\n{about}")
        for prefix, group in groupby(table, key=lambda one: one.key.rpartition(".")[0]):
            parts += _group(name, prefix, list(group))
    return "\n".join(parts)


def _heading(name: str) -> str:
    places = {"run": "Whole run", "queues": "`ports[].queues[]`", EXPRESSIONS: "In expressions"}
    return places.get(name, f"`{name}[]`")


def _group(table: str, prefix: str, group: list[Measure]) -> Iterator[str]:
    """The entries of one object of the JSON; an object within a table gets a heading."""
    if prefix:
        place = prefix if table == "run" else f"{table}[].{prefix}"
        yield f"### `{place}`\n"
    for one in group:
        facts = [one.definition]
        facts += [f"Unit: {one.unit}."] if one.unit else []
        facts += [f"Formula: {one.formula}."] if one.formula else []
        facts += [f"Source: {one.source}."] if one.source != "cellrate" else []
        yield f"`{one.key.removeprefix(f'{prefix}.')}`\n: {' '.join(facts)}\n"
