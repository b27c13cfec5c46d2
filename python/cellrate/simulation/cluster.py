"""Runs many simulations on a Dask cluster, and stores their results as `runner` does."""

from __future__ import annotations

import gc
import hashlib
import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from cellrate import _core
from cellrate.common.problems import BadInput
from cellrate.schemes.finding import Parcel, packed, unpack
from cellrate.simulation.refusals import message_of
from cellrate.simulation.runner import Done, Job, build_id, kept_outcome, worker_count

if TYPE_CHECKING:
    from distributed import Client, Future

LOCAL = "local-cluster"
"""Address of a temporary cluster of processes on this machine."""
CONNECT_SECONDS = 5
NO_PAGES = {
    "distributed.scheduler.http.routes": ["distributed.http.health"],
    "distributed.worker.http.routes": ["distributed.http.health"],
}
"""Settings without Dask's web pages, which all users of the machine could read."""
BATCH_SECONDS = 2.0
"""Length of a task that joins short runs, since a task costs the scheduler about 1 ms."""
FIRST_TASKS = 2_000
"""Whenever so many more tasks have been sent, the least number of runs per task doubles.

So a million short runs make some ten thousand tasks."""
AHEAD = 4
"""Greatest number of tasks per thread of the cluster that wait or run at a time."""
HELD = 2_000
"""Greatest number of results that wait for the result of an earlier job.

At this number no further task is sent.
"""
GONE = (
    "the connection to the Dask scheduler broke, or the tasks were cancelled; finished runs are "
    "kept: the same command continues from there"
)
LOST = "its worker died several times; see the worker's log, and its memory limit"


@contextmanager
def _no_collection() -> Iterator[None]:
    """Within it Python collects no garbage.

    A client of Dask whose connection failed closes itself when it is collected. If this happens
    while another client starts its loop, the close waits for a lock that the start holds.
    """
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Cluster:
    """A connection to a Dask scheduler.

    A program that can send to a scheduler can run code on its workers, and answers of workers are
    unpickled here. So an address trusts every program that can reach the scheduler. Processes of a
    local cluster accept only each other, by a certificate that exists only in their memory.

    Args:
        address: Address of the scheduler, such as ``tcp://host:8786``, or ``local-cluster``.
        processes: Number of processes of a local cluster; one per core by default.

    Raises:
        BadInput: The extra ``cluster`` is not installed, no scheduler answers at the address, or a
            worker has another build of cellrate.
        ConnectionError: A worker of a local cluster died while it started.
    """

    def __init__(self, address: str, processes: int | None = None) -> None:
        try:
            import dask.config
            import distributed

            own = distributed.Security.temporary() if address == LOCAL else None
        except ImportError as error:
            message = "--scheduler needs Dask: pip install 'cellrate[cluster]'"
            raise BadInput(message) from error
        self._local = None
        if own is not None:
            try:
                with _no_collection(), dask.config.set(NO_PAGES):
                    self._local = distributed.LocalCluster(
                        n_workers=worker_count(processes),
                        threads_per_worker=1,
                        # Any free port, since another cluster may use the default port.
                        dashboard_address="127.0.0.1:0",
                        scheduler_kwargs={"dashboard": False},
                        security=own,
                    )
            except RuntimeError as error:
                raise ConnectionError(f"a worker ended while it started: {error}") from error
        try:
            with _no_collection():
                self._client: Client = distributed.Client(
                    self._local or address, timeout=CONNECT_SECONDS
                )
        except (TypeError, RuntimeError) as error:
            message = (
                f"--scheduler {address}: the configuration of Dask does not allow this address: "
                f"{error}"
            )
            raise BadInput(message) from error
        except (OSError, ValueError) as error:
            message = (
                f"--scheduler {address}: no Dask scheduler answers there, but allowed is an "
                f"address such as tcp://HOST:8786, or {LOCAL}: {error}"
            )
            raise BadInput(message) from error
        try:
            self._check_builds()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnects from the cluster; a local cluster is shut down."""
        # The scheduler has ended, which was reported before. RuntimeError is a race of Dask's: the
        # close stops a timer that has just expired.
        with suppress(TimeoutError, RuntimeError):
            self._client.close()
        if self._local is not None:
            self._local.close()

    def run_each(
        self,
        jobs: Iterable[Job],
        store: _core.Store | None = None,
        watch: Callable[[float], None] | None = None,
    ) -> Generator[Done]:
        """Runs jobs on the workers and yields their results in the order of the jobs.

        A run that fails does not stop the rest. If a worker dies, only its current task is lost.
        Results are stored as soon as they arrive.

        Args:
            jobs: The jobs.
            store: Store in which results are looked up and kept; none by default.
            watch: Called, from the calling thread, with the number of runs that are done.

        Yields:
            One result per job.

        Raises:
            BadInput: A worker has another build of cellrate.
            OSError: The store cannot be read or written, or the connection to the scheduler broke.
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        from distributed.client import CancelledError

        try:
            yield from _Stream(self._client, store, watch).run(jobs)
        except CancelledError as error:
            raise ConnectionError(GONE) from error

    def _check_builds(self) -> None:
        """Checks that all workers have the same build as this program.

        Raises:
            BadInput: A worker has another build, or none.
        """
        try:
            builds: dict[str, str] = self._client.run(build_id)
        except Exception as error:
            message = (
                f"a worker of the cluster has another cellrate installed than this one: {error}"
            )
            raise BadInput(message) from error
        for worker, build in builds.items():
            if build != build_id():
                raise BadInput(other_build(worker, build, build_id()))


