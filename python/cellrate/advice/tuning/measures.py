"""Measures of a run by which settings are compared: loss, utilisation, queue, and more."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, Literal, TypeAlias

from cellrate import _core
from cellrate.advice.locked_phases import LOCKED
from cellrate.language.ended_flows import unfinished
from cellrate.simulation.network import Network, overloaded_ports
from cellrate.simulation.network.ethernet_view import FrameNetwork
from cellrate.simulation.packets import longest_of_run
from cellrate.simulation.series import series_of

SAMPLES = 200
"""Number of equal parts of the run whose utilisation is compared."""
BAND = 0.1
"""Half the width of the settling band round the final mean, as a share of this mean."""
TRACED = "utilisation"


def traced(network: Network | FrameNetwork) -> tuple[str, ...]:
    """Settings with which a scenario traces only the utilisation, to find the settling time."""
    sample = max(1, round(network.duration_seconds * 1e12 / SAMPLES))
    return (f'measure.traces=["{TRACED}"]', f'measure.sample="{sample} ps"')


def settling_seconds(
    outcome: _core.Outcome, summary: Mapping[str, Any], ports: Collection[str]
) -> float | None:
    """Time from the last start of a flow until the utilisation of a run's bottlenecks has settled.

    The utilisation has settled when it stays within a tenth of its mean over the last fifth of the
    time. Of several ports the slowest one counts.

    Args:
        outcome: The run.
        summary: Its summary.
        ports: Names of the bottleneck ports.

    Returns:
        Seconds; infinite if the utilisation does not settle, or the last flow starts at the end of
        the run; None if the run has no such trace.
    """
    series = [
        series for series in series_of(outcome) if series.kind == TRACED and series.entity in ports
    ]
    if not series:
        return None
    end = summary["simulated_seconds"]
    starts = (flow["start_seconds"] for flow in summary["flows"])
    start = max((one for one in starts if one < end), default=0.0)
    if any((one.time >= start).sum() < 2 for one in series):
        return math.inf
    return max(one.settling_time(BAND, start) for one in series)


def rise(outcome: _core.Outcome, summary: Mapping[str, Any], ports: Collection[str]) -> float:
    """Growth of the bottlenecks' utilisation within the measuring window, as a share of its mean.

    The growth is that of the mean of the window's second half over that of the first. It is small
    for a utilisation that is steady or oscillates, and 0 without traces.
    """
    measured = json.loads(_core.toml_as_json(outcome.resolved()))["measure"]
    begin = float(_core.quantity(measured["from"], "time"))
    end = begin + summary["window_seconds"]
    middle = (begin + end) / 2
    traced = [one for one in series_of(outcome) if one.kind == TRACED and one.entity in ports]
    halves = [
        [one.between(*span).middle for one in traced] for span in ((begin, middle), (middle, end))
    ]
    if not traced or any(len(points) == 0 for half in halves for points in half):
        return 0.0
    first, second = (fmean(float(points.mean()) for points in half) for half in halves)
    return (second - first) / ((first + second) / 2 or 1.0)


Summary: TypeAlias = Mapping[str, Any]

# Key under which this module adds the names of the bottleneck ports to a summary.
ALL_PORTS = "all ports"


TOO_SHORT = (
    "Nothing that was run ends all files with every seed, so completion times do not count: a "
    "longer `run.duration` gives late or long files the time, and files of the pattern `random` "
    "start no more after `until`."
)
"""A sentence on scenarios in which no option ends all files."""


@dataclass(frozen=True)
class Criterion:
    """A measure by which settings are compared.

    Attributes:
        name: Name in `--objective`.
        about: Description of the measure.
        unit: Unit of the measure; empty for a share.
        best: "greatest" or "least": the value that is best.
        tolerance: Values within this difference of the best value count as equal.
        relative: True if the tolerance is a share of the best value.
        of: Reads the measure from the summary of a run; returns None if the run lacks it.
    """

    name: str
    about: str
    unit: str
    best: Literal["greatest", "least"]
    tolerance: float
    relative: bool
    of: Callable[[Summary], float | None]
    rate: tuple[str, float] = ("Mbit/s", 1e6)
    """Unit in which a rate is shown, and the bit/s of this unit."""

    @property
    def shown_unit(self) -> str:
        """Unit in which a value is shown; empty for a share."""
        return self.rate[0] if self.unit == "bit/s" else self.unit

    @property
    def divisor(self) -> float:
        """Number by which a value is divided to be shown in the unit `shown_unit`."""
        return self.rate[1] if self.unit == "bit/s" else 1.0

    @property
    def key(self) -> str:
        """Key of the criterion's values in JSON, with the unit of queues and rates."""
        units = {"bit/s": "_bits_per_second", "s": "_seconds"}
        unit = f"_{self.unit}" if self.name.startswith("queue") else units.get(self.unit, "")
        return f"{self.name.replace('-', '_')}{unit}"

    def reaches(self, value: float, best: float) -> bool:
        """True if a value is within the tolerance of the best value."""
        slack = self.tolerance * (abs(best) if self.relative else 1.0)
        return value >= best - slack if self.best == "greatest" else value <= best + slack


