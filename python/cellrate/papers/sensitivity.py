"""Effect of each open assumption of an experiment on its values and claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

from cellrate.common.estimates import Estimate, estimate
from cellrate.papers.paper import (
    Alternative,
    Assumption,
    Choice,
    Claim,
    Experiment,
    NotMeasurable,
    Paper,
    Published,
    experiment_as,
)
from cellrate.papers.results import ExperimentResult, holds, measure
from cellrate.papers.runs import Outcomes, RunId, jobs_at, run_ids, runs_of, scope_of, used_runs
from cellrate.simulation.runner import Job


@dataclass(frozen=True)
class AlternativeEffect:
    """Values and claims of an experiment as assumed, and with one assumption changed."""

    assumption: Assumption
    alternative: Alternative
    values: dict[str, tuple[Estimate, Estimate]]
    """For each quantity the estimate as assumed (the baseline) and with the alternative; NaN where
    the alternative leaves no measure."""
    claims: dict[str, tuple[int, int]]
    """Number of seeds in which each claim holds, in the baseline and with the alternative; a claim
    that cannot be evaluated does not hold."""


@dataclass(frozen=True)
class Sensitivity:
    """Effects of all alternatives of an experiment's assumptions."""

    experiment: str
    moved: tuple[AlternativeEffect, ...] = ()


def sensitivity_jobs(paper: Paper, experiment: Experiment, seeds: Sequence[int]) -> list[Job]:
    """Runs of an experiment with each alternative of each assumption, one at a time.

    Only runs from which scored values are computed are repeated. An experiment without scored
    values repeats all runs.
    """
    return [
        job
        for choice in _choices(experiment)
        for other, runs in [_changed(experiment, choice)]
        for job in jobs_at(paper, other, seeds, runs)
    ]


def sensitivity_of(result: ExperimentResult, outcomes: Outcomes) -> Sensitivity:
    """Effects of all alternatives; the runs of `sensitivity_jobs` must be in `outcomes`."""
    moved = tuple(_moved(result, outcomes, choice) for choice in _choices(result.experiment))
    return Sensitivity(result.experiment.id, moved)


def _choices(experiment: Experiment) -> list[Choice]:
    return [(a, other) for a in experiment.assumptions for other in a.alternatives]


def _changed(experiment: Experiment, choice: Choice) -> tuple[Experiment, frozenset[RunId]]:
    """The experiment with an alternative, and the runs that its scored values need."""
    other = experiment_as(experiment, [choice])
    scored = {run for p in other.published if p.score for run in runs_of(other, p)}
    return other, frozenset(scored or {run for run, _, _ in run_ids(other)})


def _moved(result: ExperimentResult, outcomes: Outcomes, choice: Choice) -> AlternativeEffect:
    experiment, runs = _changed(result.experiment, choice)
    scopes = [scope_of(result.paper, experiment, outcomes, seed) for seed in result.seeds]
    values = {
        v.published.quantity: (
            v.measured,
            estimate([_measured(experiment, v.published, scope) for scope in scopes]),
        )
        for v in result.values
        if v.measured is not None and v.published.kind == "measured" and set(v.runs) <= runs
    }
    claims = {
        c.claim.id: (c.count, sum(_holds(experiment, c.claim, scope) for scope in scopes))
        for c in result.claims
        if not c.claim.uses and set(used_runs(experiment, c.claim.holds_if)) <= runs
    }
    return AlternativeEffect(*choice, values, claims)


def _measured(experiment: Experiment, published: Published, scope: Mapping[str, Any]) -> float:
    try:
        return measure(experiment, published, scope)
    except NotMeasurable:
        return nan


def _holds(experiment: Experiment, claim: Claim, scope: Mapping[str, Any]) -> bool:
    try:
        return holds(experiment, claim, scope)
    except NotMeasurable:
        return False
