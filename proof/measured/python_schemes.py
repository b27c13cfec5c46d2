"""Measures the processor time of classes in Python, for docs/evidence/python-schemes.md.

`python -m proof.measured.python_schemes` runs in turns each built-in component and its twin, a
class in Python of the same algorithm; ratios are of the least processor times.
"""

import json
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import cellrate
from cellrate.schemes import allow_all
from cellrate.simulation.runner import Job

from proof.campaign import end_with, write_rows

ROUNDS = 7
# Workload W2 of the benchmark as settings: 15 greedy TCP sources over ABR, by default with ERICA.
W2 = ("flow.tcp.count=15", "run.duration=5 s")
EXAMPLES = "cellrate.schemes.examples"
EFCI = 'switch.control={scheme="efci", threshold="300 cells", mark_at="enqueue"}'
# A class with a hook for every cell and no reaction: its cost compared with no control.
EVERY_CELL = """
from dataclasses import dataclass

@dataclass
class EveryCell:
    threshold: int = 300

    def on_cell(self, port, cell):
        if not cell.is_rm:
            cell.efci = port.queue > self.threshold
"""


class Pair(NamedTuple):
    """Settings of a built-in component, and of a class in Python that is its twin."""

    name: str
    built_in: tuple[str, ...]
    own: tuple[str, ...]


def control(scheme: str) -> str:
    """The setting of a scheme without parameters."""
    return f'switch.control={{scheme="{scheme}"}}'


def discard(policy: str) -> tuple[str, str]:
    """The settings of a discard policy at a buffer that TCP fills."""
    buffer = 'switch={buffer="1000 cells", control={scheme="none"}}'
    return buffer, f'switch.discard={{policy="{policy}"}}'


PAIRS = (
    Pair("ERICA", (control("erica"),), (control(f"{EXAMPLES}.erica:Erica"),)),
    Pair("P control", (control("rrm-p"),), (control(f"{EXAMPLES}.p:P"),)),
    Pair("FMMRA", (control("fmmra"),), (control(f"{EXAMPLES}.fmmra:Fmmra"),)),
    Pair("EPD", discard("epd"), discard(f"{EXAMPLES}.epd:Epd")),
    Pair(
        "Selective drop",
        discard("selective-drop"),
        discard(f"{EXAMPLES}.selective_drop:SelectiveDrop"),
    ),
    Pair("Reno", ("tcp.recovery=reno",), (f"tcp.recovery={EXAMPLES}.reno:Reno",)),
    Pair(
        "PRCA",
        (EFCI, "abr.rules=prca", "abr.air=1 Mbit/s"),
        (EFCI, f'abr.law={{law="{EXAMPLES}.prca:Prca", air="1 Mbit/s"}}'),
    ),
    Pair("EFCI at every cell", (EFCI,), (control("every_cell.py:EveryCell"),)),
)


def row(pair: Pair, place: Path) -> list[str]:
    """The row of a pair: ratio of the least processor times, hooks, additional time for each."""
    text = cellrate.template("n-source")
    seconds: dict[tuple[str, ...], list[float]] = {pair.built_in: [], pair.own: []}
    digests, hooks = set(), 0
    for _ in range(ROUNDS):
        for settings, times in seconds.items():
            scenario = Job(text, str(place / "scenario.toml"), (*W2, *settings)).scenario()
            began = time.thread_time()
            summary = json.loads(scenario.run().summary())
            times.append(time.thread_time() - began)
            digests.add(summary["digest"])
            hooks = scenario.hook_steps() // 2 or hooks
    if len(digests) > 1:
        raise RuntimeError(f"{pair.name}: the class is no twin")
    built_in, own = map(min, seconds.values())
    each = (own - built_in) / hooks * 1e9
    return [pair.name, f"{own / built_in:.2f}", f"{hooks:,}", f"{each:.0f} ns"]


def main() -> int:
    """Writes the first table of the page."""
    allow_all()
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "every_cell.py").write_text(EVERY_CELL, encoding="utf-8")
        write_rows("python-schemes.md", [row(pair, place) for pair in PAIRS])
    return 0


if __name__ == "__main__":
    end_with(main)
