"""Completion times of runs whose files do not all end: they are no shorter for that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import cellrate
import polars as pl
import pytest
from cellrate.advice.choosing import Effort, Goals, choose_over_ethernet
from cellrate.advice.choosing.packet_alternatives import Alternative
from cellrate.advice.choosing.packet_choice import SHOWN, PacketChoice, PacketOption
from cellrate.advice.choosing.packet_goals import missed, objective_of
from cellrate.advice.tuning.laboratory import AS_IT_IS
from cellrate.advice.tuning.measures import OF_LINK_LAYERS
from cellrate.language.ended_flows import Unfinished, unfinished
from cellrate.language.expressions import ExpressionError
from cellrate.language.of_a_run import value
from cellrate.language.runs import Recorded, run_in_expressions, run_of
from cellrate.simulation.runner import Job, run_many
from cellrate.studies.compare import Comparison, Rules, compare, report
from conftest import Command

pytestmark = pytest.mark.usefixtures("undrawn")

# In 100 kB, first windows of 32 senders are lost, and timers of 200 ms outlast the run.
STALLED = ('run.duration="50 ms"', 'tcp.min_rto="200 ms"')
COMPLETION = "1e3 * totals.completion_p99_seconds"
NOTHING = cast("Recorded", None)
"""A run without traces and events."""


@pytest.fixture
def incast(tmp_path: Path) -> Path:
    place = tmp_path / "inc.toml"
    place.write_text(cellrate.template("incast"), encoding="utf-8")
    return place


def test_a_collective_completes_with_its_last_step() -> None:
    pattern = 'flow.ring.pattern={kind="tree-all-reduce", size="100 kB"}'
    [outcome] = run_many([Job(cellrate.template("all-reduce"), "all.toml", (pattern,), 1)])
    summary = json.loads(outcome.summary())
    [completion] = [one for one in OF_LINK_LAYERS["ethernet"] if one.name == "completion"]
    [operation] = summary["collectives"]
    assert completion.of(summary) == operation["completion_seconds"]
    assert completion.of(summary) > 2 * summary["totals"]["completion_p99_seconds"]


def test_a_run_whose_files_do_not_end_has_no_completion_time() -> None:
    text = cellrate.template("incast")
    for buffer, is_whole in (("100 kB", False), ("9 MB", True)):
        job = Job(text, "inc.toml", (*STALLED, f'switch.buffer="{buffer}"'), 1)
        [outcome] = run_many([job])
        summary = json.loads(outcome.summary())
        ended = [flow for flow in summary["flows"] if flow["completion_seconds"] is not None]
        assert ended
        assert (len(ended) == 32) is is_whole
        run = run_of(outcome, "it")
        assert value("files_unfinished", run) == 32 - len(ended)
        [completion] = [one for one in OF_LINK_LAYERS["ethernet"] if one.name == "completion"]
        # A flow that has ended keeps its own time.
        own = f"flow('{ended[0]['name']}').completion_seconds"
        assert value(own, run) == ended[0]["completion_seconds"]
        if is_whole:
            longest = max(flow["completion_seconds"] for flow in ended)
            assert value(COMPLETION, run) == pytest.approx(1e3 * longest)
            assert completion.of(summary) == longest
            continue
        assert completion.of(summary) is None
        left = next(flow for flow in summary["flows"] if flow["completion_seconds"] is None)
        for measure in (COMPLETION, f"flow('{left['name']}').completion_seconds"):
            with pytest.raises(Unfinished, match="files do not end in the run"):
                value(measure, run)


def test_over_cells_a_completion_time_is_that_of_99_of_100_files() -> None:
    file = {"source": "transfer", "start_seconds": 0.0}
    greedy = {"source": "greedy", "start_seconds": 0.0, "completion_seconds": None}
    flows = [{**file, "completion_seconds": float(n)} for n in range(200, 0, -1)]
    summary: dict[str, Any] = {"flows": [greedy, *flows], "simulated_seconds": 300.0}
    measure = "completion_p99_seconds"
    assert value(measure, run_in_expressions(summary, NOTHING, "it")) == 198
    summary["flows"].append({**file, "completion_seconds": None})
    with pytest.raises(Unfinished):
        value(measure, run_in_expressions(summary, NOTHING, "it"))
    summary["flows"] = [greedy]
    with pytest.raises(ExpressionError, match="the value is nan"):
        value(measure, run_in_expressions(summary, NOTHING, "it"))


def test_files_that_await_others_count_and_those_after_the_run_do_not() -> None:
    flow = {"source": "transfer", "completion_seconds": None}
    flows = [{**flow, "start_seconds": start} for start in (None, 0.5, 1.0, 2.0)]
    assert unfinished({"flows": flows, "simulated_seconds": 1.0}) == 2
    assert unfinished({"flows": [{**flow, "source": "greedy"}], "simulated_seconds": 1.0}) is None


def of(values: dict[str, list[tuple[float | None, int]]]) -> Comparison:
    rows = [
        {"scheme": scheme, "seed": seed, "m": one, "files_unfinished": left}
        for scheme, runs in values.items()
        for seed, (one, left) in enumerate(runs)
    ]
    rules = Rules("scheme", ("m",), better={"m": "less"}, of_ended=frozenset({"m"}))
    return compare(pl.DataFrame(rows), rules)


def test_an_alternative_with_files_left_ranks_behind_the_slow_one_whose_files_end() -> None:
    found = of(
        {
            "few": [(None, 9), (None, 8), (None, 9)],
            "quick": [(1.0, 0), (1.1, 0), (None, 1)],
            "slow": [(7.0, 0), (7.2, 0), (7.4, 0)],
        }
    )
    [ranked] = found.rankings
    assert [(one.alternative, one.letters) for one in ranked.places] == [
        ("slow", "a"),
        ("quick", "b"),
        ("few", "b"),
    ]
    assert [one.mean for one in ranked.places] == [pytest.approx(7.2), None, None]
    assert all(pair.contrast is None and not pair.real for pair in found.pairs)
    assert found.unfinished["quick"].unfinished_runs == 1
    assert found.unfinished["few"].files == pytest.approx(26 / 3)
    [words] = report.files_left(found)
    assert "few: 8.667 files per run, in 3 of 3 runs; quick: 0.3333 files per run" in words
    # Where all files end, nothing changes.
    whole = of({"a": [(1.0, 0), (1.1, 0)], "b": [(2.0, 0), (2.1, 0)]})
    assert whole.pairs[0].contrast is not None
    assert not whole.unfinished


def test_compare_does_not_prefer_the_buffer_in_which_files_stall(
    command: Command, incast: Path
) -> None:
    settings = [part for one in STALLED for part in ("--set", one)]
    vary = ("--vary", "switch.buffer=100 kB,300 kB,9 MB", "--measure", "completion")
    asked = ("compare", incast, *vary, *settings, "--seeds", "2")
    done = command(*asked, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    places = found["rankings"][0]["places"]
    assert [one["alternative"] for one in places] == ["9 MB", "300 kB", "100 kB"]
    assert [one["mean"] is None for one in places] == [False, True, True]
    assert {one["verdict"] for one in found["differences"]} == {"files do not end"}
    assert found["words"][0].startswith("Files do not end in some runs")
    shown = command(*asked).stdout
    assert 0 < shown.index("Files do not end in some runs") < shown.index("completion (ms)")


def test_tune_shows_no_completion_where_files_do_not_end(command: Command, incast: Path) -> None:
    settings = [part for one in STALLED for part in ("--set", one)]
    vary = ("--vary", "switch.buffer=100 kB,300 kB", "--objective", "completion")
    done = command("tune", incast, *vary, *settings, "--seeds", "1")
    assert done.returncode == 0, done.stderr
    assert "files do not end in the run, no completion, with 8 seeds" in " ".join(
        done.stdout.split()
    )


def test_a_study_has_no_mean_completion_of_the_files_that_happen_to_end(
    command: Command, incast: Path, tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text(
        f'name = "stalls"\nscenario = "{incast.name}"\nset = {list(STALLED)}\n'
        '[factors]\n"switch.buffer" = ["100 kB", "9 MB"]\n[replications]\ncount = 2\n'
        f'[measures]\ncompletion = "{COMPLETION}"\n',
        encoding="utf-8",
    )
    assert command("study", "s.toml", "--out", "out", "--quiet").returncode == 0
    [place] = [one.parent for one in (tmp_path / "out").rglob("study.json")]
    for measure in ("completion", "completion_p99_seconds"):
        shown = command("table", place, "--measure", measure).stdout.splitlines()
        [stalled] = [line for line in shown if line.startswith("100 kB")]
        [whole] = [line for line in shown if line.startswith("9 MB")]
        assert stalled.split() == ["100", "kB"]
        assert len(whole.split()) == 3
        assert any("no mean where files of a run do not end" in line for line in shown)
    # The column of the report has the mean of the files that ended.
    assert cellrate.DataSet(place).runs["totals_completion_p99_seconds"].null_count() == 0
    done = command("compare", place, "--factor", "switch.buffer", "--better", "completion=less")
    assert "files do not end" in done.stdout
    assert command("report", place).returncode == 0
    page = (place / "report.html").read_text(encoding="utf-8")
    assert "completion: no mean where files of a run do not end" in page


def test_no_goal_makes_up_for_files_that_do_not_end() -> None:
    """Few files without a loss, one of them done at once, against all files with some losses."""

    def option(recovery: str, left: float, seconds: float | None, loss: float) -> PacketOption:
        known = {"unfinished": left, "completion": seconds, "loss": loss, "queue": 1.0}
        means = {**dict.fromkeys(SHOWN), **known, "throughput": 1e9, "fairness": 0.5}
        return PacketOption(Alternative(recovery, "none"), AS_IT_IS, 2, means, 1, 0, (recovery,))

    goals = Goals(loss=0.05, fairness=0.0, all_files_end=True)
    objective = objective_of(goals, files=True)
    few, lossy, whole = (
        option("vegas", 24.0, None, 0.0),
        option("sack", 0.0, 0.0021, 0.06),
        option("newreno", 0.0, 0.0022, 0.04),
    )
    options = [few, lossy, whole]
    assert objective.ranked([one.means for one in options]) == [2, 1, 0]
    assert missed(few.means, goals) == ["leaves 24 files unfinished"]
    choice = PacketChoice(Job("", "x.toml"), goals, objective, 2, (whole, lossy, few), {}, 2, 0)
    words = " ".join(choice.words())
    assert "Recommended: newreno, none: unfinished 0 files" in words
    assert "The goals cost" not in words
    assert "Goals: all files end; " in choice.wanted()


def test_choose_prefers_the_recovery_under_which_all_files_end(incast: Path) -> None:
    """First windows of 32 senders overflow the buffer; timers of 200 ms outlast the run."""
    base = Job(incast.read_text(encoding="utf-8"), incast.name, STALLED)
    found = choose_over_ethernet(base, Goals(loss=0.5, fairness=0.0), Effort(settings=0, seeds=1))
    left = {one.label: one.means["unfinished"] or 0.0 for one in found.options}
    assert min(left.values()) < max(left.values())
    assert found.best.means["unfinished"] == pytest.approx(min(left.values()), rel=0.1)
    for one in found.options:
        assert (one.means["completion"] is None) == (left[one.label] > 0)
