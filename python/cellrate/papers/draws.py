"""Distributions, over seeds, of values that single events decide, such as one lost cell.

A printed value of this kind is one random draw from its distribution. `draws.toml` of a paper
holds the distributions, measured over many seeds and start jitters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cellrate.common import whole_file
from cellrate.papers.paper import (
    Drawn,
    Experiment,
    NotMeasurable,
    Paper,
    Subject,
    Variant,
    everything_of,
)
from cellrate.papers.reading import draws_path
from cellrate.papers.results import measured
from cellrate.papers.runs import Outcomes, Runner, alone, jobs_of

HEADER = """\
# What single events decide, over many seeds; written by `cellrate reproduce --draws`.
# The values of a number are listed seed by seed; of a claim a 1 stands for each seed in which it
# holds, a 0 for each other. The start jitters of the runs take turns: the first seed has the first
# of them, and so on.
"""
JITTERS = ("10 us", "100 us", "1 ms")
"""Start jitters of the runs; consecutive seeds use these jitters in turn."""
AT_ONCE = 10
"""Number of seeds whose outcomes are in memory at a time."""


def measure_draws(
    paper: Paper, experiments: Sequence[Experiment], seeds: int, runner: Runner
) -> list[Drawn]:
    """Measures values and claims that single events, such as one lost cell, decide.

    `Explanation.draw` marks these values and claims. Only the given experiments are measured, with
    the seeds 1 to `seeds`.

    Raises:
        ReproduceError: A number cannot be evaluated with some seed.
    """
    wanted = {experiment.id for experiment in experiments}
    subjects = [subject for subject in drawn_subjects(paper) if subject.experiment in wanted]
    values: dict[Subject, list[float]] = {subject: [] for subject in subjects}
    for first in range(1, seeds + 1, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, seeds + 1))
        turned = {seed: jittered(paper, seed) for seed in numbers}
        outcomes = Outcomes()
        jobs = [job for seed in numbers for s in subjects for job in jobs_of(turned[seed], s, seed)]
        outcomes.add(jobs, runner)
        for seed in numbers:
            for subject in subjects:
                values[subject].append(_value(turned[seed], subject, outcomes, seed))
    return [_drawn(subject, found) for subject, found in values.items()]


def drawn_subjects(paper: Paper) -> list[Subject]:
    """Numbers and claims that are not met because single events (such as a loss) decide them."""
    explained = [(s, paper.explanation(s.experiment, s.name)) for s in everything_of(paper)]
    return [subject for subject, why in explained if why is not None and why.draw]


def jittered(paper: Paper, seed: int) -> Paper:
    """The paper with the start jitter of a seed added to the settings of every variant."""
    setting = f"run.start_jitter={JITTERS[(seed - 1) % len(JITTERS)]}"

    def changed(variant: Variant) -> Variant:
        return replace(variant, set=(*variant.set, setting))

    return paper.with_variants(changed)


def _value(paper: Paper, subject: Subject, outcomes: Outcomes, seed: int) -> float:
    """The measured value of a number, or 1 if a claim holds and 0 if it does not.

    A claim about events that a run lacks, such as cycles of a queue, does not hold in this run.
    """
    try:
        found = measured(paper, alone(paper, subject), outcomes, (seed,))
    except NotMeasurable:
        if subject.is_claim:
            return 0.0
        raise
    if subject.is_claim:
        return float(found.claims[0][0])
    estimate = found.values[0]
    return 0.0 if estimate is None else estimate.mean


def _drawn(subject: Subject, values: Sequence[float]) -> Drawn:
    if subject.is_claim:
        holds = "".join(str(int(value)) for value in values)
        return Drawn(subject.experiment, subject.name, holds=holds)
    return Drawn(subject.experiment, subject.name, tuple(values))


def with_draws(paper: Paper, measured: Sequence[Drawn]) -> Paper:
    """The paper with new distributions; those of other subjects stay as stored."""
    known = {drawn.key: drawn for drawn in (*paper.draws, *measured)}
    keys = [(subject.experiment, subject.name) for subject in drawn_subjects(paper)]
    return replace(paper, draws=tuple(known[key] for key in keys if key in known))


def write_draws(directory: Path, draws: Sequence[Drawn]) -> None:
    """Writes distributions into `draws.toml` in a paper's directory, in place of earlier ones."""
    turns = ", ".join(f'"{jitter}"' for jitter in JITTERS)
    lines = [HEADER, f"jitters = [{turns}]"]
    for drawn in draws:
        lines += ["", "[[draw]]", f'experiment = "{drawn.experiment}"', f'of = "{drawn.of}"']
        if drawn.values:
            lines.append(f"values = [{', '.join(f'{value:.6g}' for value in drawn.values)}]")
        else:
            lines.append(f'holds = "{drawn.holds}"')
    whole_file.write_text(draws_path(directory), "\n".join(lines) + "\n")
