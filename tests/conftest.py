"""Fixtures: the command, and scenarios that are over in an instant."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from command_server import CommandServer
from hypothesis import settings

HERE = Path(__file__).parent
COMMAND = Path(sys.executable).parent / "cellrate"
SCENARIOS = HERE / "scenarios"
# Far beyond what any of these runs needs; only a hang meets it.
HANG_SECONDS = 300

# The same examples in every run, however long one takes.
settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.load_profile("fixed")

Finished: TypeAlias = subprocess.CompletedProcess[str]
Command: TypeAlias = Callable[..., Finished]


@pytest.fixture(scope="session")
def command_server() -> Iterator[CommandServer]:
    """Runs commands without the time that their imports take."""
    server = CommandServer()
    yield server
    server.stop()


@pytest.fixture
def command(tmp_path: Path, command_server: CommandServer) -> Command:
    """Runs `cellrate` in an empty directory."""

    def run(*arguments: str | Path, stdin: str | bytes = "", cwd: Path = tmp_path) -> Finished:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        line = [str(COMMAND), *map(str, arguments)]
        if command_server.serves():
            status, out, err = command_server.run(line, data, cwd, HANG_SECONDS)
        else:
            done = subprocess.run(
                line, input=data, capture_output=True, cwd=cwd, timeout=HANG_SECONDS, check=False
            )
            status, out, err = done.returncode, done.stdout, done.stderr
        return subprocess.CompletedProcess(line, status, out.decode(), err.decode())

    return run


@pytest.fixture
def traced() -> Path:
    """Two TCP connections over ABR with EFCI for 30 ms, with every trace and event."""
    return SCENARIOS / "traced.toml"


@pytest.fixture
def endless() -> Path:
    """The same, for a simulated day."""
    return SCENARIOS / "endless.toml"


def shell(line: str, cwd: Path, limit: Callable[[], None] | None = None) -> Finished:
    """A line of the shell, in which `cellrate` is the command of this tree."""
    path = f"{COMMAND.parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=cwd,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
        preexec_fn=limit,
    )


def same_as_golden(path: Path, text: str) -> None:
    """Compares text with a committed file; writes that file if UPDATE_GOLDENS is set."""
    if os.environ.get("UPDATE_GOLDENS"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path} differs; see UPDATE_GOLDENS"
