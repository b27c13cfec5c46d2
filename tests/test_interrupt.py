"""Ctrl-C during a long run: exit code 130, a word, and nothing half-written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import signs
from conftest import COMMAND, HANG_SECONDS

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
    assert "interrupted" in shown if terminal else shown == "interrupted\n"  # no progress
    assert "Traceback" not in shown
    assert list(tmp_path.iterdir()) == []


def test_a_capture_that_was_begun_is_taken_away(endless: Path, tmp_path: Path) -> None:
    status, shown = interrupted(
        ["run", endless, "--out", tmp_path / "result", "--capture", "A:cells"],
        tmp_path,
        terminal=False,
        at_work=lambda _: signs.size(tmp_path, ".result.*/fresh/captures/*") > 0,
    )
    assert status == 130
    assert "interrupted" in shown
    assert "Traceback" not in shown
    assert list(tmp_path.iterdir()) == []


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


# Python imports a module of this name before it comes to any command. From the moment at which
# `begin` has returned, a copy of the process is interrupted in every so many calls, of Python or C,
# until the command listens itself, and in every import to the end. A copy has none of the other
# threads, but the locks that they hold: so a thread that ends is waited for, and a copy that waits
# for ever is killed.
EVERYWHERE = """
import json, os, signal, sys, time

EVERY = 101
calls = 0
begun = copying = False
said, noted = (os.open(os.environ["NOTED"] + end, os.O_RDWR | os.O_CREAT) for end in (".said", ""))

def interrupt_a_copy(where):
    # Imports nothing, since it may be called while a lock of imports is held. What Python calls
    # before and after a fork holds locks itself.
    global copying
    copying = True
    os.ftruncate(said, 0)
    patience = time.monotonic() + 20
    while len(os.listdir("/proc/self/task")) > 1:
        assert time.monotonic() < patience, "other threads are at work during " + where
        time.sleep(0.001)
    copy = os.fork()
    if copy == 0:
        signal.alarm(20)
        sys.setprofile(None)
        sys.meta_path.remove(Importing)
        os.lseek(said, 0, os.SEEK_SET)
        os.dup2(said, 2)
        signal.raise_signal(signal.SIGINT)
        return
    code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
    text = os.pread(said, 10_000, 0).decode()
    os.write(noted, (json.dumps([where, code, text]) + "\\n").encode())
    copying = False

def called(frame, event, _):
    global calls, begun
    name = frame.f_code.co_name
    if event == "return" and name == "begin":
        begun = True
    elif event == "call" and name == "listen":
        sys.setprofile(None)
    elif begun and not copying and event in ("call", "c_call"):
        calls += 1
        if calls % EVERY == 0:
            interrupt_a_copy(name)

class Importing:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if begun:
            interrupt_a_copy("import of " + name)

sys.meta_path.insert(0, Importing)
sys.setprofile(called)
"""


@pytest.mark.parametrize(
    "command", [[COMMAND], [sys.executable, "-m", "cellrate"]], ids=["script", "module"]
)
def test_an_interrupt_at_any_instant_is_a_word_and_a_code(
    command: list[str | Path], traced: Path, tmp_path: Path
) -> None:
    """Also while the command is imported, where no exception could be caught."""
    (tmp_path / "sitecustomize.py").write_text(EVERYWHERE, encoding="utf-8")
    noted = tmp_path / "instants"
    done = subprocess.run(
        [*command, "run", traced],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "NOTED": str(noted)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=HANG_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    instants = [json.loads(line) for line in noted.read_text(encoding="utf-8").splitlines()]
    assert [one for one in instants if one[1:] != [130, "interrupted\n"]] == []
    imports = [where for where, _, _ in instants if where.startswith("import of ")]
    assert "import of cellrate.cli.app" in imports
    assert "import of cellrate.cli.one_run" in imports
    assert "import of cellrate._core" in imports
    assert len(instants) - len(imports) > 50


def test_a_process_that_imports_the_package_keeps_its_own_handling_of_signals() -> None:
    look = (
        "import signal; had = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM);"
        "import cellrate, cellrate.cli.app, cellrate_command;"
        "assert had == (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM))"
    )
    subprocess.run([sys.executable, "-c", look], check=True)


def test_an_interrupt_that_the_parent_process_ignores_stays_ignored() -> None:
    """As in `nohup` and in jobs that a shell script puts into the background."""
    line = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN);"
        "import cellrate_command; cellrate_command.begin(); signal.raise_signal(signal.SIGINT);"
        "from cellrate.cli import process; process.listen(); signal.raise_signal(signal.SIGINT);"
        "assert signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, cellrate_command.end)"
    )
    subprocess.run([sys.executable, "-c", line], check=True)
