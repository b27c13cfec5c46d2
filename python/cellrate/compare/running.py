"""The runs of alternatives of one scenario, as a table with a row per run."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl

from cellrate.compare.alternatives import Varied, combinations_of
from cellrate.compare.measures import Measure
from cellrate.language.errors import ExpressionError
from cellrate.language.of_a_run import value
from cellrate.language.runs import Outcome, Run
from cellrate.runner import Job

Runner: TypeAlias = Callable[[Sequence[Job]], Sequence[Outcome]]
"""Runs jobs and returns their outcomes in order: `run_many` with its store and progress."""


@dataclass(frozen=True)
class Table:
    """Runs of all alternatives.

    Attributes:
        runs: Columns `seed`, `digest`, `command`, one per path that varies, one per measure.
        reasons: Why a measure has no value in a run, the first time that it had none.
    """

    runs: pl.DataFrame
    reasons: dict[str, str]


def run_all(
    base: Job,
    varies: Sequence[Varied],
    measures: Sequence[Measure],
    seeds: Sequence[int],
    runner: Runner,
) -> Table:
    """Runs every combination of what varies with the same seeds.

    Raises:
        ScenarioError: A combination is no scenario.
        KeyboardInterrupt: Ctrl-C was pressed; complete runs are kept.
    """
    jobs: list[Job] = []
    rows: list[dict[str, Any]] = []
    for levels in combinations_of(varies):
        settings = tuple(setting for level in levels for setting in level.settings)
        for seed in seeds:
            job = Job(base.text, base.path, base.overrides + settings, seed)
            jobs.append(job)
            values = zip(varies, levels, strict=True)
            row: dict[str, Any] = {varied.path: level.value for varied, level in values}
            rows.append(row | {"seed": seed, "command": command_of(job)})
    reasons: dict[str, str] = {}
    for row, outcome in zip(rows, runner(jobs), strict=True):
        run = Run(outcome, row["command"])
        row["digest"] = run.digest
        for one in measures:
            row[one.name] = _value(one, run, reasons)
    types: dict[str, Any] = {one.name: pl.Float64 for one in measures}
    return Table(pl.DataFrame(rows, schema_overrides=types), reasons)


def command_of(job: Job) -> str:
    """What to type to do that run alone."""
    settings = (part for setting in job.overrides for part in ("--set", setting))
    return shlex.join(["cellrate", "run", job.path, *settings, "--seed", str(job.seed)])


def _value(measure: Measure, run: Run, reasons: dict[str, str]) -> float | None:
    try:
        return value(measure.expression, run)
    except ExpressionError as error:
        reasons.setdefault(measure.name, str(error))
        return None
