"""Compares `cellrate choose` with an exhaustive grid: `python -m proof.measured.chosen`.

Every control of the template `n-source` is run at every point of a grid over the ranges that its
parameters declare. The recommendation must need no more than 2 % more buffer than the best point of
the grid that meets the same goals, and deliver no less than 98 % of its throughput.
"""

import itertools
from collections.abc import Iterator

from cellrate import _core
from cellrate.advice.choosing import Effort, Goals, choose
from cellrate.advice.choosing.candidates import Option, candidates
from cellrate.advice.choosing.goals import judged
from cellrate.advice.choosing.trials import Trials
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.advice.tuning.laboratory import AS_IT_IS, Setting
from cellrate.simulation.network import Network
from cellrate.simulation.runner import Job
from cellrate.studies.parameters.keys import Keys
from cellrate.studies.parameters.ranges import Choices, Range, Space

from proof.campaign import end_with, keep, runner

# Greatest number of points in the grid of one control; it bounds the values of each parameter.
MOST_POINTS = 130
MOST_VALUES = 9
# Number of best points of each control that are run with every seed.
FINALISTS = 8
TOLERANCE = 0.02


def grid(space: Space) -> Iterator[Setting]:
    """Every point of a grid over a space."""
    values = 1
    while (values + 1) ** len(space) <= MOST_POINTS and values < MOST_VALUES:
        values += 1
    columns = [_values(parameter, values) for parameter in space]
    return (Setting(tuple(point)) for point in itertools.product(*columns))


def _values(parameter: Range | Choices, count: int) -> list[tuple[str, str]]:
    """Evenly spread values of a parameter, both ends among them."""
    shares = [at / max(1, count - 1) for at in range(count)]
    if parameter.values is not None:
        places = dict.fromkeys(round(share * (len(parameter.values) - 1)) for share in shares)
        return [(parameter.path, parameter.values[place]) for place in places]
    return [(parameter.path, parameter.at(share)) for share in shares]


def exhaustive(job: Job, goals: Goals, effort: Effort) -> tuple[list[Option], int]:
    """The options of all points of the grids, and the number of points."""
    seeds = tuple(range(effort.first_seed, effort.first_seed + effort.seeds))
    read = job.scenario()
    plain = ResolvedScenario(Keys(read.resolved()), Network.of_scenario(read))
    runs = runner()
    all_trials, points = [], 0
    for candidate in candidates():
        trials = Trials.of(candidate, job, plain, seeds, runs, lambda _: False)
        settings = trials.laboratory.allowed([AS_IT_IS, *grid(trials.space())])
        trials.laboratory.measure(settings, 1)
        points += len(settings)
        all_trials.append(trials)
        print(f"{candidate.name}: {len(settings)} points", flush=True)
    options = [
        {setting: trials.lossless(setting) for setting in trials.laboratory.trials}
        for trials in all_trials
    ]
    most = max(
        option.throughput_bits_per_second
        for found in options
        for option in found.values()
        if not goals.missed(option)
    )
    least = (goals.throughput - TOLERANCE) * most
    for trials, found in zip(all_trials, options, strict=True):
        # Another seed changes little, so points far below the goal with the first seed are dropped.
        near = [at for at, option in found.items() if option.throughput_bits_per_second >= least]
        near.sort(key=lambda at: found[at].buffer_cells)
        trials.laboratory.measure(near[:FINALISTS], len(seeds))
    return [option for trials in all_trials for option in trials.options()], points


def main() -> int:
    """Runs `choose` and the grid, prints and stores the comparison; 1 if `choose` is worse."""
    job, goals, effort = Job(_core.template("n-source"), "n-source"), Goals(), Effort()
    answer = choose(job, goals, effort)
    options, points = exhaustive(job, goals, effort)
    best, recommended = judged(options, answer.goals).best, answer.judgement.best
    if best is None or recommended is None:
        raise RuntimeError("nothing meets the goals")
    buffer = recommended.buffer_cells <= (1 + TOLERANCE) * best.buffer_cells
    least = (1 - TOLERANCE) * best.throughput_bits_per_second
    passed = buffer and recommended.throughput_bits_per_second >= least
    found = {
        "scenario": "template n-source, 3 seeds, no loss, 95 % of the best throughput",
        "points": points,
        "recommended": _as_json(recommended),
        "best_of_the_grid": _as_json(best),
        "passed": passed,
    }
    print(found)
    keep("choose", found)
    return int(not passed)


def _as_json(option: Option) -> dict[str, object]:
    return {
        "option": option.label,
        "buffer_cells": option.buffer_cells,
        "throughput_bits_per_second": option.throughput_bits_per_second,
    }


if __name__ == "__main__":
    end_with(main)
