"""The process that runs the commands of tests: what hangs or dies in it harms no later command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from command_server import CommandServer, ShellServer, status_of
from conftest import COMMAND, HANG_SECONDS, Command

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="commands are forked on Linux only")


def processes_in(directory: Path) -> list[int]:
    """Processes that work in a directory; those that have ended do not count."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == directory:
                found.append(int(process.name))
        except OSError:
            continue
    return found


def wait_for(directory: Path, count: int) -> list[int]:
    """The processes that work in a directory, once there are so many."""
    latest = time.monotonic() + HANG_SECONDS
    while len(found := processes_in(directory)) != count:
        assert time.monotonic() < latest, f"{len(found)} processes, not {count}"
        time.sleep(0.01)
    return found


def test_a_command_that_hangs_leaves_no_process(
    command: Command, command_server: CommandServer, endless: Path, tmp_path: Path
) -> None:
    assert command("--version").returncode == 0
    with pytest.raises(TimeoutError):
        command_server.run([str(COMMAND), "run", str(endless)], b"", tmp_path, 1.0)
    wait_for(tmp_path, 0)
    assert command("--version").returncode == 0


def test_a_process_that_dies_is_replaced(
    command: Command, command_server: CommandServer, endless: Path, tmp_path: Path
) -> None:
    raised: list[BaseException] = []

    def hang() -> None:
        try:
            command_server.run([str(COMMAND), "run", str(endless)], b"", tmp_path, HANG_SECONDS)
        except ConnectionError as error:
            raised.append(error)

    thread = threading.Thread(target=hang)
    thread.start()
    [fork] = wait_for(tmp_path, 1)
    # Behind the name in brackets: the state, then the parent.
    server = int(Path(f"/proc/{fork}/stat").read_text("utf-8").rpartition(")")[2].split()[1])
    os.kill(server, signal.SIGKILL)
    thread.join()
    assert len(raised) == 1
    wait_for(tmp_path, 0)
    assert command("--version").returncode == 0


def test_a_fork_ends_as_the_interpreter_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert [status_of(SystemExit(code)) for code in (None, 0, 3)] == [0, 0, 3]
    assert capsys.readouterr().err == ""
    assert status_of(SystemExit("no such paper")) == 1
    assert capsys.readouterr().err == "no such paper\n"


def test_shells_hand_their_commands_over(endless: Path, tmp_path: Path) -> None:
    installed = tmp_path / "bin" / "cellrate"
    installed.parent.mkdir()
    installed.write_text("#!/bin/sh\necho installed\n", encoding="utf-8")
    installed.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    # The run goes on beside what follows it; a variable is one that the process did not begin with.
    typed = f"""
    cellrate run {endless} > /dev/null 2>&1 &
    cellrate new nothing; echo $?
    cellrate new n-source | head -n 1
    VARIABLE=1 cellrate new n-source
    """
    with tempfile.TemporaryDirectory() as place:
        server = ShellServer(Path(place), installed)
        done = subprocess.run(
            ["/bin/sh"], input=typed, text=True, capture_output=True, cwd=work,
            env=server.environment, timeout=HANG_SECONDS, check=False,
        )  # fmt: skip
        server.stop()
    code, first, last = done.stdout.splitlines()
    assert code == "2"
    assert "no template 'nothing'" in done.stderr
    assert first.startswith("# TCP sources")
    assert last == "installed"
    wait_for(work, 0)
