"""Active queue management as ns-3 simulates it: its queue disciplines without a device."""

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from proof.oracles.patterns import DATA

Row = tuple[int, str, int, float]
RED = {"MeanPktSize": "1000", "LinkBandwidth": "8Mbps", "MaxSize": "100000p"}
SHARP = RED | {"MinTh": "8", "MaxTh": "8", "QW": "0.05", "Gentle": "false"}
DEEP = RED | {"MinTh": "20", "MaxTh": "100", "QW": "0.05", "LInterm": "10", "UseEcn": "true"}
LINE = [(1_000_123 + 995_003 * packet, 1_000) for packet in range(40_000)]
BIN = 10
"""Average queue, in packets, within which shares of marks are counted together."""


@dataclass(frozen=True)
class Discipline:
    """A queue discipline: its class in ns-3, and attributes of the class.

    If `at_end`, packets leave the queue when their service ends instead of when it begins. The
    state is recorded every so many microseconds; never if this is 0.
    """

    disc: str
    attributes: dict[str, str]
    at_end: bool = False
    every_us: int = 0


CODEL = {"MinBytes": "1519", "MaxSize": "100000p"}
ECN = {"UseEcn": "true"}
SOFT = ECN | {"UseHardDrop": "false", "MinTh": "100", "MaxTh": "100"}
GENTLE = {"Gentle": "true", "LInterm": str(1 / 0.7)}
OCTETS = {"MinTh": "8000", "MaxTh": "8000", "MaxSize": "100000000B"}
DISCIPLINES = {
    "codel": Discipline("CoDelQueueDisc", CODEL),
    "codel-ecn": Discipline("CoDelQueueDisc", CODEL | ECN),
    "red": Discipline("RedQueueDisc", SHARP, at_end=True),
    "red-octets": Discipline("RedQueueDisc", SHARP | OCTETS, at_end=True),
    "red-ecn": Discipline("RedQueueDisc", SHARP | SOFT, at_end=True),
    "red-wait": Discipline("RedQueueDisc", SHARP | GENTLE, at_end=True),
    "red-uniform": Discipline("RedQueueDisc", SHARP | GENTLE | {"Wait": "false"}, at_end=True),
    "pie-ecn": Discipline(
        "PieQueueDisc",
        ECN | {"MaxBurstAllowance": "0ms", "MarkEcnThreshold": "1", "MaxSize": "100000p"},
        every_us=15_000,
    ),
}
SHARES = {
    "wait": Discipline("RedQueueDisc", DEEP | {"Gentle": "true"}, at_end=True),
    "uniform": Discipline("RedQueueDisc", DEEP | {"Gentle": "true", "Wait": "false"}, at_end=True),
}


def _arrivals() -> dict[str, list[tuple[int, int]]]:
    """Times in ns and octets of the packets of each pattern, in order."""
    patterns: dict[str, list[tuple[int, int]]] = {}
    with (DATA / "queue_patterns.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            start, gap, octets = int(row["start_ns"]), int(row["gap_ns"]), int(row["octets"])
            times = range(start, start + gap * int(row["packets"]), gap)
            patterns.setdefault(row["pattern"], []).extend((time, octets) for time in times)
    return {pattern: sorted(arrivals) for pattern, arrivals in patterns.items()}


def _kept(rows: Iterable[Row]) -> list[Row]:
    """Drops, marks, non-zero states, averages of every 16th arrival, number of served packets."""
    kept = []
    served: list[Row] = []
    for time, event, packet, value in rows:
        if event == "served":
            served = [(time, event, (served[0][2] if served else 0) + 1, 0.0)]
        elif event in {"mark", "drop"} or (value and packet % 16 == 0):
            kept.append((time, event, packet, value))
    return kept + served


def _shares(rows: Iterable[Row]) -> dict[int, tuple[int, int]]:
    """Number of packets and of marks by bins of the average."""
    shares: dict[int, tuple[int, int]] = {}
    for _, event, _, average in rows:
        packets, marks = shares.get(int(average // BIN), (0, 0))
        if event in {"arrival", "mark"}:
            packets, marks = packets + (event == "arrival"), marks + (event == "mark")
            shares[int(average // BIN)] = packets, marks
    return shares


def tables(run: Callable[[list[dict[str, Any]]], list[list[Row]]]) -> dict[str, str]:
    """Text of each file of traces, by name, from jobs that `run` simulates."""
    runs = [
        (name, pattern, discipline, arrivals)
        for name, discipline in DISCIPLINES.items()
        for pattern, arrivals in _arrivals().items()
    ]
    runs += [(name, "line", discipline, LINE) for name, discipline in SHARES.items()]
    found = run([{**vars(of), "arrivals": arrivals} for _, _, of, arrivals in runs])
    queues, shares = "queue,pattern,time_ns,event,packet,state\n", "spacing,bin,packets,marked\n"
    for (name, pattern, _, _), rows in zip(runs, found, strict=True):
        if name in SHARES:
            bins = sorted(_shares(rows).items())
            shares += "".join(f"{name},{number},{p},{m}\n" for number, (p, m) in bins)
            continue
        title = f"{name},{pattern}"
        for time, event, packet, value in _kept(rows):
            queues += f"{title},{time},{event},{packet},{value:.9g}\n"
            title = ","
    return {"queues": queues, "shares": shares}
