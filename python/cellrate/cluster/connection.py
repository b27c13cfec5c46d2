"""The connection to a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from cellrate import _core
from cellrate.cluster.batch import other_build
from cellrate.cluster.stream import GONE, Stream
from cellrate.problems import BadInput
from cellrate.runner import Done, Job, available_cores, build_id

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local-cluster"
"""Instead of an address: a cluster of processes on this machine, for as long as it is needed."""
CONNECT_SECONDS = 5


class Cluster:
    """A connection to a Dask scheduler.

    Args:
        address: Of the scheduler, as ``tcp://host:8786``, or ``local-cluster``.
        processes: Of a local cluster; all cores by default.

    Raises:
        BadInput: The extra ``cluster`` is not installed, nobody answers there, or a worker has
            another build of cellrate.
        ConnectionError: A worker of a local cluster died while it started.
    """

    def __init__(self, address: str, processes: int | None = None) -> None:
        try:
            import distributed
        except ImportError as error:
            message = "--scheduler needs Dask: install cellrate with its extra `cluster`"
            raise BadInput(message) from error
        self._local = None
        if address == LOCAL:
            try:
                self._local = distributed.LocalCluster(
                    n_workers=processes or available_cores(),
                    threads_per_worker=1,
                    # Any free port: another cluster may have the usual one.
                    dashboard_address="127.0.0.1:0",
                )
            except RuntimeError as error:
                raise ConnectionError(f"a worker ended while it started: {error}") from error
        try:
            self._client: Client = distributed.Client(
                self._local or address, timeout=CONNECT_SECONDS
            )
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
        """Leaves the cluster; a local one ends."""
        with suppress(TimeoutError):  # of a scheduler that has gone, which has been told
            self._client.close()
        if self._local is not None:
            self._local.close()

    def run_each(
        self,
        jobs: Iterable[Job],
        store: _core.Store | None = None,
        watch: Callable[[float], None] | None = None,
    ) -> Generator[Done]:
        """Runs jobs on the workers and gives their results in the order of the jobs, as they come.

        A run that fails does not stop the others, and a worker that dies costs what it was at.
        Results go into the store as soon as they come.

        Args:
            jobs: What to run.
            store: Where results are looked up and kept; nowhere by default.
            watch: Called, from the calling thread, with the number of runs that are done.

        Yields:
            One result per job.

        Raises:
            BadInput: A worker has another build of cellrate.
            OSError: The store cannot be read or written, or the scheduler went away.
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        from distributed.client import CancelledError

        try:
            yield from Stream(self._client, store, watch).run(jobs)
        except CancelledError as error:
            raise ConnectionError(GONE) from error

    def _check_builds(self) -> None:
        """Makes sure that all workers give the results that this program would.

        Raises:
            BadInput: One has another build, or none.
        """
        try:
            builds: dict[str, str] = self._client.run(build_id)
        except Exception as error:
            message = f"a worker has no such cellrate installed as this one: {error}"
            raise BadInput(message) from error
        for worker, build in builds.items():
            if build != build_id():
                raise BadInput(other_build(worker, build, build_id()))
