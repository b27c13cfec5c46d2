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
"""Experiment in which processor time per cell-hop is measured, and one run is repeated."""
YARDSTICK = "erica"


@dataclass(frozen=True)
class Planned:
    """A planned run of a scheme in an experiment with a seed."""

    scheme: str
    experiment: Experiment
    seed: int
    job: Job

    @property
    def place(self) -> tuple[str, str]:
        """Names of the scheme and of the experiment of this run."""
        return self.scheme, self.experiment.name

    def failed(self, error: str) -> Record:
        """A record of this run with an error message and without measures."""
        return Record(*self.place, self.seed, "", NOTHING, error)


@dataclass(frozen=True)
class Plan:
    """The planned runs of contenders, and runs whose scenarios are not valid.

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
        ScenarioError: A contender is not valid in any experiment, since its name or a setting is
            wrong.
    """
    runs: list[Planned] = []
    refused: list[Record] = []
    for contender in contenders:
        errors: list[ScenarioError] = []
        for experiment in chosen:
            name = contender.name
            try:
                jobs = _traced(contender.jobs(experiment, seeds))
                jobs[0].scenario()
            except ScenarioError as error:
                errors.append(error)
                unmade = [Planned(name, experiment, seed, experiment.job()) for seed in seeds]
                refused += [run.failed(message_of(error)) for run in unmade]
                continue
            both = zip(seeds, jobs, strict=True)
            runs += [Planned(name, experiment, seed, job) for seed, job in both]
        if len(errors) == len(chosen):
            raise errors[0]
    return Plan(tuple(runs), tuple(refused))


def _traced(jobs: Sequence[Job]) -> list[Job]:
    """The jobs with the settings that record the traces for the measures."""
    return [replace(job, overrides=(*job.overrides, *TRACED)) for job in jobs]


def run(planned: Plan, runner: StreamRunner) -> list[Record]:
    """Makes the runs; a failed run becomes a record with its error.

    If the first seed fails, the other seeds are not run, and get records with the same error.
    """
    first = planned.runs[0].seed if planned.runs else 0
    found = list(planned.refused)
    failed: dict[tuple[str, str], str] = {}
    for is_first in (True, False):
        now = [one for one in planned.runs if (one.seed == first) == is_first]
        made = [one for one in now if one.place not in failed]
        found += [one.failed(failed[one.place]) for one in now if one.place in failed]
        for one, done in zip(made, runner([one.job for one in made]), strict=True):
            found.append(_record(one, done))
            if done.error:
                failed[one.place] = done.error
    return found


def _record(one: Planned, done: Done) -> Record:
    if done.outcome is None:
        return one.failed(done.error)
    values = measured(done.outcome, fair_load(one.experiment))
    return Record(*one.place, one.seed, json.loads(done.outcome.summary())["digest"], values)


def repeats(contender: Contender, record: Record, runner: StreamRunner) -> bool:
    """True if a repeated run of the contender has the same result.

    Args:
        contender: A contender.
        record: One of the runs of the contender.
        runner: Runs jobs without a store.
    """
    [experiment] = [one for one in experiments() if one.name == record.experiment]
    [done] = runner(_traced(contender.jobs(experiment, [record.seed])))
    if done.outcome is None:
        return bool(record.error)
    return bool(json.loads(done.outcome.summary())["digest"] == record.digest)


def work(contender: Contender, yardstick: Contender) -> float | None:
    """Processor time per cell-hop of a contender, divided by the time of the reference scheme.

    Each time is the least of a few rounds, in which both schemes take turns. None if a run fails.
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
