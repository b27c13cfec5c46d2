"""Evaluates which results of a paper are met with given values of its open parameters.

Simulations are made in parts, so that memory is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cellrate.language.expressions import ExpressionError
from cellrate.language.runs import Outcome
from cellrate.papers.paper import (
    AS_ASSUMED,
    Alternative,
    Assumption,
    Choice,
    NotMeasurable,
    Paper,
    ReproduceError,
    Subject,
    assumptions_of,
    read_as,
    subjects_of,
)
from cellrate.papers.results import result_of
from cellrate.papers.runs import Outcomes, alone, jobs_of
from cellrate.simulation.runner import Job, Progress

RunJobs: TypeAlias = Callable[[Sequence[Job], Progress], Sequence[Outcome]]
"""Runs jobs and returns their outcomes in order; equal jobs run once, stored jobs not at all."""
Watch: TypeAlias = Callable[[str, float, int], None]
"""Called with the name of the current work, the number of finished runs, and of all runs."""

RUNS_AT_ONCE = 64
"""Approximate number of outcomes that are in memory together; traces of a long run take megabytes.
"""


@dataclass(frozen=True)
class Unit:
    """A result to evaluate, over some seeds, with given values of the open parameters."""

    choices: tuple[Choice, ...]
    """Alternatives that replace assumed values of open parameters."""
    subject: Subject
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class Mark:
    """Outcome of one result: met or missed."""

    met: bool
    """True if the mean of a number over the seeds is met, or if a claim holds in all seeds."""
    problem: str = ""
    """Reason why the result could not be evaluated, which counts as a miss.

    An example is a measure of an event that did not occur.
    """


class Laboratory:
    """Evaluates the results of a paper; equal simulations are evaluated once."""

    def __init__(self, paper: Paper, run: RunJobs, watch: Watch) -> None:
        self.paper = paper
        self._run = run
        self._watch = watch
        self._key_of: dict[Job, str] = {}
        self._keys: dict[Unit, tuple[str, ...]] = {}
        self._readings: dict[tuple[Choice, ...], Paper] = {}
        self._marks: dict[tuple[Subject, tuple[str, ...]], Mark] = {}

    def reading(self, choices: tuple[Choice, ...]) -> Paper:
        """The paper with the values in `choices` instead of the assumed ones."""
        if choices not in self._readings:
            self._readings[choices] = read_as(self.paper, choices)
        return self._readings[choices]

    def jobs(self, unit: Unit) -> tuple[Job, ...]:
        """Simulations that a result needs."""
        paper = self.reading(unit.choices)
        return tuple(job for seed in unit.seeds for job in jobs_of(paper, unit.subject, seed))

    def keys(self, unit: Unit) -> tuple[str, ...]:
        """Keys of the simulations behind a result; equal simulations have equal keys."""
        if unit not in self._keys:
            for job in (jobs := self.jobs(unit)):
                if job not in self._key_of:
                    self._key_of[job] = job.key()
            self._keys[unit] = tuple(self._key_of[job] for job in jobs)
        return self._keys[unit]

    def needed(self, units: Sequence[Unit]) -> set[str]:
        """Keys of the distinct simulations behind some results."""
        return {key for unit in units for key in self.keys(unit)}

    def marks(self, units: Sequence[Unit], label: str) -> list[Mark]:
        """For each unit whether its result is met, in order.

        Raises:
            ReproduceError: The paper's data is broken.
            ScenarioError: A value of an open parameter makes a scenario wrong.
        """
        identities = [(unit.subject, self.keys(unit)) for unit in units]
        missing: dict[tuple[Subject, tuple[str, ...]], Unit] = {}
        for identity, unit in zip(identities, units, strict=True):
            if identity not in self._marks:
                missing.setdefault(identity, unit)
        order = {e.id: number for number, e in enumerate(self.paper.experiments)}
        # Results of an experiment that need the same runs are evaluated together.
        todo = sorted(missing.items(), key=lambda each: (order[each[0][0].experiment], each[0][1]))
        total, done = len({key for (_, keys), _ in todo for key in keys}), 0
        seen: set[str] = set()
        for chunk in _chunks(todo):
            outcomes = Outcomes()
            jobs = [job for _, unit in chunk for job in self.jobs(unit)]
            outcomes.add(jobs, self._runner(label, done, total))
            for identity, unit in chunk:
                self._marks[identity] = self._mark(unit, outcomes)
            seen.update(key for (_, keys), _ in chunk for key in keys)
            done = len(seen)
        return [self._marks[identity] for identity in identities]

    def _runner(self, label: str, before: int, total: int) -> Callable[..., Sequence[Outcome]]:
        def watch(done: float, _: int) -> None:
            self._watch(label, min(before + done, total), total)

        return lambda jobs: self._run(jobs, watch)

    def _mark(self, unit: Unit, outcomes: Outcomes) -> Mark:
        paper = self.reading(unit.choices)
        try:
            found = result_of(paper, alone(paper, unit.subject), outcomes, unit.seeds)
        except NotMeasurable as error:
            return Mark(met=False, problem=str(error))
        if unit.subject.is_claim:
            return Mark(found.claims[0].always)
        return Mark(bool(found.values[0].met))


_Todo: TypeAlias = tuple[tuple[Subject, tuple[str, ...]], Unit]


def _chunks(todo: Sequence[_Todo]) -> list[list[_Todo]]:
    """Splits results into parts that need at most `RUNS_AT_ONCE` runs, or hold a single result."""
    parts: list[list[_Todo]] = []
    held: set[str] = set()
    for each in todo:
        keys = set(each[0][1])
        if not parts or len(held | keys) > RUNS_AT_ONCE:
            parts.append([])
            held = set()
        parts[-1].append(each)
        held |= keys
    return parts


@dataclass(frozen=True)
class OpenParameter:
    """An open parameter, and the results that some alternative value of it can change."""

    assumption: Assumption
    subjects: tuple[Subject, ...]

    @property
    def choices(self) -> tuple[tuple[Choice, ...], ...]:
        """For each value of the open parameter, what replaces the assumed value.

        The assumed value is first, and nothing replaces it.
        """
        return ((), *(((self.assumption, each),) for each in self.assumption.alternatives))

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the values, the assumed one first."""
        return (AS_ASSUMED, *(each.label for each in self.assumption.alternatives))

    def alternative(self, value: int) -> Alternative | None:
        """Alternative of a value, by its number; None for the assumed value."""
        return self.assumption.alternatives[value - 1] if value else None

    @property
    def experiments(self) -> tuple[str, ...]:
        """Ids of the experiments of the results, in the paper's order."""
        return tuple(dict.fromkeys(subject.experiment for subject in self.subjects))


