"""Steps of a reproduction: experiments are chosen, run and judged; each step makes a new object.

`reproduce` then writes and shows the judged results.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellrate.common.document import Shown
from cellrate.common.forks import shared_out
from cellrate.papers.collection import select
from cellrate.papers.draws import measure_draws, with_draws
from cellrate.papers.joint_readings import measure_readings
from cellrate.papers.laboratory import Laboratory
from cellrate.papers.paper import (
    Choice,
    Erratum,
    Experiment,
    Paper,
    Readings,
    ReproduceError,
    Variant,
    experiment_as,
    read_as,
)
from cellrate.papers.readings_file import write_readings
from cellrate.papers.results import (
    ErratumResult,
    ExperimentResult,
    errata_jobs,
    judged,
    measured,
    prove,
)
from cellrate.papers.runs import Outcomes, Runner, job_of, jobs_at, used_jobs
from cellrate.papers.sensitivity import Sensitivity, sensitivity_jobs, sensitivity_of
from cellrate.papers.stored import ASSUMED, INFERRED, SEED
from cellrate.papers.tally import Tally, tally
from cellrate.simulation.runner import Job

if TYPE_CHECKING:
    from cellrate.common.document import Document

# Greatest number of experiments in the name of a page.
MOST_NAMED = 3


@dataclass(frozen=True)
class Options:
    """Experiments to run again, and what to report of them.

    Raises:
        ReproduceError: Two of the options exclude each other.
    """

    out: Path
    """Directory for the web pages; index.html links to all."""
    paper: str | None = None
    """Id of a paper, or of an experiment; all papers if absent."""
    experiments: Sequence[str] | None = None
    """Ids of experiments, with or without the paper's prefix; all if absent."""
    seeds: int = 1
    """Number of seeds."""
    first_seed: int = 1
    """First of the consecutive seeds."""
    sensitivity: bool = False
    """True to also vary each open assumption."""
    json: bool = False
    """True to print a JSON array with an object per experiment, and nothing else."""
    check: bool = False
    """True to compare seed 1 with the stored golden tables, to prove the errata, and to verify that
    some change of the results makes every claim fail."""
    bless: bool = False
    """True to write the results of seed 1 into the golden tables."""
    evidence: Path | None = None
    """Directory to write one Markdown page per paper to."""
    inferred: Mapping[str, Sequence[Choice]] | None = None
    """Inferred values of open parameters by paper, used instead of the assumed ones."""
    keep_seeds: bool = False
    """True to keep the results beside the papers' data, so that reports over one seed can quote
    them."""
    draws: int = 0
    """Number of seeds over which values that single events, such as one lost cell, decide are
    measured; 0 to skip this."""
    readings: int = 0
    """Number of joint readings (random sets of values of all open parameters) that each whole
    paper should have. Missing ones are simulated."""
    changes: Sequence[str] = ()
    """Settings of the user for all runs, applied after those of the paper, as for `--set`. Results
    of such runs are marked, and never stored as results of the paper."""
    workers: int = 1
    """Number of processes that judge results and draw figures, once all runs are done."""

    def __post_init__(self) -> None:
        if (self.check or self.bless) and self.inferred is not None:
            raise ReproduceError(
                "--check and --bless use golden tables, which hold results with parameters as "
                "assumed; leave out --inferred"
            )
        if (self.draws or self.readings) and self.inferred is not None:
            raise ReproduceError(
                "--draws and --readings measure with parameters as assumed or as each reading has "
                "them; leave out --inferred"
            )
        if (self.check or self.bless) and SEED not in self.numbers:
            raise ReproduceError(
                f"--check compares with stored results of seed {SEED}, which is not among the seeds"
            )
        if self.changes:
            self._require_nothing_about_the_paper()

    def _require_nothing_about_the_paper(self) -> None:
        """Refuses to store or check changed runs as runs of the paper."""
        kept = ("check", "bless", "draws", "readings", "keep_seeds", "evidence", "inferred",
                "sensitivity")  # fmt: skip
        defaults = {field.name: field.default for field in fields(self)}
        wrong = [f"--{name.replace('_', '-')}" for name in kept
                 if getattr(self, name) != defaults[name]]  # fmt: skip
        if wrong:
            raise ReproduceError(
                f"--set runs something else than the paper; {', '.join(wrong)} is about the paper: "
                "leave out one of them"
            )
        if self.paper is None and self.experiments is None:
            raise ReproduceError("--set changes the experiments that are named: name some")
        if any(one.partition("=")[0].strip() == "run.seed" for one in self.changes):
            raise ReproduceError("--set run.seed has no effect; --first-seed sets the seed")

    @property
    def numbers(self) -> tuple[int, ...]:
        """The seeds of the runs, as numbers."""
        return tuple(range(self.first_seed, self.first_seed + self.seeds))

    @property
    def reading(self) -> str:
        """Values used for the open parameters: `ASSUMED` or `INFERRED`."""
        return ASSUMED if self.inferred is None else INFERRED


