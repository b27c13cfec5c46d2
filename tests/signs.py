"""Signs that a command is at work: however busy the machine is, no fixed wait decides a test."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, AnyStr

from conftest import HANG_SECONDS

POLL_SECONDS = 0.01
SIMULATING_SECONDS = 0.2
"""Core time that a thread beside the first one takes for nothing but a long simulation."""
THREADS_ARE_TOLD = Path("/proc/self/task").is_dir()
"""True if `simulates` can ask this system."""


def wait_for(sign: Callable[[], bool], process: subprocess.Popen[Any]) -> None:
    """Waits until there is a sign; that the process ends without one, or hangs, fails the test."""
    hangs = time.monotonic() + HANG_SECONDS
    while True:
        # Asked first: what it did last may be the sign.
        status = process.poll()
        if sign():
            return
        assert status is None, f"it ended with {status} before there was a sign"
        if time.monotonic() > hangs:
            process.kill()
            raise AssertionError("there is no sign that it is at work")
        time.sleep(POLL_SECONDS)


def end_of(process: subprocess.Popen[AnyStr]) -> AnyStr:
    """Standard error of a process when it is over; one that hangs is killed."""
    try:
        return process.communicate(timeout=HANG_SECONDS)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def simulates(process: subprocess.Popen[Any]) -> bool:
    """True if a run is under way: it is in a thread of its own, for which the first one waits."""
    ticks = 0
    for thread in Path(f"/proc/{process.pid}/task").glob("[0-9]*"):
        if thread.name != str(process.pid):
            # Behind the name, which may hold blanks: state, ten numbers, core time of both kinds.
            fields = _text(thread / "stat").rpartition(")")[2].split()
            ticks = max(ticks, sum(map(int, fields[11:13])))
    return ticks >= SIMULATING_SECONDS * os.sysconf("SC_CLK_TCK")


def size(place: Path, pattern: str) -> int:
    """Bytes of all files in a place that others write and remove, 0 if there are none yet."""
    total = 0
    for path in place.glob(pattern):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total


def kept_bytes(out: Path) -> int:
    """Bytes that the store of results in an output directory holds by now."""
    return size(out, "results/*/segments/*.seg")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):  # the thread has ended
        return ""


class Screen:
    """A terminal that keeps its text as it comes, so that no writer ever has to wait.

    Attributes:
        follower: The descriptor to write to.
    """

    def __init__(self) -> None:
        self._leader, self.follower = os.openpty()
        self._seen = bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """All that has appeared."""
        return self._seen.decode(errors="replace")

    def rest(self) -> str:
        """All that has appeared when nobody has the terminal open any more."""
        self._reader.join(HANG_SECONDS)
        assert not self._reader.is_alive(), "somebody still holds the terminal"
        os.close(self._leader)
        return self.text

    def _read(self) -> None:
        try:
            while data := os.read(self._leader, 4096):
                self._seen += data
        except OSError:  # how Linux says that the other end of a terminal is closed
            pass
