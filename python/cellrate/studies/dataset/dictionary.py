"""The dictionary of a data set: definitions of all columns of all tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from cellrate.common import parquet_table
from cellrate.language import measures
from cellrate.studies.dataset.columns import ENTITIES, TRACES, whole_run
from cellrate.studies.dataset.description import Description, FactorColumn
from cellrate.studies.dataset.place import DICTIONARY, RUNS


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table of a data set.

    Attributes:
        table: Name of the table.
        name: Name of the column.
        definition: Meaning of its values.
        unit: Unit of its numbers; empty without a unit.
        formula: Formula from other columns; empty if it is not computed from others.
        source: Paper, standard or RFC that defines it, or else `cellrate` or `study`.
    """

    table: str
    name: str
    definition: str
    unit: str = ""
    formula: str = ""
    source: str = "cellrate"


KEYS = {
    "run": "Number of the run in the data set, from 0: in order of points, then of replications.",
    "point": "Number of the point of the study, from 0: one value of each factor.",
    "replication": "Number of the replication at the point, from 0.",
}
RUN = {
    "seed": "Seed of the run.",
    "key": "Key of the run's result in a store.",
    "digest": "Hash of all events of the run; null if it failed.",
    "status": "`done` or `failed`.",
    "error": "Error message of a run that failed; else null.",
    "command": "Shell command that repeats the run.",
    "warnings": "Codes of the run's warnings, separated by commas.",
}
QUEUE = {"port": "Name of the port's link.", "priority": "Its priority at the port, from 1."}
TRACE = {
    "kind": "Traced quantity.",
    "entity": "Traced queue, channel or flow.",
    "unit": "Unit of the least and the greatest value.",
    "time_seconds": "Simulated time of the point.",
    "minimum": "Least value in the interval of the point.",
    "maximum": "Greatest value in the interval of the point.",
}


def columns(description: Description) -> list[Column]:
    """All columns that a data set of the study may have, table by table."""
    found = [*_plain(RUNS, KEYS | RUN), *_varied(description), *_named(description)]
    found += _measured(RUNS, whole_run())
    for table in ENTITIES:
        found += _plain(table, KEYS | (QUEUE if table == "queues" else {}))
        found += _measured(table, measures.tables()[table])
    if description.traces:
        found += _plain(TRACES, KEYS | TRACE)
    return found


def unit_of(description: Description, table: str, column: str) -> str:
    """The unit of a column; empty without a unit."""
    found = [one for one in columns(description) if (one.table, one.name) == (table, column)]
    return found[0].unit if found else ""


def expression_unit(expression: str) -> str:
    """The unit of an expression that is a measure or ends in the key of one; otherwise empty.

    >>> expression_unit("throughput_mbit"), expression_unit("bottleneck.queue_max_cells")
    ('Mbit/s', 'cells')
    >>> expression_unit("throughput_mbit / 2")
    ''
    """
    if not all(part.isidentifier() for part in expression.split(".")):
        return ""
    units = {one.unit for one in measures.named_by(expression)}
    return units.pop() if len(units) == 1 else ""


def write(directory: Path, description: Description) -> None:
    """Writes `dictionary.json` and `dictionary.md` for the tables in the directory."""
    present = {path.stem: set(parquet_table.columns(path)) for path in directory.glob("*.parquet")}
    found = [one for one in columns(description) if one.name in present.get(one.table, ())]
    texts = {
        "json": json.dumps([asdict(one) for one in found], indent=1, ensure_ascii=False) + "\n",
        "md": _markdown(description, found),
    }
    for suffix, text in texts.items():
        place = directory / f"{DICTIONARY}.{suffix}"
        place.write_text(text, encoding="utf-8", newline="\n")


def _plain(table: str, texts: dict[str, str]) -> Iterator[Column]:
    for name, definition in texts.items():
        unit = "s" if name.endswith("_seconds") else ""
        yield Column(table, name, definition, unit)


def _varied(description: Description) -> Iterator[Column]:
    for one in description.factors:
        yield Column(RUNS, one.name, _factor(one), one.unit, source="study")
    for one in description.derived:
        text = f"Derived from factors{_setting(one)}."
        yield Column(RUNS, one.name, text, one.unit, source="study")


def _factor(one: FactorColumn) -> str:
    return f"Factor{_setting(one) or ', a free variable'}."


def _setting(one: FactorColumn) -> str:
    return f": `{one.path}` of the scenario" if one.path else ""


def _named(description: Description) -> Iterator[Column]:
    known = measures.tables()[measures.EXPRESSIONS]
    about = {one.key: one for one in known}
    for one in description.measures:
        same = about.get(one.expression)
        yield Column(
            RUNS,
            one.name,
            same.definition if same else "A named measure of the study.",
            expression_unit(one.expression),
            f"`{one.expression}`",
            same.source if same else "study",
        )


def _measured(table: str, found: Iterable[measures.Measure]) -> Iterator[Column]:
    for one in found:
        yield Column(table, one.column, one.definition, one.unit, one.formula, one.source)


def _markdown(description: Description, found: list[Column]) -> str:
    parts = [f"# The data of {description.name}", ""]
    for table in dict.fromkeys(one.table for one in found):
        parts += [f"## {table}", "", "| column | unit | definition | formula | source |"]
        parts += ["|---|---|---|---|---|"]
        for one in found:
            if one.table == table:
                cells = (f"`{one.name}`", one.unit, one.definition, one.formula, one.source)
                parts.append(
                    f"| {' | '.join(text.replace('|', chr(92) + '|') for text in cells)} |"
                )
        parts.append("")
    return "\n".join(parts)
