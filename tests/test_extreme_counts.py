"""Numbers and lines beyond what any run needs: refused at once, with what is allowed."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

import cellrate
import pytest
from cellrate.cli import process
from cellrate.cli.app import BAD_INPUT, MOST_ARGUMENTS, run_command
from cellrate.common.picture_style import STYLE
from cellrate.common.problems import BadInput
from cellrate.simulation.runner import worker_count
from cellrate.studies import polars_threads
from conftest import COMMAND
from matplotlib import rc_context, rcParams, style

BEYOND = str(2**64)
SEEDS = "--seeds {}: must be a whole number from 1 to 1000000"
WORKERS = "--workers {}: must be a whole number from 1 to 4096"
LAST = f"--first-seed {2**63 - 1}: the last seed = {2**63}: must be a whole number from 0 to"


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "{}", "--vary", "flow.tcp.count=2,3"],
        ["choose", "{}"],
        ["size-buffer", "{}"],
        ["tune", "{}"],
        ["reproduce", "ohsaki95", "fig5"],
        ["infer", "ohsaki95"],
    ],
    ids=lambda command: command[0],
)
def test_seeds_and_workers_have_an_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    scenario = tmp_path / "s.toml"
    scenario.write_text(cellrate.template("n-source"))
    begin = [part.format(scenario) for part in command]

    def told(*more: str) -> str:
        assert run_command([*begin, *more]) == BAD_INPUT
        return capsys.readouterr().err

    assert SEEDS.format(BEYOND) in told("--seeds", BEYOND)
    assert WORKERS.format(BEYOND) in told("--workers", BEYOND)
    assert "must be a whole number from 0 to" in told("--first-seed", BEYOND)
    most = str(2**63 - 1)
    assert LAST in told("--first-seed", most, "--seeds", "2")


@pytest.mark.parametrize(
    "options",
    [["tune", "{}", "--budget", "100000000"], ["choose", "{}", "--tries", BEYOND]],
)
def test_a_search_without_end_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    scenario = tmp_path / "s.toml"
    scenario.write_text(cellrate.template("n-source"))
    assert run_command([part.format(scenario) for part in options]) == BAD_INPUT
    assert "must be a whole number from 1 to 10000" in capsys.readouterr().err


def test_functions_have_the_same_ends() -> None:
    with pytest.raises(ValueError, match="from 1 to 1000000"):
        cellrate.size_buffer(cellrate.template("n-source"), seeds=2**64)
    with pytest.raises(ValueError, match="from 1 to 4096"):
        worker_count(2**64)


def test_a_line_with_very_many_settings_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    settings = ["--set", "run.duration=20 ms"] * (MOST_ARGUMENTS // 2)
    assert run_command(["run", "s.toml", *settings]) == BAD_INPUT
    assert f"at most {MOST_ARGUMENTS:,}" in capsys.readouterr().err


@pytest.mark.parametrize("threads", ["0", "-1", "many", "", BEYOND])
def test_polars_is_not_begun_with_an_impossible_number_of_threads(
    monkeypatch: pytest.MonkeyPatch, threads: str
) -> None:
    monkeypatch.setenv("POLARS_MAX_THREADS", threads)
    with pytest.raises(BadInput, match=r"POLARS_MAX_THREADS .*from 1 to 4096"):
        polars_threads.refuse_too_few.__wrapped__()


def test_settings_of_matplotlib_do_not_change_pictures() -> None:
    with rc_context({"text.usetex": True, "font.size": 30, "savefig.transparent": True}):
        with style.context(STYLE):
            ours = dict(rcParams)
        assert rcParams["text.usetex"]
    assert not ours["text.usetex"]
    assert not ours["savefig.transparent"]
    assert ours["font.size"] == 9


def test_a_fraction_is_compared_and_a_fault_is_located_where_it_was_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(cellrate.template("n-source"))
    short = ["--set", "run.duration=20 ms", "--set", "measure.from=5 ms", "--seeds", "2"]
    assert run_command(["compare", "s.toml", "--vary", "abr.rif=1/16,1/8", *short]) == 0
    assert "1/16" in capsys.readouterr().out
    assert run_command(["compare", "s.toml", "--vary", "flow.tcp.count=0,2", *short]) == BAD_INPUT
    told = capsys.readouterr().err
    assert "--> --vary:" in told
    assert "--set" not in told


@pytest.mark.parametrize("command", ["run", "time-space", "animate"])
def test_a_negative_time_is_told_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    scenario = tmp_path / "s.toml"
    scenario.write_text(cellrate.template("n-source"))
    more = {"run": ["--plot", "phase"], "animate": ["--to", "2 ms"]}.get(command, [])
    assert run_command([command, str(scenario), *more, "--from", "-1 ms"]) == BAD_INPUT
    assert "it cannot be negative" in capsys.readouterr().err


@pytest.mark.skipif(not process.STATUS.exists(), reason="only Linux says how much there is")
def test_a_small_address_space_is_told_and_not_waited_in(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(cellrate.template("n-source"))
    done = subprocess.run(
        [COMMAND, "explain", "s.toml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (200_000 * 1024,) * 2),
    )
    assert done.returncode == 1
    assert "there is not enough memory" in done.stderr
    assert "Traceback" not in done.stderr
