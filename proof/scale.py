"""Large networks through the command: processor time and memory by the number of sources.

`make scale` runs CBR sources that share one link, in networks that grow tenfold, and checks that
each source takes no more memory than the page docs/explanation/scale.md says. Times are printed and
decide nothing.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

COMMAND = Path(sys.executable).parent / "cellrate"
MOST_BYTES = 20_000
"""Bytes that a further source may take, its results as Python objects included."""
LAUNCHER = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
child.returncode = os.waitstatus_to_exitcode(status)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
sys.exit(child.returncode)
"""
"""Runs a command from a small process, since Linux counts the memory of the one that forks as well;
prints processor time and most memory in KiB."""
SCENARIO = """
run.duration = "1 ms"
measure = { from = "500 us", sample = "1 ms" }

[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
bottleneck_rate = "10000 Gbit/s"
access = "5 us"
bottleneck = "5 us"
egress = "5 us"

[[flow]]
name = "cbr"
count = COUNT
service = "cbr"
source = { kind = "cbr", rate = "1 Mbit/s" }
"""


@dataclass(frozen=True)
class Taken:
    """Time and memory of a command.

    Attributes:
        seconds: Processor time.
        bytes: Most memory at once.
    """

    seconds: float
    bytes: int


def run(sources: int, command: Path = COMMAND) -> Taken:
    """Runs a network of that many sources.

    Raises:
        RuntimeError: The command failed.
    """
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "scale.toml"
        file.write_text(SCENARIO.replace("COUNT", str(sources)), encoding="utf-8")
        line = [sys.executable, "-I", "-c", LAUNCHER, str(command), "run", str(file)]
        done = subprocess.run(line, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(f"{sources} sources: {done.stderr}")
    seconds, kibibytes = done.stdout.split()
    return Taken(float(seconds), int(kibibytes) * 1024)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs ever larger networks, and says what each took."""
    parser = argparse.ArgumentParser(prog="python -m proof.scale", description=__doc__)
    parser.add_argument("--most", type=int, default=100_000, help="sources of the largest network")
    most = parser.parse_args(arguments).most
    fits = True
    before, few = run(1), 1
    for sources in (10**power for power in range(4, 9)):
        if sources > most:
            break
        taken = run(sources)
        each = (taken.bytes - before.bytes) / (sources - few)
        fits &= each <= MOST_BYTES
        sys.stdout.write(
            f"{sources:,} sources: {taken.seconds:.1f} s of processor time, "
            f"{taken.bytes / 1e6:,.0f} MB, {each:,.0f} bytes for each further source\n"
        )
        before, few = taken, sources
    if not fits:
        sys.stdout.write(f"more than {MOST_BYTES:,} bytes for each further source\n")
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
