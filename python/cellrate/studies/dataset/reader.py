"""Reads a data set, and checks that its tables agree with its description."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from cellrate.common import parquet_table
from cellrate.common.document import (
    Block,
    Document,
    Paragraph,
    Remark,
    Row,
    Section,
    Shown,
    Table,
    columns,
)
from cellrate.common.extras import needing
from cellrate.common.input_file import read_own_text
from cellrate.common.numbers import counted, value_text
from cellrate.common.parquet import refused
from cellrate.common.problems import BadInput, choose
from cellrate.simulation.series import Series
from cellrate.studies.dataset.columns import (
    ENTITIES,
    FAILED,
    IDENTITY,
    KEYS,
    RUNS,
    STATUS,
    STUDY,
    TRACES,
    distinct,
    entities_of,
    table_schema,
    tables_of,
    trace_schema,
)
from cellrate.studies.dataset.columns import columns as dictionary
from cellrate.studies.dataset.description import Description, FactorColumn, from_json
from cellrate.studies.polars_threads import refuse_too_few

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from cellrate.common.document import Document


AGAIN = "run the study again"
# Columns that identify the rows of a run, by table; `name` in all others.
ENTITY = {"classes": ("service",), "queues": ("port", "priority")}


def refuse_other_columns(
    found: Mapping[str, pl.DataType], table: str, description: Description, path: Path
) -> None:
    """Checks the columns of a table.

    Columns that identify a run, and the factors, derived parameters and measures of the study must
    exist. All columns must have the type in the dictionary. Columns of other versions of cellrate
    may be missing or added.

    Raises:
        BadInput: A column is missing, or of another type; the message names it.
    """
    wanted = table_schema(table, description)
    needed = _needed(table, description)
    for name, kind in wanted.items():
        if name not in found:
            if name in needed:
                raise BadInput(f"{path} has no column `{name}`; {AGAIN}")
        # A column without any value has the type null.
        elif found[name] not in (kind, pl.Null()):
            raise BadInput(
                f"{path}: the column `{name}` is of type {found[name]}, must be {kind}; {AGAIN}"
            )


def identifying(description: Description) -> list[str]:
    """Columns that identify a run in the study: point, replication, run, status and factors."""
    return [*KEYS, STATUS, *(one.name for one in description.factors)]


def refuse_bad_rows(runs: pl.DataFrame, path: Path) -> None:
    """Checks that each run has one row with its numbers and, unless the run failed, its factors.

    Args:
        runs: The columns of `identifying`.
        path: The file, for the message.

    Raises:
        BadInput: A row is wrong; the message names row and column.
    """
    failed = runs[STATUS] == FAILED
    for column in runs.iter_columns():
        lacks = column.is_null() | (column.is_nan() if column.dtype.is_float() else False)
        told = lacks if column.name in (*KEYS, STATUS) else lacks & ~failed
        for row in told.arg_true().head(1):
            said = "has no value" if column[row] is None else f"is {column[row]}"
            raise BadInput(f"{path}, row {row}: `{column.name}` {said}; {AGAIN}")
    # Tables of entities are joined with the runs by the number of the run.
    for row in runs["run"].is_duplicated().arg_true().head(1):
        raise BadInput(f"{path}, row {row}: run {runs['run'][row]} is there twice; {AGAIN}")


def _needed(table: str, description: Description) -> frozenset[str]:
    if table in ENTITIES:
        return frozenset(KEYS)
    if table != RUNS:
        return frozenset(trace_schema())
    varied = (one.name for one in description.varied)
    measures = (one.name for one in description.measures)
    return frozenset({*KEYS, *IDENTITY, *varied, *measures})


class DataSet(Shown):
    """The data set of a study; tables are read on first use. Notebooks show a summary.

    Args:
        directory: Directory of the data set.

    Raises:
        BadInput: The directory holds no data set, or one of another format.
        RuntimeError: The system allows too few threads.
    """

    def __init__(self, directory: str | Path) -> None:
        refuse_too_few()
        self.directory = Path(directory)
        place = self.directory / STUDY
        try:
            text = read_own_text(place)
        except (FileNotFoundError, NotADirectoryError) as error:
            why = "does not exist" if not self.directory.exists() else f"holds no {STUDY}"
            raise BadInput(f"{directory} is not the data set of a study: it {why}") from error
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"cannot read {place}: {error}") from error
        self.description: Description = from_json(text, str(place))
        self._rows_are_checked = False

    def __repr__(self) -> str:
        return f"<DataSet {self.description.name} in {self.directory}>"

    def document(self) -> Document:
        """The points and the means of their measures over replications, as a document."""
        return data_set_document(self)

    @property
    def tables(self) -> list[str]:
        """Names of the tables."""
        return tables_of(self.description)

    def scan(self, table: str = RUNS) -> pl.LazyFrame:
        """A table as a `LazyFrame`, the start of a lazy polars query.

        Raises:
            BadInput: The table does not exist, or its file is missing, damaged, or not what the
                description says.
        """
        path = self.directory / f"{choose(table, self.tables, 'table')}.parquet"
        with self._refused(path):
            frame = parquet_table.scan(path)
            found = frame.collect_schema()
        refuse_other_columns(found, table, self.description, path)
        if table == RUNS and not self._rows_are_checked:
            with self._refused(path):
                identified = frame.select(identifying(self.description)).collect()
            refuse_bad_rows(identified, path)
            self._rows_are_checked = True
        return frame

    def collect(self, query: pl.LazyFrame) -> pl.DataFrame:
        """The rows of a query that began with `scan`.

        Raises:
            BadInput: A file is damaged after its header, which `scan` does not notice.
        """
        with self._refused(self.directory):
            return query.collect()

    def _refused(self, path: Path) -> AbstractContextManager[None]:
        return refused(lambda why: BadInput(f"cannot read {path}: {why}; run the study again"))

    def columns(self, table: str = RUNS) -> dict[str, pl.DataType]:
        """Columns of a table and their types.

        Raises:
            BadInput: The table does not exist, or its file is missing or damaged.
        """
        return dict(self.scan(table).collect_schema())

    @cached_property
    def warned(self) -> dict[str, int]:
        """For each code of a warning, the number of runs with it; empty in older data sets."""
        if "warnings" not in self.runs.columns:
            return {}
        codes = self.runs["warnings"].str.split(",").explode().drop_nulls()
        return {code: runs for code, runs in codes.value_counts(sort=True).iter_rows() if code}

    @cached_property
    def runs(self) -> pl.DataFrame:
        """One row per run: point, replication, seed, factors, measures of the whole run.

        Raises:
            BadInput: The file is missing or damaged, or a run has no value of a factor.
        """
        return self.collect(self.scan(RUNS))

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row per run and flow."""
        return self.collect(self.scan("flows"))

    @cached_property
    def classes(self) -> pl.DataFrame:
        """One row per run and service class."""
        return self.collect(self.scan("classes"))

    @cached_property
    def vcs(self) -> pl.DataFrame:
        """One row per run and directed channel."""
        return self.collect(self.scan("vcs"))

    @cached_property
    def ports(self) -> pl.DataFrame:
        """One row per run and output port of a switch."""
        return self.collect(self.scan("ports"))

    @cached_property
    def queues(self) -> pl.DataFrame:
        """One row per run and queue of an output port."""
        return self.collect(self.scan("queues"))

    @cached_property
    def traces(self) -> pl.DataFrame:
        """One row per run and point of a trace.

        Raises:
            BadInput: The study keeps no traces.
        """
        return self.collect(self.scan(TRACES))

    def frame(self, table: str = RUNS) -> pl.DataFrame:
        """A table in which every row also has the factors and derived parameters of its run.

        Raises:
            BadInput: The table does not exist.
        """
        if table == RUNS:
            return self.runs
        varied = [one.name for one in self.description.varied]
        of_run = self.scan(RUNS).select("run", *varied)
        own = self.scan(table)
        keys = ["run", "point", "replication"]
        rest = [name for name in own.collect_schema() if name not in keys]
        joined = own.join(of_run, on="run", how="left", suffix="_of_run", maintain_order="left")
        names = [f"{name}_of_run" if name in rest else name for name in varied]
        return self.collect(joined.select(*keys, *names, *rest))

    def series(self, run: int, kind: str, entity: str) -> Series:
        """A trace of a run.

        Raises:
            BadInput: The study keeps no traces.
            KeyError: The run has no such trace; the message lists its traces.
        """
        own = self.scan(TRACES).filter(pl.col("run") == run)
        found = self.collect(own.filter(pl.col("kind") == kind, pl.col("entity") == entity))
        if found.is_empty():
            traced = self.collect(own.select("kind", "entity").unique(maintain_order=True)).rows()
            names = ", ".join(f"{known} of {of}" for known, of in traced)
            raise KeyError(
                f"run {run} has no trace `{kind}` of `{entity}`; traced: {names or 'nothing'}"
            )
        values = (found[name].to_numpy() for name in ("time_seconds", "minimum", "maximum"))
        return Series(kind, entity, found["unit"][0], *values)

    def to_pandas(self, table: str = RUNS) -> pd.DataFrame:
        """`frame` as a data frame of pandas; the extra `pandas` installs it.

        Raises:
            BadInput: The table does not exist.
            MissingExtra: pandas is not installed.
        """
        from cellrate.common.extras import as_pandas

        return as_pandas(self.frame(table))

    def to_xarray(self, measure: str, table: str = RUNS) -> xr.DataArray:
        """A measure as an array with a dimension for each factor, the replication and the entity.

        If the points of the study are not all combinations of their factors' values, the array has
        a dimension `point` instead, with the factors as coordinates along it. Missing values are
        NaN. Needs the extra `xarray`.

        Args:
            measure: A column of the table that holds numbers.
            table: `runs`, or a table with a row per entity.

        Raises:
            BadInput: The table or column does not exist.
            MissingExtra: xarray is not installed.
        """
        with needing("to_xarray"):
            import xarray as xr

        types = self.columns(table)
        numeric = [name for name, kind in types.items() if kind.is_numeric()]
        choose(measure, numeric, f"measure of {table}")
        rows = self.frame(table)
        varied = self.description.factors
        points = rows.select("point", *(one.name for one in varied)).unique().sort("point")
        grid = _is_grid(points, varied)
        across = [one.name for one in varied] if grid else ["point"]
        own = () if table == RUNS else ENTITY.get(table, ("name",))
        dimensions = [*across, "replication", *own]
        if measure in dimensions:
            raise BadInput(f"{measure!r} is a dimension of the array, not a measure")
        labels = {name: distinct(rows[name]) for name in dimensions}
        values = np.full([len(one) for one in labels.values()], np.nan)
        places = tuple(_places(rows[name], labels[name]) for name in dimensions)
        values[places] = rows[measure].cast(pl.Float64)
        coordinates: dict[str, Any] = {name: (name, one.to_numpy()) for name, one in labels.items()}
        if not grid:
            coordinates |= {one.name: ("point", points[one.name].to_numpy()) for one in varied}
        array = xr.DataArray(values, coordinates, dimensions, measure)
        known = dictionary(self.description)
        about = {one.name: one for one in known if one.table == table}
        array.attrs = {"units": about[measure].unit, "long_name": about[measure].definition}
        for one in varied:
            array[one.name].attrs["units"] = one.unit
        return array


