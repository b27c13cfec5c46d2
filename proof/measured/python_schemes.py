"""Measures what classes in Python cost: `python -m proof.measured.python_schemes` writes the page.

Each twin runs beside its built-in counterpart in turns; ratios are of the least processor times.
The part about compiled hooks is measured only where numba can be imported, which no lock file has;
elsewhere the page keeps what it says of them.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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

COMPILED = """
from dataclasses import dataclass

import numba
from numba.experimental import jitclass


def marks(queue, threshold, is_rm):
    return queue > threshold and not is_rm


of_numba = numba.njit("boolean(int64, int64, boolean)")(marks)
of_ctypes = numba.cfunc("boolean(int64, int64, boolean)")(marks).ctypes


@jitclass([("threshold", numba.int64)])
class Threshold:
    def __init__(self, threshold):
        self.threshold = threshold

    def marks(self, queue, is_rm):
        return queue > self.threshold and not is_rm


@dataclass
class Njit:
    threshold: int = 300

    def on_cell(self, port, cell):
        cell.efci = of_numba(port.queue, self.threshold, cell.is_rm)


@dataclass
class Cfunc:
    threshold: int = 300

    def on_cell(self, port, cell):
        cell.efci = of_ctypes(port.queue, self.threshold, cell.is_rm)


@dataclass
class Jitclass:
    threshold: int = 300

    def on_start(self, port):
        self.compiled = Threshold(self.threshold)

    def on_cell(self, port, cell):
        cell.efci = self.compiled.marks(port.queue, cell.is_rm)
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


def discard(policy: str) -> str:
    """The setting of a discard policy without parameters."""
    return f'switch.discard={{policy="{policy}"}}'


# A buffer that TCP fills, as nothing else holds it back.
NO_ABR = 'switch={buffer="1000 cells", control={scheme="none"}}'
PAIRS = (
    Pair("ERICA", (control("erica"),), (control(f"{PLACE}.erica:Erica"),)),
    Pair("P control", (control("rrm-p"),), (control(f"{PLACE}.p:P"),)),
    Pair("FMMRA", (control("fmmra"),), (control(f"{PLACE}.fmmra:Fmmra"),)),
    Pair(
        "EPD",
        (NO_ABR, discard("epd")),
        (NO_ABR, discard(f"{PLACE}.epd:Epd")),
    ),
    Pair(
        "Selective drop",
        (NO_ABR, discard("selective-drop")),
        (NO_ABR, discard(f"{PLACE}.selective_drop:SelectiveDrop")),
    ),
    Pair("Reno", ("tcp.recovery=reno",), (f"tcp.recovery={PLACE}.reno:Reno",)),
    Pair(
        "PRCA",
        (EFCI, "abr.rules=prca", "abr.air=1 Mbit/s"),
        (EFCI, f'abr.law={{law="{PLACE}.prca:Prca", air="1 Mbit/s"}}'),
    ),
    Pair("EFCI at every cell", (EFCI,), (control("every_cell.py:EveryCell"),)),
)

HOOKS = (
    ("plain Python", "every_cell.py:EveryCell"),
    ("a function of `numba.njit`", "compiled.py:Njit"),
    ("a `numba.cfunc`, called by ctypes", "compiled.py:Cfunc"),
    ("a method of a `jitclass`", "compiled.py:Jitclass"),
)


@dataclass(frozen=True)
class Cost:
    """Least processor times of a pair in seconds, and hooks of the class."""

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
            began = time.thread_time()
            summary = json.loads(scenario.run().summary())
            times.append(time.thread_time() - began)
            digests.add(summary["digest"])
            hooks = scenario.hook_steps() // 2 or hooks
    if len(digests) > 1:
        raise RuntimeError(f"{pair.name}: the class is no twin")
    return Cost(min(found[0]), min(found[1]), hooks)


HEAD = f"""\
# Classes in Python

15 greedy TCP sources over ABR for 5 s (the template `n-source`), each class beside the built-in
component whose twin it is; both give the same digest. EPD and selective drop act in a buffer of
1,000 cells without feedback. Least processor times of {ROUNDS} rounds in turns;
`python -m proof.measured.python_schemes` measures again. The bar for ERICA is 3 times.

| Class | Times the built-in | Calls of hooks | Additional time per call |
|---|---|---|---|
"""
TAIL = """
A hook of every cell is no bargain: use it where nothing else tells what the scheme needs. What a
port counts (cells by class and channel, active channels) and the queue at RM cells cost no call.
"""
COMPILED_HEAD = """
## Compiled hooks

The hook of every cell in the last row, whose decision is compiled by numba {version}, in the same
runs. The engine calls a Python object in each case.

| Decision | Times the built-in | Additional time per call |
|---|---|---|
"""
COMPILED_TAIL = """
Without Python the machine code is quick: a loop of numba's own, which may inline it, needs
{nanoseconds:.1f} ns for a call of the `jitclass`'s method. But a call by an address that a library
hands over is `unsafe` in Rust, and a wrong signature would be undefined behaviour in place of an
error; unsafe code stays in one module of the engine ([decisions](../decisions.md)). Called through
Python, compiled code costs more than it saves: to convert arguments and results takes longer than
one comparison. A scheme that needs a decision at every cell at full speed is written in Rust
(`examples/rust-scheme`), or compiles what it computes at intervals, where a call costs little
beside the work.
"""


def compiled(place: Path) -> str:
    """The part about compiled hooks; what the page has where numba is not installed.

    Raises:
        RuntimeError: A compiled hook gives another digest.
    """
    try:
        import numba  # type: ignore[import-not-found]
    except ImportError:
        _, head, old = PAGE.read_text("utf-8").partition("\n## Compiled hooks\n")
        return head + old
    (place / "compiled.py").write_text(COMPILED, encoding="utf-8")
    rows = COMPILED_HEAD.format(version=numba.__version__)
    for name, scheme in HOOKS:
        cost = measured(Pair(name, (EFCI,), (control(scheme),)), place)
        rows += f"| {name} | {cost.ratio:.2f} | {cost.nanoseconds:.0f} ns |\n"
        sys.stdout.write(rows.splitlines()[-1] + "\n")
    return rows + COMPILED_TAIL.format(nanoseconds=_of_a_compiled_loop(numba))


def _of_a_compiled_loop(numba: Any) -> float:  # noqa: ANN401  a module without types
    """Nanoseconds for a call of the method by compiled code."""
    names: dict[str, Any] = {}
    exec(COMPILED, names)  # noqa: S102  text of this file

    @numba.njit  # type: ignore[untyped-decorator]
    def marked(threshold: Any, calls: int) -> int:  # noqa: ANN401  of the class above
        found = 0
        for call in range(calls):
            found += threshold.marks(call & 1023, call < 0)
        return found

    threshold, calls, times = names["Threshold"](300), 10_000_000, []
    for _ in range(ROUNDS + 1):
        began = time.thread_time()
        marked(threshold, calls)
        times.append(time.thread_time() - began)
    return min(times) / calls * 1e9


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
        more = compiled(place)
    PAGE.write_text(HEAD + rows + TAIL + more, encoding="utf-8")


if __name__ == "__main__":
    main()
