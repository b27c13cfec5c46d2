"""Schemes that write down what the port tells them."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from cellrate.schemes import Cells, DataCell, Port, Queue, RmCell, Seconds


@dataclass
class Seen:
    """Notes what an interval has measured, and raises ER without effect."""

    interval: Seconds = 1e-3

    STATISTICS = (
        "intervals", "cells", "background", "active", "channels", "seconds", "of_first", "left",
        "forward", "backward", "queue",
    )  # fmt: skip

    def on_start(self, port: Port) -> None:
        port.every(self.interval)
        self.noted = dict.fromkeys(self.STATISTICS, 0.0)

    def on_interval(self, port: Port) -> None:
        self.noted["intervals"] += 1
        self.noted |= {
            "cells": port.cells,
            "background": port.background,
            "active": port.active,
            "channels": port.channels,
            "seconds": port.seconds,
            "of_first": port.cells_of(0) if port.channels else -1,
            "left": port.capacity_left,
            "queue": port.queue,
        }

    def on_forward_rm(self, port: Port, rm: RmCell) -> None:
        self.noted["forward"] += 1
        er, marks = rm.er, (rm.ci, rm.ni)
        rm.er, rm.ci, rm.ni = 2 * er, False, False
        assert (rm.er, rm.ci, rm.ni) == (er, *marks)

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        self.noted["backward"] += 1

    def statistics(self) -> dict[str, float]:
        return self.noted


@dataclass
class EveryCell:
    """EFCI marking by a threshold, as `scheme = "efci"` does at arrival or at departure."""

    threshold: int = 50
    STATISTICS = ("cells", "rm", "ends")

    def on_start(self, port: Port) -> None:
        self.cells = self.rm = self.ends = 0

    def on_cell(self, port: Port, cell: DataCell) -> None:
        self.cells += 1
        self.rm += cell.is_rm
        self.ends += cell.ends_pdu
        if not cell.is_rm:
            cell.efci = port.queue > self.threshold

    def statistics(self) -> dict[str, float]:
        return {"cells": self.cells, "rm": self.rm, "ends": self.ends}


@dataclass
class AtDeparture:
    """EFCI marking of cells that leave."""

    threshold: int = 50

    def on_dequeue(self, port: Port, cell: DataCell) -> None:
        if not cell.is_rm:
            cell.efci = port.queue > self.threshold


@dataclass
class Endless:
    """Never comes back."""

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        while True:
            pass


@dataclass
class Drops:
    """Notes by name of the channel what the queue tells, and refuses channel 1 above a length."""

    above: Cells = 1_000_000
    file: str = ""

    def on_pdu(self, queue: Queue) -> bool:
        with Path(self.file).open("a", encoding="utf-8") as notes:
            row = (queue.now, queue.channel, queue.length, queue.cells, queue.active, queue.buffer)
            notes.write(f"{(*row, queue.channels)}\n")
        return queue.channel != 1 or queue.length <= self.above


@dataclass
class RefusesAll:
    """Admits no PDU, not even into an empty queue."""

    def on_pdu(self, queue: Queue) -> bool:
        return False


@dataclass
class Early:
    """Random early discard, with the queue's own random numbers."""

    low: Cells = 5
    high: Cells = 60

    def on_pdu(self, queue: Queue) -> bool:
        return queue.random.random() >= (queue.length - self.low) / (self.high - self.low)


@dataclass
class Sets:
    """Sets one value wherever it may: rates beyond any link change nothing."""

    rate: float = 0.0

    def on_forward_rm(self, port: Port, rm: RmCell) -> None:
        if self.rate > 0:
            rm.er = self.rate

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        self.on_forward_rm(port, rm)


@dataclass
class Waits:
    """Waits where nothing can interrupt it."""

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        if port.now > 0.01:
            time.sleep(600)


@dataclass
class EndlessStart:
    """Writes a line to the file that STARTS names, and does not return."""

    def on_start(self, port: Port) -> None:
        with Path(os.environ["STARTS"]).open("a", encoding="utf-8") as starts:
            starts.write("start\n")
        while True:
            pass

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        pass
