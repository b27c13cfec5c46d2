"""Measures how many times as fast one run is on several threads as on one, by network.

`make threads` runs each network on one thread and on several, in turns, and compares the least
times that `cellrate run` reports. It fails if a digest depends on the number of threads; times
decide nothing. `one` marks a network that the program does not divide, since a division would be
slower. Nothing else should run meanwhile.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from cellrate.simulation.runner import available_cores

from proof.campaign import end_with, run_template

RATE = 0.95 * 155_520 / 15
"""Mean rate of a CBR source in kbit/s; 15 sources load a line of 155.52 Mbit/s to 95 %."""
GROUPS = 5
DELAYS = "5 ms", "1 ms"
"""Delays of all links of a network."""
ROUNDS = 3
LEAST_SECONDS = 0.05
"""Least simulated seconds of a run."""


class Network(NamedTuple):
    """A template with its settings, except delays and times, and simulated seconds of a run."""

    name: str
    template: str
    settings: tuple[str, ...]
    seconds: float


class Timed(NamedTuple):
    """Time of a run with set-up and report, its digest, and True if it used several threads."""

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
    """Runs a share of a network's simulated time, with a delay of all links."""
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
    done = run_template(network.template, settings, "--threads", str(threads), "--json")
    report = json.loads(done.stdout)
    is_divided = threads > 1 and "note: one thread instead" not in done.stderr
    return Timed(report["wall_seconds"], report["digest"], is_divided)


def gains(network: Network, delay: str, threads: Sequence[int]) -> list[str]:
    """Time on one thread divided by time on each number of threads; `one` if not divided.

    Raises:
        RuntimeError: A digest depends on the number of threads.
    """
    counts = (1, *threads)
    runs: dict[int, list[Timed]] = {count: [] for count in counts}
    # In turns, so that a varying load of the machine affects all numbers of threads.
    for _, count in product(range(ROUNDS), counts):
        runs[count].append(run(network, delay, count))
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
    powers = [2**power for power in range(1, 11) if 2**power <= available_cores()]
    parser.add_argument("--threads", type=int, nargs="+", default=powers or [2])
    threads = parser.parse_args().threads
    for delay in DELAYS:
        head = "".join(f"{count:>8}" for count in threads)
        print(f"{f'links of {delay}, threads:':<30}{head}")
        for network in NETWORKS:
            try:
                found = gains(network, delay, threads)
            except RuntimeError as error:
                print(error, file=sys.stderr)
                return 1
            print(f"  {network.name:<28}" + "".join(f"{gain:>8}" for gain in found), flush=True)
    return 0


if __name__ == "__main__":
    end_with(main)
