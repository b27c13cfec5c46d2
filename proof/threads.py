"""One run on several threads against one thread: how many times as fast, by network.

`make threads` runs each network on one thread and on some more, in turns, and compares the least
times that `cellrate run` tells. It fails if a digest depends on the number of threads; times decide
nothing. Where several threads would not pay, and there is one, it says so. Nothing else should run
meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

COMMAND = Path(sys.executable).parent / "cellrate"

HEAD = """
run.duration = "DURATION s"
measure = { from = "FROM s", traces = [], sample = "10 ms" }

[topology]
"""
DUMBBELL = f"""{HEAD}
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "DELAY"
bottleneck = "DELAY"
egress = "DELAY"
"""
CBR = f"""{DUMBBELL}
bottleneck_rate = "BOTTLENECK Mbit/s"
"""
CBR_GROUP = """
[[flow]]
name = "cbr-NUMBER"
count = COUNT
service = "cbr"
stagger = "1009 ns"
source = { kind = "cbr", rate = "RATE kbit/s" }
"""
ERICA = (
    DUMBBELL
    + """
[switch]
buffer = "infinite"
control = { scheme = "erica" }

[tcp]
mss = "9140 bytes"
window = "256 KiB"

[[flow]]
name = "tcp"
count = 15
service = "abr"
source = { kind = "greedy" }
"""
)
PARKING_LOT = (
    HEAD
    + """
template = "parking-lot"
link_rate = "150 Mbit/s"
switches = SWITCHES
hop = "DELAY"
egress = "DELAY"
span = "SPAN ms"

[switch]
buffer = "5000 cells"
priority = [["cbr", "vbr"], ["abr", "ubr", "random"]]
control = { scheme = "rrm-pd-plus" }

[tcp]
mss = "9140 bytes"
window = "512 KiB"

[abr]
icr = "10 Mbit/s"
mcr = "0.1 Mbit/s"
rif = 0.00390625
rdf = 0.0625

[[flow]]
name = "tcp"
count = 15
service = "abr"
source = { kind = "greedy" }

[[flow]]
name = "background"
count = SWITCHES_LESS_ONE
service = "random"
hops = 1
source = { kind = "exponential-on-off", peak = "45 Mbit/s", mean_on = "10 ms", mean_off = "5 ms" }
"""
)
RATE = 0.95 * 155_520 / 15
"""Mean kilobits per second of a CBR source: 95 % of a bottleneck of a line rate for each 15."""
GROUPS = 5
LEAST_SECONDS = 0.05
"""Least simulated seconds of a run."""


@dataclass(frozen=True)
class Network:
    """A network that is run.

    Attributes:
        name: Its name in the table.
        scenario: The text, with DELAY for the delay of its links, DURATION for its seconds and FROM
            for the begin of the measuring window.
        seconds: Simulated seconds of a run.
    """

    name: str
    scenario: str
    seconds: float


@dataclass(frozen=True)
class Timed:
    """Time and digest of a run.

    Attributes:
        seconds: Time of the run, set-up and report included.
        digest: Its digest.
        is_divided: True if it had several threads.
    """

    seconds: float
    digest: str
    is_divided: bool


def cbr(sources: int) -> Network:
    """W1 of the bench: CBR sources with rates within 1 % of their mean, between two switches."""
    groups = [
        CBR_GROUP.replace("NUMBER", str(number))
        .replace("COUNT", str(sources // GROUPS))
        .replace("RATE", f"{RATE * (0.99 + 0.02 * number / (GROUPS - 1)):.6f}")
        for number in range(GROUPS)
    ]
    text = CBR.replace("BOTTLENECK", f"{155.52 * sources / 15:.6f}") + "".join(groups)
    return Network(f"{sources:,} CBR sources", text, 1_200 / sources)


def parking_lot(switches: int) -> Network:
    """TCP over ABR through a row of switches, with background traffic at each hop."""
    text = PARKING_LOT.replace("SWITCHES_LESS_ONE", str(switches - 1))
    # Long enough for links of 5 ms.
    text = text.replace("SPAN", str(5 * switches + 10)).replace("SWITCHES", str(switches))
    return Network(f"parking lot of {switches} switches", text, 16)


NETWORKS = (
    *map(cbr, (15, 100, 1_000, 10_000)),
    Network("15 TCP connections, ERICA", ERICA, 80),
    *map(parking_lot, (4, 8, 32)),
)


def run(
    network: Network, delay: str, threads: int, share: float = 1, command: Path = COMMAND
) -> Timed:
    """Runs a network.

    Args:
        network: The network.
        delay: Delay of its links.
        threads: Most threads.
        share: Share of its simulated time that is run.
        command: The command.

    Raises:
        RuntimeError: The command failed.
    """
    text = network.scenario.replace("DELAY", delay)
    seconds = max(network.seconds * share, LEAST_SECONDS)
    text = text.replace("DURATION", f"{seconds:g}").replace("FROM", f"{0.4 * seconds:g}")
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "network.toml"
        file.write_text(text, encoding="utf-8")
        line = [str(command), "run", str(file), "--threads", str(threads), "--json"]
        done = subprocess.run(line, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(f"{network.name}: {done.stderr}")
    told = json.loads(done.stdout)
    is_divided = threads > 1 and "note: one thread instead" not in done.stderr
    return Timed(told["wall_seconds"], told["digest"], is_divided)


def compared(
    network: Network, delay: str, threads: Sequence[int], rounds: int, share: float
) -> dict[int, float | None]:
    """Time on one thread over that on each number of threads; None if that would not pay.

    Raises:
        RuntimeError: A digest depends on the number of threads, or the command failed.
    """
    least: dict[int, float] = {}
    digests: set[str] = set()
    divided: set[int] = set()
    for _ in range(rounds):
        for count in (1, *threads):
            timed = run(network, delay, count, share)
            least[count] = min(least.get(count, timed.seconds), timed.seconds)
            digests.add(timed.digest)
            divided |= {count} if timed.is_divided else set()
    if len(digests) > 1:
        raise RuntimeError(f"{network.name}: its digest depends on the number of threads")
    return {count: least[1] / least[count] if count in divided else None for count in threads}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the networks, and says how much faster they were on more threads."""
    parser = argparse.ArgumentParser(prog="python -m proof.threads", description=__doc__)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    powers = [2**power for power in range(1, 11) if 2**power <= (cores or 1)]
    parser.add_argument("--threads", type=int, nargs="+", default=powers or [2])
    parser.add_argument("--delays", nargs="+", default=["5 ms", "1 ms"], help="of all links")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=float, default=1, help="of the simulated times")
    options = parser.parse_args(arguments)
    head = "".join(f"{count:>8}" for count in options.threads)
    for delay in options.delays:
        sys.stdout.write(f"{f'links of {delay}, threads:':<30}{head}\n")
        for network in NETWORKS:
            try:
                found = compared(network, delay, options.threads, options.rounds, options.share)
            except RuntimeError as error:
                sys.stdout.write(f"{error}\n")
                return 1
            gains = ("one" if gain is None else f"{gain:.2f}" for gain in found.values())
            times = "".join(f"{gain:>8}" for gain in gains)
            sys.stdout.write(f"  {network.name:<28}{times}\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
