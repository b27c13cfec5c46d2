"""Estimates the cost of a study: number of runs, time, memory and disk space."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from statistics import fmean

from cellrate import _core
from cellrate.simulation.runner import Job, available_cores, worker_count
from cellrate.studies.study.definition import Study

SAMPLED = 5
"""Number of points, spread over the design, of which one run is made as a trial."""
MOMENT_SECONDS = 0.3
"""Longest time of each trial in seconds."""
SHORTENED = 50
"""Least factor by which a run is shortened to measure the size of its result."""
SLOWER = 4.0
"""Factor by which a run without a trial may take longer than its estimate."""


@dataclass(frozen=True)
class Plan:
    """Estimated cost of a study.

    Attributes:
        points: Number of points.
        least: Least number of runs.
        most: Greatest number of runs; equal to `least` without a stopping rule.
        known: Number of stored results among the least number of runs.
        run_seconds: Mean processor time of a run on one core; None if all results are stored.
        seconds: Time for the least number of runs, without stored ones, with all workers.
        most_seconds: Time for the greatest number of runs.
        memory_bytes: Greatest memory that the runs of all workers need at a time; None over
            Ethernet, where it is not known before a run.
        disk_bytes: Uncompressed size of the results of the greatest number of runs; None if
            unknown.
    """

    points: int
    least: int
    most: int
    known: int
    run_seconds: float | None
    seconds: float
    most_seconds: float
    memory_bytes: int | None
    disk_bytes: float | None


@dataclass(frozen=True)
class TrialRun:
    """Trial of a run: estimated core time, and the size of its result if known."""

    seconds: float
    size: int | None


def plan(study: Study, store: _core.Store | None, workers: int | None) -> Plan:
    """Estimates the cost of a study from short trials of a few of its runs.

    Raises:
        ScenarioError: A run needs more memory than is available.
    """
    count = worker_count(workers)
    asked, points = study.replications, len(study.points)
    least, most = asked.least * points, asked.most * points
    known = _known(study, store)
    sample = _sample(study)
    trials = [] if known == least else [_try(*one) for one in sample]
    run_seconds = fmean(one.seconds for one in trials) if trials else None
    sizes = [one.size for one in trials if one.size is not None]
    left = (run_seconds or 0.0) / count
    return Plan(
        points=points,
        least=least,
        most=most,
        known=known,
        run_seconds=run_seconds,
        seconds=left * (least - known),
        most_seconds=left * (most - known),
        memory_bytes=_most_memory(count, [read for _, read in sample]),
        disk_bytes=fmean(sizes) * (most - known) if sizes else None,
    )


def may_exceed(study: Study, seconds: float, disk_bytes: float, workers: int | None) -> bool:
    """True if a study may exceed `seconds`, or its uncompressed results may exceed `disk_bytes`.

    Nothing is simulated: the cost of a few points is estimated from their scenarios. `plan` is more
    exact.
    """
    needs = [read.cost() for _, read in _sample(study)]
    points, asked = len(study.points), study.replications
    run_seconds = fmean(one["seconds"] for one in needs)
    run_bytes = fmean(one["most_trace_bytes"] + one["most_event_bytes"] for one in needs)
    longest = SLOWER * run_seconds * points * asked.least / worker_count(workers)
    return longest > seconds or run_bytes * points * asked.most > disk_bytes


def refuse_bad_points(study: Study, watch: Callable[[float], None] | None = None) -> None:
    """Checks the scenario of every point before the first run.

    The number of points that have been checked is passed to `watch`.

    Raises:
        ScenarioError: A scenario cannot be run; the error shows its settings.
    """
    with ThreadPoolExecutor(available_cores()) as pool:
        for done, _ in enumerate(pool.map(lambda one: study.job(one, 0).resolved(), study.points)):
            if watch is not None:
                watch(done + 1)


def _most_memory(workers: int, scenarios: Sequence[_core.Scenario]) -> int | None:
    """Greatest memory of `workers` runs at a time; None if it is unknown for some run."""
    needs = [scenario.cost()["memory_bytes"] for scenario in scenarios]
    known = [need for need in needs if need is not None]
    return workers * max(known) if len(known) == len(needs) else None


def _sample(study: Study) -> list[tuple[Job, _core.Scenario]]:
    """First runs of some points, spread over the design, with their scenarios."""
    points = study.points
    count = min(SAMPLED, len(points))
    chosen = [points[at * (len(points) - 1) // max(count - 1, 1)] for at in range(count)]
    jobs = [study.job(point, 0) for point in chosen]
    return [(job, job.scenario()) for job in jobs]


def _known(study: Study, store: _core.Store | None) -> int:
    """Number of stored results among the least number of runs.

    With a warm-up rule this is 0, because the warm-up decides the keys of the runs.
    """
    if store is None or study.warm_up is not None or not store.keys():
        return 0
    runs = (study.job(point, r) for point in study.points for r in range(study.replications.least))
    return sum(store.contains(job.key()) for job in runs)


def _try(job: Job, scenario: _core.Scenario) -> TrialRun:
    """Runs a job for at most `MOMENT_SECONDS` and extrapolates its core time."""
    began = time.perf_counter()
    reached = 0.0

    def report(now: float, end: float) -> bool:
        nonlocal reached
        reached = now / end
        return time.perf_counter() - began < MOMENT_SECONDS

    try:
        outcome = scenario.run(report)
    except _core.Cancelled:
        elapsed = time.perf_counter() - began
        reached = max(reached, 1e-9)
        return TrialRun(elapsed / reached, _size(job, scenario, min(reached, 1 / SHORTENED)))
    return TrialRun(time.perf_counter() - began, len(outcome.to_bytes()))


def _size(job: Job, scenario: _core.Scenario, share: float) -> int | None:
    """Size of the result, from a shorter run with about as many rows and points."""
    duration = json.loads(scenario.network())["duration_seconds"] * share
    settings = ("measure.from=0 s", f"run.duration={duration * 1e12:.0f} ps")
    try:
        short = replace(job, overrides=(*job.overrides, *settings)).scenario().run()
    except _core.ScenarioError:
        return None
    return len(short.to_bytes())
