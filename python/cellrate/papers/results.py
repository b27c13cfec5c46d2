"""Results of an experiment: measured and printed values, and whether claims hold."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cellrate.common.estimates import Estimate, estimate
from cellrate.language.expressions import ExpressionError, evaluate
from cellrate.papers.dependence import NO_READINGS, AcrossReadings, across_readings
from cellrate.papers.paper import (
    Claim,
    Drawn,
    Erratum,
    Experiment,
    Explanation,
    NotMeasurable,
    Paper,
    Proof,
    Published,
    ReproduceError,
    Subject,
)
from cellrate.papers.runs import (
    Outcomes,
    RunId,
    runnable,
    runs_of,
    scope_of,
    scope_of_used,
    used_jobs,
    vocabulary,
)
from cellrate.papers.scoring import (
    Standing,
    in_order,
    last_place,
    meets,
    relative_difference,
    standing_of,
)
from cellrate.simulation.runner import Job


@dataclass(frozen=True)
class Disagreement:
    """Class and cause of a disagreement: a value not met, or a claim that fails with some seed."""

    standing: Standing
    explanation: Explanation | None
    drawn: Drawn | None
    """Distribution over many seeds, if one was measured."""
    readings: AcrossReadings

    @property
    def cause(self) -> str:
        """The explanation of the disagreement with its command; empty without an explanation."""
        if self.explanation is None:
            return ""
        run = self.explanation.run
        command = f" Command: `{runnable(run)}`." if run else ""
        return self.explanation.text + command

    @property
    def dependence(self) -> str:
        """Sentences on open parameters on which the result depends; empty if there are none."""
        return " ".join(each.sentence() for each in self.readings.depends_on)

    @property
    def known(self) -> str:
        """Text: cause of the disagreement, and open parameters on which the result depends."""
        return " ".join(filter(None, (self.cause, self.dependence)))


@dataclass(frozen=True)
class ValueResult:
    """A printed value and the measured value."""

    published: Published
    measured: Estimate | None
    met: bool | None
    """True if the measured value meets the printed one; None if it is not scored."""
    runs: tuple[RunId, ...]
    in_order: bool | None = None
    """True if the value keeps the printed order in its group; None without a group."""
    disagreement: Disagreement | None = None
    """Class and cause of the disagreement; None if the value is met."""
    readings: AcrossReadings = NO_READINGS
    """Joint readings (sets of values of all open parameters) that meet the value."""

    @property
    def relative_difference(self) -> float | None:
        """Relative difference: (measured - printed) / printed."""
        if self.measured is None or self.published.value is None:
            return None
        return relative_difference(self.published.value, self.measured.mean)


@dataclass(frozen=True)
class ClaimResult:
    """A claim and the seeds in which it holds."""

    claim: Claim
    holds: tuple[bool, ...]
    disagreement: Disagreement | None = None
    """Class and cause of the disagreement; None if the claim holds in every seed."""
    readings: AcrossReadings = NO_READINGS
    """Joint readings (sets of values of all open parameters) in which the claim holds."""

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

    def values_of(self, *, arithmetic: bool) -> list[ValueResult]:
        """Published values that check the paper's arithmetic, or all others."""
        return [v for v in self.values if (v.published.kind == "arithmetic") == arithmetic]

    def claims_of(self, *, runs: bool) -> list[ClaimResult]:
        """Claims about runs, or claims that check the paper's arithmetic."""
        return [claim for claim in self.claims if claim.claim.about_runs == runs]

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
    """Estimates and verdicts of an experiment, before they are compared with the paper."""

    values: tuple[Estimate | None, ...]
    """Estimates of the printed values; None for a value without a measure."""
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
    values = tuple(
        estimate([measure(experiment, p, scope) for scope in scopes]) if p.measure else None
        for p in experiment.published
    )
    claims = tuple(
        tuple(
            holds(experiment, claim, scope | scope_of_used(paper, claim.uses, outcomes, seed))
            for scope, seed in zip(scopes, seeds, strict=True)
        )
        for claim in experiment.claims
    )
    return Measured(values, claims)


def judged(
    paper: Paper, experiment: Experiment, seeds: tuple[int, ...], found: Measured
) -> ExperimentResult:
    """Compares the results of an experiment's runs with the values and claims of the paper."""
    ordered = _order(experiment, found.values)
    values = []
    for published, measured in zip(experiment.published, found.values, strict=True):
        met = None if measured is None else met_by(published, measured.mean)
        why, readings = _known(paper, Subject(experiment.id, published), stands=met is not False)
        order = ordered.get(published.quantity)
        runs = runs_of(experiment, published)
        values.append(ValueResult(published, measured, met, runs, order, why, readings))
    claims = []
    for claim, by_seed in zip(experiment.claims, found.claims, strict=True):
        why, readings = _known(paper, Subject(experiment.id, claim), stands=all(by_seed))
        claims.append(ClaimResult(claim, by_seed, why, readings))
    return ExperimentResult(paper, experiment, seeds, tuple(values), tuple(claims))


