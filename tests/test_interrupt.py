"""Ctrl-C during a long run: exit code 130, a word, and nothing half-written."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import COMMAND, HANG_SECONDS


def interrupted(arguments: list[str | Path], cwd: Path, *, terminal: bool) -> tuple[int, str]:
    """Presses Ctrl-C while the command simulates; exit code and standard error."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, *map(str, arguments)],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=follower if terminal else subprocess.PIPE,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"},
    )
    os.close(follower)
    shown = _wait_for_progress(leader) if terminal else ""
    if not terminal:
        time.sleep(3)
    process.send_signal(signal.SIGINT)
    if terminal:
        shown += _read_all(leader)
        process.wait(timeout=HANG_SECONDS)
    else:
        shown += process.communicate(timeout=HANG_SECONDS)[1].decode()
    os.close(leader)
    return process.returncode, shown


def _wait_for_progress(leader: int) -> str:
    shown = ""
    while "remaining" not in shown:
        shown += os.read(leader, 4096).decode(errors="replace")
    return shown


def _read_all(leader: int) -> str:
    shown = ""
    try:
        while data := os.read(leader, 4096):
            shown += data.decode(errors="replace")
    except OSError:  # how Linux says that the other end of a terminal is closed
        pass
    return shown


@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
@pytest.mark.parametrize("capture", [[], ["--capture", "A:ip"]], ids=["run", "capture"])
def test_nothing_is_left_half_written(
    endless: Path, tmp_path: Path, capture: list[str], *, terminal: bool
) -> None:
    status, shown = interrupted(
        ["run", endless, "--out", tmp_path / "result", *capture], tmp_path, terminal=terminal
    )
    assert status == 130
    assert "interrupted" in shown
    assert "Traceback" not in shown
    assert list(tmp_path.iterdir()) == []


def test_progress_is_for_terminals_only(endless: Path, tmp_path: Path) -> None:
    _, shown = interrupted(["run", endless], tmp_path, terminal=False)
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
    status, shown = interrupted(["study", study], tmp_path, terminal=True)
    assert status == 130
    assert "interrupted" in shown
    assert "Traceback" not in shown
    assert not (tmp_path / "out" / "studies" / "study").exists()
    assert list((tmp_path / "out" / "results").rglob("*.seg")), "the first run was over"
