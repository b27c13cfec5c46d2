"""The dictionary of measures: measures in the report of a run, and measures of the language.

The dictionary is generated: definitions, units, formulas and sources are written beside the fields
of the report and beside the properties of a run in the language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Literal

from cellrate import _core
from cellrate.language.measured import Better

EXPRESSIONS = "expressions"
"""Name of the table of measures that exist only in expressions."""
# An expression without arithmetic: a path, in which calls have one quoted text each.
PATH = re.compile(
    r"(?P<path>\w+(?:\((?:'[^']*'|\"[^\"]*\")\))?(?:\.\w+)*?)"
    r"(?:\.(?P<method>sum|mean|min|max|jain)\((?P<quote>['\"])(?P<called>[\w.]+)(?P=quote)\))?"
)
PLACES = {"run": "", EXPRESSIONS: "", "queues": "ports[].queues[]."}
"""Paths of tables that are not lists at the top level of a summary."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure.

    Attributes:
        table: Table of the measure: `run`, `flows`, `classes`, `vcs`, `ports`, `queues`,
            `warnings`, or `expressions`.
        key: Key of the measure in a row of the table; a dot separates the keys of nested objects.
        kind: `integer`, `number`, `text` or `texts`.
        definition: Definition in words.
        unit: Unit of the measure; empty without a unit.
        formula: Formula from other measures; empty if the measure is not computed from others.
        source: Paper, standard or RFC that defines the measure; else `cellrate`.
        better: Whether `more` or `less` is better; empty if unknown.
        greatest: The greatest value that the measure can have; None if its definition sets none.
    """

    table: str
    key: str
    kind: str
    definition: str
    unit: str
    formula: str
    source: str
    better: Better | Literal[""]
    greatest: float | None

    @property
    def name(self) -> str:
        """Path of the measure in the summary, as in `ports[].queues[].queue_max_cells`, or key."""
        return f"{PLACES.get(self.table, f'{self.table}[].')}{self.key}"

    @property
    def column(self) -> str:
        """Name of the measure as a column of a frame."""
        return self.key.replace(".", "_")


@dataclass(frozen=True, slots=True)
class Table:
    """Measures of one kind of entity.

    Attributes:
        name: `run`, a list of the summary, or `expressions`.
        about: Meaning of a row of the table.
        measures: The measures in the order in which a run reports them.
    """

    name: str
    about: str
    measures: tuple[Measure, ...]

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.measures)


@cache
def tables(link_layer: str = "atm") -> dict[str, Table]:
    """All tables of measures of runs over a link layer by name."""
    found = {}
    for table in json.loads(_core.measures(ethernet=link_layer == "ethernet")):
        name = table["table"]
        measures = tuple(Measure(name, **one) for one in table["measures"])
        found[name] = Table(name, table["about"], measures)
    return found | {EXPRESSIONS: _expressions(link_layer)}


@cache
def all_measures() -> dict[str, Measure]:
    """All measures by name.

    Measures that exist only over Ethernet come last, and are marked.
    """
    cells, frames = (
        {one.name: one for table in tables(layer).values() for one in table}
        for layer in ("atm", "ethernet")
    )
    further = {
        name: replace(one, definition=f"Over Ethernet: {one.definition}")
        for name, one in frames.items()
        if name not in cells
    }
    return cells | further


def named_by(expression: str) -> list[Measure]:
    """The measures that an expression without arithmetic can mean.

    Args:
        expression: A measure of expressions, a path that ends in the key of a measure, a call with
            such a key, or the name of a column of runs.

    Returns:
        The measures of expressions of this name; else those with this key in any table. Jain's
        index of any measure counts as that of the totals.

    >>> [one.name for one in named_by("throughput_mbit")]
    ['throughput_mbit']
    >>> {one.name for one in named_by("tcp.mean('packet_delay_mean_seconds')")}
    {'flows[].packet_delay_mean_seconds'}
    """
    found = PATH.fullmatch(expression.strip())
    if not found:
        return []
    known = all_measures()
    if found["method"] == "jain":
        return [known["totals.jain_index"]]
    if expression.strip() in known and known[expression.strip()].table == EXPRESSIONS:
        return [known[expression.strip()]]
    *before, last = (found["called"] or found["path"]).split(".")
    alone = not before and not found["called"]
    return [
        one
        for one in known.values()
        if one.table != EXPRESSIONS
        and (one.column if alone else one.key.rpartition(".")[2]) == last
        and (not alone or one.table == "run")
    ]


def _expressions(link_layer: str) -> Table:
    # The language imports scipy, which is slow to import.
    from cellrate.language.measured import MEASURED
    from cellrate.language.runs import RUNS

    measures = tuple(
        Measure(EXPRESSIONS, name, "number", **asdict(one))
        for name, one in MEASURED.items()
        if isinstance(getattr(RUNS[link_layer], name, None), property)
    )
    return Table(EXPRESSIONS, "What an expression over a run can name beside its tables.", measures)
