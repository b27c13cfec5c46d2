"""Runs many simulations on all cores; stores results and reuses them."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from cellrate import _core
from cellrate.common.arguments import names_wrong_types
from cellrate.common.input_file import read_text
from cellrate.common.whole_number import MOST_SEED, MOST_WORKERS, require_whole_number
from cellrate.simulation.refusals import message_of

Progress: TypeAlias = Callable[[float, int], None]
"""Called ten times a second with the numbers of finished (fractions included) and of all runs."""

Threads: TypeAlias = int | Literal["auto"]
"""Threads of one run: a greatest number, or "auto" for as many as make the run faster."""

TICK_SECONDS = 0.1
BUILD_DIGITS = 12
MAIN = "__main__:"
"""Prefix of the names of classes that a notebook or script defines.

Other processes cannot import these classes.
"""
AHEAD = 16
"""Number of jobs per worker that are submitted before the next result is yielded."""


@dataclass(frozen=True, slots=True)
class Job:
    """One simulation to run.

    Attributes:
        text: The scenario, as TOML.
        path: Name of the scenario in diagnostics.
        overrides: ``path=value`` settings, applied in order.
        seed: Replaces the scenario's seed; a whole number from 0 to 2^63 - 1.

    Raises:
        TypeError: The seed is not an integer.
        ValueError: The seed is out of range.
    """

    text: str
    path: str
    overrides: tuple[str, ...] = ()
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.seed is not None:
            seed = require_whole_number(self.seed, "seed", 0, MOST_SEED)
            object.__setattr__(self, "seed", seed)

    @classmethod
    def from_file(cls, path: Path, overrides: Sequence[str] = (), seed: int | None = None) -> Job:
        """Reads the scenario from a file.

        Raises:
            OSError: The file cannot be read.
            UnicodeDecodeError: The file is not UTF-8 text.
        """
        return cls(read_text(path), str(path), tuple(overrides), seed)

    def scenario(self) -> _core.Scenario:
        """Reads and checks the scenario.

        The returned object holds the parsed scenario, so that its key and its run need no second
        parse. Processes exchange jobs, because this object cannot be sent.

        Raises:
            ScenarioError: The scenario is wrong.
        """
        return _core.Scenario(self.text, self.path, self.overrides, self.seed)

    def key(self) -> str:
        """Key of the result in a store: a hash over version, resolved scenario and seed.

        Raises:
            ScenarioError: The scenario is wrong.
        """
        return self.scenario().key()

    def command(self, path: str | None = None) -> str:
        """The shell command that repeats the run alone.

        Args:
            path: Path of the scenario; by default the name of the job's scenario.
        """
        import shlex  # a run does not need this module

        settings = (part for setting in self.overrides for part in ("--set", setting))
        seed = () if self.seed is None else ("--seed", str(self.seed))
        return shlex.join(["cellrate", "run", path or self.path, *settings, *seed])

    def resolved(self) -> str:
        """The scenario with every default written out.

        Raises:
            ScenarioError: The scenario is wrong.
        """
        return self.scenario().resolved()


def available_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def worker_count(workers: int | None) -> int:
    """Number of runs at a time: `workers`, or one per core if it is None.

    Raises:
        TypeError: The number is not an integer.
        ValueError: The number is below 1 or above `MOST_WORKERS`.
    """
    if workers is None:
        return available_cores()
    return require_whole_number(workers, "workers", 1, MOST_WORKERS)


def thread_count(threads: Threads) -> int | None:
    """Converts a number of threads to the form that the engine expects; "auto" becomes None.

    Raises:
        TypeError: `threads` is neither an integer nor "auto".
        ValueError: `threads` is below 1 or above `MOST_WORKERS`.
    """
    return None if threads == "auto" else require_whole_number(threads, "threads", 1, MOST_WORKERS)


@cache
def build_id() -> str:
    """Version and hash of the engine's binary; builds of a version can be of different sources."""
    import hashlib  # only needed for stores of results

    extension = Path(_core.__file__).read_bytes()
    return f"{_core.__version__}-{hashlib.sha256(extension).hexdigest()[:BUILD_DIGITS]}"


def default_store(directory: Path) -> _core.Store:
    """The store of results of exactly this build of the engine.

    Builds of the same version may differ during development, so a store by version alone could
    return results of old code. Results of other builds of this version in the same directory are
    removed; those of other versions, older or newer, are kept.
    """
    import shutil  # only needed for stores of results

    build = build_id()
    for other in directory.glob(f"{_core.__version__}-{'[0-9a-f]' * BUILD_DIGITS}"):
        if other.name != build:
            # Another process may be removing the same directory.
            shutil.rmtree(other, ignore_errors=True)
    return _core.Store(str(directory / build))


