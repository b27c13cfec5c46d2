"""Writes a data set, run by run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from operator import getitem
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from cellrate.common import scratch
from cellrate.common.problems import writing
from cellrate.common.whole_file import make_directory
from cellrate.simulation import frames, output
from cellrate.simulation.api import Result
from cellrate.studies.dataset.columns import (
    COUNTED_COLUMNS,
    DICTIONARY,
    DONE,
    ENTITIES,
    FAILED,
    KEYS,
    RUNS,
    STUDY,
    TRACES,
    entities_of,
    optional,
    table_schema,
    tables_of,
    whole_run,
    write_dictionary,
)
from cellrate.studies.dataset.description import Description, as_json
from cellrate.studies.dataset.table_writer import ORDER, Key, Parts
from cellrate.studies.polars_threads import refuse_too_few

if TYPE_CHECKING:
    from cellrate import _core


OURS = frozenset(
    {
        STUDY,
        f"{DICTIONARY}.json",
        f"{DICTIONARY}.md",
        *(f"{table}.parquet" for table in (RUNS, *ENTITIES, TRACES)),
    }
)


def refuse_foreign(directory: Path) -> None:
    """Checks that a directory is new or empty, or holds a data set.

    Raises:
        FileExistsError: The path is a file, a directory with other files but no data set, or the
            working directory, which cannot be replaced.
    """
    if directory.resolve() == Path.cwd():
        raise FileExistsError(f"{directory} is the working directory; name a directory in it")
    if not directory.exists() and not directory.is_symlink():
        return
    if not directory.is_dir() or directory.is_symlink():
        raise FileExistsError(f"{directory} exists and is not a directory")
    if any(directory.iterdir()) and not (directory / STUDY).is_file():
        raise FileExistsError(
            f"{directory} is not empty and holds no data set; name an empty or new directory"
        )


@contextmanager
def replacing(directory: Path) -> Iterator[Path]:
    """Context manager with a fresh directory, which replaces `directory` unless the block raises.

    Other files in the directory of an earlier data set, such as reports and figures, are kept.

    Raises:
        FileExistsError: `directory` is not empty and holds no data set.
    """

    def take(fresh: Path) -> None:
        for entry in directory.iterdir() if directory.exists() else ():
            if entry.name not in OURS:
                copy = shutil.copytree if entry.is_dir() else shutil.copy2
                copy(entry, fresh / entry.name)

    with output.replacing(directory, refuse_foreign, take) as fresh:
        yield fresh


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run of a study, with the values that the data set stores.

    Attributes:
        point: Number of the point, from 0.
        replication: Number of the replication at the point, from 0.
        seed: Seed of the run.
        key: Key of the run's result in a store.
        command: Shell command that repeats the run.
        values: Value of each factor and derived parameter: a number in the column's unit, or a
            text.
        measures: Value of each named measure of the study; None without a value.
        error: Error message of a run that failed, on one line; else None.
    """

    point: int
    replication: int
    seed: int
    key: str
    command: str
    values: Mapping[str, str | float | bool] = field(default_factory=dict)
    measures: Mapping[str, float | None] = field(default_factory=dict)
    error: str | None = None