def _utilisation(summary: Summary) -> float:
    return fmean(port["utilisation"] for port in summary["ports"])


def _longest(measure: str) -> Callable[[Summary], float]:
    def of(summary: Summary) -> float:
        queues = (queue for port in summary["ports"] for queue in port["queues"])
        return float(max(queue[measure] for queue in queues))

    return of


def _peak(summary: Summary) -> float:
    lengths = ("queue_max_cells", "queue_max_before_window_cells")
    queues = (queue for port in summary[ALL_PORTS] for queue in port["queues"])
    return float(max(queue[length] or 0 for queue in queues for length in lengths))


def _peak_bytes(summary: Summary) -> float:
    queues = (queue for port in summary[ALL_PORTS] for queue in port["queues"])
    return float(max(map(longest_of_run, queues)))


def _total(measure: str) -> Callable[[Summary], float | None]:
    def of(summary: Summary) -> float | None:
        value = summary["totals"][measure]
        return None if value is None else float(value)

    return of


def _unfinished(summary: Summary) -> float | None:
    """Number of files that start in the run and do not end in it; None without files."""
    found = unfinished(summary)
    return None if found is None else float(found)


def _completion(summary: Summary) -> float | None:
    """99th percentile of completion times in s, rank ceil(0.99 n); None unless all files end."""
    if unfinished(summary):
        return None
    times = (flow["completion_seconds"] for flow in summary["flows"])
    ended = sorted(time for time in times if time is not None)
    return ended[math.ceil(0.99 * len(ended)) - 1] if ended else None


def _loss_of_run(summary: Summary) -> float | None:
    """Share of the bytes sent in the whole run that were lost; None without TCP and RoCE.

    The balance of a flow counts payload that switches cut off packets (trimming) as dropped.
    """
    found = [flow["balance"] for flow in summary["flows"] if flow["balance"] is not None]
    sent = sum(one["sent_once_bytes"] + one["retransmitted_bytes"] for one in found)
    ends = ("dropped_bytes", "dropped_at_switch_bytes", "lost_on_links_bytes")
    return sum(one.get(end, 0) for one in found for end in ends) / sent if sent else None


CRITERIA = (
    Criterion(
        "loss", "cell loss ratio", "", "least", 0.1, relative=True, of=_total("cell_loss_ratio")
    ),
    Criterion(
        "loss-of-run",
        "share of bytes lost or cut off by trimming in the whole run, of flows over TCP and RoCE",
        "",
        "least",
        0.1,
        relative=True,
        of=_loss_of_run,
    ),
    Criterion(
        "utilisation",
        "utilisation of the bottleneck, the mean of several",
        "",
        "greatest",
        0.001,
        relative=False,
        of=_utilisation,
    ),
    Criterion(
        "queue",
        "mean length of the longest queue of the bottleneck in the measuring window",
        "cells",
        "least",
        0.02,
        relative=True,
        of=_longest("queue_mean_cells"),
    ),
    Criterion(
        "queue-max",
        "maximum length of the queues of the bottleneck in the measuring window",
        "cells",
        "least",
        0.02,
        relative=True,
        of=_longest("queue_max_cells"),
    ),
    Criterion(
        "queue-peak",
        "maximum length of the queues of all ports in the whole run, its start included",
        "cells",
        "least",
        0.02,
        relative=True,
        of=_peak,
    ),
    Criterion(
        "throughput",
        "TCP throughput of all flows",
        "bit/s",
        "greatest",
        0.001,
        relative=True,
        of=_total("tcp_throughput_bits_per_second"),
    ),
    Criterion(
        "goodput",
        "bytes delivered to the users of all flows",
        "bit/s",
        "greatest",
        0.001,
        relative=True,
        of=_total("goodput_bits_per_second"),
    ),
    Criterion(
        "packets-lost",
        "packets lost by all flows",
        "packets",
        "least",
        0.1,
        relative=True,
        of=_total("packets_lost"),
    ),
    Criterion(
        "timeouts",
        "retransmission timeouts of all flows",
        "timeouts",
        "least",
        0.1,
        relative=True,
        of=_total("timeouts"),
    ),
    Criterion(
        "fairness",
        "Jain's index over the flows",
        "",
        "greatest",
        0.001,
        relative=False,
        of=_total("jain_index"),
    ),
    Criterion(
        "unfinished",
        "files that start in the run and do not end in it",
        "files",
        "least",
        0.1,
        relative=True,
        of=_unfinished,
    ),
    Criterion(
        "completion",
        "completion time that 99 % of the flows do not exceed, if all files end",
        "s",
        "least",
        0.01,
        relative=True,
        of=_completion,
    ),
)


