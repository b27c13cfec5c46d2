"""Clocks that are wrong, and that jump while a study runs; files from 1970 and from the future."""

import os
import shutil
import signal
import time
from pathlib import Path

from proof.faults.ground import Files, Ground, study

REPLICATIONS = 25
LIBRARIES = "usr/lib/*/faketime", "usr/lib64/faketime", "usr/local/lib/faketime"
LIBRARY = "libfaketimeMT.so.1"
WRONG = "-30y", "+30y", "-1d", "+12y", "-2s", "+3s"


def lacks() -> dict[str, str]:
    """Faults that cannot be caused here, each with the reason."""
    why = "libfaketime is not installed (Debian: faketime)"
    return {} if _library() else {"clocks that jump": why}


def _library() -> str:
    """Path of libfaketime; empty if it is not installed."""
    found = (path for place in LIBRARIES for path in sorted(Path("/").glob(f"{place}/{LIBRARY}")))
    return str(next(found, ""))


def campaign(ground: Ground, jumps: int) -> None:
    """Runs `jumps` studies during which the clock jumps, and `jumps` with wrong file stamps."""
    file = ground.write("clocks.toml", study(REPLICATIONS, "60 ms"))
    whole, seconds = ground.undisturbed(file)
    library = _library()
    for number in range(jumps if library else 0):
        _jump(ground, file, number, whole, seconds, library)
    for number in range(jumps):
        _stamps(ground, file, number, whole, seconds)


def _jump(
    ground: Ground, file: Path, number: int, whole: Files, seconds: float, library: str
) -> None:
    """Sets the wall clock back and forth while a study runs; half of the studies are killed."""
    out, clock = ground.place / f"jump-{number}", ground.place / f"clock-{number}"
    clock.write_text(ground.source.choice(WRONG))
    environment = {
        "LD_PRELOAD": library,
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        # The monotonic clock measures intervals, and is not set with the wall clock.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    process = ground.start("study", file, "--out", out, environment=environment)
    killed = ground.source.random() < 0.5
    end = time.monotonic() + (ground.source.random() * seconds if killed else 1e9)
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.2 * ground.source.random())
        clock.write_text(ground.source.choice(WRONG))
        ground.counts["jumps"] += 1
    if killed:
        process.send_signal(signal.SIGKILL)
        ground.end(process, f"clock {number}")
        clock.write_text(ground.source.choice(WRONG))
        process = ground.start("study", file, "--out", out, environment=environment)
    ended = ground.end(process, f"clock {number}")
    ground.expect(ended.returncode == 0, f"clock {number}: {ended.stderr[-300:]!r}")
    ground.same(f"clock {number}", out, whole)
    ground.counts["studies under a jumping clock"] += 1
    shutil.rmtree(out)


def _stamps(ground: Ground, file: Path, number: int, whole: Files, seconds: float) -> None:
    """Checks that a killed study can be resumed although its files have wrong time stamps."""
    out = ground.place / f"stamps-{number}"
    process = ground.start("study", file, "--out", out)
    time.sleep(ground.source.random() * seconds)
    process.kill()
    ground.end(process, f"stamps {number}")
    for path in [out, *out.rglob("*")] if out.exists() else []:
        stamp = ground.source.choice([0, 1, 4_000_000_000, 2_000_000_000])
        os.utime(path, (stamp, stamp))
        ground.counts["files of another time"] += 1
    ground.succeeds(f"stamps {number}", "study", file, "--out", out)
    ground.same(f"stamps {number}", out, whole)
    shutil.rmtree(out)
