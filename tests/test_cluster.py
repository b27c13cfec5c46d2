"""The same runs on a Dask cluster: the same results, whatever happens to its workers."""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import os
import signal
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import cellrate
import dask
import distributed
import pytest
from cellrate.common.problems import BadInput
from cellrate.simulation import cluster
from cellrate.simulation.cluster import GONE, LOCAL, Cluster, run_batch
from cellrate.simulation.runner import Job, build_id, default_store, run_each
from conftest import HERE, Command
from distributed import Client, LocalCluster, Security

PROCESSES = 2
# Somebody else may have the usual one.
FREE_PORT = "127.0.0.1:0"


@pytest.fixture(scope="module")
def workers() -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=PROCESSES, threads_per_worker=1, processes=True, dashboard_address=FREE_PORT
    ) as found:
        yield found


@pytest.fixture
def jobs(traced: Path) -> list[Job]:
    first = Job.from_file(traced, ("run.duration=300 ms", "run.start_jitter=1 ms"))
    return [dataclasses.replace(first, seed=seed) for seed in range(1, 25)]


def digests(found: Iterator[cellrate.simulation.runner.Done]) -> list[str]:
    return [cellrate.Result(done.outcome).digest for done in found if done.outcome is not None]


def test_results_are_those_of_this_machine(jobs: list[Job], workers: LocalCluster) -> None:
    with Cluster(workers.scheduler_address) as far:
        assert digests(far.run_each(jobs)) == digests(run_each(jobs))


@pytest.mark.long
def test_a_dead_worker_costs_nothing_but_time(
    jobs: list[Job], workers: LocalCluster, tmp_path: Path
) -> None:
    store = default_store(tmp_path)
    with Client(workers) as client, Cluster(workers.scheduler_address) as far:
        [victim, *_] = client.run(os.getpid).values()
        found = []
        for done in far.run_each(jobs, store=store):
            if done.index == 2:
                os.kill(victim, signal.SIGKILL)
            found.append(done)
        # A nanny has put another process in its place.
        while victim in client.run(os.getpid, on_error="ignore").values():
            time.sleep(0.1)
    assert digests(iter(found)) == digests(run_each(jobs))
    assert all(store.contains(job.key()) for job in jobs)


