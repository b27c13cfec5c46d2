"""Runs that go out to a cluster in tasks, and results that come back in order."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cellrate import _core
from cellrate.cluster.batch import Sent, run_batch
from cellrate.runner import Done, Job, build_id, kept_outcome

if TYPE_CHECKING:
    from distributed import Client, Future

BATCH_SECONDS = 2.0
"""Short runs are joined until a task takes about so long: a task costs the scheduler about a ms."""
FIRST_TASKS = 2_000
"""Tasks of the smallest size; with every so many more their least size doubles, so that a million
short runs are ten thousand tasks."""
AHEAD = 4
"""Tasks per thread of the cluster that wait or run at a time."""
HELD = 2_000
"""Results at most that wait for a run before them; until it is back no more tasks are sent."""
GONE = (
    "the Dask scheduler went away, or somebody cancelled the tasks; what had come back is kept: "
    "run the same again, and it goes on from there"
)
LOST = "its worker died, again and again; see the worker's log, and its memory limit"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A job on its way."""

    index: int
    job: Job
    key: str


class Stream:
    """Jobs that go out and results that come back."""

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
        """Sends jobs and gives what became of each, in their order; see `Cluster.run_each`."""
        pending = enumerate(jobs)
        batch: list[_Asked] = []
        more = True
        try:
            while more or self._out or self._back:
                # Workers come and go; asking the scheduler is no thing to do for every run.
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
            # A client that was closed has given up its tasks already.
            if self._out and self._client.status == "running":
                self._client.cancel(list(self._out))

    def _count_threads(self) -> int:
        try:
            threads: dict[str, int] = self._client.nthreads()
        except OSError as error:
            raise ConnectionError(GONE) from error
        return max(sum(threads.values()), 1)

    def _fill(self, pending: Iterator[tuple[int, Job]], batch: list[_Asked]) -> bool:
        """Takes jobs until a batch is full; those that are known need no batch."""
        size = self._size()
        for index, job in pending:
            asked = self._look_up(index, job)
            if asked is not None:
                batch.append(asked)
            if len(batch) >= size or self._is_full():
                return True
        return False

    def _is_full(self) -> bool:
        """Whether so much waits for a run before it that no more is sent: results are held here."""
        return len(self._back) >= HELD

    def _look_up(self, index: int, job: Job) -> _Asked | None:
        """The job, unless what becomes of it is known."""
        try:
            key = job.key()
        except _core.ScenarioError as error:
            self._come(Done(index, job, "", None, str(error), known=False, seconds=0.0))
            return None
        outcome = None if self._store is None else kept_outcome(self._store, key)
        if outcome is None:
            return _Asked(index, job, key)
        self._come(Done(index, job, key, outcome, "", known=True, seconds=0.0))
        return None

    def _size(self) -> int:
        """Jobs of the next task."""
        least = 1 << self._tasks // FIRST_TASKS
        if not self._measured:
            return least
        mean = max(self._seconds / self._measured, 1e-4)
        return max(least, math.ceil(BATCH_SECONDS / mean))

    def _send(self, batch: Sequence[_Asked]) -> None:
        self._tasks += 1
        name = hashlib.sha256("".join(one.key for one in batch).encode()).hexdigest()
        future = self._client.submit(
            run_batch, [one.job for one in batch], build_id(), key=f"cellrate-{name}"
        )
        # Batches of equal jobs have futures of their own, though the scheduler runs one task.
        self._out[future] = list(batch)

    def _gather(self) -> None:
        """Takes in what has come back; waits until something has."""
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
        """What is next in order, as far as it has come."""
        while self._next in self._back:
            yield self._back.pop(self._next)
            self._next += 1
