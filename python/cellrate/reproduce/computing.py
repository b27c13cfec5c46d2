"""Runs the chosen experiments again and judges their results; writes and prints nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from cellrate.common.document import Shown
from cellrate.common.forks import shared_out
from cellrate.reproduce.draw_runs import drawn_keys, measure_draws
from cellrate.reproduce.errata import ErratumResult, errata_jobs, errata_of, prove
from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.options import Options
from cellrate.reproduce.paper_data import Erratum, Experiment, Paper
from cellrate.reproduce.papers import select
from cellrate.reproduce.readings import Choice, experiment_as, read_as
from cellrate.reproduce.reproduction import Reproduction
from cellrate.reproduce.results import judged, measured
from cellrate.reproduce.runs import Outcomes, Runner, job_of, run_ids, used_jobs
from cellrate.reproduce.sensitivity import sensitivities_of
from cellrate.simulation.runner import Job

if TYPE_CHECKING:
    from cellrate.common.document import Document


@dataclass(frozen=True)
class Computed(Shown):
    """Results of the chosen experiments, paper by paper, and the runs that they come from."""

    parts: tuple[Reproduction, ...]
    outcomes: Outcomes

    def __repr__(self) -> str:
        return f"<Computed: {', '.join(one for part in self.parts for one in part.ids)}>"

    def document(self) -> Document:
        """Measured values beside printed ones, claims and counts, as a document."""
        from cellrate.reproduce.report import report

        return report(self.parts)

    @property
    def is_whole(self) -> bool:
        """True if no experiment of these papers was left out."""
        return all(len(part.experiments) == len(part.paper.experiments) for part in self.parts)


def compute(options: Options, runner: Runner) -> Computed:
    """Runs the chosen experiments and judges their values, claims and errata.

    Args:
        options: The options.
        runner: Runs jobs and returns their outcomes in order.

    Raises:
        ReproduceError: An experiment does not exist, a paper's data is broken, or an option needs
            whole papers.
    """
    chosen = select(options.paper, options.experiments)
    parts = tuple(
        _changed(_part(paper, some, options.inferred or {}), tuple(options.changes))
        for paper, some in chosen
    )
    computed = Computed(parts, Outcomes())
    if options.keep_seeds and not computed.is_whole:
        raise ReproduceError("--keep-seeds keeps whole papers; name no experiment")
    if options.draws:
        for part in parts:
            _measure_draws(part, options.draws, runner)
    outcomes, seeds = computed.outcomes, options.numbers
    outcomes.add([job for part in parts for seed in seeds for job in _jobs(part, seed)], runner)
    _judge(parts, outcomes, options)
    if options.sensitivity:
        everything = [result for part in parts for result in part.results]
        moved = {s.experiment: s for s in sensitivities_of(everything, outcomes, runner)}
        for part in parts:
            part.sensitivities = [moved[e.id] for e in part.experiments]
    return computed


def _judge(parts: Sequence[Reproduction], outcomes: Outcomes, options: Options) -> None:
    """Judges the experiments and the errata of the parts; their runs must be in `outcomes`."""
    seeds = options.numbers
    asked: list[Callable[[], Any]] = []
    for part in parts:
        paper = part.paper
        asked += [partial(measured, paper, e, outcomes, seeds) for e in part.experiments]
        asked += [partial(prove, paper, e, outcomes, seeds) for e in _errata(part)]
    found = iter(shared_out(asked, options.workers))
    for part in parts:
        part.results = [judged(part.paper, e, seeds, next(found)) for e in part.experiments]
        part.errata = [ErratumResult(part.paper, e, next(found)) for e in _errata(part)]


def _errata(part: Reproduction) -> list[Erratum]:
    """Errata that concern the experiments of a part."""
    return errata_of(part.paper, part.experiments)


def _part(
    paper: Paper, experiments: Sequence[Experiment], inferred: Mapping[str, Sequence[Choice]]
) -> Reproduction:
    """Part of one paper, with the inferred values of open parameters where there are some."""
    choices = inferred.get(paper.id, ())
    return Reproduction(
        read_as(paper, choices), [experiment_as(each, choices) for each in experiments]
    )


def _changed(part: Reproduction, changes: tuple[str, ...]) -> Reproduction:
    """A part all of whose runs have further settings, those of experiments that it uses, too."""
    if not changes:
        return part

    def changed(experiment: Experiment) -> Experiment:
        variants = (replace(one, changes=changes) for one in experiment.variants)
        return replace(experiment, variants=tuple(variants))

    # What is known of the paper's misses is not known of these runs.
    experiments = tuple(map(changed, part.paper.experiments))
    paper = replace(part.paper, experiments=experiments, explanations=(), draws=(), errata=())
    wanted = [replace(changed(one), errata=()) for one in part.experiments]
    return Reproduction(paper, wanted, changes=changes)


def _measure_draws(part: Reproduction, seeds: int, runner: Runner) -> None:
    """Measures the distributions of a paper and puts them among those that it has."""
    measured = {d.key: d for d in measure_draws(part.paper, part.experiments, seeds, runner)}
    known = {d.key: d for d in part.paper.draws} | measured
    draws = tuple(known[key] for key in drawn_keys(part.paper) if key in known)
    part.paper = replace(part.paper, draws=draws)
    part.has_new_draws = bool(measured)


def _jobs(part: Reproduction, seed: int) -> list[Job]:
    own = [
        job_of(part.paper, variant, point, seed)
        for experiment in part.experiments
        for _, variant, point in run_ids(experiment)
    ]
    used = [
        job
        for experiment in part.experiments
        for claim in experiment.claims
        for job in used_jobs(part.paper, claim.uses, [claim.holds_if], seed)
    ]
    return own + used + errata_jobs(part.paper, _errata(part), seed)