def test_what_is_known_is_not_sent(
    jobs: list[Job], workers: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = default_store(tmp_path)
    here = digests(run_each(jobs, store=store))
    monkeypatch.setattr(cluster, "run_batch", None)
    with Cluster(workers.scheduler_address) as far:
        found = list(far.run_each(jobs, store=store))
    assert all(done.known for done in found)
    assert digests(iter(found)) == here


def test_a_failed_run_is_told(jobs: list[Job], workers: LocalCluster) -> None:
    huge = Job.from_file(HERE / "bad_input" / "too-much-memory.toml")
    with Cluster(workers.scheduler_address) as far:
        found = list(far.run_each([huge, Job("nonsense", "x.toml"), jobs[0]]))
    assert "memory" in found[0].error
    assert found[1].error
    assert found[2].outcome is not None


def test_equal_runs_at_once_are_one_task(jobs: list[Job], workers: LocalCluster) -> None:
    twice = [jobs[0], jobs[1], jobs[0], jobs[0]]
    with Cluster(workers.scheduler_address) as far:
        assert digests(far.run_each(twice)) == digests(run_each(twice))


def test_short_runs_are_joined(traced: Path, workers: LocalCluster) -> None:
    first = Job.from_file(traced, ("run.duration=1 ms",))
    short = [dataclasses.replace(first, seed=seed) for seed in range(200)]
    with Cluster(workers.scheduler_address) as far, Client(workers) as client:
        before = len(client.story())
        assert len(list(far.run_each(short))) == 200
        tasks = {str(event[0]) for event in client.story()[before:] if "cellrate-" in str(event)}
    assert len(tasks) < 100


def pretend_to_be(build: str | None) -> None:
    """Gives a worker another build; with None it has its own again."""
    from cellrate.simulation import runner

    if build is None:
        importlib.reload(runner)
    else:
        runner.build_id = lambda: build  # type: ignore[assignment]


def test_another_build_is_refused(workers: LocalCluster) -> None:
    with Client(workers) as client:
        client.run(pretend_to_be, "0.0.0-other")
        with pytest.raises(BadInput, match=r"runs cellrate 0\.0\.0-other, this is"):
            Cluster(workers.scheduler_address)
        client.run(pretend_to_be, None)
        Cluster(workers.scheduler_address).close()


def test_a_worker_that_joins_later_names_both_builds() -> None:
    with pytest.raises(BadInput) as caught:
        run_batch([], "0.0.0-ours")
    assert f"runs cellrate {build_id()}, this is 0.0.0-ours" in str(caught.value)


@pytest.mark.long
def test_workers_that_end_while_they_start_are_told(tmp_path: Path, command: Command) -> None:
    (tmp_path / "s.toml").write_text('template = "n-source"')
    with dask.config.set({"distributed.worker.preload": ["import os; os._exit(1)"]}):
        done = command("study", "s.toml", "--scheduler", "local-cluster", "--workers", "1")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: a worker ended while it started: ")


@pytest.mark.long
def test_nobody_there_is_told(tmp_path: Path, command: Command) -> None:
    (tmp_path / "s.toml").write_text('template = "n-source"')
    done = command("study", "s.toml", "--scheduler", "tcp://127.0.0.1:1")
    assert done.returncode == 2
    assert done.stderr.startswith("error: --scheduler tcp://127.0.0.1:1: no Dask scheduler answers")
    assert not (tmp_path / "out" / "studies").exists()


@pytest.mark.long
def test_a_scheduler_that_goes_away_is_told_and_nothing_is_lost(
    traced: Path, tmp_path: Path
) -> None:
    first = Job.from_file(traced, ("run.duration=300 ms", "run.start_jitter=1 ms"))
    jobs = (dataclasses.replace(first, seed=seed) for seed in itertools.count(1))
    store = default_store(tmp_path)
    short_lived = LocalCluster(n_workers=1, processes=False, dashboard_address=FREE_PORT)
    with short_lived, Cluster(short_lived.scheduler_address) as far:
        results = far.run_each(jobs, store=store)
        came = [next(results)]
        short_lived.close()
        with pytest.raises(ConnectionError, match="finished runs are kept"):
            came.extend(results)
    assert all(store.contains(done.key) for done in came)


@pytest.mark.long
def test_a_scheduler_that_is_left_too_slowly_hides_nothing(
    workers: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(address: str, timeout: float) -> Client:
        client = Client(address, timeout=timeout)
        close = client.close

        def slowly() -> None:
            close()
            raise TimeoutError("timed out after 10 s.")

        # Of this client alone: another may be collected, and so closed, at any time.
        monkeypatch.setattr(client, "close", slowly)
        return client

    monkeypatch.setattr(distributed, "Client", slow)
    with pytest.raises(ConnectionError, match="broke"), Cluster(workers.scheduler_address):
        raise ConnectionError(GONE)


@pytest.mark.long
def test_results_held_for_a_slow_run_are_few(
    jobs: list[Job], workers: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "HELD", 3)
    monkeypatch.setattr(cluster, "BATCH_SECONDS", 0.0)
    slow = dataclasses.replace(jobs[0], overrides=("run.duration=100 s",))
    ahead = 0

    def quick() -> Iterator[Job]:
        nonlocal ahead
        for seed in range(2_000):
            ahead += 1
            yield dataclasses.replace(jobs[0], overrides=("run.duration=1 ms",), seed=seed)

    with Cluster(workers.scheduler_address) as far:
        results = far.run_each(itertools.chain([slow], quick()))
        assert next(results).outcome is not None
        assert ahead < 24
        results.close()


def test_a_study_is_the_same_anywhere(
    tmp_path: Path, command: Command, workers: LocalCluster
) -> None:
    (tmp_path / "s.toml").write_text(
        'template = "n-source"\n'
        'set = ["run.duration=100 ms", "measure.from=10 ms", "run.start_jitter=1 ms"]\n'
        '[factors]\n"flow.tcp.count" = [2, 5]\n[replications]\ncount = 4\n'
    )
    here = command("study", "s.toml", "--out", "here")
    far = command("study", "s.toml", "--out", "far", "--scheduler", workers.scheduler_address)
    assert (here.returncode, far.returncode) == (0, 0), far.stderr
    places = [tmp_path / name / "studies" / "s" for name in ("here", "far")]
    for path in places[0].iterdir():
        assert path.read_bytes() == (places[1] / path.name).read_bytes(), path.name


def answer(address: str, known: Security | None) -> bytes:
    """First byte that a process of Dask says to somebody with these certificates, or none."""
    host, port = address.removeprefix("tls://").split(":")
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if known is not None:
        context = known.get_connection_args("client")["ssl_context"]
        context.verify_mode = ssl.CERT_NONE
    with socket.create_connection((host, int(port)), timeout=5) as line:
        try:
            with context.wrap_socket(line) as safe:
                return safe.recv(1)
        except ssl.SSLError:  # the handshake ends in an alert
            return b""


def test_a_local_cluster_lets_nobody_else_in() -> None:
    """Whoever could connect could run code as this user, on the workers and in the command."""
    others = Security.temporary()
    with Cluster(LOCAL, 1) as far:
        client = far._client  # noqa: SLF001  an inner one, to look at
        addresses = [client.scheduler.address, *client.scheduler_info()["workers"]]
        assert len(addresses) == 2
        for address in addresses:
            assert address.startswith("tls://127.0.0.1:")
            assert answer(address, None) == b""
            assert answer(address, others) == b""
            assert len(answer(address, client.security)) == 1
        with pytest.raises(OSError, match=r"handshake|closed|Timed out"):
            Client(addresses[0].replace("tls://", "tcp://"), timeout=2)
        pages = client.cluster.dashboard_link.removesuffix("/status")
        for page in ("status", "info/main/workers.html", "json/counts.json"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"{pages}/{page}", timeout=5)  # noqa: S310  this machine
        with urllib.request.urlopen(f"{pages}/health", timeout=5) as health:  # noqa: S310
            assert health.read() == b"ok"


def test_a_scheduler_may_ask_for_a_certificate(jobs: list[Job], tmp_path: Path) -> None:
    """The certificates are named in dask's configuration, as the how-to says."""
    known = Security.temporary()
    files = {}
    for name, pem in (("ca-file", known.tls_ca_file), ("key", known.tls_client_key)):
        files[name] = tmp_path / name
        files[name].write_text(str(pem))
    local = LocalCluster(
        n_workers=1, processes=False, protocol="tls", security=known, dashboard_address=FREE_PORT
    )
    with local:
        with pytest.raises(
            BadInput, match="the configuration of Dask does not allow this address: TLS expects"
        ):
            Cluster(local.scheduler_address)
        named = {
            "distributed.comm.tls.ca-file": str(files["ca-file"]),
            "distributed.comm.tls.client.key": str(files["key"]),
            "distributed.comm.tls.client.cert": str(files["ca-file"]),
        }
        with dask.config.set(named), Cluster(local.scheduler_address) as far:
            assert len(digests(far.run_each(jobs[:2]))) == 2
