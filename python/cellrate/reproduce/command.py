"""Steps of `cellrate reproduce`: runs, evaluates, shows and writes the reports."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cellrate.common import terminal
from cellrate.common.json_text import json_text
from cellrate.reproduce.as_json import as_json
from cellrate.reproduce.complaints import complaints_of
from cellrate.reproduce.draw_runs import JITTERS, drawn_keys, measure_draws
from cellrate.reproduce.draws import write_draws
from cellrate.reproduce.errata import errata_jobs, errata_of, prove
from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.golden import SEED, bless, golden_lines
from cellrate.reproduce.paper_data import Experiment, Paper
from cellrate.reproduce.papers import select
from cellrate.reproduce.readings import Choice, experiment_as, read_as
from cellrate.reproduce.report import report
from cellrate.reproduce.reproduction import Reproduction
from cellrate.reproduce.results import result_of
from cellrate.reproduce.runs import Outcomes, Runner, job_of, run_ids, used_jobs
from cellrate.reproduce.sensitivity import sensitivities_of
from cellrate.reproduce.stored import (
    ASSUMED,
    INFERRED,
    write_stored,
)
from cellrate.reproduce.written import write_evidence, write_pages
from cellrate.simulation.runner import Job


@dataclass(frozen=True)
class Options:
    """Tasks besides running and showing."""

    sensitivity: bool = False
    """Vary the open assumptions."""
    json: bool = False
    """Print JSON instead of tables."""
    check: bool = False
    """Compare with the committed golden tables."""
    bless: bool = False
    """Write the golden tables."""
    evidence: Path | None = None
    """Directory to write the evidence pages to."""
    keep_seeds: str = ""
    """`ASSUMED` or `INFERRED`: keep the results beside the papers' data under this reading."""
    draws: int = 0
    """Number of seeds over which chaotic values, those that single events decide, are measured."""


def run_reproduction(
    paper: str | None,
    experiments: list[str] | None,
    seeds: int,
    first_seed: int,
    sensitivity: bool,
    json: bool,
    out: Path,
    runner: Runner,
    *,
    check: bool = False,
    bless: bool = False,
    evidence: Path | None = None,
    inferred: Mapping[str, Sequence[Choice]] | None = None,
    keep_seeds: bool = False,
    draws: int = 0,
) -> int:
    """Runs experiments again and reports measured numbers beside the printed ones.

    Args:
        paper: Id of a paper, or of an experiment; all papers if absent.
        experiments: Ids of experiments, with or without the paper's prefix; all if absent.
        seeds: Number of seeds.
        first_seed: First of the consecutive seeds.
        sensitivity: Vary each open assumption too.
        json: Print a JSON array with an object per experiment, and nothing else.
        out: Directory for the web pages; index.html links to all.
        runner: Runs jobs and returns their outcomes in order.
        check: Compare seed 1 with the committed golden tables, prove the errata, and verify that
            every claim about runs fails for some change of the results.
        bless: Write seed 1 into the golden tables.
        evidence: Directory to write one Markdown page per paper to.
        inferred: Inferred values of open parameters by paper, used instead of the assumed ones.
        keep_seeds: Keep the results beside the papers' data, so that reports over one seed can
            quote them.
        draws: Number of seeds over which chaotic values are measured; 0 to skip this.

    Returns:
        0; 1 if `check` found a difference.

    Raises:
        ReproduceError: If an experiment does not exist, or a paper's data is broken.
    """
    reading = ASSUMED if inferred is None else INFERRED
    kept = reading if keep_seeds else ""
    options = Options(sensitivity, json, check, bless, evidence, kept, draws)
    parts = [_part(p, chosen, inferred or {}) for p, chosen in select(paper, experiments)]
    _check_options(parts, options, reading)
    numbers = tuple(range(first_seed, first_seed + seeds))
    if (check or bless) and SEED not in numbers:
        raise ReproduceError(f"golden tables hold seed {SEED}, which is not among the seeds")
    if draws:
        _measure_draws(parts, draws, runner)
    outcomes = Outcomes()
    jobs = [job for part in parts for seed in numbers for job in _jobs(part, seed)]
    outcomes.add(jobs, runner)
    for part in parts:
        part.results = [result_of(part.paper, e, outcomes, numbers) for e in part.experiments]
        errata = errata_of(part.paper, part.experiments)
        part.errata = [prove(part.paper, erratum, outcomes, numbers) for erratum in errata]
    if sensitivity:
        everything = [result for part in parts for result in part.results]
        moved = {s.experiment: s for s in sensitivities_of(everything, outcomes, runner)}
        for part in parts:
            part.sensitivities = [moved[e.id] for e in part.experiments]
    pages = write_pages(parts, outcomes, out)
    _show(parts, pages, options)
    return _keep(parts, outcomes, options)


def _part(
    paper: Paper, experiments: Sequence[Experiment], inferred: Mapping[str, Sequence[Choice]]
) -> Reproduction:
    """Part of one paper, with the inferred values of open parameters where there are some."""
    choices = inferred.get(paper.id, ())
    return Reproduction(
        read_as(paper, choices), [experiment_as(each, choices) for each in experiments]
    )


def _check_options(parts: Sequence[Reproduction], options: Options, reading: str) -> None:
    """Refuses options that need whole papers, or the assumed values of open parameters.

    Raises:
        ReproduceError: An option does not fit the experiments or the reading.
    """
    if (options.check or options.bless) and reading == INFERRED:
        raise ReproduceError(
            "--check and --bless use golden tables, which hold results with parameters as assumed; "
            "leave out --inferred"
        )
    whole = all(len(part.experiments) == len(part.paper.experiments) for part in parts)
    if options.keep_seeds and not whole:
        raise ReproduceError("--keep-seeds keeps whole papers; name no experiment")
    if options.draws and reading == INFERRED:
        raise ReproduceError("--draws measures with parameters as assumed; leave out --inferred")


def _measure_draws(parts: Sequence[Reproduction], seeds: int, runner: Runner) -> None:
    """Measures the distributions and keeps them beside the papers' data and in `parts`."""
    for part in parts:
        measured = {d.key: d for d in measure_draws(part.paper, part.experiments, seeds, runner)}
        known = {d.key: d for d in part.paper.draws} | measured
        draws = [known[key] for key in drawn_keys(part.paper) if key in known]
        if measured:
            write_draws(part.paper.directory, JITTERS, draws)
        part.paper = replace(part.paper, draws=tuple(draws))


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
    return own + used + errata_jobs(part.paper, errata_of(part.paper, part.experiments), seed)


def _show(parts: Sequence[Reproduction], pages: Sequence[str], options: Options) -> None:
    results = [result for part in parts for result in part.results]
    sensitivities = [s for part in parts for s in part.sensitivities]
    if options.json:
        sys.stdout.write(json_text(as_json(results, sensitivities), indent=2))
        return
    terminal.show(report(parts))
    terminal.say(f"written to {', '.join(pages)}")


def _keep(parts: Sequence[Reproduction], outcomes: Outcomes, options: Options) -> int:
    """Writes evidence pages, kept results and golden tables; 1 if a check has a complaint."""
    if options.evidence is not None:
        write_evidence(parts, options.evidence)
    if options.keep_seeds:
        for part in parts:
            write_stored(part.paper, options.keep_seeds, part.results)
    complaints = (
        [c for part in parts for c in complaints_of(part, outcomes)] if options.check else []
    )
    for complaint in complaints:
        sys.stderr.write(complaint + "\n")
    if options.bless:
        for part in parts:
            bless(part.paper, part.ids, golden_lines(part.results, outcomes))
    return 1 if complaints else 0
