"""Measures processor time and memory of the command on large networks, by number of sources.

`make scale` runs CBR sources that share one link, in networks that grow tenfold, and checks that
each source takes no more memory than the page docs/explanation/scale.md says. Times are printed and
decide nothing.
"""

import argparse
import sys
from typing import NamedTuple

from proof.campaign import end_with, run_template

MOST_BYTES = 20_000
"""Bytes of memory that a further source may take, its results as Python objects included."""
LAUNCHER = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
child.returncode = os.waitstatus_to_exitcode(status)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
sys.exit(child.returncode)
"""
"""Program that runs a command, and prints its processor time in s and greatest memory in KiB. The
program is small, since Linux counts the memory of the forking process as well."""
SETTINGS = (
    'run.duration="1 ms"',
    'measure={from="500 us", sample="1 ms"}',
    'topology.bottleneck_rate="10000 Gbit/s"',
    *(f'topology.{link}="5 us"' for link in ("access", "bottleneck", "egress")),
)
"""Settings of the template `n-source`, except those of its flows."""
FLOWS = 'flow=[{{name="cbr",count={},service="cbr",source={{kind="cbr",rate="1 Mbit/s"}}}}]'


class Taken(NamedTuple):
    """Processor time of a command, and the most bytes of memory that it had at once."""

    seconds: float
    bytes: int


def run(sources: int) -> Taken:
    """Runs a network of `sources` sources."""
    launcher = sys.executable, "-I", "-c", LAUNCHER
    done = run_template("n-source", (*SETTINGS, FLOWS.format(sources)), through=launcher)
    seconds, kibibytes = done.stdout.split()
    return Taken(float(seconds), int(kibibytes) * 1024)


def main() -> int:
    """Runs ever larger networks, and prints their cost; 1 if a source takes too much memory."""
    parser = argparse.ArgumentParser(prog="python -m proof.scale", description=__doc__)
    parser.add_argument("--most", type=int, default=100_000, help="sources of the largest network")
    most = parser.parse_args().most
    before, few, worst = run(1), 1, 0.0
    for sources in (10**power for power in range(4, 9) if 10**power <= most):
        taken = run(sources)
        each = (taken.bytes - before.bytes) / (sources - few)
        worst = max(worst, each)
        print(
            f"{sources:,} sources: {taken.seconds:.1f} s of processor time, "
            f"{taken.bytes / 1e6:,.0f} MB, {each:,.0f} bytes for each further source"
        )
        before, few = taken, sources
    if worst > MOST_BYTES:
        print(f"more than {MOST_BYTES:,} bytes for each further source")
    return int(worst > MOST_BYTES)


if __name__ == "__main__":
    end_with(main)
