"""Fixtures: the command, and scenarios that are over in an instant."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
from cellrate.cli.app import run_command
from cellrate.common.garbage_collection import collect_rarely
from cellrate.simulation.runner import Job, run_many
from hypothesis import settings

if TYPE_CHECKING:
    from cellrate._core import Outcome
    from cellrate.simulation.run_types import Runner
    from matplotlib.figure import Figure

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


def finished(arguments: Sequence[str], stdin: str | bytes, cwd: Path) -> Finished:
    """Runs `cellrate` in this process, since most commands take less time than a start."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2))
    usual = gc.get_threshold()
    with (
        pytest.MonkeyPatch.context() as patched,
        contextlib.ExitStack() as ending,
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
        collect_rarely()  # as the process of a command does
        ending.callback(gc.set_threshold, *usual)
        status = run_command(arguments)
    written = []
    for stream in (out, err):
        stream.flush()
        written.append(stream.buffer.getvalue().decode())
    return subprocess.CompletedProcess([str(COMMAND), *arguments], status, *written)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs `cellrate` in an empty directory."""

    def run(*arguments: str | Path, stdin: str | bytes = "", cwd: Path = tmp_path) -> Finished:
        return finished([str(argument) for argument in arguments], stdin, cwd)

    return run


@pytest.fixture(scope="module")
def runner() -> Runner:
    """Runs what it has not run before."""
    kept: dict[str, Outcome] = {}

    def run(jobs: Sequence[Job]) -> list[Outcome]:
        new = [job for job in jobs if job.key() not in kept]
        kept.update(zip((job.key() for job in new), run_many(new), strict=True))
        return [kept[job.key()] for job in jobs]

    return run


@pytest.fixture
def undrawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves pictures without lines, since drawing takes longer than most answers do.

    A test that looks at a picture is marked as `drawn`.
    """
    if request.node.get_closest_marker("drawn") is None:
        monkeypatch.setattr("matplotlib.figure.Figure.savefig", without_lines)


def without_lines(
    figure: Figure, place: Path | io.StringIO | io.BytesIO, dpi: float = 100, **_options: object
) -> None:
    """Writes an empty picture."""
    if isinstance(place, Path):
        place.touch()
    elif isinstance(place, io.BytesIO):  # a frame of a GIF
        width, height = (figure.get_size_inches() * dpi).astype(int)
        place.write(bytes(4 * width * height))
    else:
        place.write("<svg/>")


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
