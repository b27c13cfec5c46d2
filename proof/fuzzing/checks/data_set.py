"""Check of data sets with any damage to their files.

Random bytes are hardly ever JSON with the right keys beside a Parquet file with the right columns.
So `check_parts` makes descriptions and tables that do not fit each other: the input chooses changed
types, and missing columns and values.
"""

import json
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
from cellrate.common.problems import BadInput
from cellrate.studies.dataset import DataSet, columns
from cellrate.studies.dataset.columns import ENTITIES, entity_schema, runs_schema
from cellrate.studies.dataset.description import Description, FactorColumn, MeasureColumn, as_json
from cellrate.studies.dataset.table import Question, tabulate

from proof.fuzzing.checks.parquet import TYPES, VALUES, series

DESCRIPTION = Description(
    "s",
    "s.toml",
    (
        FactorColumn("buffer", "switch.buffer", "Buffer", "cells"),
        FactorColumn("scheme", "switch.control.scheme", "choice"),
    ),
    (FactorColumn("ratio"),),
    (MeasureColumn("m", "throughput_mbit"),),
)
JSON: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**70, 1.5, float("nan"), float("inf"), "", "runs", "point", "run"),
    *("buffer", "m", "choice", "number", "switch.buffer", "\ud800", "x" * 300, [], {}, [[]], [{}]),
    *([1], ["queue"], {"name": "m"}, {"name": "n", "expression": "("}, {"a": {"b": []}}),
)
"""Values that replace values of a description."""
ROWS = 4
TABLE = 1
"""First byte, modulo 2, of an input that is a table; other inputs are descriptions."""
SOUND = """{
  "format": 1, "version": "0", "name": "s", "scenario": "s.toml",
  "factors": [
    {"name": "switch.buffer", "path": "switch.buffer", "kind": "Buffer", "unit": "cells"}
  ],
  "derived": [], "measures": [{"name": "m", "expression": "throughput_mbit"}],
  "level": 0.95, "common_random_numbers": true, "replications": 2, "traces": ["queue"]
}
"""


def check(data: bytes) -> None:
    """Checks the input as the description of a data set or its table of runs, by the first byte."""
    kind, content = data[:1], data[1:]
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        if kind and kind[0] % 2 == TABLE:
            (directory / "study.json").write_text(SOUND, encoding="utf-8")
            (directory / "runs.parquet").write_bytes(content)
        else:
            (directory / "study.json").write_bytes(content)
        try:
            found = DataSet(directory)
            assert columns.columns(found.description)
            assert found.runs.height >= 0
        except BadInput as error:
            assert str(error)


def check_parts(data: bytes) -> None:
    """Checks changes, which the input chooses, of the description and of two tables."""
    choices = iter(data)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        text = json.dumps(_described(choices), ensure_ascii=True)
        (directory / "study.json").write_text(text, encoding="utf-8")
        for table, schema in TABLES.items():
            _table(schema, choices).write_parquet(directory / f"{table}.parquet")
        try:
            found = DataSet(directory)
            assert columns.columns(found.description)
            assert found.runs.height == ROWS
            assert found.document().parts
            tabulate(found, Question(measures=("m",)))
            assert found.frame("flows").height == ROWS
            tabulate(found, Question(measures=("goodput_bits_per_second",), table="flows"))
        except BadInput as error:
            assert str(error)


TABLES = {"runs": runs_schema(DESCRIPTION), "flows": entity_schema(ENTITIES[0], "atm")}


def _described(choices: Iterator[int]) -> dict[str, Any]:
    """A sound description after up to three changes of values, or of values within these."""
    found: dict[str, Any] = json.loads(as_json(DESCRIPTION, runs=ROWS, failed=0))
    for _ in range(next(choices, 0) % 4):
        at: Any = found
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not keys:
                break
            key = keys[next(choices, 0) % len(keys)]
            inner = at[key]
            if isinstance(inner, dict | list) and inner and next(choices, 0) % 4:
                at = inner
                continue
            if next(choices, 0) % 5:
                # A later change may reach into the value.
                at[key] = deepcopy(JSON[next(choices, 0) % len(JSON)])
            else:
                del at[key]
            break
    return found


def _table(schema: dict[str, pl.DataType], choices: Iterator[int]) -> pl.DataFrame:
    """A sound table after up to three columns have been left out, or replaced."""
    frame = pl.DataFrame([_sound(name, kind) for name, kind in schema.items()])
    for _ in range(next(choices, 0) % 4):
        name = frame.columns[next(choices, 0) % len(frame.columns)]
        how = next(choices, 0) % 3
        if how == 0:
            frame = frame.drop(name)
        elif how == 1:
            frame = frame.with_columns(_column(name, TYPES[next(choices, 0) % len(TYPES)], choices))
        else:
            frame = frame.with_columns(_column(name, frame.schema[name], choices))
        if not frame.columns:
            break
    return frame


def _sound(name: str, kind: pl.DataType) -> pl.Series:
    if name in {"run", "point"}:
        return pl.Series(name, range(ROWS), kind)
    value: object = {"status": "done"}.get(name, "efci" if kind == pl.String() else 1)
    return pl.Series(name, [[] if isinstance(kind, pl.List) else value] * ROWS, kind)


def _column(name: str, kind: pl.DataType, choices: Iterator[int]) -> pl.Series:
    """Values of a type that the input chooses."""
    picked = [VALUES[next(choices, 0) % len(VALUES)] for _ in range(2)]
    return series(name, kind, picked * (ROWS // 2))
