"""Longest feedback delays with which control schemes without exact rates keep their links full.

The other schemes that write rates (ERICA, FMMRA, Charny, UCSC, OSU, Phantom) have no limit here. In
runs with delays of up to 30 ms the predictions for them were no worse than their record.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from cellrate.advice.formulas import Situation
from cellrate.common.numbers import seconds
from cellrate.simulation.network import Flow

Rates = Mapping[Flow, float]


def feedback_too_late(situation: Situation, flows: Sequence[Flow], rates: Rates) -> str:
    """The assumption that fails if a link is not full because feedback comes too late; else empty.

    Args:
        situation: The port.
        flows: The flows whose rates the scheme of the port decides.
        rates: Their rates in cells/s, RM cells included, if the link is full.
    """
    limit = LIMITS.get(situation.switch.scheme)
    return limit(situation, flows, rates) if limit and flows else ""


def counts_everywhere(situation: Situation) -> bool:
    """True if sources subtract their cells on the way to the port, even if no queue is there."""
    rules = {flow.abr.parameters["rules"] for flow in situation.abr if flow.abr is not None}
    return situation.switch.scheme == "smith-predictor" and "smith-predictor" in rules


def _capc(situation: Situation, flows: Sequence[Flow], rates: Rates) -> str:
    """CAPC multiplies its rate in each interval, by about 1 + gain (1 - load).

    The gain is Rup or Rdn by the sign of the deviation, and the geometric mean of both over a
    cycle. A loop of an integrator with a delay is stable if gain times delay is below pi / 2. The
    delay includes the interval of the measurement and the time between a source's RM cells.
    """
    control = situation.switch.control
    interval, gain = control["interval_seconds"], math.sqrt(control["rup"] * control["rdn"])
    loop = interval + max(
        flow.feedback_delay_seconds(situation.port) + _between_rm_cells(flow, rates[flow])
        for flow in flows
    )
    if gain * loop <= math.pi / 2 * interval:
        return ""
    most = seconds(math.pi / 2 * interval / gain)
    return (
        f"the rates of `capc` at {situation.port.name} settle, for which a step must take effect "
        f"within {most}, but with its interval and RM cells a step takes {seconds(loop)}"
    )


def _by_queue(situation: Situation, flows: Sequence[Flow], _: Rates) -> str:
    """EPRCA and DMRCA raise rates once the queue is below QT, and then the link must not idle.

    The raised rates arrive a feedback delay later, after up to Nrm cells until the next RM cell.
    """
    port, control = situation.port, situation.switch.control
    delay = max(flow.feedback_delay_seconds(port) for flow in flows)
    cells = port.cells_per_second * delay + max(flow.abr.nrm for flow in flows if flow.abr)
    if cells <= control["qt_cells"]:
        return ""
    return (
        f"a queue of `qt` = {control['qt_cells']:,.0f} cells keeps {port.name} busy until a raised "
        f"rate of `{control['scheme']}` arrives, but by then the link sends {cells:,.0f} cells"
    )


def _smith(situation: Situation, flows: Sequence[Flow], rates: Rates) -> str:
    """A channel has X0 cells in the queue and on the way: X0 must be above r (RTD + tau)."""
    port, control = situation.port, situation.switch.control
    need = max(
        rates[flow] * (flow.feedback_delay_seconds(port) + control["time_constant_seconds"])
        for flow in flows
    )
    if need <= control["set_point_cells"]:
        return ""
    return (
        f"channels that keep to the `set_point` of {port.name} fill the link, but a channel needs "
        f"{need:,.0f} cells in its feedback delay and `time_constant`, and has "
        f"{control['set_point_cells']:,.0f}"
    )


def _between_rm_cells(flow: Flow, cells_per_second: float) -> float:
    """The time between two RM cells of a flow, at most Trm."""
    if flow.abr is None or not cells_per_second:
        return math.inf
    return min(flow.abr.nrm / cells_per_second, float(flow.abr.parameters["trm_seconds"]))


LIMITS: Mapping[str, Callable[[Situation, Sequence[Flow], Rates], str]] = {
    "capc": _capc,
    "dmrca": _by_queue,
    "eprca": _by_queue,
    "smith-predictor": _smith,
}
