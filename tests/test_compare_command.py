"""`cellrate compare` from the command line."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import cellrate
import pytest
from cellrate import _core
from cellrate.cli.app import BAD_INPUT, FAILED, run_command
from cellrate.simulation import runner
from conftest import Command, Finished

pytestmark = pytest.mark.usefixtures("undrawn")

ERICA = """
[run]
duration = "60 ms"
start_jitter = "1 ms"
[topology]
template = "single-switch"
link_rate = "155.52 Mbit/s"
access = "0.1 ms"
bottleneck = "0.1 ms"
[switch.control]
scheme = "erica"
target_utilisation = 0.9
interval = "1 ms"
[tcp]
granularity = "10 ms"
[[flow]]
name = "tcp"
count = 3
service = "abr"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    (tmp_path / "my.toml").write_text(ERICA, encoding="utf-8")
    return "my.toml"


def answer(done: Finished) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout, parse_constant=pytest.fail)
    return found


@pytest.mark.drawn
def test_a_utilisation_that_is_aimed_at_is_told_from_another(
    command: Command, scenario: str, tmp_path: Path
) -> None:
    options = ["--vary", "control.target_utilisation=0.9,0.7,0.70001", "--baseline", "0.9"]
    options += ["--seeds", "6", "--measure", "throughput", "--measure", "queue", "--json"]
    found = answer(command("compare", scenario, *options))
    assert found["factor"] == "switch.control.target_utilisation"
    assert found["alternatives"] == ["0.9", "0.7", "0.70001"]
    assert [one["name"] for one in found["measures"]] == ["throughput", "queue"]
    [less, _] = [one for one in found["differences"] if one["measure"] == "throughput"]
    assert (less["first"], less["second"], less["runs"]) == ("0.9", "0.7", [6, 6])
    assert less["paired"] is True
    assert less["real"] is True
    assert less["difference"] < 0
    low, high = less["simultaneous_interval"]
    assert low < less["interval"][0] < less["difference"] < less["interval"][1] < high
    for suffix in ("png", "svg", "pdf"):
        assert (tmp_path / "out" / f"my-compared.{suffix}").stat().st_size > 1000
    first = (tmp_path / "out" / "my-compared.pdf").read_bytes()
    assert answer(command("compare", scenario, *options)) == found
    assert (tmp_path / "out" / "my-compared.pdf").read_bytes() == first


def test_another_scheme_is_compared_and_says_what_it_does_not_know(
    command: Command, scenario: str
) -> None:
    options = "--vary", "control.scheme=erica,efci", "--seeds", "3", "--measure", "queue"
    done = command("compare", scenario, *options)
    assert done.returncode == 0, done.stderr
    assert "scheme=efci does not know target_utilisation, interval" in done.stderr
    assert re.search(r"^  (efci|erica) .* best$", done.stdout, re.MULTILINE)
    assert "less is better" in done.stdout
    assert " - " not in done.stdout.partition("1 pair")[0]
    again = command("compare", scenario, *options, "--all-pairs")
    assert "erica - efci" in again.stdout or "efci - erica" in again.stdout
    assert "out/my-compared.png" in done.stdout


def test_sources_that_marks_cannot_use_are_told(scenario: str, command: Command) -> None:
    few = "--seeds", "1", "--set", "abr.rif=1", "--measure", "queue", "--json"
    told = "schemes that only mark cells (efci) abr.rif=0.0625 and abr.rdf=0.0625"
    schemes = "--vary", "control.scheme=erica,efci"
    assert told in command("compare", scenario, *schemes, *few).stderr
    # Another one has no marks, and a factor of its own for the sources needs no note.
    fmmra = command("compare", scenario, "--vary", "control.scheme=erica,fmmra", *few)
    assert "only mark cells" not in fmmra.stderr
    rif = command("compare", scenario, *schemes, "--vary", "abr.rif=0.0625,0.03125", *few)
    assert "only mark cells" not in rif.stderr


