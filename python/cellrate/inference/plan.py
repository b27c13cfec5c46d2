"""Counts the simulations of an inference before any is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cellrate.inference.infer import Question, units_of
from cellrate.inference.laboratory import Laboratory, Unit
from cellrate.inference.open_parameters import open_parameters
from cellrate.inference.subjects import subjects_of


@dataclass(frozen=True)
class Stage:
    """A part of the work, with numbers of results and runs."""

    what: str
    results: int
    runs: int
    known: int
    """Number of these runs that are in the store."""

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
    that are out of the race after the first seed save some runs of the last stage. The combinations
    of values that held out are not counted, since they are unknown before.
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
