"""Infers the values of a paper's open parameters from its results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cellrate.inference.answer import Counts, Finding, Inference
from cellrate.inference.elimination import eliminate
from cellrate.inference.exclusion import p_values
from cellrate.inference.hold_out import hold_out
from cellrate.inference.laboratory import Laboratory, Mark, Unit
from cellrate.inference.open_parameters import OpenParameter, open_parameters
from cellrate.inference.race import out_of_the_race
from cellrate.inference.scores import Scores
from cellrate.inference.subjects import Subject, subjects_of
from cellrate.reproduce.readings import Choice

Marks = dict[Unit, Mark]


@dataclass(frozen=True)
class Question:
    """The parameters to infer, and the seeds."""

    parameters: tuple[str, ...]
    """Ids of assumptions that have alternatives."""
    seeds: tuple[int, ...]
    whole: bool
    """True if these are all parameters, so that the columns hold all results of the paper."""


def infer(laboratory: Laboratory, question: Question) -> Inference:
    """Tries the declared values of open parameters, one parameter at a time.

    Values that held out are then tried in combination.

    Args:
        laboratory: Marks the results of the paper.
        question: Parameters and seeds.

    Raises:
        ReproduceError: The paper's data is broken.
        ScenarioError: An alternative makes a scenario wrong.
    """
    seeds = question.seeds
    parameters = open_parameters(laboratory, question.parameters, seeds[0])
    concerned = [parameter for parameter in parameters if parameter.subjects]
    known = _first_seed(laboratory, concerned, seeds[:1])
    out = {p.assumption.id: out_of_the_race(_scores(p, known, seeds[:1])) for p in concerned}
    known |= _more_seeds(laboratory, concerned, out, seeds[1:])
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
    """Every result of a parameter under every value, except `without`, with every seed."""
    return [
        Unit(choices, subject, (seed,))
        for value, choices in enumerate(parameter.choices)
        if value not in without
        for seed in seeds
        for subject in parameter.subjects
    ]


def _first_seed(
    laboratory: Laboratory, parameters: Sequence[OpenParameter], seeds: Sequence[int]
) -> Marks:
    units = [unit for parameter in parameters for unit in units_of(parameter, seeds)]
    label = f"{laboratory.paper.id}, seed {seeds[0]}"
    return dict(zip(units, laboratory.marks(units, label), strict=True))


def _more_seeds(
    laboratory: Laboratory,
    parameters: Sequence[OpenParameter],
    out: dict[str, frozenset[int]],
    seeds: Sequence[int],
) -> Marks:
    units = [u for p in parameters for u in units_of(p, seeds, out[p.assumption.id])]
    label = f"{laboratory.paper.id}, more seeds"
    return dict(zip(units, laboratory.marks(units, label), strict=True))


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
    # All are compared with the first seed if only the assumed value is left.
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
    """Splits the values that held out alone into those kept in combination and those dropped."""
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
    """Results that the columns count."""
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
