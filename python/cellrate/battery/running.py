"""Runs contenders: each in every experiment with every seed."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cellrate import ScenarioError, _core
from cellrate.battery.contenders import Contender
from cellrate.battery.experiments import MEASURES, Experiment, experiments
from cellrate.battery.measures import TRACED, fair_load, measured
from cellrate.simulation.refusals import message_of
from cellrate.simulation.run_types import StreamRunner
from cellrate.simulation.runner import Done, Job
from cellrate.studies.compare.duels import Record

NOTHING = dict.fromkeys(one.name for one in MEASURES)
ROUNDS = 3
WORKED = "greedy-10"
"""Experiment on which the work per cell is measured, and a run is repeated."""
YARDSTICK = "erica"


@dataclass(frozen=True)
class Planned:
    """A run that is to be made."""

    contender: Contender
    experiment: Experiment
    seed: int
    job: Job


@dataclass(frozen=True)
class Plan:
    """The runs of a battery, and those that cannot be made.

    Attributes:
        runs: Runs to be made.
        refused: Records of runs that an experiment does not allow.
    """

    runs: tuple[Planned, ...]
    refused: tuple[Record, ...]


def plan(
    contenders: Sequence[Contender], chosen: Sequence[Experiment], seeds: Sequence[int]
) -> Plan:
    """The runs of contenders.

    Raises:
        ScenarioError: A contender is allowed by no experiment: its name or a setting is wrong.
    """
    runs: list[Planned] = []
    refused: list[Record] = []
    for contender in contenders:
        errors: list[ScenarioError] = []
        for experiment in chosen:
            try:
                jobs = contender.jobs(experiment, seeds)
                jobs[0].scenario()
            except ScenarioError as error:
                errors.append(error)
                why = message_of(error)
                refused += [
                    Record(contender.name, experiment.name, seed, "", NOTHING, why)
                    for seed in seeds
                ]
                continue
            runs += [
                Planned(
                    contender,
                    experiment,
                    seed,
                    replace(job, overrides=(*job.overrides, *TRACED)),
                )
                for seed, job in zip(seeds, jobs, strict=True)
            ]
        if len(errors) == len(chosen):
            raise errors[0]
    return Plan(tuple(runs), tuple(refused))


def run(planned: Plan, runner: StreamRunner) -> list[Record]:
    """Makes the runs; one that fails becomes a record with its error.

    Where the first seed fails, the others are not run: they are recorded with its error.
    """
    first = planned.runs[0].seed if planned.runs else 0
    found = list(planned.refused)
    failed: dict[tuple[str, str], str] = {}
    for seeds in ([first], sorted({one.seed for one in planned.runs} - {first})):
        now = [one for one in planned.runs if one.seed in seeds]
        made = [one for one in now if _place(one) not in failed]
        found += [
            Record(*_place(one), one.seed, "", NOTHING, failed[_place(one)])
            for one in now
            if _place(one) in failed
        ]
        for one, done in zip(made, runner([one.job for one in made]), strict=True):
            found.append(_record(one, done))
            if done.error:
                failed[_place(one)] = done.error
    return found


def _place(one: Planned) -> tuple[str, str]:
    return one.contender.name, one.experiment.name


def _record(one: Planned, done: Done) -> Record:
    place = (*_place(one), one.seed)
    if done.outcome is None:
        return Record(*place, "", NOTHING, done.error)
    values = measured(done.outcome, fair_load(one.experiment))
    return Record(*place, json.loads(done.outcome.summary())["digest"], values)


def repeats(contender: Contender, record: Record, runner: StreamRunner) -> bool:
    """True if the same run, made again, is the same.

    Args:
        contender: A contender.
        record: One of its runs.
        runner: Runs jobs without a store.
    """
    [experiment] = [one for one in experiments() if one.name == record.experiment]
    [job] = contender.jobs(experiment, [record.seed])
    [done] = runner([replace(job, overrides=(*job.overrides, *TRACED))])
    if done.outcome is None:
        return bool(record.error)
    return bool(json.loads(done.outcome.summary())["digest"] == record.digest)


def work(contender: Contender, yardstick: Contender) -> float | None:
    """Time per cell-hop over that of the yardstick, the least of a few rounds in turn.

    None if the run fails.
    """
    [experiment] = [one for one in experiments() if one.name == WORKED]
    least: dict[str, float] = {}
    for _ in range(ROUNDS):
        for one in (contender, yardstick):
            try:
                [job] = one.jobs(experiment, [1])
                seconds = _seconds_per_hop(job)
            except (ScenarioError, _core.SchemeError):
                return None
            least[one.name] = min(seconds, least.get(one.name, seconds))
    return least[contender.name] / least[yardstick.name]


def _seconds_per_hop(job: Job) -> float:
    scenario = job.scenario()
    began = time.process_time()
    outcome = scenario.run(None)
    took = time.process_time() - began
    return took / float(json.loads(outcome.summary())["cell_hops"])
