"""Simulations that an experiment needs, and their outcomes."""

# ruff: noqa: ANN401 - values of the language are of any type
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cellrate.language.expressions import Deferred, Readable, attributes, evaluate
from cellrate.language.functions import builtins
from cellrate.language.runs import Outcome, Row, Run, Value, run_of
from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.paper_data import Experiment, Paper, Point, Variant
from cellrate.reproduce.papers import papers_root, words
from cellrate.reproduce.toml_reader import TEMPLATE
from cellrate.simulation.runner import Job

Runner = Callable[[Sequence[Job]], Sequence[Outcome]]
"""As `cellrate.simulation.run_types.Runner`, of any outcomes that expressions can read."""


@dataclass(frozen=True)
class RunId:
    """A run of an experiment: variant and point."""

    variant: str
    point: tuple[Value, ...]


@cache
def vocabulary() -> dict[str, Any]:
    """Names that every expression knows: functions, units and words."""
    return builtins() | words().predicates()


def fill(template: str, values: Mapping[str, Value]) -> str:
    """Replaces each `{expression}` in a template by its value."""

    def value(match: re.Match[str]) -> str:
        result = evaluate(match[1], vocabulary() | dict(values))
        return f"{result:.12g}" if isinstance(result, float) else str(result)

    return TEMPLATE.sub(value, template)


def job_of(paper: Paper, variant: Variant, point: Point, seed: int) -> Job:
    """The simulation of a variant at a point."""
    values = variant.constants | point
    path = f"papers/{paper.id}/scenarios/{variant.scenario}"
    overrides = tuple(fill(template, values) for template in variant.set)
    return Job(paper.scenarios[variant.scenario], path, (*overrides, *variant.changes), seed)


def command_of(job: Job) -> str:
    """Shell command that does this run alone, in a checkout or with the installed package."""
    path = job.path if Path(job.path).exists() else str(papers_root().parent / job.path)
    return job.command(path)


def run_ids(experiment: Experiment) -> list[tuple[RunId, Variant, Point]]:
    """Every run of an experiment."""
    return [
        (RunId(variant.name, tuple(point.values())), variant, point)
        for variant in experiment.variants
        for point in variant.points
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
        """A finished run as it came from the engine; raises `KeyError` if it is not there."""
        return self._outcomes[job]

    def __getitem__(self, job: Job) -> Run:
        if job not in self._runs:
            raise ReproduceError(f"not run: {command_of(job)}")
        return self._runs[job]


def scope_of(paper: Paper, experiment: Experiment, outcomes: Outcomes, seed: int) -> dict[str, Any]:
    """Values of all names in an experiment's expressions, with the runs of one seed.

    A run is looked up when an expression uses it, so that unused runs need not exist.
    """

    def at(variant: Variant, point: Point) -> Callable[[], Run]:
        job = job_of(paper, variant, point, seed)
        return lambda: outcomes[job]

    scope = dict(vocabulary())
    for variant in experiment.variants:
        rows = {tuple(point.values()): at(variant, point) for point in variant.points}
        scope[variant.name] = Row(variant.name, rows) if variant.swept else Deferred(rows[()])
    return scope


class RunsOfAnother(Readable):
    """The runs of another experiment: `fig3.prca[5]` in a claim that uses it."""

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
        jobs += [
            job_of(paper, variant, point, seed)
            for _, variant, point in run_ids(experiment)
            if variant.name in wanted
        ]
    return jobs


def commands_at(
    paper: Paper, experiment: Experiment, runs: Sequence[RunId], seeds: Sequence[int]
) -> list[str]:
    """Shell commands that do some runs of an experiment alone, seed by seed."""
    wanted = set(runs)
    selected = [(v, p) for run, v, p in run_ids(experiment) if run in wanted]
    return [command_of(job_of(paper, v, p, seed)) for seed in seeds for v, p in selected]
