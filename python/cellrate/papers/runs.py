"""Simulations that an experiment needs, and their outcomes."""

# ruff: noqa: ANN401 - values of the language are of any type
from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from cellrate.language.expressions import (
    Deferred,
    Readable,
    attributes,
    constant_subscripts,
    evaluate,
    names,
)
from cellrate.language.functions import builtins
from cellrate.language.runs import Outcome, Row, Run, Value, run_of
from cellrate.papers.collection import papers_root, words
from cellrate.papers.paper import (
    Claim,
    Experiment,
    Paper,
    Point,
    Published,
    ReproduceError,
    Subject,
    Variant,
    in_column,
)
from cellrate.papers.toml_reader import TEMPLATE
from cellrate.simulation.runner import Job

Runner = Callable[[Sequence[Job]], Sequence[Outcome]]
"""As `cellrate.simulation.run_types.Runner`, with any outcomes that expressions can read."""


@dataclass(frozen=True)
class RunId:
    """A run of an experiment: variant and point."""

    variant: str
    point: tuple[Value, ...]


@cache
def vocabulary() -> dict[str, Any]:
    """Names that every expression may use: functions, units and predicates for vague words."""
    return builtins() | words()


def fill(template: str, values: Mapping[str, Value]) -> str:
    """Replaces each `{expression}` in a template by its value."""

    def value(match: re.Match[str]) -> str:
        result = evaluate(match[1], vocabulary() | dict(values))
        return f"{result:.12g}" if isinstance(result, float) else str(result)

    return TEMPLATE.sub(value, template)


def job_of(paper: Paper, variant: Variant, point: Point, seed: int) -> Job:
    """The simulation of a variant at a point (a set of varied values)."""
    values = variant.constants | point
    path = f"papers/{paper.id}/scenarios/{variant.scenario}"
    overrides = tuple(fill(template, values) for template in variant.set)
    return Job(paper.scenarios[variant.scenario], path, (*overrides, *variant.changes), seed)


def command_of(job: Job) -> str:
    """Shell command that repeats this run alone, in a checkout or with the installed package."""
    installed = papers_root() / job.path.removeprefix("papers/")
    return job.command(job.path if Path(job.path).exists() else str(installed))


OF_CHECKOUT = re.compile(r"(?<!\S)papers/\S+")
"""Matches a path from the root of a checkout, in a command in a paper's data."""


def runnable(command: str) -> str:
    """A command of a paper's data, with paths that exist in the working directory."""

    def place(match: re.Match[str]) -> str:
        found = match[0]
        if Path(found).exists():
            return found
        return shlex.quote(str(papers_root() / found.removeprefix("papers/")))

    return OF_CHECKOUT.sub(place, command)


def run_ids(experiment: Experiment) -> list[tuple[RunId, Variant, Point]]:
    """Every run of an experiment."""
    return [
        (RunId(variant.name, tuple(point.values())), variant, point)
        for variant in experiment.variants
        for point in variant.points
    ]


def jobs_at(
    paper: Paper,
    experiment: Experiment,
    seeds: Sequence[int],
    runs: Collection[RunId] | None = None,
) -> list[Job]:
    """Simulations of an experiment, seed by seed; only those of `runs`, if given."""
    return [
        job_of(paper, variant, point, seed)
        for seed in seeds
        for run, variant, point in run_ids(experiment)
        if runs is None or run in runs
    ]


class Outcomes:
    """Finished runs by job."""

    def __init__(self) -> None:
        self._runs: dict[Job, Run] = {}
        self._outcomes: dict[Job, Outcome] = {}

    def add(self, jobs: Iterable[Job], runner: Runner) -> None:
        """Runs the jobs that have no outcome yet."""
        missing = [job for job in dict.fromkeys(jobs) if job not in self._runs]
        if not missing:
            return
        for job, outcome in zip(missing, runner(missing), strict=True):
            self._runs[job] = run_of(outcome, command_of(job))
            self._outcomes[job] = outcome

    def outcome(self, job: Job) -> Outcome:
        """The outcome of a run from the engine; raises `KeyError` if the run is missing."""
        return self._outcomes[job]

    def __getitem__(self, job: Job) -> Run:
        if job not in self._runs:
            raise ReproduceError(f"the run has no result: {command_of(job)}")
        return self._runs[job]


PRINTED = "printed"
"""Name of `compared` in the expressions of an experiment."""


