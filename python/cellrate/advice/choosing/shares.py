"""Fairness of a choice: Jain's index over flows whose rates no size of a file sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cellrate.advice.tuning.measures import Criterion
from cellrate.language.ended_flows import TRANSFER
from cellrate.language.functions import jain
from cellrate.simulation.network.elements import Flow
from cellrate.simulation.network.ethernet_view import FrameFlow

LEFT_OUT = "Fairness is that of the flows without files, since the size of a file sets its rate."
"""A sentence on scenarios with files beside other flows."""
WITHOUT_FILES = "no files"
"""Words in the heading of a column of such fairness."""


def leaves_out_files(flows: Iterable[Flow | FrameFlow]) -> bool:
    """True if the flows over TCP or RoCE are files and others, so that files have no share."""
    counted = (one for one in flows if one.tcp or (isinstance(one, FrameFlow) and one.roce))
    return len({one.kind == TRANSFER for one in counted}) > 1


def _index(summary: Mapping[str, Any]) -> float | None:
    """Jain's index of the run; over the flows without files, if the run has files and others.

    None if these flows deliver nothing.
    """
    known, rate = "balance", "tcp_throughput_bits_per_second"
    if summary.get("link_layer") == "ethernet":
        known, rate = "goodput_bits_per_second", "throughput_bits_per_second"
    flows = [flow for flow in summary["flows"] if flow[known] is not None]
    others = [flow for flow in flows if flow["source"] != TRANSFER]
    if len(others) in {0, len(flows)}:
        index: float | None = summary["totals"]["jain_index"]
        return index
    rates = [flow[rate] for flow in others]
    return jain(rates) if any(rates) else None


FAIRNESS = Criterion(
    "fairness",
    "Jain's index over the flows, without files beside other flows",
    "",
    "greatest",
    0.001,
    relative=False,
    of=_index,
)
"""Takes the place of the criterion `fairness` of `cellrate tune`."""