@dataclass(frozen=True)
class Chosen:
    """Chosen experiments of a paper, as they are to be run."""

    paper: Paper
    experiments: tuple[Experiment, ...]
    changes: tuple[str, ...] = ()
    """Settings of the user, which make the runs differ from those of the paper."""

    @property
    def ids(self) -> list[str]:
        """Ids of the experiments."""
        return [experiment.id for experiment in self.experiments]

    @property
    def is_whole(self) -> bool:
        """True if these are all experiments of the paper, unchanged."""
        return not self.changes and len(self.experiments) == len(self.paper.experiments)

    @property
    def page_name(self) -> str:
        """Name of the page: that of the paper if these are all its experiments, unchanged.

        Otherwise names of the experiments follow, and a fingerprint of the changes.
        """
        if self.is_whole:
            return self.paper.id
        names = [identifier.removeprefix(f"{self.paper.id}-") for identifier in self.ids]
        more = ["and-more"] if len(names) > MOST_NAMED else []
        more += [f"changed-{fingerprint(self.changes)}"] if self.changes else []
        return "-".join([self.paper.id, *names[:MOST_NAMED], *more])

    def errata_to_prove(self) -> list[Erratum]:
        """Errata that concern the experiments; all errata if these are the whole paper."""
        if len(self.experiments) == len(self.paper.experiments):
            return list(self.paper.errata)
        listed = {erratum.id for experiment in self.experiments for erratum in experiment.errata}
        return [erratum for erratum in self.paper.errata if erratum.id in listed]


@dataclass(frozen=True)
class Ran:
    """Chosen experiments of all papers, and their finished runs."""

    parts: tuple[Chosen, ...]
    outcomes: Outcomes
    seeds: tuple[int, ...]
    new_draws: tuple[Paper, ...] = ()
    """Papers whose distributions over seeds were measured in this reproduction."""


@dataclass(frozen=True)
class Judged(Chosen):
    """Chosen experiments of a paper, with their judged values, claims and errata."""

    results: tuple[ExperimentResult, ...] = ()
    errata: tuple[ErratumResult, ...] = ()
    sensitivities: tuple[Sensitivity, ...] = ()
    """Effects of the open assumptions, if they were varied."""

    @property
    def tally(self) -> Tally:
        """Counts of the claims that hold and the numbers that are met."""
        return tally(self.results)


@dataclass(frozen=True)
class Computed(Shown):
    """Results of the chosen experiments, paper by paper, and the runs that they come from."""

    parts: tuple[Judged, ...]
    outcomes: Outcomes

    def __repr__(self) -> str:
        return f"<Computed: {', '.join(name for part in self.parts for name in part.ids)}>"

    def document(self) -> Document:
        """Measured values beside printed ones, claims and counts, as a document."""
        from cellrate.papers.report import report

        return report(self.parts)


def compute(options: Options, runner: Runner) -> Computed:
    """Runs the chosen experiments and judges their values, claims and errata.

    Raises:
        ReproduceError: An experiment does not exist, a paper's data is broken, or an option needs
            whole papers.
    """
    return judge(run(choose(options), options, runner), options)


def choose(options: Options) -> tuple[Chosen, ...]:
    """The chosen experiments, with inferred values and settings of the user if given.

    Raises:
        ReproduceError: An experiment does not exist, or an option needs whole papers.
    """
    inferred, changes = options.inferred or {}, tuple(options.changes)
    parts = []
    for paper, experiments in select(options.paper, options.experiments):
        choices = inferred.get(paper.id, ())
        read = tuple(experiment_as(each, choices) for each in experiments)
        parts.append(_changed(Chosen(read_as(paper, choices), read), changes))
    if (options.keep_seeds or options.readings) and not all(part.is_whole for part in parts):
        option = "--keep-seeds" if options.keep_seeds else "--readings"
        raise ReproduceError(f"{option} is about whole papers; name no experiment")
    return tuple(parts)


