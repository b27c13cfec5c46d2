"""`cellrate run --profile`: what it says is so, whatever the machine's speed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cellrate.cli import tables
from cellrate.simulation import profile as module
from cellrate.simulation.profile import Division, Share, picoseconds, profile
from cellrate.simulation.runner import Job
from conftest import Command

SCENARIO = """
run.duration = "40 ms"
measure = { from = "10 ms", traces = ["queue"], events = ["loss"], sample = "1.5 ms" }
switch = { buffer = "200 cells", control = { scheme = "erica" } }
flow = [{ name = "tcp", count = 3, service = "abr" }]

[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "1 km"
egress = "1 km"
"""


def run(job: Job) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(job.scenario().run().summary())
    return found


def test_the_profile_is_of_the_run_and_counts_what_its_summary_says() -> None:
    job = Job(SCENARIO, "profiled.toml")
    told: list[tuple[float, float]] = []
    found = profile(job, lambda done, all_: told.append((done, all_)))
    summary = run(job)
    assert (found.digest, found.hops[0]) == (summary["digest"], summary["cell_hops"])
    counts = {(one.component, one.what.split(",")[0]): one.number for one in found.counts}
    assert counts["hosts", "data cells sent"] == sum(vc["data_cells_sent"] for vc in summary["vcs"])
    assert counts["TCP senders", "segments sent"] == sum(
        flow["segments_sent"] for flow in summary["flows"]
    )
    # 40 ms in steps of 1.5 ms from 0 on: 27 samples of each queue.
    queues = sum(len(port["queues"]) for port in summary["ports"])
    assert counts["recorder", "lengths of queues sampled"] == 27 * queues
    assert all(done <= all_ for done, all_ in told)


def tasks(*overrides: str) -> dict[str, Share]:
    """Shares of a profile by task."""
    found = profile(Job(SCENARIO, "profiled.toml", overrides), lambda *_: None)
    assert sum(one.share for one in found.shares) == pytest.approx(1)
    assert all(one.seconds >= 0 for one in found.shares)
    assert found.digest == run(Job(SCENARIO, "profiled.toml", overrides))["digest"]
    return {one.task: one for one in found.shares}


CBR = (
    'flow.tcp.service="cbr"',
    'flow.tcp.source={ kind = "cbr", rate = "9 Mbit/s" }',
)
NODES = {
    "hosts that send by TCP",
    "hosts that send without TCP",
    "hosts that receive",
    "switches",
    "switches with virtual sources",
    "switches under credit control",
}


@pytest.mark.parametrize(
    ("overrides", "nodes"),
    [
        ((), {"hosts that send by TCP", "hosts that receive", "switches"}),
        (CBR, {"hosts that send without TCP", "hosts that receive", "switches"}),
        (
            ("switch.vsvd={}",),
            {"hosts that send by TCP", "hosts that receive", "switches with virtual sources"},
        ),
        (
            ("fcvc={}", "flow.tcp.service=ubr", 'switch.control={ scheme = "none" }'),
            {"hosts that send by TCP", "hosts that receive", "switches under credit control"},
        ),
    ],
    ids=["tcp", "cbr", "vsvd", "credit"],
)
def test_all_time_of_a_run_belongs_to_the_nodes_that_it_has_or_to_another_task(
    overrides: tuple[str, ...], nodes: set[str]
) -> None:
    found = tasks(*overrides)
    assert found.keys() & NODES == nodes
    for name in nodes:
        assert found[name].times > 10
    # 40 ms in steps of 1.5 ms from 0 on, and one report.
    assert found["samples of queues"].times == found["traces"].times == 27
    assert found["results as text"].times == 1


def test_each_sample_is_a_lap() -> None:
    assert tasks("measure.traces=[]", 'measure.sample="2 us"')["samples of queues"].times == 20001


def test_shares_are_of_processor_time_without_the_clock() -> None:
    """A run of 4 s of which the clock told 3: tasks of 1.5 s, and 30 readings of 0.05 s."""
    told = [("hosts", 1.0, 10), ("switches", 0.5, 20)]
    run = module._Measured(4.0, told, 0.05, 1.0, {})  # noqa: SLF001  what a run measures
    found = module._shares(0.5, run)  # noqa: SLF001
    assert [one.times for one in found] == [1, 10, 20, 1]
    assert [one.seconds for one in found] == pytest.approx([0.5, 4 / 3, 2 / 3, 1.0])
    assert [one.share for one in found] == pytest.approx([1 / 7, 8 / 21, 4 / 21, 2 / 7])


@pytest.mark.parametrize(
    ("default", "asked", "expected"),
    [
        ((2, 1.8, ""), None, Division(2, by_default=True, gain=1.8, reason="")),
        ((1, 1.0, "little"), (2, 1.3, ""), Division(2, by_default=False, gain=1.3, reason="")),
        (
            (1, 1.0, "little"),
            (1, 1.0, "short links"),
            Division(1, by_default=False, gain=1.0, reason="short links"),
        ),
    ],
)
def test_threads_are_those_that_the_plan_says_pay(
    monkeypatch: pytest.MonkeyPatch,
    default: tuple[int, float, str],
    asked: tuple[int, float, str] | None,
    expected: Division,
) -> None:
    class Planned:
        def partition(self, threads: int | None) -> dict[str, Any]:
            count, speedup, reason = default if threads is None else asked or default
            return {"parts": [{}] * count, "speedup": speedup, "reason": reason}

    monkeypatch.setattr(module, "available_cores", lambda: 4)
    found = module.division(Planned())  # type: ignore[arg-type]
    assert found == expected
    said = tables.on_threads(found)
    assert ("--threads 2" in said) == (expected.threads == 2 and not expected.by_default)
    assert f"{expected.gain:.1f} times" in said or expected.reason in said


def test_only_what_a_scenario_records_can_be_left_out() -> None:
    def settings(*overrides: str) -> set[tuple[str, ...]]:
        found = profile(Job(SCENARIO, "profiled.toml", overrides), lambda *_: None)
        return {saving.settings for saving in found.savings}

    coarse = ('measure.sample="15 ms"',)
    assert settings() == {("measure.traces=[]",), ("measure.events=[]",), coarse}
    assert settings("measure.traces=[]", "measure.events=[]") == {coarse}
    assert settings("measure.traces=[]", "measure.events=[]", 'measure.sample="5 ms"') == set()


def test_a_saving_is_told_only_beyond_the_spread_of_equal_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A clock that gives equal runs 3 to 5 s, and those that record less 0.5, 4 and 3 s."""
    # Reading, and then each round: the run and three that record less, the timed run, its results.
    runs = [[5.0, 0.5, 4.0, 3.0], [3.0, 0.5, 4.0, 3.0], [4.0, 0.5, 4.0, 3.0]]
    timed_runs = [(7.0, 0.5), (6.0, 0.25), (9.0, 0.125)]
    rounds = (span for pair in zip(runs, timed_runs, strict=True) for row in pair for span in row)
    spans = iter([0.5, *rounds])
    real = module.timed
    monkeypatch.setattr(module, "timed", lambda work: (next(spans), real(work)[1]))
    found = profile(Job(SCENARIO, "profiled.toml"), lambda *_: None)
    assert found.spread_seconds == 2.0
    assert found.slowdown == 2.0
    # Of the shortest of the timed runs; reading the clock is no share.
    assert (found.shares[0].seconds, found.shares[-1].seconds) == (0.5, 0.25)
    assert 4.0 < sum(one.seconds for one in found.shares[1:-1]) < 6.0
    assert [(one.seconds, one.exceeds_spread) for one in found.savings] == [
        (2.5, True),
        (0.0, False),
        (-1.0, False),
    ]
    assert found.savings[0].settings == ("measure.traces=[]",)


@pytest.mark.parametrize("option", [("--out", "o"), ("--plot",), ("--capture", "A")])
def test_it_writes_no_files(command: Command, option: tuple[str, ...]) -> None:
    done = command("run", "-", "--profile", *option, stdin=SCENARIO)
    assert done.returncode != 0
    assert f"{option[0]}: nothing is written with --profile" in done.stderr


def test_the_command_shows_it_as_text_and_as_json(command: Command) -> None:
    done = command("run", "-", "--profile", "--json", stdin=SCENARIO)
    found = json.loads(done.stdout)
    text = command("run", "-", "--profile", stdin=SCENARIO).stdout
    assert found["digest"] in text
    for count in found["counts"]:
        assert f"{count['number']:,}" in text
    for share in found["shares"]:
        assert share["task"] in text
    assert "run had one thread" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2 ms", 2 * 10**9), ("1.5 us", 1_500_000), ("7 ps", 7), ("3 s", 3 * 10**12)],
)
def test_times_are_read_exactly(text: str, expected: int) -> None:
    assert picoseconds(text) == expected
