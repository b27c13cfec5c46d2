"""`cellrate run`: what it prints, what it writes, what it obeys."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import cellrate
import polars as pl
import pytest
from cellrate import _core
from cellrate.common.document import Table, walk
from conftest import Command

FIRST_KEYS = (
    "version",
    "digest",
    "seed",
    "simulated_seconds",
    "wall_seconds",
    "cell_hops",
    "warnings",
    "totals",
    "flows",
    "vcs",
    "ports",
)


def summary(command: Command, *arguments: str | Path, stdin: str = "") -> dict[str, Any]:
    done = command("run", *arguments, "--json", stdin=stdin)
    assert done.returncode == 0, done.stderr
    # Exactly one object: json.loads refuses anything before or after it.
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_nothing_sent_over_tcp_is_zero(command: Command) -> None:
    found = summary(command, "-", stdin=_core.template("graph"))
    # Minus zero would be written as such.
    assert str(found["totals"]["tcp_throughput_bits_per_second"]) == "0.0"


def test_json_is_one_object_with_every_measure(command: Command, traced: Path) -> None:
    found = summary(command, traced)
    assert set(FIRST_KEYS) <= set(found)
    assert found["simulated_seconds"] == 0.3
    assert found["seed"] == 1
    assert found["cell_hops"] > 0
    assert [flow["name"] for flow in found["flows"]] == ["tcp.1", "tcp.2"]
    assert {vc["name"] for vc in found["vcs"]} == {
        f"tcp.{i}/{way}" for i in (1, 2) for way in ("forward", "backward")
    }
    assert "A->B" in {port["name"] for port in found["ports"]}


def test_every_byte_is_accounted_for(command: Command, traced: Path) -> None:
    for flow in summary(command, traced)["flows"]:
        balance = flow["balance"]
        sent = balance.pop("sent_once_bytes") + balance.pop("retransmitted_bytes")
        assert sent > 0
        assert sent == sum(balance.values())


def test_same_seed_same_digest_other_seed_another(command: Command, traced: Path) -> None:
    jitter = "--set", "run.start_jitter=1 ms"
    first, again, other = (
        summary(command, traced, *jitter, "--seed", seed)["digest"] for seed in ("7", "7", "8")
    )
    assert first == again
    assert first != other


def test_set_reaches_flows_by_name_and_by_index(command: Command, traced: Path) -> None:
    by_name = summary(command, traced, "--set", "flow.tcp.count=3")
    by_index = summary(command, traced, "--set", "flow.0.count=3")
    assert len(by_name["flows"]) == 3
    assert by_name["digest"] == by_index["digest"]


def test_standard_input_is_a_scenario(command: Command, traced: Path) -> None:
    text = traced.read_text(encoding="utf-8")
    assert summary(command, "-", stdin=text)["digest"] == summary(command, traced)["digest"]


def test_the_table_shows_flows_ports_and_digest(command: Command, traced: Path) -> None:
    done = command("run", traced)
    assert done.returncode == 0, done.stderr
    for shown in ("tcp.1", "tcp.2", "A->B", "efci", summary(command, traced)["digest"]):
        assert shown in done.stdout


def test_many_flows_are_shown_by_group(command: Command, traced: Path) -> None:
    done = command("run", traced, "--set", "flow.tcp.count=30", "--set", "run.duration=20 ms")
    assert "tcp (30, mean)" in done.stdout
    assert "tcp.30" not in done.stdout


def test_out_holds_summary_scenario_traces_and_events(
    command: Command, traced: Path, tmp_path: Path
) -> None:
    found = summary(command, traced, "--out", "result", "--seed", "3")
    result = tmp_path / "result"
    assert sorted(entry.name for entry in result.iterdir()) == [
        "events.parquet",
        "resolved.toml",
        "summary.json",
        "traces.parquet",
    ]
    assert json.loads((result / "summary.json").read_text(encoding="utf-8")) == found
    traces = pl.read_parquet(result / "traces.parquet")
    kinds = ["acr", "cwnd", "queue", "sequence", "utilisation"]
    assert sorted(traces["kind"].unique()) == kinds
    assert traces["time_seconds"].is_between(0.0, 0.3).all()
    assert (traces["minimum"] <= traces["maximum"]).all()
    queue = traces.filter((pl.col("kind") == "queue") & pl.col("entity").str.starts_with("A->B"))
    most = max(q["queue_max_cells"] for port in found["ports"] for q in port["queues"])
    assert 0 < queue["maximum"].max() <= most  # type: ignore[operator]
    events = pl.read_parquet(result / "events.parquet")
    assert {"loss", "retransmission", "mark"} <= set(events["kind"].unique())
    assert events["time_seconds"].is_sorted()


def test_the_resolved_scenario_gives_the_same_run(
    command: Command, traced: Path, tmp_path: Path
) -> None:
    first = summary(command, traced, "--out", "result", "--seed", "3", "--set", "tcp.mss=1 kB")
    resolved = tmp_path / "result" / "resolved.toml"
    assert summary(command, resolved)["digest"] == first["digest"]
    assert tomllib.loads(resolved.read_text(encoding="utf-8"))["run"]["seed"] == 3


def test_nothing_is_traced_that_was_not_asked_for(
    command: Command, traced: Path, tmp_path: Path
) -> None:
    untraced = "--set", "measure.traces=[]", "--set", "measure.events=[]"
    summary(command, traced, *untraced, "--out", "result")
    names = sorted(entry.name for entry in (tmp_path / "result").iterdir())
    assert names == ["resolved.toml", "summary.json"]


def test_plot_draws_each_kind_of_trace_and_all_together(
    command: Command, traced: Path, tmp_path: Path
) -> None:
    done = command("run", traced, "--plot")
    assert done.returncode == 0, done.stderr
    figures = tmp_path / "out" / "traced" / "figures"
    kinds = ("acr", "all", "cwnd", "queue", "sequence", "utilisation")
    assert sorted(f.name for f in figures.iterdir()) == [
        f"{kind}.{suffix}" for kind in kinds for suffix in ("png", "svg")
    ]
    assert (figures / "queue.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("undrawn")
def test_plot_traces_what_it_draws(command: Command, traced: Path, tmp_path: Path) -> None:
    done = command("run", traced, "--plot", "--out", "new", "--set", "measure.traces=[]")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new" / "figures" / "queue.svg").is_file()


def test_an_earlier_result_is_replaced(command: Command, traced: Path, tmp_path: Path) -> None:
    command("run", traced, "--out", "result")
    done = command("run", traced, "--out", "result", "--seed", "5", "--set", "measure.events=[]")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "result" / "events.parquet").exists()
    kept = json.loads((tmp_path / "result" / "summary.json").read_text(encoding="utf-8"))
    assert kept["seed"] == 5
    assert [entry.name for entry in tmp_path.iterdir()] == ["result"]


@pytest.mark.usefixtures("undrawn")
def test_pictures_and_captures_of_the_same_run_are_kept(
    command: Command, traced: Path, tmp_path: Path
) -> None:
    """A further picture adds a trace to the scenario, which stays the same run."""
    bare = ("run", traced, "--set", "measure.traces=[]", "--out", "result")
    figures = tmp_path / "result" / "figures"

    def drawn(*options: str) -> tuple[set[str], str]:
        done = command(*bare, *options)
        assert done.returncode == 0, done.stderr
        notes = [line for line in done.stderr.splitlines() if line.startswith("note: result held")]
        return {file.stem for file in figures.glob("*.svg")}, "".join(notes)

    # A capture adds this setting.
    same = ("--set", "tcp.connection_setup=true")
    captured = ("--capture", "A->B:cells", "--capture-to", "1 ms", *same)
    assert drawn(*captured) == (set(), "")
    assert drawn("--plot", "queue", *same) == ({"queue"}, "")
    first = (figures / "queue.svg").stat().st_mtime_ns
    assert drawn("--plot", "phase", *same) == ({"queue", "phase"}, "")
    assert (figures / "queue.svg").stat().st_mtime_ns == first
    assert drawn(*same) == ({"queue", "phase"}, "")
    assert (tmp_path / "result" / "captures" / "captures.json").is_file()
    # Another run is another result, and the note says why.
    note = "note: result held the result of another scenario or seed; it was replaced"
    assert drawn("--plot", "cwnd", "--seed", "5", *same) == ({"cwnd"}, note)
    assert not (tmp_path / "result" / "captures").exists()
    # A result that another version made has another digest.
    summary_file = tmp_path / "result" / "summary.json"
    kept = json.loads(summary_file.read_text(encoding="utf-8"))
    summary_file.write_text(json.dumps({**kept, "digest": "0"}, indent=2), encoding="utf-8")
    note = "note: result held the result of another version of cellrate; it was replaced"
    assert drawn("--plot", "queue", "--seed", "5", *same) == ({"queue"}, note)


BARE_AND_TCP = """
run.duration = "20 ms"
[topology]
template = "single-switch"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "1 km"
[[flow]]
name = "cbr"
count = 2
service = "cbr"
source = { kind = "cbr", rate = "50 Mbit/s" }
[[flow]]
name = "tcp"
service = "ubr"
"""


@pytest.mark.parametrize("count", [2, 21])
def test_a_flow_of_bare_cells_has_no_measures_of_tcp(
    command: Command, tmp_path: Path, count: int
) -> None:
    file = tmp_path / "both.toml"
    file.write_text(BARE_AND_TCP, encoding="utf-8")
    few = ("--set", f"flow.cbr.count={count}", "--set", 'flow.cbr.source.rate="5 Mbit/s"')
    lines = command("run", file, *few).stdout.splitlines()
    [heads] = [line for line in lines if line.split()[:2] == ["goodput", "delivered"]]
    assert "TCP" not in heads
    cbr, tcp = (next(line for line in lines if line.startswith(name)) for name in ("cbr", "tcp"))
    # Goodput, delivered, efficiency, lost, sent again, timeouts, rate- and window-limited.
    values = cbr.split()[-8:]
    assert [value == "-" for value in values] == [True, False, *[True] * 4, False, True]
    assert float(values[1]) == pytest.approx(5 * 48 / 53, rel=0.02)
    assert "-" not in tcp.split()[-8:]
    page = cellrate.run(file, overrides=[few[1], few[3]]).document()
    first, *_ = (part for part in walk(page.parts) if isinstance(part, Table))
    rows = {str(row.cells[0]): row.cells[2:] for row in first.rows}
    assert [value == "-" for value in rows["cbr.1"]] == [True, False, True, True, True]


@pytest.mark.parametrize("name", ["thesis.tex", ".hidden"])
def test_a_foreign_directory_is_not_touched(
    command: Command, traced: Path, tmp_path: Path, name: str
) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / name).write_text("mine", encoding="utf-8")
    done = command("run", traced, "--out", "foreign")
    assert done.returncode == 2
    assert f"foreign holds {name}" in done.stderr
    assert done.stdout == ""
    assert [entry.name for entry in foreign.iterdir()] == [name]


def test_a_file_in_the_way_is_not_touched(command: Command, traced: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    done = command("run", traced, "--out", "file")
    assert done.returncode == 2
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_warnings_go_to_standard_error(command: Command, traced: Path) -> None:
    short = "--set", "run.duration=5 ms"
    found = summary(command, traced, *short)
    assert found["warnings"]
    done = command("run", traced, *short)
    for warning in found["warnings"]:
        assert f"warning[{warning['code']}]: {warning['message']}" in done.stderr


def test_flows_without_tcp_have_a_total_of_what_they_delivered(command: Command) -> None:
    text = cellrate.template("gfc-1")
    for more in ("1", "30"):  # of 30 flows the table has the mean
        asked = f"--set=flow.A.count={more}"
        total = sum(
            flow["tcp_throughput_bits_per_second"]
            for flow in summary(command, "-", asked, stdin=text)["flows"]
        )
        shown = command("run", "-", asked, stdin=text).stdout
        assert f"\ndelivered {total / 1e6:.3f} Mbit/s without TCP, cell loss ratio" in shown
    over_tcp = command("run", "-", stdin=cellrate.template("n-source")).stdout
    assert "\nTCP throughput" in over_tcp
