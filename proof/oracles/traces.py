"""Traces of the events at a sender, with one line for each instant."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

HEADER = "pattern,time_us,ack,cwnd,sent\n"


@dataclass(frozen=True)
class Event:
    """An event at a sender.

    Attributes:
        time_us: Time since the first packet, in microseconds.
        ack: True if an acknowledgement arrived, False if a packet was sent.
        packet: Number of the packet sent; for an acknowledgement, of the next packet expected.
        cwnd: cwnd in packets, after all effects of the event.
    """

    time_us: int
    ack: bool
    packet: int
    cwnd: float


@dataclass
class _Instant:
    time_us: int
    cwnd: float
    ack: int | None = None
    sent: list[int] = field(default_factory=list)


def as_text(pattern: str, events: Iterable[Event]) -> str:
    """The lines of one run; the first line has the name of the pattern."""
    instants: list[_Instant] = []
    for event in events:
        if event.ack or not instants or instants[-1].time_us != event.time_us:
            instants.append(_Instant(event.time_us, event.cwnd))
        instants[-1].cwnd = event.cwnd
        if event.ack:
            instants[-1].ack = event.packet
        else:
            instants[-1].sent.append(event.packet)
    names = [pattern] + [""] * (len(instants) - 1)
    return "".join(_line(name, instant) for name, instant in zip(names, instants, strict=True))


def _line(name: str, instant: _Instant) -> str:
    ack = "" if instant.ack is None else instant.ack
    sent = " ".join(map(str, instant.sent))
    return f"{name},{instant.time_us},{ack},{round(instant.cwnd, 3):g},{sent}\n"


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
