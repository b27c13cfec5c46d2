"""The connection to a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from cellrate import _core
from cellrate.common.problems import BadInput
from cellrate.simulation.cluster.batch import other_build
from cellrate.simulation.cluster.stream import GONE, Stream
from cellrate.simulation.runner import Done, Job, build_id, worker_count

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local-cluster"
"""Address of a temporary cluster of processes on this machine."""
CONNECT_SECONDS = 5
NO_PAGES = {
    "distributed.scheduler.http.routes": ["distributed.http.health"],
    "distributed.worker.http.routes": ["distributed.http.health"],
}
"""A local cluster serves no pages, which would tell anybody on the machine what it does."""


class Cluster:
    """A connection to a Dask scheduler.

    Whoever can send to a scheduler can run code on its workers, and what workers send back is
    unpickled here, so an address trusts all who can reach the scheduler. Processes of a local
    cluster know each other by a certificate that exists only in their memory, and let nobody else
    in.

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
                with dask.config.set(NO_PAGES):
                    self._local = distributed.LocalCluster(
                        n_workers=worker_count(processes),
                        threads_per_worker=1,
                        # Any free port: another cluster may have the usual one.
                        dashboard_address="127.0.0.1:0",
                        scheduler_kwargs={"dashboard": False},
                        security=own,
                    )
            except RuntimeError as error:
                raise ConnectionError(f"a worker ended while it started: {error}") from error
        try:
            self._client: Client = distributed.Client(
                self._local or address, timeout=CONNECT_SECONDS
            )
        except (TypeError, RuntimeError) as error:
            message = f"--scheduler {address}: dask is configured otherwise: {error}"
            raise BadInput(message) from error
        except (OSError, ValueError) as error:
            message = (
                f"--scheduler {address}: no Dask scheduler answers there, "
                f"as it would at tcp://HOST:8786 or as {LOCAL}: {error}"
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
        with suppress(TimeoutError):  # the scheduler is gone, which was reported before
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
            yield from Stream(self._client, store, watch).run(jobs)
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
            message = f"a worker has no such cellrate installed as this one: {error}"
            raise BadInput(message) from error
        for worker, build in builds.items():
            if build != build_id():
                raise BadInput(other_build(worker, build, build_id()))
