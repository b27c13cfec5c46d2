"""`cellrate run --profile`: what it says is so, whatever the machine's speed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cellrate.simulation import profile as module
from cellrate.simulation.profile import picoseconds, profile
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
    assert (found.digest, found.cell_hops) == (summary["digest"], summary["cell_hops"])
    counts = {(one.component, one.what.split(",")[0]): one.number for one in found.counts}
    assert counts["hosts", "data cells sent"] == sum(vc["data_cells_sent"] for vc in summary["vcs"])
    assert counts["TCP senders", "segments sent"] == sum(
        flow["segments_sent"] for flow in summary["flows"]
    )
    # 40 ms in steps of 1.5 ms from 0 on: 27 samples of each queue.
    queues = sum(len(port["queues"]) for port in summary["ports"])
    assert counts["recorder", "lengths of queues sampled"] == 27 * queues
    assert all(done <= all_ for done, all_ in told)


def test_only_what_a_scenario_records_can_be_left_out() -> None:
    def settings(*overrides: str) -> set[tuple[str, ...]]:
        found = profile(Job(SCENARIO, "profiled.toml", overrides), lambda *_: None)
        return {saving.settings for saving in found.savings}

    coarse = ('measure.sample="15000000000 ps"',)
    assert settings() == {("measure.traces=[]",), ("measure.events=[]",), coarse}
    assert settings("measure.traces=[]", "measure.events=[]") == {coarse}
    assert settings("measure.traces=[]", "measure.events=[]", 'measure.sample="5 ms"') == set()


def test_a_saving_is_told_only_beyond_the_spread_of_equal_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A clock that gives equal runs 3 to 5 s, and those that record less 0.5, 4 and 3 s."""
    # Reading, set-up, and then each round: the run, its results; three variants.
    runs = [[5.0, 0.5, 4.0, 3.0], [3.0, 0.5, 4.0, 3.0], [4.0, 0.5, 4.0, 3.0]]
    spans = iter([0.5, 0.25, *(span for round_ in runs for run_ in round_ for span in (run_, 0.0))])
    real = module.timed
    monkeypatch.setattr(module, "timed", lambda work: (next(spans), real(work)[1]))
    found = profile(Job(SCENARIO, "profiled.toml"), lambda *_: None)
    assert found.spread_seconds == 2.0
    assert [step.seconds for step in found.steps] == [0.5, 0.25, 2.75, 0.0]
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
    assert "These are counts, not times" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2 ms", 2 * 10**9), ("1.5 us", 1_500_000), ("7 ps", 7), ("3 s", 3 * 10**12)],
)
def test_times_are_read_exactly(text: str, expected: int) -> None:
    assert picoseconds(text) == expected
