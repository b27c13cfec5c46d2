"""Studies from file to data set: what is run, kept, cut off, and how often."""

from __future__ import annotations

import io
import json
import os
import random
import re
import signal
import subprocess
import tomllib
from collections.abc import Generator, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl
import pytest
import signs
from cellrate import _core
from cellrate.cli.app import run_command
from cellrate.cli.studying import confirmed
from cellrate.common.estimates import half_width
from cellrate.simulation import runner
from cellrate.simulation.runner import Done, Job, run_each
from cellrate.studies.dataset import DataSet
from cellrate.studies.plots.from_study import PlotOptions, draw
from cellrate.studies.study import may_exceed, parse_study
from cellrate.studies.study.definition import Replications, StoppingRule
from cellrate.studies.study.output_analysis import mser5, replications_needed
from cellrate.studies.study.running import Running
from cellrate.theory import queueing
from conftest import COMMAND, Command

from proof.faults.ground import contents, store_of

pytestmark = pytest.mark.usefixtures("undrawn")

SMALL = """
template = "n-source"
set = ["run.duration=30 ms", "measure.from=10 ms", "run.start_jitter=1 ms", "measure.traces=[]"]
[factors]
"control.scheme" = ["erica", "efci"]
"flow.tcp.count" = [2, 4]
[replications]
count = 3
[measures]
throughput = "throughput_mbit"
"""


def written(tmp_path: Path, text: str, name: str = "small.toml") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def runs(tmp_path: Path, name: str = "small") -> pl.DataFrame:
    return pl.read_parquet(tmp_path / "out" / "studies" / name / "runs.parquet")


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_quantities_are_shown_as_the_study_lists_them(tmp_path: Path, command: Command) -> None:
    """In comparisons, tables, pictures and the report; data and JSON keep numbers."""
    listed = SMALL.replace(
        '"flow.tcp.count" = [2, 4]',
        '"topology.bottleneck" = ["100 km", "1000 km"]\n"switch.buffer" = ["30000 cells"]',
    )
    written(tmp_path, listed)
    assert command("study", "small.toml").returncode == 0
    options = ("--factor", "bottleneck", "--baseline", "100 km")
    compared = command("compare", "small.toml", *options)
    assert "topology.bottleneck: 1000 km compared with 100 km" in compared.stdout, compared.stderr
    assert "1000 km - 100 km, control.scheme erica" in compared.stdout
    found = json.loads(command("compare", "small.toml", *options, "--json").stdout)
    assert found["alternatives"] == [0.0005, 0.005]
    across = command("table", "small.toml", "--rows", "scheme", "--columns", "bottleneck")
    assert "topology.bottleneck = 100 km" in across.stdout
    down = command("table", "small.toml", "--rows", "bottleneck", "--columns", "scheme")
    assert re.search(r"^topology.bottleneck  control[.]", down.stdout, re.MULTILINE)
    assert re.search(r"^1000 km ", down.stdout, re.MULTILINE)
    data = DataSet(tmp_path / "out" / "studies" / "small")
    assert "100 km" in str(data.document())
    drawn = draw(data, PlotOptions("heat-map", "throughput", "bottleneck", "scheme"))
    axes = drawn.figure.axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["100 km", "1000 km"]
    assert axes.get_xlabel() == "topology.bottleneck"
    [buffer] = [one for one in data.description.factors if one.name == "switch.buffer"]
    assert buffer.texts == {30_000.0: "30000 cells"}