def _changed(part: Chosen, changes: tuple[str, ...]) -> Chosen:
    """A chosen part with further settings in all its runs and in runs that its claims use."""
    if not changes:
        return part

    def changed(variant: Variant) -> Variant:
        return replace(variant, changes=changes)

    if not any(experiment.variants for experiment in part.experiments):
        named = ", ".join(experiment.id for experiment in part.experiments)
        raise ReproduceError(f"--set changes runs, and {named} has none of its own")
    for experiment in part.experiments:
        for variant in experiment.variants:
            if _unlike(part.paper, changed(variant)) < _unlike(part.paper, variant):
                raise ReproduceError(
                    f"--set {', '.join(changes)} replaces what the runs of {experiment.id} vary; "
                    "set something else, or change the runs in a study: `cellrate study --from "
                    f"{experiment.id}` prints it"
                )

    # Explanations of the paper's misses do not apply to changed runs.
    paper = part.paper.with_variants(changed)
    paper = replace(paper, explanations=(), draws=(), errata=(), readings=Readings())
    wanted = (replace(each.with_variants(changed), errata=()) for each in part.experiments)
    return Chosen(paper, tuple(wanted), changes)


def _unlike(paper: Paper, variant: Variant) -> int:
    """Number of different runs of a variant."""
    return len({job_of(paper, variant, point, SEED).key() for point in variant.points})


def run(chosen: Sequence[Chosen], options: Options, runner: Runner) -> Ran:
    """Makes the runs of the chosen experiments, and measurements over seeds or joint readings.

    `options.draws` and `options.readings` ask for these measurements. Each joint reading is stored
    beside the paper's data as soon as it is done.
    """
    read = [_with_readings(part, options.readings, runner) for part in chosen]
    drawn = [_with_draws(part, options.draws, runner) for part in read]
    seeds, outcomes = options.numbers, Outcomes()
    outcomes.add([job for part in drawn for seed in seeds for job in _jobs(part, seed)], runner)
    if options.sensitivity:
        more = [sensitivity_jobs(p.paper, e, seeds) for p in drawn for e in p.experiments]
        outcomes.add([job for jobs in more for job in jobs], runner)
    new = (part.paper for part, old in zip(drawn, read, strict=True) if part is not old)
    return Ran(tuple(drawn), outcomes, seeds, tuple(new))


def _with_draws(part: Chosen, seeds: int, runner: Runner) -> Chosen:
    """The part with newly measured distributions over `seeds` seeds; unchanged for 0 seeds."""
    measured = measure_draws(part.paper, part.experiments, seeds, runner) if seeds else []
    return replace(part, paper=with_draws(part.paper, measured)) if measured else part


def _with_readings(part: Chosen, wanted: int, runner: Runner) -> Chosen:
    """Simulates sets of values of open parameters until there are `wanted`, and stores them."""
    paper = part.paper
    if len(paper.readings.readings) >= wanted:
        return part
    laboratory = Laboratory(paper, lambda jobs, _: runner(jobs), lambda *_: None)
    keep = partial(write_readings, paper.directory)
    found = measure_readings(laboratory, wanted, paper.readings, keep)
    return replace(part, paper=replace(paper, readings=found))


def _jobs(part: Chosen, seed: int) -> list[Job]:
    jobs = errata_jobs(part.paper, part.errata_to_prove(), seed)
    for experiment in part.experiments:
        jobs += jobs_at(part.paper, experiment, (seed,))
        for claim in experiment.claims:
            jobs += used_jobs(part.paper, claim.uses, [claim.holds_if], seed)
    return jobs


def judge(ran: Ran, options: Options) -> Computed:
    """Judges the experiments and the errata of all parts, in `options.workers` processes."""
    seeds, outcomes = ran.seeds, ran.outcomes
    tasks: list[Callable[[], Any]] = []
    for part in ran.parts:
        tasks += [partial(measured, part.paper, e, outcomes, seeds) for e in part.experiments]
        tasks += [partial(prove, part.paper, e, outcomes, seeds) for e in part.errata_to_prove()]
    found = iter(shared_out(tasks, options.workers))
    judged_parts = []
    for part in ran.parts:
        paper = part.paper
        results = tuple(judged(paper, e, seeds, next(found)) for e in part.experiments)
        errata = tuple(ErratumResult(paper, e, next(found)) for e in part.errata_to_prove())
        moved = [sensitivity_of(result, outcomes) for result in results if options.sensitivity]
        judged_parts.append(
            Judged(paper, part.experiments, part.changes, results, errata, tuple(moved))
        )
    return Computed(tuple(judged_parts), outcomes)


def fingerprint(changes: Sequence[str]) -> str:
    """A hash of settings, so that pages of different settings have different names."""
    return hashlib.sha256("\n".join(changes).encode()).hexdigest()[:6]