def other_build(worker: str, build: str, ours: str) -> str:
    """The error message on a worker whose build may give different results.

    Args:
        worker: Name of the worker.
        build: Build of the worker.
        ours: Build of this program.
    """
    return (
        f"worker {worker} runs cellrate {build}, this is {ours}: "
        "install the same wheel everywhere, or results would differ"
    )


@dataclass(frozen=True, slots=True)
class Sent:
    """Result of a job as a worker returns it."""

    data: bytes | None
    error: str
    seconds: float


def run_batch(jobs: Sequence[Job], build: str, code: Sequence[Parcel] = ()) -> list[Sent]:
    """Runs some jobs, one after the other.

    Raises:
        BadInput: This worker has another build.
    """
    if build != build_id():
        raise BadInput(other_build("that joined later", build_id(), build))
    for parcel in code:
        unpack(parcel)
    return [_run(job) for job in jobs]


def _run(job: Job) -> Sent:
    began = time.thread_time()
    try:
        outcome = job.scenario().run()
    except (_core.ScenarioError, RuntimeError, MemoryError) as problem:
        return Sent(None, message_of(problem), time.thread_time() - began)
    return Sent(outcome.to_bytes(), "", time.thread_time() - began)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A job without a stored result, before or after the job is sent to the cluster."""

    index: int
    job: Job
    key: str
    code: tuple[str, ...]


class _Stream:
    """Sends jobs to a cluster and collects their results."""

    def __init__(
        self, client: Client, store: _core.Store | None, watch: Callable[[float], None] | None
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
                # The number of workers changes, but a query to the scheduler for every run is too
                # slow.
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
        """True if no more jobs are sent, because too many results wait for an earlier result."""
        return len(self._back) >= HELD

    def _look_up(self, index: int, job: Job) -> _Asked | None:
        """The job to be sent; None if its result is stored or its scenario is wrong."""
        try:
            scenario = job.scenario()
            key = scenario.key()
        except _core.ScenarioError as error:
            self._come(Done(index, job, error=message_of(error)))
            return None
        outcome = None if self._store is None else kept_outcome(self._store, key)
        if outcome is None:
            return _Asked(index, job, key, tuple(scenario.code))
        self._come(Done(index, job, key=key, outcome=outcome, known=True))
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
        name = hashlib.sha256("".join(asked.key for asked in batch).encode()).hexdigest()
        future = self._client.submit(
            run_batch,
            [asked.job for asked in batch],
            build_id(),
            packed(name for asked in batch for name in asked.code),
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
            done = Done(asked.index, asked.job, key=asked.key, outcome=outcome)
            self._come(replace(done, error=sent.error, seconds=sent.seconds))

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