def open_parameters(
    laboratory: Laboratory, wanted: Sequence[str], seed: int
) -> list[OpenParameter]:
    """Open parameters with the results they concern, which may be none.

    A parameter concerns a result if an alternative changes one of the result's simulations.

    Args:
        laboratory: Identifies equal simulations of the paper.
        wanted: Ids of assumptions.
        seed: Any seed; the concerned results do not depend on it.

    Raises:
        ReproduceError: An alternative cannot be applied to a run; the message names the place.
    """
    paper = laboratory.paper
    subjects = subjects_of(paper)
    before = {subject: laboratory.keys(Unit((), subject, (seed,))) for subject in subjects}
    parameters = []
    for assumption in (assumptions_of(paper)[name] for name in wanted):
        _check_labels(paper, assumption)
        touched = {e.id for e in paper.experiments if assumption in e.assumptions}
        near = [s for s in subjects if not touched.isdisjoint((s.experiment, *s.uses))]
        concerned: set[Subject] = set()
        for alternative in assumption.alternatives:
            for subject in near:
                unit = Unit(((assumption, alternative),), subject, (seed,))
                try:
                    after = laboratory.keys(unit)
                except ExpressionError as error:
                    place = f"{subject.experiment}, `{subject.name}`"
                    value = f"assumption `{assumption.id}`, alternative {alternative.label!r}"
                    raise ReproduceError(f"{paper.id}: {value}, for {place}: {error}") from error
                if after != before[subject]:
                    concerned.add(subject)
        parameters.append(OpenParameter(assumption, tuple(s for s in subjects if s in concerned)))
    return parameters


def _check_labels(paper: Paper, assumption: Assumption) -> None:
    labels = [AS_ASSUMED, *(each.label for each in assumption.alternatives)]
    for twice in {label for label in labels if labels.count(label) > 1}:
        place = f"{paper.id}, assumption `{assumption.id}`"
        raise ReproduceError(f"{place}: two values are called {twice!r}")
