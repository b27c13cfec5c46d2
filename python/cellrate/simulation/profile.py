"""Profile of a run: processor time by step, by what is recorded, and counts by component.

Times are measured, by the clock of the processor. What a recording costs is the difference between
runs with it and without it, which are otherwise the same, digest included. What components cost is
not measured: their cells share their steps, so only counts are told.
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
from cellrate.simulation.runner import Job

Progress: TypeAlias = Callable[[float, float], None]
"""Called with the number of runs that are done, and of all."""

ROUNDS = 3
"""Runs of each kind; the shortest counts."""
COARSER = 10
"""Factor by which samples are fewer in the run that tells what they cost."""
PICOSECONDS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a run.

    Attributes:
        name: What is done in it.
        seconds: Processor time.
    """

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Saving:
    """A setting that changes no result but what is recorded, and the time that it saves.

    Attributes:
        name: What the setting does.
        settings: The settings, as for ``--set``.
        seconds: Processor time of the run less that with the setting.
        exceeds_spread: True if the difference is greater than that between equal runs.
    """

    name: str
    settings: tuple[str, ...]
    seconds: float
    exceeds_spread: bool


@dataclass(frozen=True, slots=True)
class Count:
    """A number of things that components of a class did.

    Attributes:
        component: The class of components.
        what: Their action.
        number: How often, in the measuring window unless `what` says otherwise.
    """

    component: str
    what: str
    number: int


@dataclass(frozen=True, slots=True)
class Profile:
    """Time of a run by step and by what is recorded, with counts.

    Attributes:
        steps: Its steps, one after the other.
        spread_seconds: Difference between the longest and the shortest of equal runs.
        savings: Settings that record less, the greatest saving first.
        counts: Counts by class of components.
        cell_hops: Cells that crossed a link.
        digest: Digest of the run.
    """

    steps: tuple[Step, ...]
    spread_seconds: float
    savings: tuple[Saving, ...]
    counts: tuple[Count, ...]
    cell_hops: int
    digest: str


def profile(job: Job, progress: Progress) -> Profile:
    """Profiles a job, by runs with all that it records and with less.

    Raises:
        ScenarioError: The scenario is wrong, or needs more memory than is available.
        RuntimeError: A run that records less has another digest: a defect of cellrate.
    """
    reading, scenario = timed(job.scenario)
    set_up, _ = timed(scenario.check)
    resolved = tomllib.loads(scenario.resolved())
    variants = [("", ()), *_less(resolved)]
    seconds: list[list[float]] = [[] for _ in variants]
    digests = set()
    summary: dict[str, Any] = {}
    results = 0.0
    for round_ in range(ROUNDS):
        for index, (_, settings) in enumerate(variants):
            asked = replace(job, overrides=(*job.overrides, *settings)).scenario()
            done = round_ * len(variants) + index
            watch = _Watch(progress, done, ROUNDS * len(variants))
            spent, outcome = timed(partial(asked.run, watch))
            seconds[index].append(spent)
            spent, found = timed(partial(_read, outcome))
            digests.add(found["digest"])
            if index == 0:
                results, summary = spent, found
    if len(digests) > 1:
        raise RuntimeError(f"recording changed the run: digests {', '.join(sorted(digests))}")
    plain = min(seconds[0])
    spread = max(seconds[0]) - plain
    savings = [
        Saving(name, settings, plain - min(times), abs(plain - min(times)) > spread)
        for (name, settings), times in zip(variants[1:], seconds[1:], strict=True)
    ]
    return Profile(
        (
            Step("reading and checking the scenario", reading),
            Step("building the network", set_up),
            Step("simulation and report", max(plain - set_up, 0.0)),
            Step("reading the results in Python", results),
        ),
        spread,
        tuple(sorted(savings, key=lambda saving: -saving.seconds)),
        tuple(_counts(summary, resolved)),
        summary["cell_hops"],
        summary["digest"],
    )


@dataclass(frozen=True, slots=True)
class _Watch:
    """Tells the progress of one run among several."""

    progress: Progress
    done: int
    all: int

    def __call__(self, now: float, end: float) -> None:
        self.progress(self.done + now / end, self.all)


def _read(outcome: _core.Outcome) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads(outcome.summary())
    return summary


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of some work, and its result."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def _less(resolved: Mapping[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    """Ways to record less, each with its settings."""
    measure = resolved["measure"]
    ways: list[tuple[str, tuple[str, ...]]] = []
    if measure["traces"]:
        ways.append(("no traces", ("measure.traces=[]",)))
    if measure["events"]:
        ways.append(("no events", ("measure.events=[]",)))
    period = COARSER * sample_picoseconds(resolved)
    if period <= picoseconds(resolved["run"]["duration"]):
        ways.append((f"samples {COARSER} times as far apart", (f'measure.sample="{period} ps"',)))
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


def sample_picoseconds(resolved: Mapping[str, Any]) -> int:
    """The sampling period of a resolved scenario: by default, a thousandth of the run."""
    sample = resolved["measure"].get("sample")
    if sample is None:
        return max(picoseconds(resolved["run"]["duration"]) // 1000, 1)
    return picoseconds(sample)


def _counts(summary: Mapping[str, Any], resolved: Mapping[str, Any]) -> list[Count]:
    """Counts of a run by class of components, those of zero left out."""
    vcs, flows, ports = summary["vcs"], summary["flows"], summary["ports"]

    def of(rows: list[dict[str, Any]], *keys: str) -> int:
        return sum(row[key] for row in rows for key in keys)

    queues = [queue for port in ports for queue in port["queues"]]
    samples = picoseconds(resolved["run"]["duration"]) // sample_picoseconds(resolved) + 1
    counts = [
        Count("links", "cells that crossed one, in the whole run", summary["cell_hops"]),
        Count("hosts", "data cells sent", of(vcs, "data_cells_sent")),
        Count("hosts", "cells received", of(vcs, "cells_delivered")),
        Count("ABR sources and destinations", "RM cells sent", _rm_cells(vcs)),
        Count("TCP senders", "segments sent", of(flows, "segments_sent")),
        Count("TCP senders", "segments sent again", of(flows, "segments_retransmitted")),
        Count("ports of switches", "cells that arrived", of(queues, "cells_arrived")),
        Count("ports of switches", "cells dropped", of(queues, "cells_dropped")),
        Count("recorder", "lengths of queues sampled, in the whole run", samples * len(queues)),
    ]
    return [count for count in counts if count.number]


def _rm_cells(vcs: list[dict[str, Any]]) -> int:
    keys = "frm_cells_sent", "brm_cells_sent", "out_of_rate_cells_sent"
    return sum(vc[key] for vc in vcs for key in keys)
