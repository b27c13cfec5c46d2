"""A run reads its scenario once, whatever is asked of the scenario and of the result."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cellrate
import pytest
from cellrate import Job, _core, capture, run_many
from cellrate.cli.app import run_command
from cellrate.simulation.runner import default_store, run_each

pytestmark = pytest.mark.usefixtures("undrawn")

STUDY = """
template = "n-source"
set = ["run.duration=30 ms", "measure.from=10 ms", "run.start_jitter=1 ms"]
[factors]
"control.scheme" = ["erica", "efci"]
[replications]
count = {count}
[measures]
throughput = "throughput_mbit"
window = "run.scenario.flow('tcp.1').tcp.window_bytes"
delay = "1000 * run.scenario.link('A->B').delay_seconds"
"""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the scenarios that are read from now on."""
    names: list[str] = []
    reader = _core.Scenario

    def noting(
        text: str, path: str, overrides: Sequence[str] = (), seed: int | None = None
    ) -> _core.Scenario:
        names.append(path)
        return reader(text, path, overrides, seed)

    monkeypatch.setattr(_core, "Scenario", noting)
    return names


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Digests of the summaries that are decoded from now on."""
    digests: list[str] = []
    loads = json.loads

    def noting(text: str | bytes, **how: Any) -> Any:  # noqa: ANN401 - as `json.loads`
        found = loads(text, **how)
        if isinstance(found, dict) and "digest" in found:
            digests.append(found["digest"])
        return found

    monkeypatch.setattr(json, "loads", noting)
    return digests


def test_a_run_from_python(traced: Path, tmp_path: Path, read: list[str]) -> None:
    result = cellrate.run(traced, store=default_store(tmp_path))
    assert result.flows.height == 2
    assert read == [str(traced)]


def test_a_job_of_many(traced: Path, tmp_path: Path, read: list[str]) -> None:
    jobs = [Job.from_file(traced, ("run.duration=20 ms",), seed) for seed in (1, 2, 2)]
    run_many(jobs, store=default_store(tmp_path))
    assert len(read) == 3
    list(run_each(jobs, store=default_store(tmp_path / "other")))
    assert len(read) == 6


@pytest.mark.parametrize(
    "command",
    [
        ["run"],
        ["run", "--out", "out"],
        ["run", "--plot"],
        ["validate"],
        ["explain"],
        ["time-space", "--from", "1 ms", "--to", "2 ms", "-o", "cells.svg"],
    ],
    ids=" ".join,
)
def test_a_command(
    command: list[str],
    traced: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    read: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command([command[0], str(traced), *command[1:]]) == 0
    assert read == [str(traced)]


def test_a_capture_reads_it_again_only_to_set_connections_up(
    traced: Path, tmp_path: Path, read: list[str]
) -> None:
    assert not capture(traced, ["A:cells"], tmp_path / "taken", to_seconds=0.01).alone
    assert len(read) == 2


def test_a_run_of_a_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: list[str], decoded: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    counts = []
    for replications in (2, 5):
        path = tmp_path / f"{replications}.toml"
        path.write_text(STUDY.format(count=replications), encoding="utf-8")
        read.clear()
        decoded.clear()
        assert run_command(["study", str(path), "--fresh", "--quiet"]) == 0
        counts.append((len(read), len(decoded)))
    (few_read, few_decoded), (many_read, many_decoded) = counts
    # The study itself reads its points, and both studies have the same two.
    assert many_read - few_read == 2 * (5 - 2)
    assert (few_decoded, many_decoded) == (4, 10)


def test_a_scenario_is_shared_by_threads_and_not_by_processes(traced: Path) -> None:
    scenario = Job.from_file(traced, ("run.duration=20 ms",)).scenario()
    first, second = scenario.run(), scenario.run()
    assert cellrate.Result(first).digest == cellrate.Result(second).digest
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(scenario)
