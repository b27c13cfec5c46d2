"""The dictionary of measures: those that a run reports and those of the language of measures.

It is generated: definitions, units, formulas and sources are written beside the fields of the
report and beside the properties of a run in the language.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cellrate import _core

EXPRESSIONS = "expressions"
"""Name of the table of measures that only expressions have."""
PLACES = {"run": "", EXPRESSIONS: "", "queues": "ports[].queues[]."}
"""Paths in the summary of the tables that are not lists at its top."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure.

    Attributes:
        table: Its table: `run`, `flows`, `classes`, `vcs`, `ports`, `queues`, `warnings`, or
            `expressions`.
        key: Its key in a row of the table; a dot separates the keys of nested objects.
        kind: `integer`, `number`, `text` or `texts`.
        definition: Definition in words.
        unit: Its unit; empty without a unit.
        formula: Formula from other measures; empty if it is not computed from others.
        source: Paper, standard or RFC that defines it; else `cellrate`.
    """

    table: str
    key: str
    kind: str
    definition: str
    unit: str
    formula: str
    source: str

    @property
    def name(self) -> str:
        """Its path in the summary, as in `ports[].queues[].queue_max_cells`, or its key alone."""
        return f"{PLACES.get(self.table, f'{self.table}[].')}{self.key}"

    @property
    def column(self) -> str:
        """Its name as a column of a frame."""
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
def tables() -> dict[str, Table]:
    """All tables of measures by name."""
    found = {}
    for table in json.loads(_core.measures()):
        name = table["table"]
        measures = tuple(Measure(name, **one) for one in table["measures"])
        found[name] = Table(name, table["about"], measures)
    return found | {EXPRESSIONS: _expressions()}


@cache
def all_measures() -> dict[str, Measure]:
    """All measures by name."""
    return {one.name: one for table in tables().values() for one in table}


def _expressions() -> Table:
    # The language imports scipy, which is slow to import.
    from cellrate.language.measured import MEASURED
    from cellrate.language.runs import Run

    measures = tuple(
        Measure(EXPRESSIONS, name, "number", one.definition, one.unit, one.formula, one.source)
        for name, one in MEASURED.items()
        if isinstance(getattr(Run, name), property)
    )
    return Table(EXPRESSIONS, "What an expression over a run can name beside its tables.", measures)