def _known(
    paper: Paper, subject: Subject, *, stands: bool
) -> tuple[Disagreement | None, AcrossReadings]:
    """The disagreement of a result, None if it is met, and the joint readings that meet it."""
    explanation = paper.explanation(subject.experiment, subject.name)
    impossible = explanation is not None and bool(explanation.impossible)
    readings = across_readings(paper, subject, stands=stands or impossible)
    if stands:
        return None, readings
    drawn = paper.drawn(subject.experiment, subject.name)
    standing = standing_of(subject.of, explanation, drawn, readings.met)
    return Disagreement(standing, explanation, drawn, readings), readings


def measure(experiment: Experiment, published: Published, scope: Mapping[str, Any]) -> float:
    """Evaluates the measure of a published value with the runs of one seed."""
    try:
        run_named_it = {"it": scope[published.it[0]][published.it[1]]} if published.it else {}
        named = run_named_it | dict(published.at)
        value = evaluate(published.measure, dict(scope) | named)
    except ExpressionError as error:
        raise NotMeasurable(f"{experiment.id}, {published.quantity}: {error}") from error
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ReproduceError(f"{experiment.id}, {published.quantity}: {value!r} is not a number")
    return float(value)


def holds(experiment: Experiment, claim: Claim, scope: Mapping[str, Any]) -> bool:
    """True if a claim holds with the runs of one seed."""
    try:
        value = evaluate(claim.holds_if, scope)
    except ExpressionError as error:
        raise NotMeasurable(f"{experiment.id}, claim {claim.id}: {error}") from error
    if not isinstance(value, bool):
        raise ReproduceError(
            f"{experiment.id}, claim {claim.id}: `holds_if` must be true or false, but is {value!r}"
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


def met_by(published: Published, measured: float) -> bool | None:
    """True if a measured value meets a printed one; None if it is not scored."""
    if not published.score or published.value is None:
        return None
    place = last_place(published.printed, published.value)
    return meets(published.score, published.value, measured, place)


@dataclass(frozen=True)
class ProofResult:
    """Result of evaluating a proof."""

    proof: Proof
    holds: bool
    """True if the predicate holds in every seed."""
    values: tuple[tuple[str, Estimate, str], ...]
    """Quantity, value and unit of each number of the proof."""


@dataclass(frozen=True)
class ErratumResult:
    """An erratum and the results of its proofs."""

    paper: Paper
    erratum: Erratum
    proofs: tuple[ProofResult, ...]

    @property
    def holds(self) -> bool:
        """True if every proof holds."""
        return all(proof.holds for proof in self.proofs)


def errata_jobs(paper: Paper, errata: Sequence[Erratum], seed: int) -> list[Job]:
    """Simulations that the proofs of some errata use."""
    return [
        job
        for erratum in errata
        for proof in erratum.proofs
        for job in used_jobs(paper, proof.uses, _expressions(proof), seed)
    ]


def prove(
    paper: Paper, erratum: Erratum, outcomes: Outcomes, seeds: Sequence[int]
) -> tuple[ProofResult, ...]:
    """Evaluates the proofs of an erratum; their runs must be in `outcomes`."""
    return tuple(_prove(paper, erratum, proof, outcomes, seeds) for proof in erratum.proofs)


def _expressions(proof: Proof) -> list[str]:
    return [proof.holds_if, *(value.measure for value in proof.values)]


def _prove(
    paper: Paper, erratum: Erratum, proof: Proof, outcomes: Outcomes, seeds: Sequence[int]
) -> ProofResult:
    scopes = [vocabulary() | scope_of_used(paper, proof.uses, outcomes, seed) for seed in seeds]
    try:
        holds = [evaluate(proof.holds_if, scope) for scope in scopes]
        values = tuple(
            (v.quantity, estimate([float(evaluate(v.measure, s)) for s in scopes]), v.unit)
            for v in proof.values
        )
    except ExpressionError as error:
        raise ReproduceError(f"{paper.id}, erratum {erratum.id}: {error}") from error
    for result in holds:
        if not isinstance(result, bool):
            raise ReproduceError(
                f"{paper.id}, erratum {erratum.id}: `holds_if` of a proof must be true or false, "
                f"but is {result!r}"
            )
    return ProofResult(proof, all(holds), values)
