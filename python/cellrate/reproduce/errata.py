"""Proves the errata of a paper by computing the predicates of their proofs."""

from collections.abc import Sequence
from dataclasses import dataclass

from cellrate.common.estimates import Estimate, estimate
from cellrate.language.expressions import ExpressionError, evaluate
from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.paper_data import Erratum, Experiment, Paper, Proof
from cellrate.reproduce.runs import Outcomes, scope_of_used, used_jobs, vocabulary
from cellrate.simulation.runner import Job


@dataclass(frozen=True)
class ProofResult:
    """Result of evaluating a proof."""

    proof: Proof
    holds: bool
    """True if the predicate holds in every seed."""
    values: tuple[tuple[str, Estimate, str], ...]
    """Quantity, value, unit."""


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


def errata_of(paper: Paper, experiments: Sequence[Experiment]) -> list[Erratum]:
    """Errata that concern some experiments; all errata if the experiments are the whole paper."""
    if len(experiments) == len(paper.experiments):
        return list(paper.errata)
    listed = {erratum.id for experiment in experiments for erratum in experiment.errata}
    return [erratum for erratum in paper.errata if erratum.id in listed]


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
    return [proof.holds_if, *(measure for _, measure, _ in proof.values)]


def _prove(
    paper: Paper, erratum: Erratum, proof: Proof, outcomes: Outcomes, seeds: Sequence[int]
) -> ProofResult:
    scopes = [vocabulary() | scope_of_used(paper, proof.uses, outcomes, seed) for seed in seeds]
    try:
        holds = [evaluate(proof.holds_if, scope) for scope in scopes]
        values = tuple(
            (quantity, estimate([float(evaluate(measure, scope)) for scope in scopes]), unit)
            for quantity, measure, unit in proof.values
        )
    except ExpressionError as error:
        raise ReproduceError(f"{paper.id}, erratum {erratum.id}: {error}") from error
    for result in holds:
        if not isinstance(result, bool):
            raise ReproduceError(
                f"{paper.id}, erratum {erratum.id}: {result!r} is neither true nor false"
            )
    return ProofResult(proof, all(holds), values)
