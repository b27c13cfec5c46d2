"""Measures what a class in Python costs: `python -m proof.measured.python_schemes` writes the page.

Each twin runs beside its built-in counterpart in turns; ratios are of the least times.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import cellrate
from cellrate.schemes import allow_all
from cellrate.simulation.runner import Job

PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "python-schemes.md"
ROUNDS = 7
# Workload W2 of the bench as a scenario: 15 greedy TCP sources over ABR, with ERICA unless said.
W2 = ("flow.tcp.count=15", "run.duration=5 s")
PLACE = "cellrate.schemes.examples"
EFCI = 'switch.control={scheme="efci", threshold="300 cells", mark_at="enqueue"}'
# As hooks of every cell: what a class without any reaction costs beside no control at all.
EVERY_CELL = """
from dataclasses import dataclass

@dataclass
class EveryCell:
    threshold: int = 300

    def on_cell(self, port, cell):
        if not cell.is_rm:
            cell.efci = port.queue > self.threshold
"""


@dataclass(frozen=True)
class Pair:
    """A class and what it is a twin of, as settings."""

    name: str
    built_in: tuple[str, ...]
    own: tuple[str, ...]


def control(scheme: str) -> str:
    """The setting of a scheme without parameters."""
    return f'switch.control={{scheme="{scheme}"}}'


PAIRS = (
    Pair("ERICA", (control("erica"),), (control(f"{PLACE}.erica:Erica"),)),
    Pair("P control", (control("rrm-p"),), (control(f"{PLACE}.p:P"),)),
    Pair("FMMRA", (control("fmmra"),), (control(f"{PLACE}.fmmra:Fmmra"),)),
    Pair("Reno", ("tcp.recovery=reno",), (f"tcp.recovery={PLACE}.reno:Reno",)),
    Pair(
        "PRCA",
        (EFCI, "abr.rules=prca", "abr.air=1 Mbit/s"),
        (EFCI, f'abr.law={{law="{PLACE}.prca:Prca", air="1 Mbit/s"}}'),
    ),
    Pair("EFCI at every cell", (EFCI,), (control("every_cell.py:EveryCell"),)),
)


@dataclass(frozen=True)
class Cost:
    """Least times of a pair in seconds, and hooks of the class."""

    built_in: float
    own: float
    hooks: int

    @property
    def ratio(self) -> float:
        """Time of the class as a multiple."""
        return self.own / self.built_in

    @property
    def nanoseconds(self) -> float:
        """Additional time for each hook."""
        return (self.own - self.built_in) / self.hooks * 1e9


def measured(pair: Pair, place: Path) -> Cost:
    """Times of both, in turns; both must give the same digest."""
    text = cellrate.template("n-source")
    found: list[list[float]] = [[], []]
    digests, hooks = set(), 0
    for _ in range(ROUNDS):
        for times, settings in zip(found, (pair.built_in, pair.own), strict=True):
            scenario = Job(text, str(place / "scenario.toml"), (*W2, *settings)).scenario()
            summary = json.loads(scenario.run().summary())
            times.append(summary["wall_seconds"])
            digests.add(summary["digest"])
            hooks = scenario.hook_steps() // 2 or hooks
    if len(digests) > 1:
        raise RuntimeError(f"{pair.name}: the class is no twin")
    return Cost(min(found[0]), min(found[1]), hooks)


HEAD = f"""\
# Classes in Python

15 greedy TCP sources over ABR for 5 s (the template `n-source`), each class beside the built-in
component whose twin it is; both give the same digest. Least times of {ROUNDS} rounds in turns;
`python -m proof.measured.python_schemes` measures again. The bar for ERICA is 3 times.

| Class | Times the built-in | Calls of hooks | Additional time per call |
|---|---|---|---|
"""
TAIL = """
A hook of every cell is no bargain: use it where nothing else tells what the scheme needs. What a
port counts (cells by class and channel, active channels) and the queue at RM cells cost no call.
"""


def main() -> None:
    """Writes the page."""
    import tempfile

    allow_all()
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "every_cell.py").write_text(EVERY_CELL, encoding="utf-8")
        rows = ""
        for pair in PAIRS:
            cost = measured(pair, place)
            row = (
                f"| {pair.name} | {cost.ratio:.2f} | {cost.hooks:,} | {cost.nanoseconds:.0f} ns |\n"
            )
            sys.stdout.write(row)
            rows += row
    PAGE.write_text(HEAD + rows + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main()
