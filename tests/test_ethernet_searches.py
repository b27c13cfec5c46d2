"""Searches by simulation over Ethernet: the buffer of a port, parameters of queue management."""

from __future__ import annotations

import json
from pathlib import Path

import cellrate
import pytest
from cellrate.advice import sizing
from conftest import Command

# Two windows of 44 segments meet at a port: one frame is in service, one has left.
CALM = {
    "flow.answer.count": 2,
    "flow.answer.source": {"kind": "greedy"},
    "tcp.window": "65535 bytes",
    "tcp.initial_window": 44,
    "tcp.min_rto": "200 ms",
    "run.duration": "5 ms",
}


@pytest.fixture
def incast(tmp_path: Path) -> Path:
    place = tmp_path / "incast.toml"
    place.write_text(cellrate.template("incast"), encoding="utf-8")
    return place


def test_the_sized_buffer_loses_nothing_and_a_byte_less_does(incast: Path) -> None:
    for settings in (CALM, {"run.duration": "20 ms"}):
        answer = cellrate.size_buffer(incast, overrides=settings, seeds=2)
        assert isinstance(answer, sizing.PacketAnswer)
        assert answer.buffer_bytes is not None
        worst = answer.unlimited[answer.each_bytes.index(answer.buffer_bytes)].seed
        for octets, loses in ((answer.buffer_bytes, False), (answer.buffer_bytes - 1, True)):
            buffer = {"switch.buffer": f"{octets} bytes"}
            run = cellrate.run(incast, overrides=settings | buffer, seed=worst)
            assert (run.summary["totals"]["packets_dropped"] > 0) is loses
    calm = cellrate.size_buffer(incast, overrides=CALM, seeds=1)
    assert isinstance(calm, sizing.PacketAnswer)
    [windows] = [one for one in calm.formulas if one.name == "window-sum"]
    assert (windows.buffer_bytes, windows.fails) == (2 * 44 * 1518, ())
    assert 0.9 * windows.buffer_bytes < (calm.buffer_bytes or 0) <= windows.buffer_bytes


def test_a_loss_or_a_delay_sizes_a_buffer(command: Command, incast: Path) -> None:
    short = ("--set", "run.duration=20 ms", "--seeds", "2", "--json")
    lossy = json.loads(command("size-buffer", incast.name, "--loss", "0.02", *short).stdout)
    assert 0 < lossy["buffer_bytes"] < 4_500_000
    assert sum(run["loss_ratio"] for run in lossy["runs"]) / 2 <= 0.02
    delayed = json.loads(command("size-buffer", incast.name, "--delay", "100 us", *short).stdout)
    assert delayed["buffer_bytes"] == 125_000
    shown = command("size-buffer", incast.name, *short[:4])
    assert "bytes in each queue" in shown.stdout
    assert "It assumes that" in shown.stdout
    assert "cell" not in shown.stdout.replace("cellrate", "")
    for options, message in (
        (("--credit-cells", "10"), "credits are of cells"),
        (("--port", "A->B"), "they cross A->sink"),
        (("--set", "switch.memory.total=1 MB"), "`switch.memory` limits queues, too"),
    ):
        refused = command("size-buffer", incast.name, *options)
        assert (refused.returncode, message in refused.stderr) == (2, True), refused.stderr


def test_tune_searches_the_declared_range_of_queue_management(
    command: Command, incast: Path
) -> None:
    settings = ("--set", "switch.aqm.algorithm=threshold", "--set", "tcp.recovery=dctcp")
    options = (*settings, "--set", "run.duration=20 ms", "--budget", "12", "--seeds", "2")
    done = command("tune", incast.name, *options, "--objective", "queue-max,completion", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    [parameter] = found["varied"]
    assert parameter == {
        "path": "switch.aqm.k", "low": "5 packets", "high": "1000 packets", "scale": "log"
    }  # fmt: skip
    measures = found["chosen"]["measures"]
    assert {"queue_packets", "queue_max_packets", "completion_seconds"} <= measures.keys()
    in_bytes = command(
        *("tune", incast.name, *options, "--vary", "switch.aqm.k=10 kB..300 kB"),
        *("--objective", "queue"),
    )
    assert in_bytes.returncode == 0, in_bytes.stderr
    assert "10000 bytes to 300000 bytes" in in_bytes.stdout
    assert "Gbit/s" in in_bytes.stdout
    none = command("tune", incast.name)
    assert "the algorithm of `switch.aqm` has no parameters" in none.stderr


def test_choose_keeps_queues_short_by_marks(command: Command, tmp_path: Path) -> None:
    text = cellrate.template("dctcp")
    # The scenario's own control becomes one that fills the buffer.
    for was, becomes in (
        ('k = "65 packets"', ""),
        ('"threshold"', '"none"'),
        ('"dctcp"', '"reno"'),
    ):
        assert was in text
        text = text.replace(was, becomes)
    (tmp_path / "d.toml").write_text(text, encoding="utf-8")
    options = ("--set", "run.duration=30 ms", "--seeds", "2", "--tries", "3", "--loss", "0.01")
    done = command("choose", "d.toml", *options, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    best = found["options"][0]
    assert found["recommended"].startswith(f"{best['recovery']}")
    assert best["marks"]
    assert best["fairness"] >= 0.9
    assert best["loss"] <= 0.01
    own = next(one for one in found["options"] if one["recovery"] is None)
    assert best["queue_packets"] < own["queue_packets"] / 4
    most = max(
        one["throughput_bits_per_second"]
        for one in found["options"]
        if one["fairness"] >= 0.9 and one["loss"] <= 0.01 and one["seeds"] == 2
    )
    assert best["throughput_bits_per_second"] >= 0.95 * most
    # What it recommends runs as written, and the written scenario is the same.
    again = command("run", tmp_path / "out" / "d-chosen.toml", "--json")
    assert json.loads(again.stdout)["totals"]["packet_loss_ratio"] <= 0.01
    for option in ("--delay=1 ms", "--settling=1 s", "--buffer=9 cells", "--switches=efci"):
        refused = command("choose", "d.toml", option)
        assert refused.returncode == 2
        assert f"{option.partition('=')[0]} has no meaning over Ethernet" in refused.stderr
