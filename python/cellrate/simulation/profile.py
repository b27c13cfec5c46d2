"""Profile of a run: processor time by task, time saved by fewer recordings, events by component.

The engine reads a clock after each call that lets a node process the events that are due, and after
each other task, so all time of a run belongs to some task. The parts of a node, such as its ports
and its control scheme, are not distinguished. The cost of a recording is the difference between
runs with and without it, which have the same digest.
"""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from cellrate import _core
from cellrate.simulation.at_a_glance import at_a_glance, hops_of
from cellrate.simulation.runner import Job, available_cores

Progress: TypeAlias = Callable[[float, float], None]
"""Called with the number of runs that are done, and with the number of all runs."""

ROUNDS = 3
"""Number of runs with each setting; the shortest run counts."""
COARSER = 10
"""Factor by which the run that shows the cost of samples has fewer samples."""
PICOSECONDS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}


@dataclass(frozen=True, slots=True)
class Share:
    """A task of a run.

    Attributes:
        task: Name of the task, such as the kind of nodes that are processed.
        seconds: Processor time.
        share: Share of the time of all tasks; all shares sum to 1.
        times: Number of executions of the task; for nodes the number of calls, in each of which a
            node handles all events that are due.
    """

    task: str
    seconds: float
    share: float
    times: int


@dataclass(frozen=True, slots=True)
class Division:
    """Number of threads among which a run can be divided, and the gain in time.

    Attributes:
        threads: Number of threads with which the run takes less wall-clock time than with one; 1 if
            more threads never help.
        by_default: True if a run has these threads unless the user sets another number.
        gain: Estimated ratio of the time on one thread to the time on `threads` threads.
        reason: Reason why more threads do not help; empty if there is none.
    """

    threads: int
    by_default: bool
    gain: float
    reason: str


@dataclass(frozen=True, slots=True)
class Saving:
    """A setting that records less without changing the simulation, and the time that it saves.

    Attributes:
        name: What the setting does.
        settings: The settings, as for ``--set``.
        seconds: Processor time of the run minus the processor time with the setting.
        exceeds_spread: True if the difference is greater than the difference of equal runs.
    """

    name: str
    settings: tuple[str, ...]
    seconds: float
    exceeds_spread: bool


@dataclass(frozen=True, slots=True)
class Count:
    """Number of actions of the components of one class, such as cells that ports dropped.

    Attributes:
        component: The class of components.
        what: Action of the components.
        number: Number of these actions, in the measuring window unless `what` says otherwise.
    """

    component: str
    what: str
    number: int


@dataclass(frozen=True, slots=True)
class Profile:
    """Profile of a run: time by task, ways to save time, and counts of what components did.

    Attributes:
        shares: Tasks of the run in order, with their shares of the time.
        reading_seconds: Time to read the clock once; it is subtracted from the tasks.
        slowdown: Time of the run with clock readings, divided by the time without them.
        spread_seconds: Difference between the longest and the shortest of equal runs.
        savings: Settings that record less, the greatest saving first.
        division: Number of threads that would make the run faster.
        counts: Numbers of actions by class of components.
        hops: Number of cells or packets that crossed a link, and the unit: cell-hops or
            packet-hops.
        digest: Digest of the run.
    """

    shares: tuple[Share, ...]
    reading_seconds: float
    slowdown: float
    spread_seconds: float
    savings: tuple[Saving, ...]
    division: Division
    counts: tuple[Count, ...]
    hops: tuple[int, str]
    digest: str


def profile(job: Job, progress: Progress) -> Profile:
    """Profiles a job in one thread, by runs that record everything and runs that record less.

    Raises:
        ScenarioError: The scenario is wrong, or needs more memory than is available.
        SchemeError: A hook of a class in Python failed.
        RuntimeError: A run that records less has another digest: a defect of cellrate.
    """
    reading, scenario = timed(job.scenario)
    resolved = tomllib.loads(scenario.resolved())
    variants = [("", ()), *_less(resolved)]
    per_round = len(variants) + 1
    seconds: list[list[float]] = [[] for _ in variants]
    measured: list[_Measured] = []
    digests = set()
    for round_ in range(ROUNDS):
        for index, (_, settings) in enumerate(variants):
            asked = replace(job, overrides=(*job.overrides, *settings)).scenario()
            watch = _one_of(progress, round_ * per_round + index, ROUNDS * per_round)
            spent, outcome = timed(partial(asked.run, watch))
            seconds[index].append(spent)
            digests.add(_read(outcome)["digest"])
        watch = _one_of(progress, round_ * per_round + len(variants), ROUNDS * per_round)
        measured.append(_measured(scenario, watch))
        digests.add(measured[-1].summary["digest"])
    if len(digests) > 1:
        raise RuntimeError(f"recording changed the run: digests {', '.join(sorted(digests))}")
    plain = min(seconds[0])
    spread = max(seconds[0]) - plain
    savings = [
        Saving(name, settings, plain - min(times), abs(plain - min(times)) > spread)
        for (name, settings), times in zip(variants[1:], seconds[1:], strict=True)
    ]
    best = min(measured, key=lambda run: run.seconds)
    return Profile(
        _shares(reading, best),
        best.reading,
        best.seconds / plain if plain else 1.0,
        spread,
        tuple(sorted(savings, key=lambda saving: -saving.seconds)),
        division(scenario),
        tuple(_counts(best.summary, resolved)),
        hops_of(best.summary),
        best.summary["digest"],
    )


@dataclass(frozen=True, slots=True)
class _Measured:
    """A run whose tasks were timed.

    Attributes:
        seconds: Processor time of the whole run.
        tasks: Name, seconds by a wall clock, and number of times of each task.
        reading: Seconds of one reading of the clock.
        overview_seconds: Processor time to compute the shown overview from the results.
        summary: The summary of the run.
    """

    seconds: float
    tasks: list[tuple[str, float, int]]
    reading: float
    overview_seconds: float
    summary: dict[str, Any]