class Writer:
    """Writes a data set; runs may be added in any order, the tables do not depend on it.

    Rows are kept in files beside the directory, so memory does not grow with the study. The
    directory does not change before `finish`, which the end of a `with` block calls unless an
    exception is raised. The same study gives the same bytes.

    Args:
        directory: Directory of the data set. An earlier data set in it is replaced; other files are
            kept.
        description: Description of the study.

    Raises:
        BadInput: Two columns would have the same name.
        FileExistsError: The directory is not empty and holds no data set.
        RuntimeError: The system allows too few threads.
    """

    def __init__(self, directory: str | Path, description: Description) -> None:
        refuse_too_few()
        self.directory = Path(directory)
        self.description = description
        schemas = {table: table_schema(table, description) for table in tables_of(description)}
        with writing(self.directory):
            scratch.clear(self.directory)
            refuse_foreign(self.directory)
            make_directory(self.directory.parent)
            self._scratch = scratch.beside(self.directory)
            self._tables = {
                name: Parts(
                    self._scratch / name, schema, optional(name), COUNTED_COLUMNS.get(name, "")
                )
                for name, schema in schemas.items()
            }
        self._whole_run = [
            (one.column, one.key.split(".")) for one in whole_run(description.link_layer)
        ]
        self._keys: set[Key] = set()
        self._failed = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.finish()
        else:
            self.abandon()

    def add(self, run: RunRow, outcome: Result | _core.Outcome | None) -> None:
        """Adds a run.

        Args:
            run: The run.
            outcome: Result of the run, whose summary is decoded unless a `Result` has done so; None
                if the run failed.

        Raises:
            ValueError: The run was added before, or it has not exactly one of outcome and error.
            OSError: The rows cannot be written.
        """
        if not (outcome is None or isinstance(outcome, Result)):
            outcome = Result(outcome)
        with writing(self.directory):
            self._add(run, outcome)

    def _add(self, run: RunRow, result: Result | None) -> None:
        key = (run.point, run.replication)
        if key in self._keys:
            raise ValueError(f"replication {key[1]} of point {key[0]} was added before")
        if (result is None) != (run.error is not None):
            raise ValueError("a run has either an outcome or an error")
        self._keys.add(key)
        if result is None:
            self._failed += 1
            self._tables[RUNS].add(key, [self._row(run, {})])
            return
        self._tables[RUNS].add(key, [self._row(run, result.summary)])
        for table in entities_of(self.description):
            self._tables[table].add(key, frames.rows(table, result.summary))
        if self.description.traces:
            kept = [one for one in result.traces if one.kind in self.description.traces]
            self._tables[TRACES].add_frame(key, frames.traces(kept))

    def _row(self, run: RunRow, summary: Mapping[str, Any]) -> dict[str, Any]:
        """The row of a run in `runs.parquet`."""
        texts = {one.name for one in self.description.varied if one.is_text}
        values = {
            name: _text(value) if name in texts else float(value)
            for name, value in run.values.items()
        }
        return {
            "seed": run.seed,
            "key": run.key,
            "digest": summary.get("digest"),
            "status": DONE if run.error is None else FAILED,
            "error": run.error,
            "command": run.command,
            **values,
            **run.measures,
            "warnings": ",".join(dict.fromkeys(one["code"] for one in summary.get("warnings", ()))),
            **self._measured(summary),
        }

    def _measured(self, summary: Mapping[str, Any]) -> dict[str, Any]:
        """Measures of the whole run; empty for a run that failed."""
        if not summary:
            return {}
        return {column: reduce(getitem, path, summary) for column, path in self._whole_run}

    def finish(self) -> Path:
        """Writes the tables into the directory, and returns the directory.

        Raises:
            FileExistsError: The directory is not empty and holds no data set.
            OSError: A file cannot be written; an earlier data set is unchanged.
        """
        keys = sorted(self._keys)
        numbers = pl.LazyFrame(
            {"run": range(len(keys)), **{n: [key[i] for key in keys] for i, n in enumerate(ORDER)}},
            schema=KEYS,
        )
        try:
            with replacing(self.directory) as fresh:
                for name, parts in self._tables.items():
                    parts.finish(fresh / f"{name}.parquet", numbers)
                write_dictionary(fresh, self.description)
                text = as_json(self.description, runs=len(keys), failed=self._failed)
                (fresh / STUDY).write_text(text, encoding="utf-8", newline="\n")
        finally:
            self.abandon()
        return self.directory

    def abandon(self) -> None:
        """Removes the rows written so far; an earlier data set is kept."""
        scratch.remove(self._scratch)


def _text(value: str | float | bool) -> str:
    """A choice or boolean as text, as in a scenario."""
    return str(value).lower() if isinstance(value, bool) else str(value)
