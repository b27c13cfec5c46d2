"""Measures the distributions of chaotic values and claims, over many seeds and start jitters."""

from collections.abc import Sequence
from dataclasses import replace

from cellrate.reproduce.draws import Drawn
from cellrate.reproduce.paper_data import Claim, Experiment, Paper, Published
from cellrate.reproduce.results import holds, measure, runs_of, used_runs
from cellrate.reproduce.runs import (
    Outcomes,
    Runner,
    job_of,
    run_ids,
    scope_of,
    scope_of_used,
    used_jobs,
)
from cellrate.simulation.runner import Job

JITTERS = ("10 us", "100 us", "1 ms")
"""Start jitters of the runs; seed after seed uses the next."""
AT_ONCE = 10
"""Number of seeds whose outcomes are held in memory together."""

Item = tuple[Experiment, Published | Claim]


def measure_draws(
    paper: Paper, experiments: Sequence[Experiment], seeds: int, runner: Runner
) -> list[Drawn]:
    """Measures the values and claims explained as draws with the seeds 1 to `seeds`.

    A draw is a value or claim that single events decide (`Explanation.draw`). Only those of the
    given experiments are measured.

    Raises:
        ReproduceError: A measure cannot be evaluated with some seed.
    """
    wanted = {experiment.id for experiment in experiments}
    items = [item for item in drawn_items(paper) if item[0].id in wanted]
    values: dict[tuple[str, str], list[float]] = {_key(item): [] for item in items}
    for first in range(1, seeds + 1, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, seeds + 1))
        outcomes = Outcomes()
        jobs = [job for seed in numbers for item in items for job in _jobs(paper, item, seed)]
        outcomes.add(jobs, runner)
        for seed in numbers:
            for item in items:
                values[_key(item)].append(_value(paper, item, outcomes, seed))
    return [_drawn(item, values[_key(item)]) for item in items]


def drawn_items(paper: Paper) -> list[Item]:
    """Quantities and claims whose disagreement is explained as a draw, in the paper's order."""
    everything: list[Item] = []
    for experiment in paper.experiments:
        everything += [(experiment, published) for published in experiment.published]
        everything += [(experiment, claim) for claim in experiment.claims]
    explained = [(item, paper.explanation(*_key(item))) for item in everything]
    return [item for item, why in explained if why is not None and why.draw]


def drawn_keys(paper: Paper) -> list[tuple[str, str]]:
    """Experiment, and quantity or claim id, of everything that is explained as a draw.

    In the paper's order.
    """
    return [_key(item) for item in drawn_items(paper)]


def jittered(paper: Paper, seed: int) -> Paper:
    """The paper with the start jitter of a seed added to the settings of every variant."""
    setting = f"run.start_jitter={JITTERS[(seed - 1) % len(JITTERS)]}"
    return replace(
        paper,
        experiments=tuple(
            replace(
                experiment,
                variants=tuple(replace(v, set=(*v.set, setting)) for v in experiment.variants),
            )
            for experiment in paper.experiments
        ),
    )


def _name(each: Published | Claim) -> str:
    return each.id if isinstance(each, Claim) else each.quantity


def _key(item: Item) -> tuple[str, str]:
    return item[0].id, _name(item[1])


def _turned(paper: Paper, item: Item, seed: int) -> tuple[Paper, Experiment]:
    """Paper and experiment with the start jitter of a seed."""
    turned = jittered(paper, seed)
    return turned, next(e for e in turned.experiments if e.id == item[0].id)


def _jobs(paper: Paper, item: Item, seed: int) -> list[Job]:
    turned, experiment = _turned(paper, item, seed)
    each = item[1]
    if isinstance(each, Claim):
        wanted = used_runs(experiment, each.holds_if)
        elsewhere = used_jobs(turned, each.uses, [each.holds_if], seed)
    else:
        wanted, elsewhere = runs_of(experiment, each), []
    own = [
        job_of(turned, variant, point, seed)
        for run, variant, point in run_ids(experiment)
        if run in wanted
    ]
    return own + elsewhere


def _value(paper: Paper, item: Item, outcomes: Outcomes, seed: int) -> float:
    turned, experiment = _turned(paper, item, seed)
    scope = scope_of(turned, experiment, outcomes, seed)
    each = item[1]
    if isinstance(each, Claim):
        return float(
            holds(experiment, each, scope | scope_of_used(turned, each.uses, outcomes, seed))
        )
    return measure(experiment, each, scope)


def _drawn(item: Item, values: Sequence[float]) -> Drawn:
    experiment, name = _key(item)
    if isinstance(item[1], Claim):
        return Drawn(experiment, name, holding=int(sum(values)), seeds=len(values))
    return Drawn(experiment, name, values=tuple(values), seeds=len(values))
