"""Numbers of a statement that can be compared with a run, and recorded errors of predictions."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

Quantity: TypeAlias = Literal[
    "throughput", "queue", "late queue", "mean queue", "utilisation", "lost", "end"
]
"""Quantities of a claim.

They are the total TCP throughput of flows in bit/s; the longest queue of a port in cells, over
Ethernet in bytes, in the whole run or in the measuring window alone, or the mean there; the
utilisation of a port; the cells or packets that a port drops; the time at which the last flow of a
group is acknowledged."""
Sense: TypeAlias = Literal["at most", "at least", "about", "none", "some"]


@dataclass(frozen=True)
class Claim:
    """A bound or an expected value of a measured quantity of a run.

    Attributes:
        quantity: The quantity.
        entity: The port or the group of flows; empty for all flows together.
        sense: The kind of claim: at most, at least, about, none (zero) or some (above zero).
        value: The limit or the expected value; 0 for `none` and `some`.
        topic: Name of the kind of prediction, under which its errors are recorded.
        service: A service class that selects a queue of the port; empty for all queues together.
    """

    quantity: Quantity
    entity: str
    sense: Sense
    value: float
    topic: str
    service: str = ""

    def measured(self, summary: Mapping[str, Any]) -> float:
        """The value of the quantity in the summary of a run.

        Raises:
            KeyError: The run has no such port.
        """
        if self.quantity == "throughput":
            flows = (flow for flow in summary["flows"] if flow["balance"] is not None)
            own = (flow for flow in flows if self.entity in {"", flow["group"]})
            return float(sum(one["tcp_throughput_bits_per_second"] for one in own))
        if self.quantity == "end":
            ended = [flow for flow in summary["flows"] if self.entity in {"", flow["group"]}]
            if any(flow["completion_seconds"] is None for flow in ended):
                return math.inf
            return float(max(one["start_seconds"] + one["completion_seconds"] for one in ended))
        port = {port["name"]: port for port in summary["ports"]}[self.entity]
        if self.quantity == "utilisation":
            return float(port["utilisation"])
        if summary.get("link_layer") == "ethernet":
            key = "packets_dropped" if self.quantity == "lost" else "queue_max_bytes"
            values = [float(queue[key]) for queue in port["queues"]]
            return sum(values) if self.quantity == "lost" else max(values)
        queues = [queue for queue in port["queues"] if self.service in {"", *queue["classes"]}]
        if self.quantity == "lost":
            return float(sum(queue["cells_dropped"] for queue in queues))
        if self.quantity == "mean queue":
            return float(sum(queue["queue_mean_cells"] or 0.0 for queue in queues))
        lengths = ["queue_max_cells"]
        if self.quantity == "queue":
            lengths.append("queue_max_before_window_cells")
        return float(max(queue[key] or 0 for queue in queues for key in lengths))

    def holds(self, measured: float) -> bool:
        """True if a measured number agrees with the claim; an expected value always agrees."""
        if self.sense == "at most":
            # Rates are quotients of floating-point numbers.
            return measured <= self.value * (1 + 1e-9)
        if self.sense == "at least":
            return measured >= self.value * (1 - 1e-9)
        if self.sense == "about":
            return True
        return (measured > 0) == (self.sense == "some")

    def error(self, measured: float) -> float:
        """Distance of the measured number from the expected one, as a share of the expected one."""
        return abs(measured - self.value) / self.value if self.value else float(measured != 0)


PLACE = Path(__file__).with_name("track_record.json")
# Least number of cases for which the error of a record is shown.
ENOUGH = 30


@dataclass(frozen=True)
class Record:
    """The recorded errors of predictions of one kind in random scenarios.

    Attributes:
        cases: Scenarios in which the kind of prediction applied.
        within: For predictions of values, the relative error that 90 % of the cases had at most;
            else None.
        held: For predictions of limits and losses, the share of cases in which the prediction was
            right; else None.
    """

    cases: int
    within: float | None = None
    held: float | None = None

    def text(self) -> str:
        """The record as text, for the end of a sentence in brackets.

        >>> Record(412, within=0.153).text()
        'within 16 % in 90 % of 412 random scenarios'
        >>> Record(97, held=0.979).text()
        'held in 97 % of 97 random scenarios'
        """
        if self.within is not None:
            # The error is rounded up, and the share below rounded down, so that the text promises
            # no more than was measured.
            return f"within {_up(100 * self.within)} % in 90 % of {self.cases:,} random scenarios"
        return f"held in {int(100 * (self.held or 0.0))} % of {self.cases:,} random scenarios"


def _up(value: float) -> int:
    return int(value) + (value > int(value))


@cache
def records() -> dict[str, Record]:
    """All records by kind of prediction, as `proof/measured` wrote them."""
    read = json.loads(PLACE.read_text(encoding="utf-8"))
    return {name: Record(**one) for name, one in read["predictions"].items()}


def is_known(claim: Claim) -> bool:
    """True if the record of a claim's kind has enough cases."""
    record = records().get(claim.topic)
    return record is not None and record.cases >= ENOUGH


UNKNOWN = "its error is not known: no random scenarios of this kind were run"


def spoken(claim: Claim) -> str:
    """The record of a claim's kind as text; the text says so if there are too few cases."""
    record = records().get(claim.topic)
    if record is None or not record.cases:
        return UNKNOWN
    if record.cases < ENOUGH:
        return UNKNOWN.replace("no random", f"only {record.cases} random")
    return record.text()
