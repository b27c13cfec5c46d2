"""Ctrl-C during a long run: exit code 130, a word, and nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import signs
from conftest import COMMAND

from proof.faults.ground import contents, leftovers, store_of

pytestmark = pytest.mark.skipif(
    not signs.THREADS_ARE_TOLD, reason="the system does not say which thread works"
)


def interrupted(
    arguments: list[str | Path],
    cwd: Path,
    *,
    terminal: bool,
    at_work: Callable[[subprocess.Popen[bytes]], bool] = signs.simulates,
) -> tuple[int, str]:
    """Presses Ctrl-C while the command is at work; exit code and standard error.

    On a terminal that is not before progress is shown.
    """
    screen = signs.Screen() if terminal else None
    process = subprocess.Popen(
        [COMMAND, *map(str, arguments)],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if screen is None else screen.follower,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"},
    )
    if screen is not None:
        os.close(screen.follower)
        signs.wait_for(lambda: "remaining" in screen.text, process)
    signs.wait_for(lambda: at_work(process), process)
    process.send_signal(signal.SIGINT)
    told = signs.end_of(process)
    return process.returncode, told.decode() if screen is None else screen.rest()


@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
def test_nothing_is_left_half_written(endless: Path, tmp_path: Path, *, terminal: bool) -> None:
    status, shown = interrupted(
        ["run", endless, "--out", tmp_path / "result"], tmp_path, terminal=terminal
    )
    assert status == 130
    assert "interrupted" in shown
    assert "Traceback" not in shown
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
def test_a_capture_that_was_begun_is_taken_away(
    endless: Path, tmp_path: Path, *, terminal: bool
) -> None:
    status, shown = interrupted(
        ["run", endless, "--out", tmp_path / "result", "--capture", "A:cells"],
        tmp_path,
        terminal=terminal,
        at_work=lambda _: signs.size(tmp_path, ".result.*/fresh/captures/*") > 0,
    )
    assert status == 130
    assert "interrupted" in shown
    assert "Traceback" not in shown
    assert list(tmp_path.iterdir()) == []


def test_progress_is_for_terminals_only(endless: Path, tmp_path: Path) -> None:
    status, shown = interrupted(["run", endless], tmp_path, terminal=False)
    assert status == 130
    assert shown == "interrupted\n"


def test_a_search_for_a_buffer_stops_and_keeps_what_is_done(endless: Path, tmp_path: Path) -> None:
    status, shown = interrupted(["size-buffer", endless], tmp_path, terminal=True)
    assert status == 130
    assert "interrupted" in shown
    assert "Traceback" not in shown
    assert not list(tmp_path.rglob("*.html"))


def test_a_study_stops_and_keeps_what_is_done(endless: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        f'scenario = "{endless}"\n[[paired]]\n"run.duration" = ["20 ms", "86400 s"]\n'
        '"measure.sample" = ["1 ms", "60 s"]\n'
    )
    out = tmp_path / "out"
    status, shown = interrupted(
        ["study", study, "--yes"],
        tmp_path,
        terminal=True,
        at_work=lambda process: signs.kept_bytes(out) > 0 and signs.simulates(process),
    )
    assert status == 130
    kept = "1 run finished, 1 kept in out/results; the same command goes on from there"
    assert f"interrupted: {kept}" in " ".join(shown.split())
    assert "Traceback" not in shown
    assert not (out / "studies" / "study").exists()
    assert leftovers(out) == []
    assert len(contents(store_of(out))) == 1, "the first run was over"