def compared(experiment: Experiment, column: str) -> list[tuple[float, float]]:
    """Printed value, and value computed without a run, of each number in a table's column.

    Raises:
        ValueError: The experiment has no such column.
    """
    found = [
        (each.value, float(evaluate(each.measure, vocabulary() | dict(each.at))))
        for each in experiment.published
        if each.kind == "arithmetic" and each.value is not None and in_column(each, column)
    ]
    if not found:
        raise ValueError(f"{experiment.id} has no column of arithmetic `{column}`")
    return found


def scope_of(paper: Paper, experiment: Experiment, outcomes: Outcomes, seed: int) -> dict[str, Any]:
    """Values of all names in an experiment's expressions, with the runs of one seed.

    A run is looked up only when an expression uses it, so unused runs may be missing.
    """

    def at(variant: Variant, point: Point) -> Callable[[], Run]:
        job = job_of(paper, variant, point, seed)
        return lambda: outcomes[job]

    scope: dict[str, Any] = dict(vocabulary()) | {PRINTED: partial(compared, experiment)}
    for variant in experiment.variants:
        rows = {tuple(point.values()): at(variant, point) for point in variant.points}
        scope[variant.name] = Row(variant.name, rows) if variant.swept else Deferred(rows[()])
    return scope


class RunsOfAnother(Readable):
    """The runs of another experiment, as in `fig3.prca[5]` of a claim that uses them."""

    def __init__(self, scope: Mapping[str, Any]) -> None:
        self._scope = scope

    def __getattr__(self, name: str) -> Any:
        value = self._scope[name]
        return value.get() if isinstance(value, Deferred) else value


def name_in_expressions(paper: Paper, experiment: Experiment) -> str:
    """Name of an experiment in the expressions that use it, such as `table8_2`."""
    return re.sub(r"\W", "_", experiment.id.removeprefix(f"{paper.id}-"))


def scope_of_used(
    paper: Paper, uses: Sequence[str], outcomes: Outcomes, seed: int
) -> dict[str, Any]:
    """Values of the names of other experiments, with the runs of one seed."""
    return {
        name_in_expressions(paper, e): RunsOfAnother(scope_of(paper, e, outcomes, seed))
        for e in paper.experiments
        if e.id in uses
    }


def used_jobs(
    paper: Paper, uses: Sequence[str], expressions: Sequence[str], seed: int
) -> list[Job]:
    """Simulations of those variants of other experiments that some expressions name."""
    jobs = []
    for experiment in (e for e in paper.experiments if e.id in uses):
        name = name_in_expressions(paper, experiment)
        wanted = set().union(*(attributes(text).get(name, set()) for text in expressions))
        runs = [run for run, variant, _ in run_ids(experiment) if variant.name in wanted]
        jobs += jobs_at(paper, experiment, (seed,), runs)
    return jobs


def seeds_text(seeds: Sequence[int]) -> str:
    """Names consecutive seeds by the first and the last.

    >>> seeds_text([1]), seeds_text([1, 2, 3])
    ('seed 1', 'seeds 1 to 3')

    """
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"


def runs_of(experiment: Experiment, published: Published) -> tuple[RunId, ...]:
    """Runs from which a value is computed: the run `it`, or runs that the measure names."""
    if published.it is not None and "it" in names(published.measure):
        return (RunId(*published.it),)
    if not published.measure:
        return ()
    return used_runs(experiment, published.measure)


def used_runs(experiment: Experiment, expression: str) -> tuple[RunId, ...]:
    """Runs that an expression uses.

    Of a variant with varied values, these are the runs that constant subscripts select. If a
    subscript is not constant, all runs of the variant count.
    """
    runs: list[RunId] = []
    picked = constant_subscripts(expression)
    for run, variant, _ in run_ids(experiment):
        if variant.name in names(expression):
            keys = picked.get(variant.name)
            if keys is None or run.point in keys:
                runs.append(run)
    return tuple(runs)


def alone(paper: Paper, subject: Subject) -> Experiment:
    """The experiment of a number or claim, with only this number or claim left in it."""
    of = subject.of
    return replace(
        paper.experiment(subject.experiment),
        published=() if isinstance(of, Claim) else (of,),
        claims=(of,) if isinstance(of, Claim) else (),
    )


def jobs_of(paper: Paper, subject: Subject, seed: int) -> tuple[Job, ...]:
    """Simulations behind a number or claim, with the values of open parameters in `paper`."""
    experiment, of = paper.experiment(subject.experiment), subject.of
    if isinstance(of, Claim):
        wanted = used_runs(experiment, of.holds_if)
        elsewhere = used_jobs(paper, of.uses, [of.holds_if], seed)
    else:
        wanted, elsewhere = runs_of(experiment, of), []
    own = jobs_at(paper, experiment, (seed,), wanted)
    return tuple(dict.fromkeys(own + elsewhere))
