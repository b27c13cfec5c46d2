"""Numbers of a statement that a run can contradict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Quantity: TypeAlias = Literal["throughput", "queue", "late queue", "utilisation", "lost"]
"""The TCP throughput of flows together in bit/s; the longest queue of a port in cells, in the
whole run or in the measuring window alone; its utilisation; the cells that it drops."""
Sense: TypeAlias = Literal["at most", "about", "none", "some"]


@dataclass(frozen=True)
class Claim:
    """A limit or an expectation of a number of the run.

    Attributes:
        quantity: The number.
        entity: The port or the group of flows that has it; empty for all flows together.
        sense: A limit that it does not exceed, its expected value, zero, or more than zero.
        value: The limit or the expected value; 0 for `none` and `some`.
        topic: Name under which predictions of this kind are held against runs.
        service: A class of the port's queue that is meant; empty for all queues together.
    """

    quantity: Quantity
    entity: str
    sense: Sense
    value: float
    topic: str
    service: str = ""

    def measured(self, summary: Mapping[str, Any]) -> float:
        """The number in the summary of a run.

        Raises:
            KeyError: The run has no such port.
        """
        if self.quantity == "throughput":
            flows = (one for one in summary["flows"] if one["balance"] is not None)
            own = (one for one in flows if self.entity in {"", one["group"]})
            return float(sum(one["tcp_throughput_bits_per_second"] for one in own))
        port = {one["name"]: one for one in summary["ports"]}[self.entity]
        if self.quantity == "utilisation":
            return float(port["utilisation"])
        queues = [one for one in port["queues"] if self.service in {"", *one["classes"]}]
        if self.quantity == "lost":
            return float(sum(queue["cells_dropped"] for queue in queues))
        lengths = ["queue_max_cells"]
        if self.quantity == "queue":
            lengths.append("queue_max_before_window_cells")
        return float(max(queue[key] or 0 for queue in queues for key in lengths))

    def holds(self, measured: float) -> bool:
        """True if a measured number is what the claim says; of an expected value always true."""
        if self.sense == "at most":
            # Rates are quotients of floating-point numbers.
            return measured <= self.value * (1 + 1e-9)
        if self.sense == "about":
            return True
        return (measured > 0) == (self.sense == "some")

    def error(self, measured: float) -> float:
        """Distance of the measured number from the expected one, as a share of the latter."""
        return abs(measured - self.value) / self.value if self.value else float(measured != 0)