def test_every_row_is_the_run_of_its_command(tmp_path: Path, command: Command) -> None:
    written(tmp_path, SMALL)
    done = command("study", "small.toml")
    assert done.returncode == 0, done.stderr
    assert "12 runs at 4 points: 12 simulated" in done.stdout
    found = runs(tmp_path)
    assert found["seed"].to_list() == [1, 2, 3] * 4
    assert found["control.scheme"].to_list() == ["erica"] * 6 + ["efci"] * 6
    assert found["flow.tcp.count"].to_list() == ([2.0] * 3 + [4.0] * 3) * 2
    assert found["digest"].n_unique() == 12
    row = found.row(7, named=True)
    again = subprocess.run(
        ["/bin/sh", "-c", f"{row['command']} --json"],
        capture_output=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{COMMAND.parent}:{os.environ['PATH']}"},
    )
    summary = json.loads(again.stdout)
    assert summary["digest"] == row["digest"]
    flows = [flow["tcp_throughput_bits_per_second"] for flow in summary["flows"]]
    assert row["throughput"] == pytest.approx(sum(flows) / 1e6)
    codes = {warning["code"] for warning in summary["warnings"]}
    assert set(row["warnings"].split(",")) == codes
    # In each of the 12 runs the window of 20 ms has two round trips of 10 ms.
    assert "short-window" in codes
    assert "short-window in 12" in done.stderr
    assert (
        "short-window in 12"
        in command("table", "out/studies/small", "--measure", "throughput").stderr
    )


def test_a_study_that_grew_runs_what_is_missing(tmp_path: Path, command: Command) -> None:
    written(tmp_path, SMALL)
    command("study", "small.toml")
    before = files(tmp_path / "out" / "studies")
    assert "0 simulated" in command("study", "small.toml").stdout
    assert files(tmp_path / "out" / "studies") == before
    written(tmp_path, SMALL.replace("count = 3", "count = 4"), "more.toml")
    assert "16 runs at 4 points: 4 simulated" in command("study", "more.toml").stdout


def test_no_data_set_of_other_settings_or_another_file_is_replaced(
    tmp_path: Path, command: Command
) -> None:
    written(tmp_path, SMALL)
    cubic = ("--set", "run.duration=29 ms")
    assert command("study", "small.toml", *cubic).returncode == 0
    place = tmp_path / "out" / "studies" / "small"
    before = files(place)
    named = "small.toml --set 'run.duration=29 ms'"
    told = command("table", "small.toml", "--measure", "throughput")
    assert f"note: out/studies/small has the data set of {named}\n" in told.stderr
    assert "--set &#x27;run.duration=29 ms&#x27;" in report_of(command, place)
    # The same command again, and a plan, replace nothing that they should not.
    assert command("study", "small.toml", *cubic).returncode == 0
    assert command("study", "small.toml", "--plan").returncode == 0
    for file, settings in (("small.toml", ()), ("other.toml", cubic)):
        written(tmp_path, 'name = "small"\n' + SMALL, "other.toml")
        refused = command("study", file, *settings)
        assert refused.returncode == 2
        assert f"out/studies/small has the data set of {named}, which {file}" in refused.stderr
        assert files(place) == before
    refused = command("table", "other.toml", "--measure", "throughput")
    assert "has the data set of small.toml" in refused.stderr
    assert refused.returncode == 2
    assert command("study", "small.toml", "--output", "out/studies/small").returncode == 0
    assert files(place) != before
    assert "note" not in command("table", "small.toml", "--measure", "throughput").stderr


def report_of(command: Command, place: Path) -> str:
    """The page of a report, which is then removed."""
    assert command("report", "small.toml").returncode == 0
    page = place / "report.html"
    text = page.read_text(encoding="utf-8")
    page.unlink()
    return text


def test_a_plan_runs_nothing(tmp_path: Path, command: Command) -> None:
    written(tmp_path, SMALL)
    found = json.loads(command("study", "small.toml", "--plan", "--json").stdout)
    assert (found["points"], found["least"], found["most"], found["known"]) == (4, 12, 12, 0)
    assert float(found["run_seconds"]) > 0
    assert found["memory_bytes"] > 0
    assert not (tmp_path / "out" / "studies").exists()
    command("study", "small.toml")
    found = json.loads(command("study", "small.toml", "--plan", "--json").stdout)
    assert (found["known"], found["seconds"]) == (12, 0)


