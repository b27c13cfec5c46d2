"""Columns of the tables of a data set, and the dictionary that defines all of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

import polars as pl

from cellrate.common import parquet_table
from cellrate.common.problems import BadInput
from cellrate.language import measures
from cellrate.language.measures import Measure, tables
from cellrate.studies.dataset.description import Description, FactorColumn

Schema: TypeAlias = dict[str, "pl.DataType"]

STUDY = "study.json"
RUNS = "runs"
DICTIONARY = "dictionary"
"""Name of the dictionary, which defines all columns."""
ENTITIES = ("flows", "classes", "vcs", "ports", "queues")
"""Tables with a row per run and entity."""
TRACES = "traces"
KEYS: Schema = {"run": pl.Int64(), "point": pl.Int64(), "replication": pl.Int64()}
"""First columns of every table."""
STATUS = "status"
DONE = "done"
FAILED = "failed"
IDENTITY: Schema = {
    "seed": pl.Int64(),
    "key": pl.String(),
    "digest": pl.String(),
    STATUS: pl.String(),
    "error": pl.String(),
    "command": pl.String(),
}
"""Columns that identify a run and state its outcome."""
WARNINGS: Schema = {"warnings": pl.String()}
# Keys of a run's summary that `runs.parquet` leaves out, because other columns or `study.json` have
# their values, or the values differ from one execution to the next.
ELSEWHERE = ("version", "digest", "seed", "wall_seconds")
COUNTED = "control."
"""Prefix of columns in the table of ports whose values come from the port's control scheme."""
COUNTED_COLUMNS = {"ports": "control_"}
"""By table, the beginning of names of further columns: statistics that classes in Python count."""

TYPES: Mapping[str, pl.DataType] = {
    "integer": pl.Int64(),
    "number": pl.Float64(),
    "text": pl.String(),
    "texts": pl.List(pl.String()),
}


def whole_run(link_layer: str) -> list[Measure]:
    """Measures of a run as a whole that `runs.parquet` has as columns."""
    return [one for one in tables(link_layer)["run"] if one.key not in ELSEWHERE]


def own_columns(link_layer: str) -> set[str]:
    """Columns of `runs.parquet` that every data set has, in addition to factors and measures."""
    return {*KEYS, *IDENTITY, *WARNINGS, *(one.column for one in whole_run(link_layer))}


def entities_of(description: Description) -> list[str]:
    """Tables with a row per run and entity that runs over the study's link layer have."""
    return [table for table in ENTITIES if table in tables(description.link_layer)]


def distinct(column: pl.Series) -> pl.Series:
    """Values of a column, each once: numbers in ascending order, texts in the order of the rows."""
    found = column.unique(maintain_order=True)
    return found.sort() if found.dtype.is_numeric() else found


def tables_of(description: Description) -> list[str]:
    """Names of the tables of a data set."""
    return [RUNS, *entities_of(description), *([TRACES] if description.traces else [])]


def table_schema(table: str, description: Description) -> Schema:
    """Columns of a table.

    Raises:
        BadInput: Two columns would have the same name.
    """
    if table == RUNS:
        return runs_schema(description)
    return entity_schema(table, description.link_layer) if table in ENTITIES else trace_schema()


def runs_schema(description: Description) -> Schema:
    """Columns of `runs.parquet`.

    Raises:
        BadInput: Two columns would have the same name.
    """
    factors = {one.name: pl.String() if one.is_text else pl.Float64() for one in description.varied}
    measures = {one.name: pl.Float64() for one in description.measures}
    run = {one.column: TYPES[one.kind] for one in whole_run(description.link_layer)}
    schema: Schema = {}
    named = len(description.varied) + len(description.measures)
    for part in (KEYS, IDENTITY, factors, measures, WARNINGS, run):
        for name, kind in part.items():
            if name in schema:
                raise BadInput(
                    f"{name!r} cannot be the name of a factor, a derived parameter or a measure: "
                    "every data set has a column of that name"
                )
            schema[name] = kind
    if named != len(factors) + len(measures):
        raise BadInput(
            "two factors, derived parameters or measures of the study have the same name"
        )
    return schema


def entity_schema(table: str, link_layer: str) -> Schema:
    """Columns of the table of one kind of entity, including those of all control schemes."""
    own = {one.column: TYPES[one.kind] for one in tables(link_layer)[table]}
    place: Schema = {"port": pl.String(), "priority": pl.Int64()} if table == "queues" else {}
    return {**KEYS, **place, **own}


