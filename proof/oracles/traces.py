"""Traces of the events at a sender, with one line for each instant."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HEADER = "pattern,time_us,ack,cwnd,sent\n"


@dataclass(frozen=True)
class Event:
    """An event at a sender: a packet sent, or an acknowledgement that arrived.

    The time is since the first packet. The packet of an acknowledgement is the next one expected.
    cwnd is in packets, after all effects of the event.
    """

    time_us: int
    ack: bool
    packet: int
    cwnd: float


def as_text(pattern: str, events: Iterable[Event]) -> str:
    """The lines of one run; the first line has the name of the pattern."""
    instants: list[list[Event]] = []
    for event in events:
        if event.ack or not instants or instants[-1][-1].time_us != event.time_us:
            instants.append([])
        instants[-1].append(event)
    names = [pattern] + [""] * (len(instants) - 1)
    return "".join(_line(name, instant) for name, instant in zip(names, instants, strict=True))


def _line(name: str, instant: list[Event]) -> str:
    ack = "".join(str(event.packet) for event in instant if event.ack)
    sent = " ".join(str(event.packet) for event in instant if not event.ack)
    last = instant[-1]
    return f"{name},{last.time_us},{ack},{round(last.cwnd, 3):g},{sent}\n"


def read(path: Path) -> dict[str, list[Event]]:
    """The events of a file by pattern."""
    runs: dict[str, list[Event]] = {}
    name = ""
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            name = row["pattern"] or name
            events = runs.setdefault(name, [])
            time, cwnd = int(row["time_us"]), float(row["cwnd"])
            if row["ack"]:
                events.append(Event(time, ack=True, packet=int(row["ack"]), cwnd=cwnd))
            sent = (int(packet) for packet in row["sent"].split())
            events.extend(Event(time, ack=False, packet=packet, cwnd=cwnd) for packet in sent)
    return runs
