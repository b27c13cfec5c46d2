"""Sends jobs to a cluster in tasks and returns the results in order."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cellrate import _core
from cellrate.schemes.finding import packed
from cellrate.simulation.cluster.batch import Sent, run_batch
from cellrate.simulation.refusals import message_of
from cellrate.simulation.runner import Done, Job, build_id, kept_outcome

if TYPE_CHECKING:
    from distributed import Client, Future

BATCH_SECONDS = 2.0
"""Short runs are joined into tasks of about this length: a task costs the scheduler about 1 ms."""
FIRST_TASKS = 2_000
"""After every so many tasks their least size doubles, so that a million short runs make ten
thousand tasks."""
AHEAD = 4
"""Number of tasks per thread of the cluster that wait or run at a time."""
HELD = 2_000
"""Greatest number of results that wait for an earlier one; at this number no task is sent."""
GONE = (
    "the connection to the Dask scheduler broke, or the tasks were cancelled; finished runs are "
    "kept: the same command continues from there"
)
LOST = "its worker died several times; see the worker's log, and its memory limit"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A job that has been sent or will be."""

    index: int
    job: Job
    key: str
    code: tuple[str, ...]


class Stream:
    """Sends jobs to a cluster and collects their results."""

    def __init__(
        self,
        client: Client,
        store: _core.Store | None,
        watch: Callable[[float], None] | None,
    ) -> None:
        self._client = client
        self._store = store
        self._watch = watch
        self._out: dict[Future, list[_Asked]] = {}
        self._back: dict[int, Done] = {}
        self._next = 0
        self._tasks = 0
        self._threads = 1
        self._finished = 0
        self._seconds = 0.0
        self._measured = 0

    def run(self, jobs: Iterable[Job]) -> Generator[Done]:
        """Sends jobs and yields their results in order; see `Cluster.run_each`."""
        pending = enumerate(jobs)
        batch: list[_Asked] = []
        more = True
        try:
            while more or self._out or self._back:
                # Workers join and leave; asking the scheduler for every run would be too slow.
                self._threads = self._count_threads()
                while more and len(self._out) < AHEAD * self._threads and not self._is_full():
                    more = self._fill(pending, batch)
                    if batch:
                        self._send(batch)
                        batch = []
                    yield from self._ready()
                self._gather()
                yield from self._ready()
        finally:
            # A closed client has cancelled its tasks already.
            if self._out and self._client.status == "running":
                self._client.cancel(list(self._out))

    def _count_threads(self) -> int:
        try:
            threads: dict[str, int] = self._client.nthreads()
        except OSError as error:
            raise ConnectionError(GONE) from error
        return max(sum(threads.values()), 1)

    def _fill(self, pending: Iterator[tuple[int, Job]], batch: list[_Asked]) -> bool:
        """Takes jobs until a batch is full; returns False after the last job.

        Jobs with a stored result do not go into the batch.
        """
        size = self._size()
        for index, job in pending:
            asked = self._look_up(index, job)
            if asked is not None:
                batch.append(asked)
            if len(batch) >= size or self._is_full():
                return True
        return False

    def _is_full(self) -> bool:
        """True if so many results wait for an earlier one that no more jobs are sent."""
        return len(self._back) >= HELD

    def _look_up(self, index: int, job: Job) -> _Asked | None:
        """The job; None if its result is stored or its scenario is wrong."""
        try:
            scenario = job.scenario()
            key = scenario.key()
        except _core.ScenarioError as error:
            self._come(
                Done(index, job, None, "", None, message_of(error), known=False, seconds=0.0)
            )
            return None
        outcome = None if self._store is None else kept_outcome(self._store, key)
        if outcome is None:
            return _Asked(index, job, key, tuple(scenario.code))
        self._come(Done(index, job, None, key, outcome, "", known=True, seconds=0.0))
        return None

    def _size(self) -> int:
        """Number of jobs of the next task."""
        least = 1 << self._tasks // FIRST_TASKS
        if not self._measured:
            return least
        mean = max(self._seconds / self._measured, 1e-4)
        return max(least, math.ceil(BATCH_SECONDS / mean))

    def _send(self, batch: Sequence[_Asked]) -> None:
        self._tasks += 1
        name = hashlib.sha256("".join(one.key for one in batch).encode()).hexdigest()
        future = self._client.submit(
            run_batch,
            [one.job for one in batch],
            build_id(),
            packed(name for one in batch for name in one.code),
            key=f"cellrate-{name}",
        )
        # Equal batches have different futures, though the scheduler runs them as one task.
        self._out[future] = list(batch)

    def _gather(self) -> None:
        """Waits until at least one task is done, and collects the results."""
        from distributed import wait

        if not self._out:
            return
        with self._client.as_current():
            done = wait(list(self._out), return_when="FIRST_COMPLETED").done
        for future in done:
            self._take_in(self._out.pop(future), future)
            future.release()

    def _take_in(self, batch: Sequence[_Asked], future: Future) -> None:
        from distributed.scheduler import KilledWorker

        try:
            found: list[Sent] = future.result()
        except KilledWorker:
            found = [Sent(None, LOST, 0.0)] * len(batch)
        for asked, sent in zip(batch, found, strict=True):
            outcome = None
            if sent.data is not None:
                if self._store is not None:
                    self._store.put(asked.key, sent.data)
                outcome = _core.Outcome.from_bytes(sent.data)
                self._seconds += sent.seconds
                self._measured += 1
            self._come(
                Done(
                    asked.index,
                    asked.job,
                    None,
                    asked.key,
                    outcome,
                    sent.error,
                    known=False,
                    seconds=sent.seconds,
                )
            )

    def _come(self, done: Done) -> None:
        self._back[done.index] = done
        self._finished += 1
        if self._watch is not None:
            self._watch(self._finished)

    def _ready(self) -> Iterator[Done]:
        """Yields the next results in order, as far as they have arrived."""
        while self._next in self._back:
            yield self._back.pop(self._next)
            self._next += 1