def test_a_failed_run_stops_no_other(tmp_path: Path, command: Command) -> None:
    # Two and a half hours of cells on their way need more memory than there is.
    paired = (
        '[[paired]]\n"run.duration" = ["30 ms", "90000 s"]\n'
        '"topology.bottleneck" = ["1 ms", "9000 s"]\n'
    )
    text = SMALL.replace("[replications]", f"{paired}[replications]")
    text = text.replace("[2, 4]", "[2]").replace('["erica", "efci"]', '["erica"]')
    written(tmp_path, text)
    done = command("study", "small.toml")
    assert done.returncode == 1
    found = runs(tmp_path)
    assert found["status"].to_list() == ["done"] * 3 + ["failed"] * 3
    failed = found.row(3, named=True)
    assert failed["command"] in done.stderr
    assert "memory" in failed["error"]
    assert failed["digest"] is None


def _has_kept(process: subprocess.Popen[bytes], out: Path, enough: float) -> bool:
    """True if a study has kept more than so many bytes of results, or is over."""
    return signs.kept_bytes(out) > enough or process.poll() == 0


@pytest.mark.long
def test_a_study_killed_at_random_moments_resumes_to_the_same_data(
    tmp_path: Path, command: Command
) -> None:
    text = SMALL.replace("30 ms", "300 ms").replace("count = 3", "count = 8")
    written(tmp_path, text)
    whole = tmp_path / "whole"
    assert command("study", "small.toml", "--out", whole).returncode == 0
    out, most = tmp_path / "killed", signs.kept_bytes(whole)
    source = random.Random(7)  # noqa: S311
    killed = 0
    # Each gets further than the one before.
    for enough in sorted(source.random() * 0.8 * most for _ in range(6)):
        process = subprocess.Popen(
            [COMMAND, "study", "small.toml", "--out", out],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        signs.wait_for(partial(_has_kept, process, out, enough), process)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    assert killed, "every study was over before it was killed"
    kept = len(contents(store_of(out)))
    resumed = command("study", "small.toml", "--out", out, "--json")
    assert resumed.returncode == 0
    assert json.loads(resumed.stdout)["known"] == kept > 0
    assert files(out / "studies") == files(whole / "studies")


def test_the_fixed_warm_up_is_left_out(tmp_path: Path, command: Command) -> None:
    written(tmp_path, SMALL + '[warm_up]\nfrom = "20 ms"\n')
    assert command("study", "small.toml").returncode == 0
    assert "measure.from=20 ms" in runs(tmp_path)["command"][0]


# ---- MSER-5


def test_mser5_by_hand() -> None:
    # Batch means 10, 4, 2, 2, 2, 2: without the first two nothing is left to vary.
    means = [10.0, 4.0, 2.0, 2.0, 2.0, 2.0]
    values = np.repeat(np.array(means), 5)
    time_ = np.linspace(0.0, 2.9, 30)
    found = mser5(time_, values)
    assert found.seconds == pytest.approx(1.0)
    assert not found.reached_half
    drifting = mser5(time_, np.arange(30.0))
    assert drifting.reached_half


def test_mser5_finds_the_end_of_a_decay() -> None:
    random_ = np.random.default_rng(3)
    time_ = np.linspace(0.0, 4.999, 5000)
    values = 50 * np.exp(-time_ / 0.1) + random_.normal(10, 1, 5000)
    found = mser5(time_, values)
    assert 0.2 < found.seconds < 1.0
    kept = values[time_ >= found.seconds]
    assert fmean(kept) == pytest.approx(10, abs=0.1)


def test_the_rule_cuts_every_point_by_its_own_run(tmp_path: Path, command: Command) -> None:
    text = SMALL.replace("30 ms", "400 ms") + '[warm_up]\nrule = "mser-5"\n'
    written(tmp_path, text)
    assert command("study", "small.toml").returncode == 0
    found = runs(tmp_path)
    cuts = [one.split("measure.from=")[-1].split(" ps")[0] for one in found["command"]]
    starts = {float(one) / 1e12 for one in cuts}
    assert len(starts) > 1
    assert all(0 <= one <= 0.2 for one in starts)
    for point in range(4):
        assert len(set(cuts[3 * point : 3 * point + 3])) == 1


# ---- Sequential stopping

QUEUE = """
[run]
duration = "{duration}"
[measure]
from = "200 ms"
cell_delay = true
[topology]
template = "single-switch"
link_rate = "10000 Gbit/s"
bottleneck_rate = "1000 cells/s"
access = "1 us"
bottleneck = "1 us"
[[flow]]
name = "cells"
count = 1
service = "cbr"
source = {{ kind = "poisson", rate = "500 cells/s" }}
"""


def delay(outcome: _core.Outcome) -> float:
    found = json.loads(outcome.summary())["classes"][0]["cell_delay_mean_seconds"]
    assert isinstance(found, float)
    return found


@pytest.mark.long
def test_sequential_stopping_covers_the_true_mean() -> None:
    """M/D/1 with load 1/2: 200 repetitions of a study that stops at a half width of 4 %."""
    asked = Replications(10, 200, StoppingRule("delay", 0.04, relative=True), 0.95)
    text = QUEUE.format(duration="700 ms")
    true = float(queueing.md1_mean_wait_seconds(500.0, 1000.0)) + 1e-3 + 2e-6
    seeds = iter(range(1, 1_000_000))
    covered, counts = 0, []
    for _ in range(200):
        values: list[float] = []
        while (needed := replications_needed(values or [0.0], asked)) > len(values):
            jobs = [Job(text, "md1.toml", (), next(seeds)) for _ in range(needed - len(values))]
            values += [delay(done.outcome) for done in run_each(jobs) if done.outcome]
        covered += abs(fmean(values) - true) <= half_width(values, 0.95)
        counts.append(len(values))
    assert min(counts) >= 10
    assert len(set(counts)) > 3, "nothing depended on the values"
    assert covered >= 0.93 * 200, covered


def test_a_point_is_run_until_it_is_known(tmp_path: Path, command: Command) -> None:
    (tmp_path / "md1.toml").write_text(QUEUE.format(duration="4 s"))
    text = """
    scenario = "md1.toml"
    [factors]
    "flow.cells.source.rate" = ["300 cells/s", "850 cells/s"]
    [replications]
    least = 10
    most = 60
    until = { measure = "wait", half_width = "4 %" }
    [measures]
    wait = "service('cbr').cell_delay_mean_seconds"
    """
    written(tmp_path, text)
    done = command("study", "small.toml")
    assert done.returncode == 0, done.stderr
    found = runs(tmp_path)
    counts = found.group_by("point").len().sort("point")["len"].to_list()
    assert counts[0] == 10
    assert 10 < counts[1] <= 60
    easy = found.filter(pl.col("point") == 0)["wait"].to_list()
    assert half_width(easy, 0.95) <= 0.04 * fmean(easy)


def test_a_failed_run_is_made_up_for(tmp_path: Path) -> None:
    text = (
        'template = "n-source"\nset = ["run.duration=30 ms", "measure.from=10 ms"]\n'
        '[measures]\nt = "throughput_mbit"\n[replications]\n'
        'until = { measure = "t", half_width = "90 %" }\n'
    )

    def unlucky(jobs: Iterable[Job]) -> Generator[Done]:
        for done in run_each(jobs, workers=1):
            lost = done.job.seed == 3
            yield replace(done, outcome=None, error="lost") if lost else done

    place = tmp_path / "data"
    ran = Running(parse_study(text, "s.toml"), unlucky, place, lambda _: None).run()
    assert (ran.runs, len(ran.failed), ran.notes) == (11, 1, [])
    assert pl.read_parquet(place / "runs.parquet")["t"].null_count() == 1


@pytest.mark.parametrize(
    "never", ["series('queue', 'A->B*').first_above(1e9)", "1e308 * 10 - 1e999"]
)
def test_a_measure_without_end_has_no_value(tmp_path: Path, command: Command, never: str) -> None:
    text = SMALL.replace("count = 3", 'least = 2\nmost = 3\nuntil = {measure="t", half_width="1"}')
    text = text.replace("measure.traces=[]", 'measure.traces=[\\"queue\\"]')
    written(tmp_path, f'{text}t = "{never}"\n')
    done = command("study", "small.toml")
    assert done.returncode == 0, done.stderr
    assert "t has no value in some runs" in done.stdout + done.stderr
    assert runs(tmp_path)["t"].null_count() == runs(tmp_path).height > 0


def test_a_fresh_study_runs_each_run_once_and_a_bad_directory_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(
        tmp_path,
        'template = "n-source"\nset = ["run.duration=30 ms", "measure.from=10 ms"]\n'
        '[measures]\nt = "throughput_mbit"\n[replications]\n'
        'until = { measure = "t", half_width = "90 %" }\n',
    )
    obtain, seeds = runner.obtained, []

    def counted(
        scenario: _core.Scenario,
        *rest: Any,  # noqa: ANN401
        **named: Any,  # noqa: ANN401
    ) -> tuple[_core.Outcome, bool]:
        outcome, known = obtain(scenario, *rest, **named)
        if not known:
            seeds.append(tomllib.loads(scenario.resolved())["run"]["seed"])
        return outcome, known

    monkeypatch.setattr(runner, "obtained", counted)
    command = ["study", str(path), "--fresh", "--quiet", "--out", str(tmp_path / "out")]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").touch()
    assert run_command([*command, "-o", str(tmp_path / "mine")]) == 1
    assert seeds == []
    assert run_command(command) == 0
    assert sorted(seeds) == list(range(1, 11))
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["studies"]


def test_replications_needed() -> None:
    asked = Replications(3, 50, StoppingRule("x", 0.1, relative=False), 0.95)
    assert replications_needed([1.0], asked) == 3
    assert replications_needed([1.0, 1.0, 1.0], asked) == 3
    # s = 1, t = 4.303: (4.303 / sqrt(3) / 0.1)^2 * 3 is far beyond the most.
    assert replications_needed([1.0, 2.0, 3.0], asked) == 50
    # s = 0.1: half width 0.2484, so (2.484)^2 * 3 = 18.5.
    assert replications_needed([1.0, 1.1, 1.2], asked) == 19
    # s = 0.0645: half width 0.1027, so 4.2 runs; but at least half as many again.
    assert replications_needed([1.0, 1.05, 1.1, 0.95], asked) == 6


class AtTerminal(io.StringIO):
    """A terminal at which one line has been typed."""

    def isatty(self) -> bool:
        """True, as of every terminal."""
        return True


@pytest.mark.parametrize(("typed", "answer"), [("y\n", True), ("n\n", False), ("", False)])
def test_a_long_study_asks_and_a_short_one_does_not(
    monkeypatch: pytest.MonkeyPatch, typed: str, *, answer: bool
) -> None:
    screen = AtTerminal()
    monkeypatch.setattr("sys.stdin", AtTerminal(typed))
    monkeypatch.setattr("sys.stderr", screen)
    long = 'template = "n-source"\n[factors]\n"run.duration" = ["864000 s"]\n'
    assert confirmed(parse_study(long, "long"), None, None) is answer
    assert re.search(r"takes about \d+ h \d+ min and .* of results\. Run it\?", screen.getvalue())
    asked = screen.getvalue()
    assert confirmed(parse_study(SMALL, "small"), None, None)
    assert screen.getvalue() == asked


def test_the_results_of_many_runs_are_asked_for_by_their_size() -> None:
    study = parse_study(SMALL, "small")
    needs = [study.job(point, 0).scenario().estimate() for point in study.points]
    kept = max(one["most_trace_bytes"] + one["most_event_bytes"] for one in needs)
    many = replace(study, replications=replace(study.replications, most=10**6))
    assert not may_exceed(study, 3600.0, 12.0 * kept + 1, 2)
    assert may_exceed(many, 3600.0, 12.0 * kept, 2)
    # Twelve runs of 30 ms on two cores.
    assert may_exceed(study, 1e-6, 1e12, 2)
