"""Compares alternatives of one scenario by running them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from cellrate.common.problems import BadInput
from cellrate.simulation.run_types import StreamRunner
from cellrate.simulation.runner import Job
from cellrate.studies.compare.alternatives import combinations_of, left_out, varied
from cellrate.studies.compare.answer import Comparison
from cellrate.studies.compare.comparing import LEVEL, Rules, compare
from cellrate.studies.compare.directions import directions, is_share
from cellrate.studies.compare.measures import asked_for
from cellrate.studies.compare.running import Notice, Table, run_all


@dataclass(frozen=True)
class ScenarioOptions:
    """Options of a comparison of alternatives of a scenario.

    Attributes:
        vary: What varies, as in ``control.scheme=efci,erica``; the first are the alternatives, all
            others circumstances.
        measures: Measures; the usual ones if empty.
        seeds: Seeds of each run.
        baseline: The alternative with which all others are compared; None for all pairs.
        level: See `Rules`.
        averaged: See `Rules`.
        better: Better ends of measures, such as ``timeouts=less``.
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
        runner_of: Makes the function that runs as many jobs as it is told.
        notice: Called with notes to read before the answer.
        failed: Called with a message for every run that failed.

    Returns:
        The comparison, and True if a run failed.

    Raises:
        BadInput: An option is wrong, or a measure that was asked for has no value in any run.
        ScenarioError: The scenario, or an alternative, is wrong.
    """
    varies, measures = varied(base, list(options.vary)), asked_for(list(options.measures))
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
    )
    for note in left_out(varies):
        notice(note)
    total = len(combinations_of(varies)) * len(options.seeds)
    runs = run_all(base, varies, measures, options.seeds, runner_of(total), failed)
    if options.measures:
        _require_measured(names, runs)
    units = {wanted.name: wanted.unit for wanted in measures}
    return replace(compare(runs.runs, rules), units=units), runs.has_failed


def _one_of(text: str, values: Sequence[str]) -> str:
    """The alternative named as the baseline; spaces do not matter.

    Raises:
        BadInput: There is no such alternative.
    """
    for value in values:
        if value.replace(" ", "") == text.replace(" ", ""):
            return value
    raise BadInput(f"--baseline {text}: it is none of {', '.join(values)}")


def _require_measured(names: tuple[str, ...], table: Table) -> None:
    """Checks that every requested measure has a value in some run.

    Raises:
        BadInput: A measure has no value in any run.
    """
    for name in names:
        if table.runs[name].null_count() == len(table.runs):
            raise BadInput(f"--measure {name}: {table.reasons[name]}")