@names_wrong_types
def run_many(
    jobs: Sequence[Job],
    workers: int | None = None,
    store: _core.Store | None = None,
    progress: Progress | None = None,
) -> list[_core.Outcome]:
    """Runs jobs in parallel; equal jobs are run once, jobs with a stored result not at all.

    Outcomes do not depend on the number of workers. Every scenario is checked before the first one
    runs. Several workers begin with the runs that are expected to take longest. The first failure,
    or Ctrl-C, stops the active runs; results that were complete by then are in the store.

    Args:
        jobs: The jobs.
        workers: Number of runs at a time; one per core by default.
        store: Store in which results are looked up and kept; none by default.
        progress: Called from the calling thread.

    Returns:
        One outcome per job, in the order of the jobs.

    Raises:
        ScenarioError: A scenario is wrong, or needs more memory than is available.
        TypeError: The number of workers is not an integer.
        ValueError: The number is below 1 or above `MOST_WORKERS`.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    keys, scenarios = [], {}
    for job in jobs:
        scenario = job.scenario()
        keys.append(scenario.key())
        scenarios[keys[-1]] = scenario
    outcomes = _run_all(scenarios, store, worker_count(workers), progress)
    return [outcomes[key] for key in keys]


def run_one(
    scenario: _core.Scenario,
    store: _core.Store | None = None,
    progress: Progress | None = None,
    threads: Threads = "auto",
) -> _core.Outcome:
    """Runs one scenario, or takes its result from the store; see `run_many`.

    The outcome does not depend on the number of threads.

    Raises:
        ScenarioError: The scenario needs more memory than is available.
        TypeError: The number of threads is neither an integer nor "auto".
        ValueError: The number of threads is below 1 or above `MOST_WORKERS`.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    count = thread_count(threads)
    [outcome] = _run_all({scenario.key(): scenario}, store, 1, progress, count).values()
    return outcome


def _run_all(
    scenarios: dict[str, _core.Scenario],
    store: _core.Store | None,
    workers: int,
    progress: Progress | None,
    threads: int | None = 1,
) -> dict[str, _core.Outcome]:
    """Runs scenarios by key and removes each from the mapping when its run begins.

    Raises:
        Exception: The first failure of a run, which stops the others.
    """
    count = len(scenarios)
    work = _Work(store, alone=workers == 1 or count == 1, threads=threads)

    def run(key: str) -> _core.Outcome:
        outcome, _ = work.obtain(key, scenarios.pop(key), key)
        work.fractions[key] = 1.0
        return outcome

    keys = list(scenarios)
    if not work.alone:  # the longest first, so that all workers end at about the same time
        seconds = {key: scenario.cost()["seconds"] for key, scenario in scenarios.items()}
        keys.sort(key=seconds.__getitem__, reverse=True)
    with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="cellrate") as pool:
        futures = {key: pool.submit(run, key) for key in keys}
        try:
            waiting = set(futures.values())
            while waiting:
                finished, waiting = wait(waiting, timeout=TICK_SECONDS, return_when=FIRST_EXCEPTION)
                for future in finished:
                    future.result()
                if progress is not None:
                    progress(sum(list(work.fractions.values())), count)
            return {key: future.result() for key, future in futures.items()}
        finally:
            work.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


