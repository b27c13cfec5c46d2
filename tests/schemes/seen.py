"""Schemes that write down what the port tells them."""

from __future__ import annotations

from dataclasses import dataclass

from cellrate.schemes import DataCell, Port, RmCell, Seconds


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
