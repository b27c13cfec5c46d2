"""Runs many simulations on all cores; keeps and reuses results by their content."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from cellrate import _core

Progress: TypeAlias = Callable[[float, int], None]
"""Told about ten times a second how many runs are done (fractions count) and how many there are."""

TICK_SECONDS = 0.1
BUILD_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Job:
    """One simulation to run.

    Attributes:
        text: The scenario, as TOML.
        path: Its name in diagnostics.
        overrides: ``path=value`` settings, applied in order.
        seed: Replaces the scenario's seed.
    """

    text: str
    path: str
    overrides: tuple[str, ...] = ()
    seed: int | None = None

    @classmethod
    def from_file(cls, path: Path, overrides: Sequence[str] = (), seed: int | None = None) -> Job:
        """Reads the scenario from a file.

        Raises:
            OSError: The file cannot be read.
            UnicodeDecodeError: It is not text.
        """
        return cls(path.read_text(encoding="utf-8"), str(path), tuple(overrides), seed)

    def key(self) -> str:
        """Name of the result in a store: a hash over version, resolved scenario and seed.

        Raises:
            ScenarioError: The scenario is wrong.
        """
        return _core.key(_core.resolve(self.text, self.path, list(self.overrides), self.seed))


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_store(directory: Path) -> _core.Store:
    """A store of results of exactly this build of the engine.

    Two builds of one version may differ while the engine is being worked on, so the version alone
    would hand out results of code that is gone. Results of other builds in the same directory are
    removed.
    """
    extension = Path(_core.__file__).read_bytes()
    build = f"{_core.__version__}-{hashlib.sha256(extension).hexdigest()[:BUILD_DIGITS]}"
    for other in directory.glob(f"*-{'[0-9a-f]' * BUILD_DIGITS}"):
        if other.name != build:
            shutil.rmtree(other)
    return _core.Store(str(directory / build))


def run_many(
    jobs: Sequence[Job],
    workers: int | None = None,
    store: _core.Store | None = None,
    progress: Progress | None = None,
) -> list[_core.Outcome]:
    """Runs jobs side by side; equal ones once, known ones not at all.

    Outcomes do not depend on the number of workers. Every scenario is checked before the first one
    runs. The first failure, or Ctrl-C, stops the runs under way; results that were complete by
    then are in the store.

    Args:
        jobs: What to run.
        workers: Runs at a time; all cores by default.
        store: Where results are looked up and kept; nowhere by default.
        progress: Called from the calling thread.

    Returns:
        One outcome per job, in the order of the jobs.

    Raises:
        ScenarioError: A scenario is wrong, or needs more memory than there is.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    keys = [job.key() for job in jobs]
    batch = _Batch(dict(zip(keys, jobs, strict=True)), store)
    outcomes = batch.run(workers or available_cores(), progress)
    return [outcomes[key] for key in keys]


class _Batch:
    """Distinct jobs by key, and how far each has come."""

    def __init__(self, jobs: dict[str, Job], store: _core.Store | None) -> None:
        self.jobs = jobs
        self.store = store
        self.done = dict.fromkeys(jobs, 0.0)
        self.stop = threading.Event()

    def run(self, workers: int, progress: Progress | None) -> dict[str, _core.Outcome]:
        with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="cellrate") as pool:
            futures = {key: pool.submit(self._obtain, key) for key in self.jobs}
            try:
                self._watch(list(futures.values()), progress)
                return {key: future.result() for key, future in futures.items()}
            finally:
                self.stop.set()
                pool.shutdown(wait=False, cancel_futures=True)

    def _watch(self, futures: Sequence[Future[_core.Outcome]], progress: Progress | None) -> None:
        """Waits for the end or the first failure, which it raises."""
        waiting: set[Future[_core.Outcome]] = set(futures)
        while waiting:
            finished, waiting = wait(waiting, timeout=TICK_SECONDS, return_when=FIRST_EXCEPTION)
            for future in finished:
                future.result()
            if progress is not None:
                progress(sum(self.done.values()), len(self.done))

    def _obtain(self, key: str) -> _core.Outcome:
        """The stored outcome, or else a fresh one, which is then stored."""
        kept = None if self.store is None else self.store.get(key)
        if kept is not None:
            outcome = _core.Outcome.from_bytes(kept)
        else:
            outcome = self._simulate(key)
            if self.store is not None:
                self.store.put(key, outcome.to_bytes())
        self.done[key] = 1.0
        return outcome

    def _simulate(self, key: str) -> _core.Outcome:
        def report(now_seconds: float, end_seconds: float) -> bool:
            self.done[key] = now_seconds / end_seconds
            return not self.stop.is_set()

        job = self.jobs[key]
        return _core.run(job.text, job.path, list(job.overrides), job.seed, report)
