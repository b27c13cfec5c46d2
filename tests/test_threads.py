"""One run on several threads: the result of one, a word when there are fewer, a clean end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import cellrate
import pytest
import signs
from cellrate import Cancelled, _core
from cellrate.schemes import allowing
from cellrate.simulation.runner import Job
from conftest import COMMAND, HERE, Command

LOT = """
run.duration = "600 ms"
switch = { buffer = "200 cells", control = { scheme = "erica" } }
tcp.window = "256 KiB"
flow = [
    { name = "long", count = 4, service = "abr" },
    { name = "in", count = 4, service = "abr", enters = 2, hops = 1 },
    { name = "cells", service = "cbr", source.kind = "cbr", source.rate = "70 Mbit/s", enters = 3 },
]
[measure]
sample = "500 us"
traces = ["queue", "acr", "cwnd", "utilisation"]
events = ["loss", "mark", "timeout"]
[topology]
template = "parking-lot"
link_rate = "155.52 Mbit/s"
switches = 4
hop = "1000 km"
access = "300 km"
egress = "1000 km"
"""
SHORT = LOT.replace("1000 km", "10 km").replace("300 km", "10 km")


@pytest.fixture
def lot(tmp_path: Path) -> Path:
    path = tmp_path / "lot.toml"
    path.write_text(LOT, "utf-8")
    return path


def measured(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((path / "summary.json").read_text("utf-8"))
    del found["wall_seconds"]
    return found


def test_the_files_of_a_run_on_threads_are_those_of_one(
    command: Command, lot: Path, tmp_path: Path
) -> None:
    partition = Job.from_file(lot).scenario().partition(2)
    assert len(partition["parts"]) == 2, partition["reason"]
    for threads in (1, 2, 3):
        done = command("run", lot, "--threads", str(threads), "--out", tmp_path / str(threads))
        assert (done.returncode, "note:" in done.stderr) == (0, False), done.stderr
    one, *others = (tmp_path / str(threads) for threads in (1, 2, 3))
    files = {path.name for path in one.iterdir() if path.is_file()}
    assert {"traces.parquet", "events.parquet", "summary.json"} <= files
    for other in others:
        assert measured(other) == measured(one)
        for name in files - {"summary.json"}:
            assert (other / name).read_bytes() == (one / name).read_bytes(), name


def test_the_plan_shows_each_part_and_runs_nothing(command: Command, lot: Path) -> None:
    shown = command("run", lot, "--threads", "2", "--plan")
    assert shown.returncode == 0, shown.stderr
    assert "runs in 2 threads" in shown.stdout
    assert "An event in one part reaches" in " ".join(shown.stdout.split())
    told = json.loads(command("run", lot, "--threads", "2", "--plan", "--json").stdout)
    assert told["threads"] == len(told["parts"]) == 2
    assert sum(part["work_share"] for part in told["parts"]) == pytest.approx(1)
    assert told["lookahead_seconds"] > 0.001
    assert 1.2 < told["speedup"] < 2
    assert 0 < told["crossing_share"] < 1
    many = command("run", lot, "--threads", "64", "--plan").stdout
    assert "more would gain no more than" in many
    short = command("run", lot, "--plan", "--set", 'run.duration="3 ms"').stdout
    assert "one thread: the run is over before threads would pay" in short


def test_a_run_that_is_not_divided_says_why(command: Command, tmp_path: Path) -> None:
    short = tmp_path / "short.toml"
    short.write_text(SHORT, "utf-8")
    planned = command("run", short, "--threads", "2", "--plan")
    assert "runs in one thread: the links between parts are too short" in planned.stdout
    ran = command("run", short, "--threads", "2", "--json")
    assert (
        "note: the run uses one thread instead of 2: the links between parts are too short"
        in ran.stderr
    )
    # Who leaves it to the program is not bothered.
    assert "note:" not in command("run", short, "--json").stderr


def test_what_makes_no_sense_is_refused(command: Command, lot: Path, tmp_path: Path) -> None:
    for wrong in ("0", "two", "1.5", "-1"):
        refused = command("run", lot, "--threads", wrong)
        assert refused.returncode == 2, wrong
        assert "from 1 to 4096, or auto" in refused.stderr, refused.stderr
    refused = command("run", lot, "--plan", "--out", tmp_path / "out")
    assert (refused.returncode, "nothing is written with --plan" in refused.stderr) == (2, True)
    assert not (tmp_path / "out").exists()


def test_python_takes_threads_too() -> None:
    one, two = (cellrate.run(LOT, threads=number) for number in (1, 2))
    assert one.digest == two.digest == cellrate.run(LOT).digest
    with pytest.raises(ValueError, match="threads = 0: must be a whole number from 1 to 4096"):
        cellrate.run(LOT, threads=0)
    with pytest.raises(TypeError, match="threads"):
        cellrate.run(LOT, threads=2.0)  # type: ignore[arg-type]
    scenario = _core.Scenario(LOT, "lot")
    with pytest.raises(ValueError, match="at least one thread"):
        scenario.run(None, 0)


def test_classes_in_python_run_in_one_thread() -> None:
    with allowing("seen.py:Seen"):
        settings = ('switch.control={scheme="seen.py:Seen"}',)
        scenario = Job(LOT, str(HERE / "schemes" / "scenario.toml"), settings).scenario()
        partition = scenario.partition(2)
        assert len(partition["parts"]) == 1
        assert "interpreter's lock" in partition["reason"]
        digests = {json.loads(scenario.run(None, n).summary())["digest"] for n in (1, 2, None)}
    assert len(digests) == 1


def test_a_run_on_threads_stops_when_its_watcher_says_so() -> None:
    scenario = _core.Scenario(LOT, "lot", ['run.duration="100000 s"', 'measure.sample="1 s"'])
    before = threading.active_count()
    calls = []

    def twice(now: float, end: float) -> bool:
        calls.append((now, end))
        return len(calls) < 2

    with pytest.raises(Cancelled):
        scenario.run(twice, 2)
    assert len(calls) == 2
    assert 0 < calls[0][0] < calls[1][0] < calls[1][1] == 100_000
    with pytest.raises(ZeroDivisionError):
        scenario.run(lambda _now, _end: bool(1 / 0), 2)
    assert threading.active_count() == before


@pytest.mark.skipif(not signs.THREADS_ARE_TOLD, reason="the system does not tell of threads")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_on_threads(lot: Path, tmp_path: Path, sign: signal.Signals) -> None:
    duration = ["--set", 'run.duration="100000 s"', "--set", 'measure.sample="1 s"']
    files = [str(lot), "--out", str(tmp_path / "result")]
    arguments = [str(COMMAND), "run", *files, "--threads", "2", *duration]
    process = subprocess.Popen(
        arguments,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ},
    )
    signs.wait_for(lambda: signs.simulates(process), process)
    process.send_signal(sign)
    told = signs.end_of(process).decode()
    assert process.returncode in {128 + sign, -sign}, told
    assert "Traceback" not in told
    assert [path.name for path in tmp_path.iterdir()] == ["lot.toml"]