def _measured(scenario: _core.Scenario, progress: Progress) -> _Measured:
    seconds, (outcome, tasks, reading) = timed(partial(scenario.profile, progress))
    overview_seconds, _ = timed(partial(at_a_glance, outcome))
    return _Measured(seconds, tasks, reading, overview_seconds, _read(outcome))


def _shares(reading: float, run: _Measured) -> tuple[Share, ...]:
    """Shares of all tasks in their order.

    The engine's clock is a wall clock, which also counts other programs. So its times are scaled to
    the processor time of the run, less the time to read the clock.
    """
    counted = sum(seconds for _, seconds, _ in run.tasks)
    clock = run.reading * sum(times for _, _, times in run.tasks)
    scale = run.seconds / max(counted + clock, 1e-12)
    tasks = [
        ("reading and checking the scenario", reading, 1),
        *((name, seconds * scale, times) for name, seconds, times in run.tasks),
        ("overview of the results", run.overview_seconds, 1),
    ]
    whole = max(sum(seconds for _, seconds, _ in tasks), 1e-12)
    return tuple(Share(name, seconds, seconds / whole, times) for name, seconds, times in tasks)


def division(scenario: _core.Scenario) -> Division:
    """Number of threads that makes a run faster, and whether a run has these threads by default."""
    found = scenario.partition(None)
    cores = available_cores()
    by_default = len(found["parts"]) > 1
    if not by_default and cores > 1:
        found = scenario.partition(cores)
    return Division(len(found["parts"]), by_default, found["speedup"], found["reason"])


def _one_of(progress: Progress, done: int, total: int) -> Progress:
    """Converts the progress of one run to the progress of all runs."""
    return lambda now, end: progress(done + now / end, total)


def _read(outcome: _core.Outcome) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads(outcome.summary())
    return summary


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of some work, and its result."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def _less(resolved: Mapping[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    """Settings by which a run records less, by name."""
    measure = resolved["measure"]
    ways: list[tuple[str, tuple[str, ...]]] = []
    if measure["traces"]:
        ways.append(("no traces", ("measure.traces=[]",)))
    if measure.get("events"):
        ways.append(("no events", ("measure.events=[]",)))
    period = COARSER * sample_picoseconds(resolved)
    if period <= picoseconds(resolved["run"]["duration"]):
        settings = (f'measure.sample="{_time(period)}"',)
        ways.append((f"samples {COARSER} times as far apart", settings))
    return ways


def picoseconds(text: str) -> int:
    """A time of a resolved scenario in picoseconds.

    >>> picoseconds("2 ms")
    2000000000
    """
    number, unit = text.split()
    whole, _, part = number.partition(".")
    digits = len(part)
    found: int = int(whole + part) * PICOSECONDS[unit] // 10**digits
    return found


def _time(picoseconds: int) -> str:
    """A time in the greatest unit in which it is a whole number.

    >>> _time(20_000_000_000), _time(1_500)
    ('20 ms', '1500 ps')
    """
    size, unit = max((size, unit) for unit, size in PICOSECONDS.items() if picoseconds % size == 0)
    return f"{picoseconds // size} {unit}"


def sample_picoseconds(resolved: Mapping[str, Any]) -> int:
    """The sampling period of a resolved scenario: by default, a thousandth of the run."""
    sample = resolved["measure"].get("sample")
    if sample is None:
        return max(picoseconds(resolved["run"]["duration"]) // 1000, 1)
    return picoseconds(sample)


def _counts(summary: Mapping[str, Any], resolved: Mapping[str, Any]) -> list[Count]:
    """Counts of actions of each class of components, such as cells that ports dropped; no zeros."""
    flows, ports = summary["flows"], summary["ports"]

    def of(rows: list[dict[str, Any]], *keys: str) -> int:
        return sum(row[key] or 0 for row in rows for key in keys)

    queues = [queue for port in ports for queue in port["queues"]]
    samples = picoseconds(resolved["run"]["duration"]) // sample_picoseconds(resolved) + 1
    hops, _ = hops_of(summary)
    if "vcs" in summary:
        vcs, units = summary["vcs"], "cells"
        of_ends = [
            Count("hosts", "data cells sent", of(vcs, "data_cells_sent")),
            Count("hosts", "cells received", of(vcs, "cells_delivered")),
            Count("ABR sources and destinations", "RM cells sent", _rm_cells(vcs)),
        ]
    else:
        units = "packets"
        of_ends = [
            Count("hosts", "packets sent", summary["totals"]["packets_sent"]),
            Count("hosts", "packets received", summary["totals"]["packets_delivered"]),
            Count("sources with rate control", "records sent", of(flows, "records_sent")),
        ]
    counts = [
        Count("links", f"{units} that crossed one, in the whole run", hops),
        *of_ends,
        Count("TCP senders", "segments sent", of(flows, "segments_sent")),
        Count("TCP senders", "segments sent again", of(flows, "segments_retransmitted")),
        Count("ports of switches", f"{units} that arrived", of(queues, f"{units}_arrived")),
        Count("ports of switches", f"{units} dropped", of(queues, f"{units}_dropped")),
        Count("recorder", "lengths of queues sampled, in the whole run", samples * len(queues)),
    ]
    return [count for count in counts if count.number]


def _rm_cells(vcs: list[dict[str, Any]]) -> int:
    keys = "frm_cells_sent", "brm_cells_sent", "out_of_rate_cells_sent"
    return sum(vc[key] for vc in vcs for key in keys)
