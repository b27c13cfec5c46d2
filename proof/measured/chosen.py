"""Holds `cellrate choose` against an exhaustive grid: `python -m proof.measured.chosen`.

Every control of the template `n-source` is run at every point of a grid over the ranges that its
parameters declare. The recommendation must need no more than 2 % more buffer than the best point of
the grid that meets the same goals, and deliver no less than 98 % of its throughput.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cellrate import _core
from cellrate.advice.choosing import Answer, Effort, Goals, choose
from cellrate.advice.choosing.candidates import candidates
from cellrate.advice.choosing.judging import judged
from cellrate.advice.choosing.option import Option
from cellrate.advice.choosing.trials import Trials
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.advice.tuning.laboratory import AS_IT_IS, Setting
from cellrate.common.json_text import json_text
from cellrate.simulation.network import Network
from cellrate.simulation.runner import Job, default_store, run_many
from cellrate.studies.parameters.keys import Keys
from cellrate.studies.parameters.ranges import Choices, Range, Space

RESULT = Path(__file__).parents[1] / "results" / "choose.json"
# Points of the grid of one control at most; each parameter has as many values as that allows.
MOST_POINTS = 130
MOST_VALUES = 9
# The best points of each control that are run with every seed.
FINALISTS = 8
TOLERANCE = 0.02


@dataclass(frozen=True)
class Held:
    """The recommendation beside the best point of the grid."""

    recommended: Option
    grid: Option
    points: int
    seconds: float

    @property
    def passed(self) -> bool:
        """True if the recommendation is as good, within the tolerance."""
        one, best = self.recommended, self.grid
        buffer = one.buffer_cells <= (1 + TOLERANCE) * best.buffer_cells
        rate = (1 - TOLERANCE) * best.throughput_bits_per_second
        return buffer and one.throughput_bits_per_second >= rate


def grid(space: Space) -> Iterator[Setting]:
    """Every point of a grid over a space."""
    values = 1
    while (values + 1) ** len(space) <= MOST_POINTS and values < MOST_VALUES:
        values += 1
    columns = [_values(one, values) for one in space]
    return (Setting(tuple(point)) for point in itertools.product(*columns))


def _values(one: Range | Choices, count: int) -> list[tuple[str, str]]:
    """Evenly spread values of a parameter, both ends among them."""
    shares = [at / max(1, count - 1) for at in range(count)]
    if one.values is not None:
        places = dict.fromkeys(round(share * (len(one.values) - 1)) for share in shares)
        return [(one.path, one.values[place]) for place in places]
    return [(one.path, one.at(share)) for share in shares]


def exhaustive(job: Job, goals: Goals, effort: Effort) -> tuple[list[Option], int]:
    """The options of all points of the grids, and the number of points."""
    seeds = tuple(range(effort.first_seed, effort.first_seed + effort.seeds))
    read = job.scenario()
    plain = ResolvedScenario(Keys(read.resolved()), Network.of_scenario(read))
    store = default_store(Path("out") / "results")
    all_trials, points = [], 0
    for candidate in candidates():
        trials = Trials.of(
            candidate,
            job,
            plain,
            seeds,
            lambda jobs: run_many(jobs, store=store),
            lambda _: False,
        )
        settings = trials.laboratory.allowed([AS_IT_IS, *grid(trials.space())])
        trials.laboratory.measure(settings, 1)
        points += len(settings)
        all_trials.append(trials)
        sys.stderr.write(f"{candidate.name}: {len(settings)} points\n")
    looked = [one.lossless(setting) for one in all_trials for setting in one.laboratory.trials]
    most = max(one.throughput_bits_per_second for one in looked if not goals.missed(one))
    for trials in all_trials:
        found = {setting: trials.lossless(setting) for setting in trials.laboratory.trials}
        # A second seed changes little: what falls far short with the first is out.
        near = [
            setting
            for setting, option in found.items()
            if option.throughput_bits_per_second >= (goals.throughput - TOLERANCE) * most
        ]
        near.sort(key=lambda setting: found[setting].buffer_cells)
        trials.laboratory.measure(near[:FINALISTS], len(seeds))
    return [option for one in all_trials for option in one.options()], points


def held(answer: Answer, seconds: float, options: list[Option], points: int) -> Held:
    """Judges the grid by the goals of an answer."""
    best = judged(options, answer.goals).best
    recommended = answer.judgement.best
    if best is None or recommended is None:
        raise RuntimeError("nothing meets the goals")
    return Held(recommended, best, points, seconds)


def main(arguments: Sequence[str]) -> int:
    """Runs both, prints and keeps the comparison; 1 if the recommendation is worse."""
    if arguments:
        sys.stderr.write("usage: python -m proof.measured.chosen\n")
        return 2
    job, goals, effort = Job(_core.template("n-source"), "n-source"), Goals(), Effort()
    begin = time.monotonic()
    answer = choose(job, goals, effort)
    seconds = time.monotonic() - begin
    found = held(answer, seconds, *exhaustive(job, goals, effort))
    result = {
        "scenario": "template n-source, 3 seeds, no loss, 95 % of the best throughput",
        "points": found.points,
        "recommended": _told(found.recommended),
        "best_of_the_grid": _told(found.grid),
        "passed": found.passed,
    }
    sys.stdout.write(f"choose took {seconds:.0f} s\n{json_text(result)}")
    RESULT.write_text(json_text(result), encoding="utf-8", newline="\n")
    return 0 if found.passed else 1


def _told(one: Option) -> dict[str, object]:
    return {
        "option": one.label,
        "buffer_cells": one.buffer_cells,
        "throughput_bits_per_second": one.throughput_bits_per_second,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
