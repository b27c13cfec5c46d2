"""Fairness of a choice: Jain's index of throughputs over max-min shares, without files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from cellrate.advice.tuning.measures import Criterion
from cellrate.language.ended_flows import TRANSFER
from cellrate.language.functions import jain
from cellrate.simulation.network import Network, fair_shares
from cellrate.simulation.network.elements import Flow
from cellrate.simulation.network.ethernet_view import FrameFlow
from cellrate.theory import AssumptionError

LEFT_OUT = "Fairness is that of the flows without files, since the size of a file sets its rate."
"""A sentence on scenarios with files beside other flows."""
RELATIVE = (
    "Fairness is Jain's index of throughputs over max-min shares, since the shares of the flows "
    "differ here."
)
"""A sentence on scenarios whose flows have unequal max-min shares."""
EQUAL = 1e-6
"""Relative difference up to which shares count as equal."""
WITHOUT_FILES = "no files"
"""Words in the heading of a column of such fairness."""


def leaves_out_files(flows: Iterable[Flow | FrameFlow]) -> bool:
    """True if the flows over TCP or RoCE are files and others, so that files have no share."""
    counted = (one for one in flows if one.tcp or (isinstance(one, FrameFlow) and one.roce))
    return len({one.kind == TRANSFER for one in counted}) > 1


def shares_of(network: Network) -> dict[str, float]:
    """Max-min shares of the flows over TCP in cells/s; empty if they are equal or not known."""
    elastic = [one for one in network.flows if one.is_elastic]
    try:
        found = fair_shares(network, flows=elastic).rates
    except (AssumptionError, ValueError):
        return {}
    rates = {one.name: found[one.name] for one in elastic if one.tcp}
    least, most = min(rates.values(), default=0.0), max(rates.values(), default=0.0)
    return rates if 0 < least * (1 + EQUAL) < most else {}


def _index(summary: Mapping[str, Any], shares: Mapping[str, float]) -> float | None:
    """Jain's index of the run; over the flows without files, if the run has files and others.

    Each throughput counts relative to the flow's share, if there are shares. None if these flows
    deliver nothing.
    """
    known, rate = "balance", "tcp_throughput_bits_per_second"
    if summary.get("link_layer") == "ethernet":
        known, rate = "goodput_bits_per_second", "throughput_bits_per_second"
    flows = [flow for flow in summary["flows"] if flow[known] is not None]
    others = [flow for flow in flows if flow["source"] != TRANSFER]
    if len(others) in {0, len(flows)} and not shares:
        index: float | None = summary["totals"]["jain_index"]
        return index
    rates = [flow[rate] / shares.get(flow["name"], 1.0) for flow in others or flows]
    return jain(rates) if any(rates) else None


FAIRNESS = Criterion(
    "fairness",
    "Jain's index over the flows, without files beside other flows",
    "",
    "greatest",
    0.001,
    relative=False,
    of=lambda summary: _index(summary, {}),
)
"""Takes the place of the criterion `fairness` of `cellrate tune`."""


def over_atm(network: Network) -> Criterion:
    """`FAIRNESS` over ATM, where the max-min shares of flows may differ."""
    shares = shares_of(network)
    return replace(FAIRNESS, of=lambda summary: _index(summary, shares))
