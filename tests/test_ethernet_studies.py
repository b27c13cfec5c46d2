"""Studies and comparisons of scenarios over Ethernet, through the command."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import cellrate
import polars as pl
import pytest
from cellrate.studies.dataset import DataSet
from conftest import Command

pytestmark = pytest.mark.usefixtures("undrawn")

STUDY = """
scenario = "incast.toml"
set = ["run.duration=20 ms"]
[factors]
"switch.buffer" = ["200 kB", "64 MB"]
"switch.aqm.algorithm" = ["none", "threshold"]
"switch.memory.alpha" = [0.5, 2]
[derived]
"tcp.min_rto" = "1000 * rtt"
[measures]
goodput = "goodput_gbit"
queue = "bottleneck.queue_p99_bytes"
delay = "queue_delay_seconds"
alpha = "run.scenario.switch('A').memory.alpha"
[replications]
count = 2
[keep]
traces = ["queue"]
"""


@pytest.fixture
def incast(tmp_path: Path) -> Path:
    place = tmp_path / "incast.toml"
    memory = '\n[switch.memory]\ntotal = "80 MB"\n'
    place.write_text(
        cellrate.template("incast").replace("\n[tcp]", f"{memory}\n[tcp]"), encoding="utf-8"
    )
    return place


CONTROLS = """
template = "incast"
set = ["run.duration=5 ms", "measure.traces=[]", "switch.buffer=10 MB"]
[alternatives.control]
erica = ['switch.control={scheme="erica", interval="100 us"}', "flow.answer.rate_control={}"]
credits = ["fcvc={}"]
pauses = ["pfc={}"]
both = ["pfc={}", 'switch.control={scheme="efci"}', "flow.answer.rate_control={}"]
"""


def test_what_ports_count_is_in_the_data_set(command: Command, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(CONTROLS, encoding="utf-8")
    done = command("study", "s.toml")
    assert done.returncode == 0, done.stderr
    data = DataSet(tmp_path / "out" / "studies" / "s")
    ports = data.ports.filter(pl.col("name") == "A->sink").sort("point")
    assert data.runs.sort("point")["control"].to_list() == ["erica", "credits", "pauses", "both"]
    rates = ports["control_fair_share_bits_per_second"].to_list()
    assert [rate is not None for rate in rates] == [True, False, False, False]
    assert rates[0] <= 10e9
    held = ports["control_channel_queue_max_bytes"].to_list()
    assert [bytes_ is not None for bytes_ in held] == [False, True, False, False]
    paused = ports["control_paused_seconds"].to_list()
    assert [time is not None for time in paused] == [False, False, True, True]
    dictionary = json.loads((tmp_path / "out/studies/s/dictionary.json").read_text())
    units = {one["name"]: one["unit"] for one in dictionary if one["table"] == "ports"}
    assert units["control_fair_share_bits_per_second"] == "bit/s"
    assert units["control_channel_queue_max_bytes"] == "bytes"


def test_lengths_of_queues_are_numbers_in_one_unit(command: Command, tmp_path: Path) -> None:
    """In bytes also where they are derived; in packets only if all values of a factor are."""

    def studied(factor: str) -> pl.DataFrame:
        text = (
            f'template = "dcqcn"\nset = ["run.duration=2 ms"]\n[factors]\n"pfc.xoff" = {factor}\n'
        )
        (tmp_path / "s.toml").write_text(text, encoding="utf-8")
        done = command("study", "s.toml")
        assert done.returncode == 0, done.stderr
        return DataSet(tmp_path / "out" / "studies" / "s").runs

    derived = '["10 kB", "50 kB"]\n[derived]\n"switch.aqm.min" = "pfc.xoff / 2"'
    runs = studied(derived)
    assert runs["pfc.xoff"].to_list() == [1e4, 5e4]
    assert runs["switch.aqm.min"].to_list() == [5e3, 2.5e4]
    assert "--set 'switch.aqm.min=5000 bytes'" in runs["command"][0]
    runs = studied('{ from = "10 packets", to = "40 packets", count = 3 }')
    assert runs["pfc.xoff"].to_list() == [10, 25, 40]
    assert "--set 'pfc.xoff=25 packets'" in runs["command"][1]
    assert len(set(runs["digest"])) == 3


def test_a_study_over_ethernet_has_its_data_set(
    command: Command, tmp_path: Path, incast: Path
) -> None:
    text = STUDY.replace("incast.toml", incast.name)
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    planned = json.loads(command("study", "s.toml", "--plan", "--json").stdout)
    assert (planned["points"], planned["memory_bytes"]) == (8, None)
    first = command("study", "s.toml")
    assert first.returncode == 0, first.stderr
    again = command("study", "s.toml", "--workers", "1")
    assert "0 simulated" in again.stdout
    data = DataSet(tmp_path / "out" / "studies" / "s")
    assert data.tables == ["runs", "flows", "ports", "queues", "traces"]
    runs = data.runs
    assert set(runs["alpha"]) == {0.5, 2.0}
    assert runs["tcp.min_rto"].unique().to_list() == pytest.approx([4e-3])
    lost = runs.group_by("switch.buffer").agg(pl.col("totals_packets_dropped").min())
    small, large = (dict(lost.iter_rows())[size] for size in (2e5, 64e6))
    assert small > 0 == large
    # Little's law: the mean of the queue is what passes times its delay.
    queue = data.queues.filter(pl.col("run") == 0, pl.col("port") == "A->sink")
    passed = queue["packets_arrived"][0] - queue["packets_dropped"][0]
    assert runs["delay"][0] == pytest.approx(queue["queue_mean_packets"][0] * 0.02 / passed)
    text = (tmp_path / "out" / "studies" / "s" / "dictionary.md").read_text(encoding="utf-8")
    assert "packets" in text
    # Of cells are only the queues at routers to ATM.
    assert all("router_queue" in line for line in text.splitlines() if "cells" in line)
    # A run alone, with the command of the data set, gives the same.
    again = command(*shlex.split(runs["command"][0])[1:], "--json")
    assert json.loads(again.stdout)["digest"] == runs["digest"][0]


def test_alternatives_over_ethernet_are_compared_in_its_units(
    command: Command, incast: Path
) -> None:
    asked = (
        *("compare", incast.name, "--vary", "tcp.recovery=newreno,dctcp", "--seeds", "2"),
        *("--set", "switch.aqm.algorithm=threshold", "--set", "run.duration=15 ms"),
    )
    done = command(*asked, "--json")
    assert done.returncode == 0, done.stderr
    found = [one["name"] for one in json.loads(done.stdout)["measures"]]
    names = ["goodput", "loss", "marks", "queue", "queue_p99", "queue_delay"]
    assert found == [*names, "completion", "fairness"]
    # The time of a whole operation is a measure where flows await one another.
    (incast.parent / "ring.toml").write_text(cellrate.template("all-reduce"), encoding="utf-8")
    options = ("--vary", "topology.host_delay=500 ns,600 ns", "--seeds", "1", "--json")
    shown = command("compare", "ring.toml", *options, "--set", "run.duration=1 ms")
    assert "operation" in {one["name"] for one in json.loads(shown.stdout)["measures"]}
    shown = command(*asked)
    assert shown.returncode == 0, shown.stderr
    assert "goodput (Gbit/s): more is better" in shown.stdout
    assert "cells" not in shown.stdout


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("longest_queue_cells", "did you mean `longest_queue_packets`"),
        ("totals.cell_loss_ratio", "did you mean `totals.packet_loss_ratio`"),
        ("bottleneck.queue_p99_byte", "did you mean `bottleneck.queue_p99_bytes`"),
        ("1e3 * tcp.mean('packet_delay_mean')", "did you mean `packet_delay_mean_seconds`"),
        ("run.group('f').max('timeout')", "did you mean `timeouts`"),
    ],
)
def test_measures_of_cells_are_refused_before_a_run(
    command: Command, incast: Path, expression: str, message: str
) -> None:
    refused = command(
        *("compare", incast.name, "--vary", "tcp.recovery=newreno,sack"),
        *("--measure", expression),
    )
    assert refused.returncode == 2
    assert message in refused.stderr
