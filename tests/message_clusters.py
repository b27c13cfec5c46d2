"""Dask clusters that are not what they should be, for the transcripts of messages."""

from __future__ import annotations

import dataclasses
import itertools
import os
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

from cellrate.simulation import cluster
from cellrate.simulation.cluster import Cluster
from cellrate.simulation.runner import Job
from distributed import LocalCluster

FREE_PORT = "127.0.0.1:0"
# Far beyond what a worker takes to start, or to connect; only a hang meets it.
WAIT_SECONDS = 60
unhurried = mock.patch.object(cluster, "CONNECT_SECONDS", WAIT_SECONDS)


@unhurried
def cluster_with_another_cellrate() -> None:
    """Connects to a cluster on whose only worker a package has the name that ours has."""
    other = Path("other")
    (other / "cellrate").mkdir(parents=True)
    (other / "cellrate" / "__init__.py").touch()
    scheduler = LocalCluster(
        n_workers=0, processes=False, protocol="tcp", dashboard_address=FREE_PORT
    )
    command = ["-m", "distributed.cli.dask_worker", scheduler.scheduler_address]
    options = ["--no-nanny", "--no-dashboard", "--nthreads", "1"]
    with (
        scheduler,
        subprocess.Popen(
            [sys.executable, *command, *options],
            env={**os.environ, "PYTHONPATH": str(other.resolve())},
            stderr=subprocess.DEVNULL,
        ) as worker,
    ):
        try:
            wait_for_a_worker(scheduler)
            Cluster(scheduler.scheduler_address).close()
        finally:
            worker.terminate()


def wait_for_a_worker(cluster: LocalCluster) -> None:
    """Waits by looking at the scheduler of this process, without a connection to it."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not cluster.scheduler.workers:
        if time.monotonic() > deadline:
            raise TimeoutError("no worker has come")
        time.sleep(0.02)


def cluster_that_ends(scenario: Path) -> None:
    """Runs something without end on a cluster whose scheduler goes away."""
    first = Job.from_file(scenario, ("run.duration=10 ms",))
    jobs = (dataclasses.replace(first, seed=seed) for seed in itertools.count(1))
    scheduler = LocalCluster(n_workers=1, processes=False, dashboard_address=FREE_PORT)
    with scheduler, Cluster(scheduler.scheduler_address) as far:
        results = far.run_each(jobs)
        next(results)
        scheduler.close()
        for _ in results:
            pass
