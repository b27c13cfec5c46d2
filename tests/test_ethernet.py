"""TCP over Ethernet, from a template to tables, pictures and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import cellrate
import pytest
from conftest import Command

# A file of 100 segments over two links of 10 Gbit/s and 1 us.
ONE = """
link_layer = "ethernet"
run.duration = "1 ms"
topology.template = "single-switch"
topology.link_rate = "10 Gbit/s"
topology.access = "1 us"
topology.bottleneck = "1 us"
tcp.initial_window = 100
flow = [{ name = "file", source = { kind = "transfer", size = "146000 bytes" } }]
"""


def test_a_file_takes_the_time_that_its_frames_take() -> None:
    """The last of 100 frames of 1,518 bytes begins after 99 x 1,538 octets of 800 ps.

    Each of two links takes 1,526 octets, with the preamble, and 1 us; the acknowledgement takes
    72 octets and 1 us on each.
    """
    found = cellrate.run(ONE)
    expected = (99 * 1538 + 2 * 1526 + 2 * 72) * 0.8e-9 + 4e-6
    assert found.summary["totals"]["completion_mean_seconds"] == pytest.approx(expected, abs=1e-15)
    flow = found.flows.row(0, named=True)
    assert flow["packets_sent"] == flow["packets_delivered"] == 100
    assert flow["balance_delivered_bytes"] == 146_000
    queue = found.queues.row(0, named=True)
    # Both lines are as fast, so a frame waits for no other.
    assert (queue["queue_max_bytes"], queue["packets_dropped"]) == (1518, 0)


def test_the_templates_run_from_the_command_line(command: Command, tmp_path: Path) -> None:
    for template in ("leaf-spine", "incast"):
        text = command("new", template).stdout
        (tmp_path / "x.toml").write_text(text, encoding="utf-8")
        valid = command("validate", "x.toml")
        assert (valid.returncode, valid.stderr) == (0, "")
        assert "is a valid scenario over Ethernet" in valid.stdout
        done = command("run", "x.toml", "--set", "run.duration=5 ms", "--plot", "--out", "o")
        assert done.returncode == 0, done.stderr
        assert "packet-hops" in done.stdout
        assert "flows completed" in done.stdout or template == "incast"
        assert {path.name for path in (tmp_path / "o" / "figures").iterdir()} >= {"queue.svg"}
        picture = (tmp_path / "o" / "figures" / "queue.svg").read_text(encoding="utf-8")
        assert "queue (kB)" in picture


def test_a_buffer_too_small_loses_packets_and_a_larger_one_does_not(command: Command) -> None:
    text = command("new", "incast").stdout
    small, large = (
        cellrate.run(text, overrides={"switch.buffer": buffer}).summary["totals"]
        for buffer in ("100 kB", "64 MB")
    )
    assert small["packets_dropped"] > 0 == large["packets_dropped"]
    assert small["completion_p99_seconds"] > large["completion_p99_seconds"]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("ethernet.mtu=1000 bytes", "exceeds the MTU of 1000"),
        ("topology.link_rate=900 Gbit/s", "the fastest line has 800 Gbit/s"),
        ("flow.file.source.kind=poisson", "missing"),
        ("flow.file.from=h1", "`from` has no meaning"),
        ("switch.queues=[[7], [7]]", "priority 7 is in two queues"),
        ("measure.to=2 ms", "after the run"),
        ("flow.file.service=abr", "service"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(setting: str, message: str) -> None:
    key, _, value = setting.partition("=")
    with pytest.raises(cellrate.ScenarioError) as refused:
        cellrate.run(ONE, overrides={key: json.loads(value) if value[0] == "[" else value})
    assert message in str(refused.value)


def test_what_knows_cells_only_says_so(command: Command, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(ONE, encoding="utf-8")
    refused = command("explain", "x.toml")
    assert refused.returncode == 2
    assert "needs a network of ATM cells" in refused.stderr
    assert "x.toml:2" in refused.stderr
