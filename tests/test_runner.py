"""Many runs side by side: the same outcomes in the same order, kept, and stopped by a failure."""

from __future__ import annotations

import dataclasses
import itertools
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cellrate
import pytest
from cellrate import _core
from cellrate.simulation import runner
from cellrate.simulation.runner import Job, default_store, run_each, run_many


@pytest.fixture
def jobs(traced: Path) -> list[Job]:
    shorter = ("run.duration=20 ms", "run.start_jitter=1 ms")
    return [Job.from_file(traced, shorter, seed) for seed in (5, 1, 4, 2, 3)]


def digests(outcomes: list[_core.Outcome]) -> list[str]:
    return [cellrate.Result(outcome).digest for outcome in outcomes]


def test_outcomes_are_in_order_and_the_same_for_any_number_of_workers(jobs: list[Job]) -> None:
    alone = run_many(jobs, workers=1)
    assert [cellrate.Result(outcome).seed for outcome in alone] == [5, 1, 4, 2, 3]
    assert len(set(digests(alone))) == len(jobs)
    assert digests(run_many(jobs, workers=2)) == digests(alone)
    assert digests(run_many(jobs, workers=8)) == digests(alone)


def test_the_longest_runs_come_first(jobs: list[Job], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    submit = ThreadPoolExecutor.submit

    def noted(pool: Any, work: Any, key: str) -> Any:  # noqa: ANN401  as that method has
        asked.append(key)
        return submit(pool, work, key)

    lengths = (20, 80, 40, 60)
    some = [
        dataclasses.replace(jobs[0], overrides=(f"run.duration={ms} ms", jobs[0].overrides[1]))
        for ms in lengths
    ]
    monkeypatch.setattr(ThreadPoolExecutor, "submit", noted)
    found = run_many(some, workers=2)
    keys = [job.key() for job in some]
    assert asked == [keys[1], keys[3], keys[2], keys[0]]
    assert digests(found) == digests(run_many(some, workers=1))


def test_known_results_are_not_simulated_again(jobs: list[Job], tmp_path: Path) -> None:
    store = default_store(tmp_path)
    fresh = run_many(jobs, store=store)
    kept = run_many(jobs, store=store)
    # A summary says how long its run took, so another run would have another.
    assert [one.summary() for one in kept] == [one.summary() for one in fresh]
    assert [one.series_data(0) for one in kept] == [one.series_data(0) for one in fresh]
    assert [one.events() for one in kept] == [one.events() for one in fresh]


def test_equal_jobs_run_once(jobs: list[Job]) -> None:
    first, second = run_many([jobs[0], jobs[0]])
    assert first is second


def test_a_damaged_result_is_simulated_again(jobs: list[Job], tmp_path: Path) -> None:
    store = default_store(tmp_path)
    [before] = run_many(jobs[:1], store=store)
    store.close()
    [segment] = tmp_path.rglob("*.seg")
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    segment.write_bytes(data)
    store = default_store(tmp_path)
    [after] = run_many(jobs[:1], store=store)
    assert digests([after]) == digests([before])
    [problem] = store.problems()
    assert problem.startswith(f"{segment}: byte 0: a damaged record")
    assert store.get(jobs[0].key()) is not None


KILLED = """
import os, signal, sys
from pathlib import Path
from cellrate.simulation.runner import Job, default_store, run_many

def kill(done, total):
    if done >= 3:
        os.kill(os.getpid(), signal.SIGKILL)

shorter = ("run.duration=20 ms", "run.start_jitter=1 ms")
jobs = [Job.from_file(Path(sys.argv[1]), shorter, seed) for seed in range(1000)]
run_many(jobs, workers=2, store=default_store(Path(sys.argv[2])), progress=kill)
"""


def test_what_a_killed_process_had_finished_is_not_simulated_again(
    traced: Path, jobs: list[Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, traced, tmp_path / "kept"], check=False)
    assert killed.returncode == -signal.SIGKILL
    store = default_store(tmp_path / "kept")
    done = set(store.keys())
    assert len(done) >= 3
    # A worker may have been killed while it wrote; only such a last record is lost.
    assert all("the last record is cut off" in problem for problem in store.problems())
    obtain = runner.obtained
    simulated: list[str] = []

    def count(
        scenario: _core.Scenario,
        key: str,
        *rest: Any,  # noqa: ANN401  as that function has
        **options: Any,  # noqa: ANN401  as above
    ) -> tuple[_core.Outcome, bool]:
        outcome, known = obtain(scenario, key, *rest, **options)
        if not known:
            simulated.append(key)
        return outcome, known

    monkeypatch.setattr(runner, "obtained", count)
    assert digests(run_many(jobs, store=store)) == digests(run_many(jobs))
    keys = {job.key() for job in jobs}
    assert sorted(simulated) == sorted([*keys, *(keys - done)])


def test_results_of_another_build_are_removed(tmp_path: Path) -> None:
    here = f"{cellrate.__version__}-0123456789ab"
    others = [tmp_path / name for name in (here, "99.0.0-0123456789ab", "0.1.0-keep")]
    for other in others:
        other.mkdir()
    default_store(tmp_path)
    assert [other.exists() for other in others] == [False, True, True]


def test_every_scenario_is_checked_before_the_first_runs(
    jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "obtained", None)
    with pytest.raises(cellrate.ScenarioError, match="nonsense"):
        run_many([*jobs, Job(jobs[0].text, "bad.toml", ("run.nonsense=1",))])


def test_progress_grows_to_the_number_of_jobs(jobs: list[Job]) -> None:
    told: list[tuple[float, int]] = []
    run_many(jobs, workers=2, progress=lambda done, total: told.append((done, total)))
    done, total = told[-1]
    assert done == total == len(jobs)
    assert told == sorted(told)


def test_an_exception_in_progress_stops_the_runs(endless: Path) -> None:
    class Enough(Exception):
        pass

    def stop(done: float, total: int) -> None:
        raise Enough(done, total)

    with pytest.raises(Enough):
        run_many([Job.from_file(endless, seed=seed) for seed in (1, 2, 3)], progress=stop)


def test_the_key_depends_on_everything_that_the_result_depends_on(traced: Path) -> None:
    plain = Job.from_file(traced)
    commented = Job(plain.text + "\n# a comment\n", "other/name.toml")
    assert plain.key() == commented.key() == Job.from_file(traced, seed=1).key()
    others = [
        Job.from_file(traced, seed=2),
        Job.from_file(traced, ["tcp.mss=513 bytes"]),
        Job.from_file(traced, ["measure.traces=[]"]),
    ]
    assert len({plain.key(), *(job.key() for job in others)}) == 4


def test_each_comes_in_order_and_a_failure_stops_no_other(jobs: list[Job]) -> None:
    wrong = Job("nonsense", "wrong.toml")
    found = list(run_each([jobs[0], wrong, *jobs[1:]], workers=2))
    assert [done.index for done in found] == list(range(len(jobs) + 1))
    assert found[1].outcome is None
    assert "key with no value" in found[1].error or "expected" in found[1].error
    outcomes = [done.outcome for done in found if done.outcome is not None]
    assert digests(outcomes) == digests(run_many(jobs))


def test_jobs_are_taken_as_they_are_needed(jobs: list[Job]) -> None:
    taken = 0

    def endless() -> Iterator[Job]:
        nonlocal taken
        for seed in itertools.count():
            taken += 1
            yield dataclasses.replace(jobs[0], seed=seed)

    found = run_each(endless(), workers=2)
    first = [next(found) for _ in range(3)]
    found.close()
    assert [done.index for done in first] == [0, 1, 2]
    assert taken <= 3 + 2 * runner.AHEAD


def test_what_is_kept_is_known_the_next_time(jobs: list[Job], tmp_path: Path) -> None:
    store = default_store(tmp_path)
    assert not any(done.known for done in run_each(jobs, store=store))
    assert all(done.known for done in run_each(jobs, store=store))