def trace_schema() -> Schema:
    """Columns of `traces.parquet`."""
    texts: Schema = dict.fromkeys(("kind", "entity", "unit"), pl.String())
    values: Schema = dict.fromkeys(("time_seconds", "minimum", "maximum"), pl.Float64())
    return {**KEYS, **texts, **values}


def optional(table: str) -> set[str]:
    """Columns of a table that are left out if no run has a value."""
    if table != "ports":
        return set()
    scheme = f"{COUNTED}scheme"
    return {
        one.column for one in tables()[table] if one.key.startswith(COUNTED) and one.key != scheme
    }


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table of a data set.

    Attributes:
        table: Name of the table.
        name: Name of the column.
        definition: Meaning of the column's values.
        unit: Unit of the column's numbers; empty without a unit.
        formula: Formula from other columns; empty if the column is not computed from others.
        source: Paper, standard or RFC that defines the column, or else `cellrate` or `study`.
    """

    table: str
    name: str
    definition: str
    unit: str = ""
    formula: str = ""
    source: str = "cellrate"


ABOUT_KEYS = {
    "run": "Number of the run in the data set, from 0: in order of points, then of replications.",
    "point": "Number of the point of the study, from 0: one value of each factor.",
    "replication": "Number of the replication at the point, from 0.",
}
ABOUT_RUN = {
    "seed": "Seed of the run.",
    "key": "Key of the run's result in a store.",
    "digest": "Hash of all events of the run; null if it failed.",
    "status": "`done` or `failed`.",
    "error": "Error message of a run that failed; else null.",
    "command": "Shell command that repeats the run.",
    "warnings": "Codes of the run's warnings, separated by commas.",
}
ABOUT_QUEUE = {"port": "Name of the port's link.", "priority": "Its priority at the port, from 1."}
ABOUT_TRACE = {
    "kind": "Traced quantity.",
    "entity": "Traced queue, channel or flow.",
    "unit": "Unit of the least and the greatest value.",
    "time_seconds": "Simulated time of the point.",
    "minimum": "Least value in the interval of the point.",
    "maximum": "Greatest value in the interval of the point.",
}


def columns(description: Description) -> list[Column]:
    """All columns that a data set of the study may have, table by table."""
    found = [*_plain(RUNS, ABOUT_KEYS | ABOUT_RUN), *_varied(description), *_named(description)]
    found += _measured(RUNS, whole_run(description.link_layer))
    for table in entities_of(description):
        found += _plain(table, ABOUT_KEYS | (ABOUT_QUEUE if table == "queues" else {}))
        found += _measured(table, measures.tables(description.link_layer)[table])
    if description.traces:
        found += _plain(TRACES, ABOUT_KEYS | ABOUT_TRACE)
    return found


def unit_of(description: Description, table: str, column: str) -> str:
    """The unit of a column; empty without a unit."""
    found = [one for one in columns(description) if (one.table, one.name) == (table, column)]
    return found[0].unit if found else ""


def expression_unit(expression: str) -> str:
    """The unit of an expression that is a measure, or ends in a measure's key; otherwise empty.

    >>> expression_unit("throughput_mbit"), expression_unit("bottleneck.queue_max_cells")
    ('Mbit/s', 'cells')
    >>> expression_unit("throughput_mbit / 2")
    ''
    """
    if not all(part.isidentifier() for part in expression.split(".")):
        return ""
    units = {one.unit for one in measures.named_by(expression)}
    return units.pop() if len(units) == 1 else ""


def write_dictionary(directory: Path, description: Description) -> None:
    """Writes `dictionary.json` and `dictionary.md` for the tables in the directory."""
    present = {path.stem: set(parquet_table.columns(path)) for path in directory.glob("*.parquet")}
    found = [one for one in columns(description) if one.name in present.get(one.table, ())]
    for table, beginning in COUNTED_COLUMNS.items():
        defined = {one.name for one in found if one.table == table}
        for name in sorted(present.get(table, set()) - defined):
            if name.startswith(beginning):
                what = f"`{name.removeprefix(beginning)}` of the class that is the control scheme."
                found.append(Column(table, name, what, source="study"))
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
    known = measures.tables(description.link_layer)[measures.EXPRESSIONS]
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