def test_circumstances_are_points_or_averaged(command: Command, scenario: str) -> None:
    vary = "--vary", "tcp.recovery=reno,sack", "--vary", "topology.bottleneck=0.1 ms,1 ms"
    options = "--measure", "mine = throughput_mbit / 2", "--seeds", "3", "--json"
    points = answer(command("compare", scenario, *vary, *options))["differences"]
    assert [one["where"] for one in points] == [
        {"topology.bottleneck": "0.1 ms"},
        {"topology.bottleneck": "1 ms"},
    ]
    [mean] = answer(command("compare", scenario, *vary, *options, "--average"))["differences"]
    assert mean["where"] == {}
    assert mean["means"][0] == pytest.approx(sum(one["means"][0] for one in points) / 2)


def test_what_seeds_do_not_change_is_exact(command: Command, scenario: str) -> None:
    still = "--set", "run.start_jitter=0 s", "--seeds", "2", "--measure", "throughput", "--json"
    found = answer(command("compare", scenario, "--vary", "interval=1 ms,0.5 ms", *still))
    [only] = found["differences"]
    assert (only["test"], only["real"], found["tests"]) == ("exact", True, 0)


def test_two_seeds_do_not_make_a_difference_chance(command: Command, scenario: str) -> None:
    """The difference is far above its spread, but t with one degree is 509 for 40 tests."""
    options = "--vary", "target_utilisation=0.9,0.85", "--seeds", "2"
    many = [part for at in range(40) for part in ("--measure", f"m{at}=throughput_mbit")]
    found = command("compare", scenario, *options, *many)
    assert found.returncode == 0, found.stderr
    assert "too few seeds" in found.stdout
    assert "The verdict 'too few seeds' means that 2 seeds cannot decide" in found.stdout
    assert "may be chance" not in found.stdout
    assert "±" not in found.stdout


def test_better_ends_turn_the_order(command: Command, scenario: str) -> None:
    options = "--vary", "control.scheme=efci,erica", "--seeds", "2", "--json"
    measure = "--measure", "mine=throughput_mbit + 2"
    [greatest] = answer(command("compare", scenario, *options, *measure))["rankings"]
    [least] = answer(command("compare", scenario, *options, *measure, "--better", "mine=less"))[
        "rankings"
    ]
    assert (greatest["better"], least["better"]) == (None, "less")
    assert [one["alternative"] for one in greatest["places"]] == [
        one["alternative"] for one in reversed(least["places"])
    ]


def test_a_failed_run_is_told_and_left_out(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    obtain = runner.obtained

    def unlucky(
        scenario: _core.Scenario,
        *rest: Any,  # noqa: ANN401
        **named: Any,  # noqa: ANN401
    ) -> tuple[_core.Outcome, bool]:
        if tomllib.loads(scenario.resolved())["run"]["seed"] == 2:
            raise MemoryError("the third is lost")
        return obtain(scenario, *rest, **named)

    monkeypatch.setattr(runner, "obtained", unlucky)
    scenario = tmp_path / "my.toml"
    scenario.write_text(ERICA, encoding="utf-8")
    options = ["--vary", "scheme=efci,erica", "--seeds", "4", "--measure", "throughput", "--json"]
    assert run_command(["compare", str(scenario), "--out", str(tmp_path / "o"), *options]) == FAILED
    told = capsys.readouterr()
    [only] = json.loads(told.out)["differences"]
    assert (only["runs"], only["runs_left_out"]) == ([3, 3], 2)
    assert told.err.count("failed: the third is lost\n  cellrate run ") == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "name what is compared"),
        (["--vary", "control.scheme"], "--vary takes PATH=A,B,C"),
        (["--vary", "control.scheme=efci"], "a comparison needs two alternatives"),
        (["--vary", "control.scheme=efci,erika"], "did you mean 'erica'"),
        (["--vary", "control.interval=1 ms,2 cells"], "switch.control.interval"),
        (["--vary", "seed=1,2"], "every alternative gets the same seeds"),
        (["--vary", "scheme=efci,erica", "--vary", "control.scheme=efci,erica"], "varied twice"),
        (
            ["--vary", "scheme=efci,erica", "--baseline", "capc"],
            "--baseline capc: allowed: efci, erica",
        ),
        (["--vary", "scheme=efci,erica", "--measure", "no_such"], "no_such"),
        (["--vary", "scheme=efci,erica", "--measure", "1 +"], "is not an expression"),
        (["--vary", "scheme=efci,erica", "--measure", "loss", "--measure", "loss"], "twice"),
        (["--vary", "scheme=efci,erica", "--better", "los=less"], "did you mean 'loss'"),
        (["--vary", "scheme=efci,erica", "--better", "loss=least"], "loss=more or loss=less"),
    ],
)
def test_bad_input_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, options: list[str], said: str
) -> None:
    scenario = tmp_path / "my.toml"
    scenario.write_text(ERICA, encoding="utf-8")
    out = ["--seeds", "1", "--out", str(tmp_path / "out")]
    assert run_command(["compare", str(scenario), *out, *options]) == BAD_INPUT
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err