def run_each(
    jobs: Iterable[Job],
    workers: int | None = None,
    store: _core.Store | None = None,
    watch: Callable[[float], None] | None = None,
) -> Generator[Done]:
    """Runs jobs in parallel and yields their results in the order of the jobs.

    A run that fails does not stop the other runs. Only a few jobs are submitted ahead of the result
    that is yielded next, so that memory does not grow with the number of jobs.
    Equal jobs are run once if a store keeps their result.

    Args:
        jobs: The jobs.
        workers: Number of runs at a time; one per core by default.
        store: Store in which results are looked up and kept; none by default.
        watch: Called about ten times a second, from the calling thread, with the number of runs
            that are done, fractions included.

    Yields:
        One result per job.

    Raises:
        OSError: The store cannot be read or written.
        TypeError: The number of workers is not an integer.
        ValueError: The number of workers is below 1 or above `MOST_WORKERS`.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    count = worker_count(workers)
    work = _Work(store, alone=count == 1)
    ahead: deque[Future[Done]] = deque()
    pending = enumerate(jobs)
    with ThreadPoolExecutor(max_workers=count, thread_name_prefix="cellrate") as pool:
        try:
            while True:
                for index, job in itertools.islice(pending, AHEAD * count - len(ahead)):
                    ahead.append(pool.submit(work.attempt, index, job))
                if not ahead:
                    return
                while not ahead[0].done():
                    wait([ahead[0]], timeout=TICK_SECONDS)
                    if watch is not None:
                        watch(work.finished + sum(list(work.fractions.values())))
                yield ahead.popleft().result()
        finally:
            work.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Done:
    """A finished job: its result or its error.

    Attributes:
        index: Number of the job, from 0.
        job: The job.
        scenario: Scenario of the job as it was read; None if it is wrong, or was read elsewhere.
        key: Name of the result in a store; empty if the scenario is wrong.
        outcome: The result; None if the run failed.
        error: Error message; empty if the run did not fail.
        known: True if the result was already in the store.
        seconds: Processor time of the run on one core; 0 if the result was in the store.
    """

    index: int
    job: Job
    scenario: _core.Scenario | None = None
    key: str = ""
    outcome: _core.Outcome | None = None
    error: str = ""
    known: bool = False
    seconds: float = 0.0


class _Work:
    """State that workers share: the store, the progress of the runs, and the signal to stop."""

    def __init__(self, store: _core.Store | None, *, alone: bool, threads: int | None = 1) -> None:
        self.store = store
        self.alone = alone
        self.threads = threads
        self.stop = threading.Event()
        self.fractions: dict[int | str, float] = {}
        self.finished = 0
        self._lock = threading.Lock()

    def attempt(self, index: int, job: Job) -> Done:
        """Runs a job or finds its stored result; errors become part of the returned value."""
        began = time.thread_time()
        scenario, key, error, outcome, known = None, "", "", None, False
        try:
            scenario = job.scenario()
            key = scenario.key()
            outcome, known = self.obtain(index, scenario, key)
        except (_core.ScenarioError, RuntimeError, MemoryError) as problem:
            error = message_of(problem)
        with self._lock:
            self.fractions.pop(index, None)
            self.finished += 1
        seconds = 0.0 if known else time.thread_time() - began
        return Done(index, job, scenario, key, outcome, error, known, seconds)

    def obtain(
        self, name: int | str, scenario: _core.Scenario, key: str
    ) -> tuple[_core.Outcome, bool]:
        """Calls `obtained` for a scenario, and reports the progress under `name`."""

        def report(now_seconds: float, end_seconds: float) -> bool:
            self.fractions[name] = now_seconds / end_seconds
            return not self.stop.is_set()

        return obtained(scenario, key, self.store, report, alone=self.alone, threads=self.threads)


def obtained(
    scenario: _core.Scenario,
    key: str,
    store: _core.Store | None,
    report: Callable[[float, float], bool] | None = None,
    *,
    alone: bool = True,
    threads: int | None = 1,
) -> tuple[_core.Outcome, bool]:
    """The stored outcome of a scenario, or else a fresh one, which is then stored.

    Args:
        scenario: The scenario.
        key: Key of the scenario's result.
        store: Store in which results are looked up and kept; None without one.
        report: Called with the simulated time and the end of the run, as by `_core.Scenario.run`.
        alone: False if other threads run scenarios at the same time.
        threads: Greatest number of threads of the run; None for as many as make the run faster.

    Returns:
        The outcome, and True if it was in the store.

    Raises:
        ScenarioError: The scenario needs more memory than is available.
        Cancelled: The report stopped the run.
        OSError: The store cannot be read or written.
    """
    kept = None if store is None else kept_outcome(store, key)
    if kept is not None:
        return kept, True
    if not scenario.code:
        outcome = scenario.run(report, threads)
    else:
        outcome = _run_code(scenario, report, alone=alone)
    if store is not None:
        store.put(key, outcome.to_bytes())
    return outcome, False


def _run_code(
    scenario: _core.Scenario, report: Callable[[float, float], bool] | None, *, alone: bool
) -> _core.Outcome:
    """Runs a scenario that names Python classes.

    If other threads run scenarios, the scenario runs in a separate process.
    """
    # Imported late, because it loads slowly and few scenarios name Python classes.
    if alone or any(name.startswith(MAIN) for name in scenario.code):
        from cellrate.schemes.watching import watched

        with watched(scenario):
            return scenario.run(report)
    from cellrate.simulation import apart

    return apart.run(scenario, report)


def kept_outcome(store: _core.Store, key: str) -> _core.Outcome | None:
    """The stored outcome of a key; None if it is absent or damaged.

    Raises:
        OSError: The store cannot be read.
    """
    kept = store.get(key)
    if kept is None:
        return None
    try:
        return _core.Outcome.from_bytes(kept)
    except ValueError as error:
        store.reject(key, str(error))
        return None