def _completion_over_ethernet(summary: Summary) -> float | None:
    """Of a collective operation the time of the whole; else the 99th percentile of the flows."""
    if unfinished(summary):
        return None
    operation = _total("collective_completion_seconds")(summary)
    return _total("completion_p99_seconds")(summary) if operation is None else operation


def _over_ethernet(criterion: Criterion) -> Criterion:
    """The criterion for runs over Ethernet."""
    gbit = replace(criterion, rate=("Gbit/s", 1e9))
    match criterion.name:
        case "loss":
            return replace(gbit, about="packet loss ratio", of=_total("packet_loss_ratio"))
        case "queue":
            return replace(gbit, unit="packets", of=_longest("queue_mean_packets"))
        case "queue-max":
            return replace(gbit, unit="packets", of=_longest("queue_max_packets"))
        case "queue-peak":
            return replace(gbit, unit="bytes", of=_peak_bytes)
        case "packets-lost":
            return replace(gbit, of=_total("packets_dropped"))
        case "throughput":
            about = "throughput of all flows"
            return replace(gbit, about=about, of=_total("throughput_bits_per_second"))
        case "completion":
            about = f"{criterion.about}; of a collective operation the time of the whole"
            return replace(gbit, about=about, of=_completion_over_ethernet)
    return gbit


OF_LINK_LAYERS: dict[str, tuple[Criterion, ...]] = {
    "atm": CRITERIA,
    "ethernet": tuple(map(_over_ethernet, CRITERIA)),
}
"""The criteria of runs over each link layer."""


RISE = Criterion(
    "rise",
    "growth of the utilisation within the measuring window",
    "",
    "least",
    BAND,
    relative=False,
    of=lambda summary: float(summary["rise"]),
)
"""A criterion of `choose` alone: a control whose rate still rises has no steady state yet."""


@dataclass(frozen=True)
class Measures:
    """The value of every criterion in one run; None where the run has no such value.

    Attributes:
        seed: Seed of the run.
        values: The values by the names of the criteria.
        digest: Hash of all events of the run.
        settling_seconds: Time from the last start of a flow until the bottleneck's utilisation has
            settled; infinite if it does not settle; None if the run does not trace it.
        warnings: Messages of the run's warnings, by their codes.
        acts: Number of packets that queue management dropped or marked during the measuring window;
            over ATM 0.
    """

    seed: int
    values: Mapping[str, float | None]
    digest: str = ""
    settling_seconds: float | None = None
    warnings: Mapping[str, str] = field(default_factory=dict)
    acts: int = 0

    @property
    def locked(self) -> bool:
        """True if TCP sources ran in step (warning `phases-locked`)."""
        return LOCKED in self.warnings

    @classmethod
    def of(
        cls, outcome: _core.Outcome, ports: Collection[str], more: Collection[Criterion] = ()
    ) -> Measures:
        """The measures of a run.

        Args:
            outcome: The run.
            ports: Names of the bottleneck ports.
            more: Criteria besides those of the link layer.
        """
        summary = json.loads(outcome.summary())
        bottleneck = [port for port in summary["ports"] if port["name"] in ports]
        seen = {**summary, "ports": bottleneck, ALL_PORTS: summary["ports"]}
        if RISE in more:
            seen[RISE.name] = rise(outcome, summary, ports)
        link_layer = summary.get("link_layer", "atm")
        criteria = (*OF_LINK_LAYERS[link_layer], *more)
        values = {criterion.name: criterion.of(seen) for criterion in criteria}
        settling = settling_seconds(outcome, summary, ports)
        warnings = {warning["code"]: warning["message"] for warning in summary["warnings"]}
        framed = summary["ports"] if link_layer == "ethernet" else ()
        queues = [queue for port in framed for queue in port["queues"]]
        acts = sum(queue["packets_dropped_early"] + queue["packets_marked"] for queue in queues)
        return cls(summary["seed"], values, summary["digest"], settling, warnings, acts)


def bottleneck(network: Network | FrameNetwork) -> frozenset[str]:
    """Names of the ports that can be overloaded; of all ports if there is no such port."""
    if isinstance(network, FrameNetwork):
        return frozenset(line.name for line in network.bottlenecks or network.ports)
    ports = overloaded_ports(network) or network.ports
    return frozenset(port.name for port in ports)
