"""Captures each case, and compares the output of tshark with what the simulator did."""

import os
import sys
import tempfile
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl
from cellrate import _core
from cellrate.simulation.captures import Captures, capture
from cellrate.simulation.passages import passages

from proof.campaign import keep
from proof.oracles.tool import found_or_installed
from proof.oracles.tshark import behaviour, cases, octets, rates, round_trips
from proof.oracles.tshark.cases import RECOVERIES, Case, StopAndWait
from proof.oracles.tshark.connection import connections_of
from proof.oracles.tshark.findings import Findings
from proof.oracles.tshark.reading import version

SEEDS = range(1, 9)


def connections(case: Case, directory: Path) -> Findings:
    """Captures every packet at senders and receivers, and checks tshark's conclusions."""
    found = Findings()
    taken = capture(case.text, ["senders:ip,pdus", "receivers:ip"], directory)
    here, there = (directory / "captures" / f"{host}.ip.pcap" for host in ("senders", "receivers"))
    octets.packets(found, here)
    octets.packets(found, there)
    octets.pdus(found, here.with_name("senders.pdus.erf"), taken)
    cells = _passages(taken)
    for flow in connections_of(taken, here, RECOVERIES):
        behaviour.is_finished(found, flow)
        behaviour.nothing_is_missing(found, flow)
        behaviour.set_up(found, flow)
        behaviour.windows(found, flow)
        behaviour.retransmissions(found, flow)
        behaviour.duplicates(found, flow)
        round_trips.under_loss(found, flow, cells)
    behaviour.payload(found, taken, there, RECOVERIES)
    return found


def waiting(asked: StopAndWait, directory: Path) -> Findings:
    """Captures segments sent one by one, and checks round trips to the nanosecond."""
    found = Findings()
    taken = capture(asked.case.text, ["src.tcp.1:ip"], directory, overrides=asked.case.overrides)
    [path] = taken.files
    octets.packets(found, path)
    [flow] = connections_of(taken, path, ["tcp"])
    round_trips.one_by_one(found, flow, asked)
    return found


def cells(case: Case, directory: Path) -> Findings:
    """Captures a bottleneck and a source; checks every cell, RM cells, every PDU's channel."""
    found = Findings()
    taps = ["A<->B:cells,pdus,line,sunatm,ip", "src.tcp.1:cells"]
    taken = capture(case.text, taps, directory, overrides=case.overrides)
    place = directory / "captures"
    octets.packets(found, place / "A-and-B.ip.pcap")
    llc = tomllib.loads(taken.result.resolved)["aal5"]["encapsulation"] == "llc-snap"
    octets.pdus(found, place / "A-and-B.pdus.erf", taken, llc=llc)
    octets.sun_atm(found, place / "A-and-B.sunatm.pcap", taken)
    octets.cells(found, place / "A-and-B.cells.erf", taken)
    octets.line_cells(found, place / "A-and-B.line.pcap", taken)
    rates.rm_cells(found, place / "src.tcp.1.cells.erf", taken.result, "tcp.1")
    return found


def _passages(taken: Captures) -> pl.DataFrame:
    """Every cell on every link of a captured run, from a second run without captures."""
    span = 0.0, _core.quantity(tomllib.loads(taken.result.resolved)["run"]["duration"], "time")
    return passages(_core.Scenario(taken.result.resolved, "resolved"), span, most=sys.maxsize).frame


def run(*, bless: bool) -> bool:
    """True if tshark agrees on every recovery with eight seeds, and on every form of packet.

    `bless` has no effect: no output of tshark is stored.
    """
    del bless
    # The package of tshark would ask which users may capture from an interface.
    os.environ.setdefault("DEBIAN_FRONTEND", "noninteractive")
    package = found_or_installed("tshark", "tshark")
    examined: dict[str, Callable[[Path], Findings]] = {}
    for case in (cases.lossy(seed=seed) for seed in SEEDS):
        examined[case.name] = partial(connections, case)
    for case in map(cases.cells, cases.SETTINGS):
        examined[case.name] = partial(cells, case)
    for asked in cases.WAITING:
        examined[asked.case.name] = partial(waiting, asked)
    found = Findings()
    for number, (name, examine) in enumerate(examined.items(), 1):
        print(f"tshark: {name} ({number} of {len(examined)})", flush=True)
        with tempfile.TemporaryDirectory() as directory:
            found.add(name, examine(Path(directory) / "taken"))
    print(*found.disagreements, sep="\n")
    tools = {"tool": f"tshark {version()}", "package": package, "cellrate": _core.__version__}
    counts = dict(sorted(found.counts.items()))
    results = {**tools, "runs": len(examined), "agreed": counts}
    keep("tshark", {**results, "disagreements": found.disagreements})
    return not found.disagreements
