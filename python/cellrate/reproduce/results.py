"""Results of an experiment: measured values beside printed ones, and claims that hold."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cellrate.common.estimates import Estimate, estimate
from cellrate.language.expressions import ExpressionError, constant_subscripts, evaluate, names
from cellrate.reproduce.draws import Drawn
from cellrate.reproduce.errors import NotMeasurable, ReproduceError
from cellrate.reproduce.paper_data import Claim, Experiment, Explanation, Paper, Published
from cellrate.reproduce.runs import Outcomes, RunId, run_ids, scope_of, scope_of_used
from cellrate.reproduce.scoring import in_order, last_place, meets, relative_difference
from cellrate.reproduce.standing import Standing, standing_of_claim, standing_of_value


@dataclass(frozen=True)
class ValueResult:
    """A printed value and the measured one."""

    published: Published
    measured: Estimate | None
    met: bool | None
    """True if the measured value meets the printed one; absent if it is not scored."""
    runs: tuple[RunId, ...]
    explanation: Explanation | None = None
    in_order: bool | None = None
    """True if the value keeps the printed order in its group; absent without a group."""
    standing: Standing | None = None
    """Standing of the disagreement, if the value is not met."""
    drawn: Drawn | None = None
    """Distribution over many seeds, if the value is not met and a distribution was measured."""

    @property
    def relative_difference(self) -> float | None:
        """(measured - printed) / printed."""
        if self.measured is None or self.published.value is None:
            return None
        return relative_difference(self.published.value, self.measured.mean)


@dataclass(frozen=True)
class ClaimResult:
    """A claim and the seeds in which it holds."""

    claim: Claim
    holds: tuple[bool, ...]
    explanation: Explanation | None = None
    standing: Standing | None = None
    """Standing of the disagreement, if the claim does not hold in every seed."""
    drawn: Drawn | None = None
    """Result over many seeds, if the claim does not hold in every seed and this was measured."""

    @property
    def count(self) -> int:
        """Number of seeds in which the claim holds."""
        return sum(self.holds)

    @property
    def always(self) -> bool:
        """True if the claim holds in every seed."""
        return all(self.holds)


@dataclass(frozen=True)
class ExperimentResult:
    """An experiment's values and claims over some seeds."""

    paper: Paper
    experiment: Experiment
    seeds: tuple[int, ...]
    values: tuple[ValueResult, ...]
    claims: tuple[ClaimResult, ...]

    @property
    def command(self) -> str:
        """Shell command that computes this result again."""
        first = f" --first-seed {self.seeds[0]}" if self.seeds[0] != 1 else ""
        name = self.experiment.id.removeprefix(f"{self.paper.id}-")
        changes = dict.fromkeys(c for one in self.experiment.variants for c in one.changes)
        settings = "".join(f" --set {shlex.quote(one)}" for one in changes)
        seeds = f"--seeds {len(self.seeds)}{first}"
        return f"cellrate reproduce {self.paper.id} {name} {seeds}{settings}"


@dataclass(frozen=True)
class Measured:
    """Estimates and verdicts of an experiment, before the paper is held against them."""

    values: tuple[Estimate | None, ...]
    """Estimates of the printed values; none for a value without a measure."""
    claims: tuple[tuple[bool, ...], ...]
    """For each claim, True for each seed in which it holds."""


def result_of(
    paper: Paper, experiment: Experiment, outcomes: Outcomes, seeds: tuple[int, ...]
) -> ExperimentResult:
    """Evaluates an experiment whose runs are done."""
    return judged(paper, experiment, seeds, measured(paper, experiment, outcomes, seeds))


def measured(
    paper: Paper, experiment: Experiment, outcomes: Outcomes, seeds: tuple[int, ...]
) -> Measured:
    """Evaluates the measures and claims of an experiment whose runs are done."""
    scopes = [scope_of(paper, experiment, outcomes, seed) for seed in seeds]
    values = tuple(_measure(experiment, p, scopes) for p in experiment.published)
    claims = tuple(
        tuple(
            holds(experiment, claim, scope)
            for scope in _claim_scopes(paper, claim, scopes, outcomes, seeds)
        )
        for claim in experiment.claims
    )
    return Measured(values, claims)


def judged(
    paper: Paper, experiment: Experiment, seeds: tuple[int, ...], found: Measured
) -> ExperimentResult:
    """Compares what an experiment's runs give with what the paper prints and claims."""
    values = judged_values(paper, experiment, found.values)
    claims = tuple(
        judged_claim(paper, experiment, claim, by_seed)
        for claim, by_seed in zip(experiment.claims, found.claims, strict=True)
    )
    return ExperimentResult(paper, experiment, seeds, values, claims)


