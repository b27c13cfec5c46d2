"""Runs the alternatives of one scenario and returns a table with a row per run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl

from cellrate import ScenarioError
from cellrate.common.problems import BadInput
from cellrate.language.expressions import ExpressionError
from cellrate.language.of_a_run import value
from cellrate.language.runs import Run, run_of
from cellrate.simulation.run_types import StreamRunner
from cellrate.simulation.runner import Job
from cellrate.studies.compare.alternatives import Varied, combinations_of
from cellrate.studies.compare.measures import Measure

Notice: TypeAlias = Callable[[str], None]
"""Called with a message for every run that failed."""


DONE, FAILED = "done", "failed"


@dataclass(frozen=True)
class Table:
    """Runs of all alternatives.

    Attributes:
        runs: Columns `seed`, `status`, `digest` and `command`, one for each path that varies, and
            one for each measure.
        reasons: For each measure without a value in some run, the error of the first such run.
    """

    runs: pl.DataFrame
    reasons: dict[str, str]

    @property
    def has_failed(self) -> bool:
        """True if a run failed."""
        return FAILED in self.runs["status"]


def run_all(
    base: Job,
    varies: Sequence[Varied],
    measures: Sequence[Measure],
    seeds: Sequence[int],
    runner: StreamRunner,
    notice: Notice,
) -> Table:
    """Runs every combination of levels with the same seeds; a run that fails has no values.

    Raises:
        BadInput: A combination is not a valid scenario; raised before the first run.
        OSError: The store cannot be read or written.
        KeyboardInterrupt: Ctrl-C was pressed; complete runs are kept.
    """
    jobs: list[Job] = []
    rows: list[dict[str, Any]] = []
    for levels in combinations_of(varies):
        settings = tuple(setting for level in levels for setting in level.settings)
        _require_valid(Job(base.text, base.path, base.overrides + settings))
        for seed in seeds:
            job = Job(base.text, base.path, base.overrides + settings, seed)
            jobs.append(job)
            values = zip(varies, levels, strict=True)
            row: dict[str, Any] = {varied.path: level.value for varied, level in values}
            rows.append(row | {"seed": seed, "command": job.command()})
    reasons: dict[str, str] = {}
    with closing(runner(jobs)) as results:
        for row, done in zip(rows, results, strict=True):
            if done.outcome is None:
                row |= {"status": FAILED, "digest": None}
                row |= {one.name: None for one in measures}
                notice(f"failed: {' '.join(done.error.split())}\n  {row['command']}")
                for one in measures:
                    reasons.setdefault(one.name, done.error)
                continue
            run = run_of(done.outcome, row["command"], done.scenario)
            row |= {"status": DONE, "digest": run.digest}
            row |= {one.name: _value(one, run, reasons) for one in measures}
    types: dict[str, Any] = {"digest": pl.String} | {one.name: pl.Float64 for one in measures}
    return Table(pl.DataFrame(rows, schema_overrides=types), reasons)


def _require_valid(job: Job) -> None:
    try:
        job.resolved()
    except ScenarioError as error:
        # Without the alternatives the scenario is valid, so the fault is in one of them.
        told = str(error).removeprefix("error: ").replace("--> --set:", "--> --vary:")
        raise BadInput(told) from error


def _value(measure: Measure, run: Run, reasons: dict[str, str]) -> float | None:
    try:
        return value(measure.expression, run)
    except ExpressionError as error:
        reasons.setdefault(measure.name, str(error))
        return None