def test_warnings_of_the_runs_are_told_once(command: Command, tmp_path: Path) -> None:
    text = (
        cellrate.template("dctcp").replace('k = "65 packets"', "").replace('"threshold"', '"none"')
    )
    (tmp_path / "fab.toml").write_text(text, encoding="utf-8")
    short = ("--set", "run.duration=30 ms")
    told = "warning[scenario]: flow group `flow` reacts to marks (ECN), but no queue marks"
    assert told in command("run", "fab.toml", *short).stderr
    done = command(
        *("compare", "fab.toml", "--vary", "tcp.recovery=dctcp,cubic", "--seeds", "2", "--json"),
        *short,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(told) == 1
    said = [
        f"warning[{one['code']}]: {one['message']}" for one in json.loads(done.stdout)["warnings"]
    ]
    assert sum(told in one for one in said) == 1
    alone = command(
        "compare", "fab.toml", "--vary", "tcp.recovery=cubic,sack", "--seeds", "2", *short
    )
    assert alone.returncode == 0, alone.stderr
    assert told not in alone.stderr


LOSES_EARLY = """
[run]
duration = "1 s"
start_jitter = "20 ms"
[measure]
from = "300 ms"
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
bottleneck = "300 km"
access = "5 km"
egress = "5 km"
[switch]
control = { scheme = "erica" }
[tcp]
mss = "1460 bytes"
window = "64 KiB"
recovery = "reno"
[abr]
icr = "5 Mbit/s"
[[flow]]
name = "far"
service = "abr"
access = "400 km"
count = 9
[[flow]]
name = "video"
service = "random"
source = { kind = "exponential-on-off", peak = "60 Mbit/s", mean_on = "20 ms", mean_off = "20 ms" }
"""
"""TCP loses cells before the measuring window and waits for its timers of 1 s during it."""


def test_losses_outside_the_window_are_told_before_the_rankings(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "early.toml").write_text(LOSES_EARLY, encoding="utf-8")
    vary = ("--vary", "switch.buffer=200 cells,20000 cells", "--seeds", "2")
    said = "Runs lost data outside the measuring window and none in it"
    shown = command("compare", "early.toml", *vary).stdout
    found = json.loads(command("compare", "early.toml", *vary, "--json").stdout)
    lossy = 0
    for seed in (1, 2):
        run = cellrate.run(
            tmp_path / "early.toml", overrides={"switch.buffer": "200 cells"}, seed=seed
        )
        lossy += any(one["code"] == "lost-outside-window" for one in run.warnings)
    assert lossy
    assert found["runs_with_losses_outside_the_window"] == {"200 cells": lossy}
    assert found["words"][0].startswith(said)
    assert 0 < shown.index(said) < shown.index("throughput (Mbit/s)")
    roomy = ("--vary", "switch.buffer=20000 cells,30000 cells", "--seeds", "2")
    assert said not in command("compare", "early.toml", *roomy).stdout


def test_a_study_tells_of_losses_outside_the_window(command: Command, tmp_path: Path) -> None:
    (tmp_path / "early.toml").write_text(LOSES_EARLY, encoding="utf-8")
    (tmp_path / "s.toml").write_text(
        'name = "early"\nscenario = "early.toml"\n[factors]\n'
        '"switch.buffer" = ["200 cells", "20000 cells"]\n[replications]\ncount = 2\n',
        encoding="utf-8",
    )
    assert command("study", "s.toml", "--out", "out", "--quiet").returncode == 0
    [place] = (tmp_path / "out").rglob("study.json")
    shown = command("compare", place.parent, "--factor", "switch.buffer", "--json")
    assert shown.returncode == 0, shown.stderr
    found = json.loads(shown.stdout)
    assert list(found["runs_with_losses_outside_the_window"]) == ["200 cells"]
