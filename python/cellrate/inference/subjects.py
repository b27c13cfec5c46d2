"""Results of a paper: printed numbers that are scored, and claims about runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cellrate.reproduce.paper_data import Claim, Experiment, Paper, Published
from cellrate.reproduce.results import runs_of, used_runs
from cellrate.reproduce.runs import job_of, run_ids, used_jobs
from cellrate.simulation.runner import Job


@dataclass(frozen=True)
class Subject:
    """A printed number or a claim that simulations decide."""

    experiment: str
    """Id of the experiment."""
    of: Published | Claim

    @property
    def name(self) -> str:
        """Quantity of a number, id of a claim."""
        return self.of.id if isinstance(self.of, Claim) else self.of.quantity

    @property
    def is_claim(self) -> bool:
        """True for a claim, False for a number."""
        return isinstance(self.of, Claim)

    @property
    def uses(self) -> tuple[str, ...]:
        """Other experiments whose runs a claim names."""
        return self.of.uses if isinstance(self.of, Claim) else ()


def subjects_of(paper: Paper) -> tuple[Subject, ...]:
    """Every result of a paper, in the paper's order."""
    return tuple(subject for e in paper.experiments for subject in _of_experiment(e))


def _of_experiment(experiment: Experiment) -> Iterator[Subject]:
    for published in experiment.published:
        if published.score and published.value is not None and published.measure:
            yield Subject(experiment.id, published)
    for claim in experiment.claims:
        if claim.about_runs:
            yield Subject(experiment.id, claim)


def alone(paper: Paper, subject: Subject) -> Experiment:
    """The experiment of a result, without all other values and claims."""
    experiment = next(e for e in paper.experiments if e.id == subject.experiment)
    of = subject.of
    return replace(
        experiment,
        published=() if isinstance(of, Claim) else (of,),
        claims=(of,) if isinstance(of, Claim) else (),
    )


def jobs_of(paper: Paper, subject: Subject, seed: int) -> tuple[Job, ...]:
    """Simulations behind a result with a seed; `paper` holds the assumed or chosen values."""
    experiment = alone(paper, subject)
    of = subject.of
    if isinstance(of, Claim):
        wanted = set(used_runs(experiment, of.holds_if))
        elsewhere = used_jobs(paper, of.uses, [of.holds_if], seed)
    else:
        wanted, elsewhere = set(runs_of(experiment, of)), []
    own = [job_of(paper, v, point, seed) for run, v, point in run_ids(experiment) if run in wanted]
    return tuple(dict.fromkeys(own + elsewhere))