def judged_values(
    paper: Paper, experiment: Experiment, estimates: Sequence[Estimate | None]
) -> tuple[ValueResult, ...]:
    """Compares each printed value of an experiment with its estimate, if it has one."""
    ordered = _order(experiment, estimates)
    return tuple(
        _value(paper, experiment, published, measured, ordered)
        for published, measured in zip(experiment.published, estimates, strict=True)
    )


def _measure(
    experiment: Experiment, published: Published, scopes: list[dict[str, Any]]
) -> Estimate | None:
    if not published.measure:
        return None
    return estimate([measure(experiment, published, scope) for scope in scopes])


def measure(experiment: Experiment, published: Published, scope: Mapping[str, Any]) -> float:
    """Evaluates the measure of a published value with the runs of one seed."""
    try:
        run_named_it = {"it": scope[published.it[0]][published.it[1]]} if published.it else {}
        value = evaluate(published.measure, dict(scope) | run_named_it)
    except ExpressionError as error:
        raise NotMeasurable(f"{experiment.id}, {published.quantity}: {error}") from error
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ReproduceError(f"{experiment.id}, {published.quantity}: {value!r} is no number")
    return float(value)


def holds(experiment: Experiment, claim: Claim, scope: Mapping[str, Any]) -> bool:
    """True if a claim holds with the runs of one seed."""
    try:
        value = evaluate(claim.holds_if, scope)
    except ExpressionError as error:
        raise NotMeasurable(f"{experiment.id}, claim {claim.id}: {error}") from error
    if not isinstance(value, bool):
        raise ReproduceError(
            f"{experiment.id}, claim {claim.id}: {value!r} is neither true nor false"
        )
    return value


def _order(experiment: Experiment, estimates: Sequence[Estimate | None]) -> dict[str, bool]:
    """True for each value that keeps the printed order of its group, by quantity."""
    groups: dict[str, dict[str, tuple[float, float]]] = {}
    for published, measured in zip(experiment.published, estimates, strict=True):
        if published.order and measured is not None and published.value is not None:
            groups.setdefault(published.order, {})[published.quantity] = (
                published.value,
                measured.mean,
            )
    return {name: met for rows in groups.values() for name, met in in_order(rows).items()}


def _value(
    paper: Paper,
    experiment: Experiment,
    published: Published,
    measured: Estimate | None,
    ordered: dict[str, bool],
) -> ValueResult:
    met = None if measured is None else met_by(published, measured.mean)
    result = ValueResult(
        published,
        measured,
        met,
        runs_of(experiment, published),
        in_order=ordered.get(published.quantity),
    )
    if met is not False:
        return result
    why = paper.explanation(experiment.id, published.quantity)
    drawn = paper.drawn(experiment.id, published.quantity)
    return replace(
        result, explanation=why, standing=standing_of_value(published, why, drawn), drawn=drawn
    )


def met_by(published: Published, measured: float) -> bool | None:
    """True if a measured value meets a printed one; nothing if it is not scored."""
    if not published.score or published.value is None:
        return None
    place = last_place(published.printed, published.value)
    return meets(published.score, published.value, measured, place)


def judged_claim(
    paper: Paper, experiment: Experiment, claim: Claim, by_seed: tuple[bool, ...]
) -> ClaimResult:
    """Result of a claim; with explanation and standing if it does not hold in every seed.

    `by_seed` is True for each seed in which the claim holds.
    """
    if all(by_seed):
        return ClaimResult(claim, by_seed)
    why = paper.explanation(experiment.id, claim.id)
    drawn = paper.drawn(experiment.id, claim.id)
    return ClaimResult(claim, by_seed, why, standing_of_claim(claim, why, drawn), drawn)


def _claim_scopes(
    paper: Paper,
    claim: Claim,
    scopes: list[dict[str, Any]],
    outcomes: Outcomes,
    seeds: tuple[int, ...],
) -> list[dict[str, Any]]:
    if not claim.uses:
        return scopes
    return [
        scope | scope_of_used(paper, claim.uses, outcomes, seed)
        for scope, seed in zip(scopes, seeds, strict=True)
    ]


def runs_of(experiment: Experiment, published: Published) -> tuple[RunId, ...]:
    """Runs behind a value: the run `it` of its measure, or those of the variants it names."""
    if published.it is not None and "it" in names(published.measure):
        return (RunId(*published.it),)
    if not published.measure:
        return ()
    return used_runs(experiment, published.measure)


def used_runs(experiment: Experiment, expression: str) -> tuple[RunId, ...]:
    """Runs that an expression uses.

    Of a variant with varied values these are the runs that constant subscripts select, or all.
    """
    runs: list[RunId] = []
    picked = constant_subscripts(expression)
    for run, variant, _ in run_ids(experiment):
        if variant.name in names(expression):
            keys = picked.get(variant.name)
            if keys is None or run.point in keys:
                runs.append(run)
    return tuple(runs)