def _is_grid(points: pl.DataFrame, varied: tuple[FactorColumn, ...]) -> bool:
    """True if the study has exactly one point for every combination of the factors' values."""
    combinations = int(np.prod([points[one.name].n_unique() for one in varied]))
    names = [one.name for one in varied]
    return bool(names) and combinations == len(points) == points.select(names).n_unique()


def _places(column: pl.Series, labels: pl.Series) -> np.ndarray[Any, Any]:
    """Index of each value among the labels."""
    place = {label: index for index, label in enumerate(labels.to_list())}
    return np.array([place[value] for value in column.to_list()], dtype=np.intp)


# Points are listed up to this number.
MOST_POINTS = 30


def data_set_document(data: DataSet) -> Document:
    """The means of the measures at each point, and the runs that failed."""
    from cellrate.studies.dataset import ended_files  # imports this module

    described, runs = data.description, data.runs
    failed = runs.filter(pl.col("status") != "done")
    factors = [one.name for one in described.varied]
    measures = [one.name for one in described.measures]
    points = counted(runs["point"].n_unique(), "point")
    ended, lacking = ended_files.whole(data, runs, ("point",), measures)
    parts: list[Block] = [
        Paragraph(
            f"{described.scenario}, {counted(len(runs), 'run')} at {points}; "
            f"tables runs, {', '.join(entities_of(described))}"
        )
    ]
    if len(failed):
        parts.append(
            Remark(f"{counted(len(failed), 'run')} failed; DataSet.runs has their errors", "bad")
        )
    units = {one.name: one.unit for one in described.varied}
    texts = described.texts
    titles = [one if one in texts else f"{one}\n{units[one]}".rstrip() for one in factors]
    titles += measures
    numeric = range(len(factors), len(titles))
    means = (
        ended.group_by("point", *factors, maintain_order=True)
        .agg(pl.col(measures).mean())
        .sort("point")
    )
    shown = means.head(MOST_POINTS).select(*factors, *measures)
    table = Table(
        columns(*titles, numbers=numeric),
        tuple(
            Row(
                tuple(
                    "" if value is None else texts.get(name, {}).get(value) or value_text(value)
                    for name, value in row.items()
                )
            )
            for row in shown.iter_rows(named=True)
        ),
    )
    parts.append(Section("Means over replications", (table,)))
    if lacking:
        parts.append(Remark(ended_files.note(lacking)))
    if len(means) > MOST_POINTS:
        parts.append(
            Remark(f"{counted(len(means) - MOST_POINTS, 'further point')}, in DataSet.runs")
        )
    return Document(f"Data set {described.name}", tuple(parts))
