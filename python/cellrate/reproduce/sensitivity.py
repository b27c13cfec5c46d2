"""Effect of each open assumption of an experiment on its values and claims."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

from cellrate.common.estimates import Estimate, estimate
from cellrate.common.numbers import finite_or_none
from cellrate.reproduce.errors import NotMeasurable
from cellrate.reproduce.paper_data import Alternative, Assumption, Claim, Experiment, Published
from cellrate.reproduce.readings import experiment_as
from cellrate.reproduce.results import ExperimentResult, holds, measure, runs_of, used_runs
from cellrate.reproduce.runs import Outcomes, RunId, Runner, job_of, run_ids, scope_of
from cellrate.simulation.runner import Job


@dataclass(frozen=True)
class AlternativeEffect:
    """Values and claims of an experiment as assumed, and with one alternative of an assumption."""

    assumption: Assumption
    alternative: Alternative
    values: dict[str, tuple[Estimate, Estimate]]
    """Estimates as assumed (the baseline) and with the alternative, by quantity; NaN for what the
    alternative leaves without a measure."""
    claims: dict[str, tuple[int, int]]
    """Number of seeds in which each claim holds, in the baseline and with the alternative; a claim
    that cannot be evaluated does not hold."""


@dataclass(frozen=True)
class Sensitivity:
    """Effects of all alternatives of an experiment's assumptions."""

    experiment: str
    moved: tuple[AlternativeEffect, ...] = field(default=())

    def as_table(self) -> list[dict[str, Any]]:
        """Content for JSON; means that are not finite are null."""
        return [
            {
                "assumption": m.assumption.parameter,
                "assumed": m.assumption.assumed,
                "alternative": m.alternative.label,
                "values": {
                    quantity: {
                        "baseline": finite_or_none(base.mean),
                        "alternative": finite_or_none(other.mean),
                    }
                    for quantity, (base, other) in m.values.items()
                },
                "claims": {k: {"baseline": a, "alternative": b} for k, (a, b) in m.claims.items()},
            }
            for m in self.moved
        ]


def sensitivities_of(
    results: Sequence[ExperimentResult], outcomes: Outcomes, runner: Runner
) -> list[Sensitivity]:
    """Reruns every experiment with each alternative of each assumption, one at a time.

    Repeats only the runs behind the measured values of an experiment, or all its runs if it has no
    measured values.
    """
    outcomes.add([job for result in results for job in _all_jobs(result)], runner)
    return [_sensitivity(result, outcomes) for result in results]


def _cases(experiment: Experiment) -> list[tuple[Assumption, Alternative]]:
    return [(a, other) for a in experiment.assumptions for other in a.alternatives]


def _all_jobs(result: ExperimentResult) -> list[Job]:
    return [
        job
        for assumption, alternative in _cases(result.experiment)
        for job in _jobs(result, assumption, alternative)
    ]


def _sensitivity(result: ExperimentResult, outcomes: Outcomes) -> Sensitivity:
    moved = tuple(_moved(result, outcomes, *case) for case in _cases(result.experiment))
    return Sensitivity(result.experiment.id, moved)


def runs_that_count(experiment: Experiment) -> frozenset[RunId]:
    """Runs to repeat: those behind scored values, or all runs if no value is scored."""
    scored = {run for p in experiment.published if p.score for run in runs_of(experiment, p)}
    return frozenset(scored or {run for run, _, _ in run_ids(experiment)})


def _jobs(result: ExperimentResult, assumption: Assumption, alternative: Alternative) -> list[Job]:
    experiment = experiment_as(result.experiment, [(assumption, alternative)])
    runs = runs_that_count(experiment)
    return [
        job_of(result.paper, variant, point, seed)
        for run, variant, point in run_ids(experiment)
        if run in runs
        for seed in result.seeds
    ]


def _moved(
    result: ExperimentResult,
    outcomes: Outcomes,
    assumption: Assumption,
    alternative: Alternative,
) -> AlternativeEffect:
    experiment = experiment_as(result.experiment, [(assumption, alternative)])
    runs = runs_that_count(experiment)
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
    return AlternativeEffect(assumption, alternative, values, claims)


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
