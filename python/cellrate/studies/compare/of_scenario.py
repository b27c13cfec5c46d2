"""Compares alternatives of one scenario by running them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeAlias

import polars as pl

from cellrate import ScenarioError
from cellrate.common.problems import BadInput
from cellrate.language.ended_flows import FILES, needs_ended_flows
from cellrate.language.expressions import ExpressionError
from cellrate.language.of_a_run import value
from cellrate.language.runs import Run, run_of
from cellrate.simulation.run_types import StreamRunner
from cellrate.simulation.runner import Job
from cellrate.studies.compare.answer import LOST_OUTSIDE, Comparison
from cellrate.studies.compare.comparing import LEVEL, Rules, compare
from cellrate.studies.compare.measures import Measure, asked_for, directions, is_share
from cellrate.studies.parameters.keys import Key, Keys, number
from cellrate.studies.parameters.variants import form_at, switched


@dataclass(frozen=True)
class Level:
    """One value of a factor.

    Attributes:
        value: The value as the user wrote it.
        setting: Override that sets the value, in the form of `--set`; empty if the scenario has the
            value already.
        left_out: Keys that the scenario sets, and that do not exist with this value, such as the
            parameters of another scheme.
    """

    value: str
    setting: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Varied:
    """A factor: a dotted path and its values in order."""

    path: str
    levels: tuple[Level, ...]


def varied(base: Job, asked: Sequence[str]) -> tuple[Varied, ...]:
    """Parses `--vary PATH=A,B,C`; the end of a path is enough if it is unique.

    Raises:
        BadInput: A path or value is unknown, or a path is varied twice.
        ScenarioError: The scenario itself is wrong.
    """
    keys = Keys(replace(base, seed=None).resolved())
    found = tuple(_varied(base, keys, one) for one in asked)
    for at, one in enumerate(found):
        if one.path in {other.path for other in found[:at]}:
            raise BadInput(f"--vary {one.path}: the parameter is varied twice")
    if not found:
        raise BadInput("name what is compared: --vary PATH=A,B,C")
    return found


def _varied(base: Job, keys: Keys, text: str) -> Varied:
    path, equals, listed = (part.strip() for part in text.partition("="))
    values = tuple(dict.fromkeys(part.strip() for part in listed.split(",")))
    if not (path and equals) or not all(values):
        raise BadInput(f"--vary takes PATH=A,B,C, not {text!r}")
    form = form_at(keys, path, base.text, base.overrides, base.path)
    if form is not None:
        changes = [switched(form, value) for value in values]
        levels = zip(values, changes, strict=True)
        return Varied(form.path, tuple(Level(v, one.setting, one.left_out) for v, one in levels))
    key = keys.find(path)
    if key.path == "run.seed":
        raise BadInput("--vary run.seed: every alternative gets the same seeds; see --seeds")
    return Varied(key.path, tuple(Level(one, _setting(key, one)) for one in values))


def _setting(key: Key, value: str) -> str:
    """The override that sets a key. A fraction such as 1/16 becomes a number.

    Raises:
        BadInput: The key cannot have the value.
    """
    if key.kind in {"boolean", "choice"}:
        key.chosen(value)
    else:
        found = number(value, key)
        if "/" in value and key.kind in {"number", "integer"}:
            return f"{key.path}={int(found) if key.kind == 'integer' else repr(found)}"
    return f"{key.path}={value}"


def combinations_of(found: Sequence[Varied]) -> list[tuple[Level, ...]]:
    """All combinations of one level of each factor; the last factor changes fastest."""
    return list(product(*(one.levels for one in found)))


def left_out(found: Sequence[Varied]) -> list[str]:
    """Sentences on keys of the scenario that have no meaning under some alternatives."""
    return [
        f"{one.path}={level.value} does not know {', '.join(level.left_out)}, set for another one"
        for one in found
        for level in one.levels
        if level.left_out
    ]


Notice: TypeAlias = Callable[[str], None]
"""Called with a message for every run that failed."""


DONE, FAILED = "done", "failed"


@dataclass(frozen=True)
class Table:
    """Table with the runs of all alternatives.

    Attributes:
        runs: Columns `seed`, `status`, `digest`, `files_unfinished`, `warnings` (codes with commas
            between them) and `command`, one for each path that varies, and one for each measure.
        reasons: For each measure without a value in some run, the error of the first such run.
        warnings: See `Comparison`.
        lost_outside: See `Comparison`.
    """

    runs: pl.DataFrame
    reasons: dict[str, str]
    warnings: tuple[Mapping[str, str], ...]
    lost_outside: Mapping[str, int]

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
        settings = tuple(level.setting for level in levels if level.setting)
        _require_valid(Job(base.text, base.path, base.overrides + settings))
        for seed in seeds:
            job = Job(base.text, base.path, base.overrides + settings, seed)
            jobs.append(job)
            values = zip(varies, levels, strict=True)
            row: dict[str, Any] = {varied.path: level.value for varied, level in values}
            rows.append(row | {"seed": seed, "command": job.command()})
    reasons: dict[str, str] = {}
    warnings: dict[str, Mapping[str, str]] = {}
    told: set[tuple[str, ...]] = set()
    lost_outside: dict[str, int] = {}
    with closing(runner(jobs)) as results:
        for row, done in zip(rows, results, strict=True):
            if done.outcome is None:
                row |= {"status": FAILED, "digest": None, FILES: None, "warnings": None}
                row |= {one.name: None for one in measures}
                notice(f"failed: {' '.join(done.error.split())}\n  {row['command']}")
                for one in measures:
                    reasons.setdefault(one.name, done.error)
                continue
            run = run_of(done.outcome, row["command"], done.scenario)
            codes = list(dict.fromkeys(one["code"] for one in run.warnings))
            row |= {"status": DONE, "digest": run.digest, FILES: run.files_unfinished}
            row["warnings"] = ",".join(codes)
            alternative = tuple(row[varied.path] for varied in varies)
            if LOST_OUTSIDE in codes:
                named = ", ".join(alternative)
                lost_outside[named] = lost_outside.get(named, 0) + 1
            new = [one for one in run.warnings if (*alternative, one["code"]) not in told]
            told |= {(*alternative, one["code"]) for one in new}
            for one in new:
                warnings.setdefault(one["message"], one)
            row |= {one.name: _value(one, run, reasons) for one in measures}
    types: dict[str, Any] = {"digest": pl.String, FILES: pl.Int64, "warnings": pl.String}
    types |= {one.name: pl.Float64 for one in measures}
    table = pl.DataFrame(rows, schema_overrides=types)
    return Table(table, reasons, tuple(warnings.values()), lost_outside)


def _require_valid(job: Job) -> None:
    try:
        job.resolved()
    except ScenarioError as error:
        # The scenario alone is valid, so the fault is in one of the alternatives.
        told = str(error).removeprefix("error: ").replace("--> --set:", "--> --vary:")
        raise BadInput(told) from error


def _value(measure: Measure, run: Run, reasons: dict[str, str]) -> float | None:
    try:
        return value(measure.expression, run)
    except ExpressionError as error:
        reasons.setdefault(measure.name, str(error))
        return None


@dataclass(frozen=True)
class ScenarioOptions:
    """Options of a comparison of alternatives of a scenario.

    Attributes:
        vary: Keys that vary with their values, as in ``control.scheme=efci,erica``; the values of
            the first key are the alternatives, all others are conditions.
        measures: Measures; the default measures if empty.
        seeds: Seeds of each run.
        baseline: The alternative with which all others are compared; None for all pairs.
        level: See `Rules`.
        averaged: See `Rules`.
        better: Whether more or less of a measure is better, such as ``timeouts=less``.
    """

    vary: tuple[str, ...]
    measures: tuple[str, ...] = ()
    seeds: tuple[int, ...] = tuple(range(1, 11))
    baseline: str | None = None
    level: float = LEVEL
    averaged: bool = False
    better: tuple[str, ...] = ()


def compare_scenario(
    base: Job,
    options: ScenarioOptions,
    runner_of: Callable[[int], StreamRunner],
    notice: Notice,
    failed: Notice,
) -> tuple[Comparison, bool]:
    """Runs the alternatives of a scenario and compares them.

    Args:
        base: The scenario.
        options: Options of the comparison.
        runner_of: Makes a function that runs a number of jobs.
        notice: Called with notes to read before the answer.
        failed: Called with a message for every run that failed.

    Returns:
        The comparison, and True if a run failed.

    Raises:
        BadInput: An option is wrong, or a measure that was asked for has no value in any run.
        ScenarioError: The scenario, or an alternative, is wrong.
    """
    varies = varied(base, list(options.vary))
    measures = asked_for(list(options.measures), base.scenario().link_layer)
    if not options.measures and not _has_collective(base):
        measures = tuple(one for one in measures if one.name != "operation")
    names = tuple(wanted.name for wanted in measures)
    known = {wanted.name: wanted.better for wanted in measures if wanted.better is not None}
    baseline = options.baseline
    if baseline is not None:
        baseline = _one_of(baseline, [level.value for level in varies[0].levels])
    rules = Rules(
        varies[0].path,
        names,
        tuple(factor.path for factor in varies[1:]),
        baseline,
        options.level,
        averaged=options.averaged,
        better=directions(known, list(options.better), names),
        shares=frozenset(one.name for one in measures if is_share(one.expression)),
        of_ended=frozenset(one.name for one in measures if needs_ended_flows(one.expression)),
    )
    for note in left_out(varies):
        notice(note)
    total = len(combinations_of(varies)) * len(options.seeds)
    runs = run_all(base, varies, measures, options.seeds, runner_of(total), failed)
    if options.measures:
        _require_measured(rules, runs)
    units = {wanted.name: wanted.unit for wanted in measures}
    found = replace(compare(runs.runs, rules), units=units, warnings=runs.warnings)
    found = replace(found, lost_outside=runs.lost_outside)
    return found, runs.has_failed


def _one_of(text: str, values: Sequence[str]) -> str:
    """The alternative that the user names as the baseline; spaces do not matter.

    Raises:
        BadInput: There is no such alternative.
    """
    for level in values:
        if level.replace(" ", "") == text.replace(" ", ""):
            return level
    raise BadInput(f"--baseline {text}: allowed: {', '.join(values)}")


def _has_collective(base: Job) -> bool:
    """True if some flow awaits others."""
    network = json.loads(base.scenario().network())
    return any(flow.get("after") for flow in network["flows"])


def _require_measured(rules: Rules, table: Table) -> None:
    """Checks that every requested measure has a value in some run, or would have if files ended.

    Raises:
        BadInput: A measure has no value in any run.
    """
    for name in rules.measures:
        waits = name in rules.of_ended and (table.runs[FILES] > 0).any()
        if table.runs[name].null_count() == len(table.runs) and not waits:
            raise BadInput(f"--measure {name}: {table.reasons[name]}")
