"""Infers the values of a paper's open parameters from its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cellrate.papers.findings import Counts, Finding, Inference
from cellrate.papers.hold_out import Scores, eliminate, hold_out, out_of_the_race, p_values
from cellrate.papers.laboratory import Laboratory, Mark, OpenParameter, Unit, open_parameters
from cellrate.papers.paper import Choice, Subject, subjects_of

Marks = dict[Unit, Mark]


@dataclass(frozen=True)
class Question:
    """The parameters to infer, and the seeds."""

    parameters: tuple[str, ...]
    """Ids of the open parameters to infer, which are assumptions with alternatives."""
    seeds: tuple[int, ...]
    whole: bool
    """True if `parameters` are all open parameters, so that all results of the paper are counted.
    """


def infer(laboratory: Laboratory, question: Question) -> Inference:
    """Tries the declared values of open parameters, one parameter at a time.

    Values that passed the hold-out test are then tried in combination.

    Raises:
        ReproduceError: The paper's data is broken.
        ScenarioError: An alternative makes a scenario wrong.
    """
    seeds = question.seeds
    parameters = open_parameters(laboratory, question.parameters, seeds[0])
    concerned = [parameter for parameter in parameters if parameter.subjects]
    known = _marks(laboratory, concerned, seeds[:1], f"seed {seeds[0]}", {})
    out = {p.assumption.id: out_of_the_race(_scores(p, known, seeds[:1])) for p in concerned}
    known |= _marks(laboratory, concerned, seeds[1:], "more seeds", out)
    findings = [_finding(laboratory, p, known, seeds, out[p.assumption.id]) for p in concerned]
    held = [f.choice for f in findings if f.verdict == "held-out" and f.choice is not None]
    kept, dropped = _together(laboratory, findings, held, seeds)
    findings = [replace(f, dropped=f.choice in dropped) for f in findings]
    counted = _counted(laboratory, question, concerned)
    return Inference(
        paper=laboratory.paper,
        seeds=seeds,
        findings=tuple(findings),
        unconcerned=tuple(p.assumption for p in parameters if not p.subjects),
        kept=kept,
        assumed=_column(laboratory, (), counted, seeds),
        inferred=_column(laboratory, kept, counted, seeds),
        whole=question.whole,
    )


def units_of(
    parameter: OpenParameter, seeds: Sequence[int], without: frozenset[int] = frozenset()
) -> list[Unit]:
    """Every result that a parameter concerns, with every seed and value but those in `without`."""
    return [
        Unit(choices, subject, (seed,))
        for value, choices in enumerate(parameter.choices)
        if value not in without
        for seed in seeds
        for subject in parameter.subjects
    ]


def _marks(
    laboratory: Laboratory,
    parameters: Sequence[OpenParameter],
    seeds: Sequence[int],
    label: str,
    out: Mapping[str, frozenset[int]],
) -> Marks:
    """Outcomes (met or missed) of the results of `parameters`, under all values but `out`."""
    none: frozenset[int] = frozenset()
    units = [u for p in parameters for u in units_of(p, seeds, out.get(p.assumption.id, none))]
    marks = laboratory.marks(units, f"{laboratory.paper.id}, {label}")
    return dict(zip(units, marks, strict=True))


def _scores(
    parameter: OpenParameter,
    known: Marks,
    seeds: Sequence[int],
    out: frozenset[int] = frozenset(),
) -> Scores:
    return Scores(
        experiments=tuple(subject.experiment for subject in parameter.subjects),
        met=tuple(
            np.array(
                [
                    [known[Unit(choices, subject, (seed,))].met for subject in parameter.subjects]
                    for seed in (seeds[:1] if value in out else seeds)
                ]
            )
            for value, choices in enumerate(parameter.choices)
        ),
    )


def _finding(
    laboratory: Laboratory,
    parameter: OpenParameter,
    known: Marks,
    seeds: tuple[int, ...],
    out: frozenset[int],
) -> Finding:
    # If only the assumed value is left, all values are compared with the first seed.
    decided = len(out) == len(parameter.choices) - 1
    scores = _scores(parameter, known, seeds[:1] if decided else seeds, out)
    problems = [
        f"{label}, seed {unit.seeds[0]}: {known[unit].problem}"
        for label, choices in zip(parameter.labels, parameter.choices, strict=True)
        for seed in seeds
        for subject in parameter.subjects
        if (unit := Unit(choices, subject, (seed,))) in known and known[unit].problem
    ]
    return Finding(
        parameter=parameter,
        scores=scores,
        p=tuple(p_values(scores)),
        hold_out=hold_out(scores),
        problems=tuple(problems),
        asked=len(seeds),
        groups=_groups(laboratory, parameter, seeds[0]),
    )


def _groups(laboratory: Laboratory, parameter: OpenParameter, seed: int) -> int:
    """Number of groups of experiments; different groups have no simulation in common."""
    groups: list[set[str]] = []
    for name in parameter.experiments:
        subjects = [s for s in parameter.subjects if s.experiment == name]
        keys = laboratory.needed([Unit((), subject, (seed,)) for subject in subjects])
        apart = [group for group in groups if group.isdisjoint(keys)]
        groups = [*apart, keys.union(*(g for g in groups if not g.isdisjoint(keys)))]
    return len(groups)


def _together(
    laboratory: Laboratory,
    findings: Iterable[Finding],
    held: Sequence[Choice],
    seeds: tuple[int, ...],
) -> tuple[tuple[Choice, ...], tuple[Choice, ...]]:
    """Splits values that passed the hold-out test alone: kept in combination, and dropped."""
    of_held = {s for f in findings if f.choice in held for s in f.parameter.subjects}
    subjects = [s for s in subjects_of(laboratory.paper) if s in of_held]

    def score(combinations: Sequence[tuple[Choice, ...]]) -> list[int]:
        units = [
            Unit(choices, subject, (seed,))
            for choices in combinations
            for seed in seeds
            for subject in subjects
        ]
        marks = laboratory.marks(units, f"{laboratory.paper.id}, together")
        each = len(seeds) * len(subjects)
        return [
            sum(mark.met for mark in marks[number * each : (number + 1) * each])
            for number in range(len(combinations))
        ]

    return eliminate(held, score)


def _counted(
    laboratory: Laboratory, question: Question, concerned: Iterable[OpenParameter]
) -> tuple[Subject, ...]:
    """Results that an inference counts: all, or only results that a chosen parameter can change."""
    everything = subjects_of(laboratory.paper)
    if question.whole:
        return everything
    some = {subject for parameter in concerned for subject in parameter.subjects}
    return tuple(subject for subject in everything if subject in some)


def _column(
    laboratory: Laboratory,
    choices: tuple[Choice, ...],
    subjects: Sequence[Subject],
    seeds: tuple[int, ...],
) -> Counts:
    """Counts numbers whose mean over the seeds is met, and claims that hold with every seed."""
    units = [Unit(choices, subject, seeds) for subject in subjects]
    marks = laboratory.marks(units, f"{laboratory.paper.id}, columns")
    met = {u.subject: mark.met for u, mark in zip(units, marks, strict=True)}
    numbers = [met[subject] for subject in subjects if not subject.is_claim]
    claims = [met[subject] for subject in subjects if subject.is_claim]
    return Counts(sum(numbers), len(numbers), sum(claims), len(claims))


@dataclass(frozen=True)
class Stage:
    """A part of an inference, with its numbers of results and runs."""

    what: str
    results: int
    runs: int
    known: int
    """Number of the runs whose results are in the store."""

    @property
    def to_do(self) -> int:
        """Number of runs to simulate."""
        return self.runs - self.known


def plan(
    laboratory: Laboratory, question: Question, is_known: Callable[[str], bool]
) -> tuple[Stage, ...]:
    """Stages of an inference.

    There is a stage for each parameter with the first seed, one for all parameters with the first
    seed, and one for all parameters with all seeds. Equal runs are counted once in a stage. Values
    that are dropped after the first seed save some runs of the last stage. Combinations of values
    that passed the hold-out test are not counted, since they are unknown before the runs.
    """
    parameters = open_parameters(laboratory, question.parameters, question.seeds[0])

    def stage(what: str, results: int, units: list[Unit]) -> Stage:
        keys = laboratory.needed(units)
        return Stage(what, results, len(keys), sum(map(is_known, keys)))

    first, seeds = question.seeds[:1], question.seeds
    stages = [stage(p.assumption.id, len(p.subjects), units_of(p, first)) for p in parameters]
    concerned = {subject for parameter in parameters for subject in parameter.subjects}
    everything = [unit for parameter in parameters for unit in units_of(parameter, first)]
    stages.append(stage(f"all, seed {first[0]}", len(concerned), everything))
    everything = [unit for parameter in parameters for unit in units_of(parameter, seeds)]
    results = len(concerned)
    if question.whole:
        subjects = subjects_of(laboratory.paper)
        everything += [Unit((), subject, (seed,)) for subject in subjects for seed in seeds]
        results = len(subjects)
    number = len(seeds)
    return (*stages, stage(f"all, {number} seed{'s' if number > 1 else ''}", results, everything))
