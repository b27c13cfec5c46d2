"""Losses, delays and marks of packets on a line: the patterns that every simulator gets."""

import csv
from dataclasses import dataclass

from proof.campaign import ROOT

DATA = ROOT / "crates" / "engine" / "tests" / "suite" / "data"


@dataclass(frozen=True)
class Pattern:
    """A pattern of losses, delays and marks, for a run of `end_ms`.

    Lost packets have the number of the packet, and the number of its copy, from 1. Delayed and
    marked packets have their number in order of transmission, from 0.
    """

    name: str
    end_ms: int
    lost: tuple[tuple[int, int], ...] = ()
    delayed: tuple[int, ...] = ()
    delay_ms: int = 0
    lost_acks: tuple[int, ...] = ()
    marked: tuple[int, ...] = ()


def read_patterns(name: str = "tcp_patterns.csv") -> list[Pattern]:
    """The patterns of a file, which the engine's tests read, too."""
    with (DATA / name).open(newline="") as file:
        return [_pattern(row) for row in csv.DictReader(file)]


def _pattern(row: dict[str, str]) -> Pattern:
    copies = [word.partition(":") for word in row["lost"].split()]
    return Pattern(
        name=row["pattern"],
        end_ms=int(row["end_ms"]),
        lost=tuple((int(packet), int(copy or 1)) for packet, _, copy in copies),
        delayed=tuple(map(int, row["delayed"].split())),
        delay_ms=int(row["delay_ms"] or 0),
        lost_acks=tuple(map(int, row["lost_acks"].split())),
        marked=tuple(map(int, row.get("marked", "").split())),
    )
