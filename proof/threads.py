"""Measures how many times as fast one run is on several threads as on one, by network.

`make threads` runs each network on one thread and on several, in turns, and compares the least
times that `cellrate run` reports. It fails if a digest depends on the number of threads; times
decide nothing. `one` marks a network that the program does not divide, since a division would be
slower. Nothing else should run meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from cellrate import _core

from proof.campaign import COMMAND, end_with

RATE = 0.95 * 155_520 / 15
"""Mean rate of a CBR source in kbit/s; 15 sources load a line of 155.52 Mbit/s to 95 %."""
GROUPS = 5
LEAST_SECONDS = 0.05
"""Least simulated seconds of a run."""


class Network(NamedTuple):
    """A network that is run.

    Attributes:
        name: Name of the network in the table.
        template: The template of the scenario.
        settings: Settings of the template, except delays and times.
        seconds: Simulated seconds of a run.
    """

    name: str
    template: str
    settings: tuple[str, ...]
    seconds: float


class Timed(NamedTuple):
    """Time and digest of a run.

    Attributes:
        seconds: Time of the run, set-up and report included.
        digest: Digest of the run.
        is_divided: True if the run used several threads.
    """

    seconds: float
    digest: str
    is_divided: bool


def cbr(sources: int) -> Network:
    """Workload W1 of the benchmark: CBR sources, rates within 1 % of the mean, two switches."""
    groups = (
        f'{{name="cbr-{number}", count={sources // GROUPS}, service="cbr", stagger="1009 ns", '
        f'source={{kind="cbr", rate="{RATE * (0.99 + 0.02 * number / (GROUPS - 1)):.6f} kbit/s"}}}}'
        for number in range(GROUPS)
    )
    settings = (
        f'topology.bottleneck_rate="{155.52 * sources / 15:.6f} Mbit/s"',
        f"flow=[{', '.join(groups)}]",
    )
    return Network(f"{sources:,} CBR sources", "n-source", settings, 1_200 / sources)


def parking_lot(switches: int) -> Network:
    """TCP over ABR through a row of switches, with background traffic at each hop."""
    settings = (
        f"topology.switches={switches}",
        # A span that is long enough for links of 5 ms.
        f'topology.span="{5 * switches + 10} ms"',
        "flow.tcp.count=15",
        f"flow.background.count={switches - 1}",
        'tcp.window="512 KiB"',
        'abr.tbe="16777215 cells"',
    )
    return Network(f"parking lot of {switches} switches", "parking-lot", settings, 16)


NETWORKS = (
    *map(cbr, (15, 100, 1_000, 10_000)),
    Network(
        "15 TCP connections, ERICA",
        "n-source",
        ("flow.tcp.count=15", 'flow.tcp.stagger="0 s"', 'tcp.mss="9140 bytes"'),
        80,
    ),
    *map(parking_lot, (4, 8, 32)),
)
LINKS = {
    "n-source": ("access", "bottleneck", "egress"),
    "parking-lot": ("hop", "egress"),
}
"""Keys of the delays of a template's links."""


def run(network: Network, delay: str, threads: int, share: float = 1) -> Timed:
    """Runs a network.

    Args:
        network: The network.
        delay: Delay of the network's links.
        threads: Greatest number of threads.
        share: Share of the network's simulated time that is run.

    Raises:
        RuntimeError: The command failed.
    """
    seconds = max(network.seconds * share, LEAST_SECONDS)
    settings = (
        *network.settings,
        *(f'topology.{link}="{delay}"' for link in LINKS[network.template]),
        f'run.duration="{seconds:g} s"',
        f'measure.from="{0.4 * seconds:g} s"',
        'measure.sample="10 ms"',
        "measure.traces=[]",
        "measure.events=[]",
    )
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "network.toml"
        file.write_text(_core.template(network.template), encoding="utf-8")
        line = [str(COMMAND), "run", str(file), "--threads", str(threads), "--json"]
        line += [word for setting in settings for word in ("--set", setting)]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{network.name}: {done.stderr}")
    report = json.loads(done.stdout)
    is_divided = threads > 1 and "note: one thread instead" not in done.stderr
    return Timed(report["wall_seconds"], report["digest"], is_divided)


def gains(
    network: Network, delay: str, threads: Sequence[int], rounds: int, share: float
) -> list[str]:
    """Time on one thread divided by time on each number of threads; `one` if not divided.

    Raises:
        RuntimeError: A digest depends on the number of threads, or the command failed.
    """
    counts = (1, *threads)
    runs: dict[int, list[Timed]] = {count: [] for count in counts}
    # In turns, so that a varying load of the machine affects all numbers of threads.
    for _, count in product(range(rounds), counts):
        runs[count].append(run(network, delay, count, share))
    if len({timed.digest for timed_runs in runs.values() for timed in timed_runs}) > 1:
        raise RuntimeError(f"{network.name}: its digest depends on the number of threads")
    least = {count: min(timed.seconds for timed in runs[count]) for count in runs}
    return [
        f"{least[1] / least[count]:.2f}" if runs[count][0].is_divided else "one"
        for count in threads
    ]


def main() -> int:
    """Runs the networks, and prints how much faster runs are on more threads."""
    parser = argparse.ArgumentParser(prog="python -m proof.threads", description=__doc__)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    powers = [2**power for power in range(1, 11) if 2**power <= (cores or 1)]
    parser.add_argument("--threads", type=int, nargs="+", default=powers or [2])
    parser.add_argument("--delays", nargs="+", default=["5 ms", "1 ms"], help="of all links")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=float, default=1, help="of the simulated times")
    options = parser.parse_args()
    for delay in options.delays:
        head = "".join(f"{count:>8}" for count in options.threads)
        print(f"{f'links of {delay}, threads:':<30}{head}")
        for network in NETWORKS:
            try:
                found = gains(network, delay, options.threads, options.rounds, options.share)
            except RuntimeError as error:
                print(error, file=sys.stderr)
                return 1
            print(f"  {network.name:<28}" + "".join(f"{gain:>8}" for gain in found), flush=True)
    return 0


if __name__ == "__main__":
    end_with(main)
