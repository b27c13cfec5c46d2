"""Queues and shares at which DCTCP, DCQCN, HPCC and TIMELY settle at a port over Ethernet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement
from cellrate.advice.explain.ethernet_losses import reacts_to_marks
from cellrate.advice.explain.ethernet_shares import gbit
from cellrate.advice.formulas.frame_bounds import FrameBounds, outstanding_bytes
from cellrate.simulation.network.ethernet_view import GAP_BYTES, FrameNetwork, Line
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.dcqcn import dcqcn_mark_probability, dcqcn_queue_bytes
from cellrate.theory.dctcp import greatest_queue_packets, queue_swing_packets
from cellrate.theory.hpcc import hpcc_line_share, hpcc_queue_bytes
from cellrate.theory.timely import timely_queue_bytes

SAME = 1.1
"""Greatest ratio of round trips that count as equal."""


def settled(bounds: FrameBounds, port: Line) -> Iterator[Prediction]:
    """Statements on the steady state of a bottleneck, by the control of its flows."""
    yield from _by_dctcp(bounds, port)
    yield from _by_dcqcn(bounds, port)
    yield from _by_hpcc(bounds, port)
    yield from _by_timely(bounds, port)


def _loses_nothing(bounds: FrameBounds, port: Line) -> bool:
    """True if no run loses a packet at a port. After losses go-back-N may fill the line."""
    return bounds.loses_nothing_at(port) or bounds.is_endless(port)


def _common(network: FrameNetwork, port: Line) -> dict[str, bool]:
    """Assumptions of every control's steady state, each with the answer whether it holds."""
    flows = network.over[port]
    return {
        "the port is the only bottleneck of its flows": not any(
            other is not port and set(network.over[other]) & set(flows)
            for other in network.bottlenecks
        ),
        "all flows are in one queue": len({network.queue(flow.priority) for flow in flows}) == 1,
        "all packets have one size": len({flow.line_bytes for flow in flows}) == 1,
        "neither pauses nor credits of links hold frames back": network.lossless is None,
    }


def _by_dctcp(bounds: FrameBounds, port: Line) -> Iterator[Prediction]:
    """Statements on longest and shortest queue of DCTCP in steady state, with the assumptions."""
    flows = bounds.network.over[port]
    aqm = port.switch["aqm"] if port.switch is not None else {}
    if aqm.get("algorithm") != "threshold":
        return
    if not any(flow.recovery == "dctcp" for flow in flows):
        if any(map(reacts_to_marks, flows)):
            reason = "the formula is DCTCP's, which reduces windows by the share of marks"
            yield NoStatement("queue", f"{port.name}: queue under marks", reason, "dctcp-queue")
        return
    number, _, unit = str(aqm["k"]).partition(" ")
    marks, count, longest = float(number), len(flows), max(flow.line_bytes for flow in flows)
    if unit != "packets":
        marks /= max(flow.frame_bytes for flow in flows)
    trips = [flow.least_round_trip_seconds for flow in flows]
    path = port.bits_per_second * max(trips) / 8 / longest
    top = float(greatest_queue_packets(count, marks))
    swing = float(queue_swing_packets(count, marks, path))
    low = max(0.0, top - swing)
    held = {flow: outstanding_bytes(flow) // flow.payload_bytes for flow in flows}
    assumed = {
        "all flows run DCTCP": all(flow.recovery == "dctcp" for flow in flows),
        "all flows have data without end": all(flow.kind == "greedy" for flow in flows),
        "all flows have the same round trip": max(trips) <= SAME * min(trips),
        "acknowledgements wait behind no data": not any(
            line in bounds.network.bottlenecks for flow in flows for line in flow.lines_back
        ),
        "each flow takes one path": not any(flow.is_sprayed for flow in flows),
        "windows do not limit the flows": min(held.values()) * count > path + top,
        "each window has two segments or more": path + marks - swing >= 2 * count,
        "K is above a seventh of the path's packets (equation 13)": marks > path / 7,
        **_common(bounds.network, port),
        "no buffer is full": top * longest <= port.buffer_bytes,
    }
    yield Statement(
        "queue",
        f"{port.name}: in the steady state the queue swings under DCTCP from {low:,.0f} to "
        f"{top:,.0f} packets, if all its flows see marks at once.",
        {
            "port": port.name,
            "dctcp_queue_most_packets": top,
            "dctcp_queue_least_packets": low,
            "path_packets": path,
        },
        "dctcp-queue",
        tuple(text for text, holds in assumed.items() if not holds),
        "prediction",
    )


def _by_dcqcn(bounds: FrameBounds, port: Line) -> Iterator[Prediction]:
    """Statement on the fixed point of DCQCN's fluid model, if one control and RED mark the port."""
    network, flows = bounds.network, bounds.network.over[port]
    aqm = port.switch["aqm"] if port.switch is not None else {}
    controls = [flow.roce["control"] if flow.roce is not None else {} for flow in flows]
    if aqm.get("algorithm") != "red" or not flows or controls[0].get("algorithm") != "dcqcn":
        return
    control, octets = controls[0], max(flow.line_bytes for flow in flows)
    limits = [str(aqm[key]).partition(" ") for key in ("min", "max")]
    k_min, k_max = (
        float(number) * (octets if unit == "packets" else 1) for number, _, unit in limits
    )
    assumed = {
        "all flows run DCQCN with the same parameters and data without end": all(
            flow.kind == "greedy" and other == control
            for flow, other in zip(flows, controls, strict=True)
        ),
        "RED marks by the queue itself, each packet for itself": aqm["weight"] == 1
        and aqm["spacing"] == "geometric"
        and aqm["ecn"]
        and not aqm["gentle"],
        **_common(network, port),
        "no increase is a hyper increase": control["r_hai_bits_per_second"] is None,
        "no packet is lost": _loses_nothing(bounds, port),
    }
    model: dict[str, Any] = {
        "increase_bits_per_second": control["r_ai_bits_per_second"],
        "kmin_bytes": k_min,
        "kmax_bytes": k_max,
        "p_max": aqm["max_p"],
        "cnp_interval_seconds": control["tau_seconds"],
        "alpha_interval_seconds": control["tau_alpha_seconds"],
        "increase_interval_seconds": control["t_seconds"],
        "counter_bytes": control["b_bytes"],
        "recovery_events": control["f"],
        "gain": control["g"],
        "packet_bytes": octets,
    }
    formula, name = "dcqcn-fixed-point", f"{port.name}: queue of DCQCN in the steady state"
    try:
        marks = float(dcqcn_mark_probability(len(flows), port.bits_per_second, **model))
        queue = float(dcqcn_queue_bytes(len(flows), port.bits_per_second, **model))
    except AssumptionError as error:
        yield NoStatement("queue", name, f"the fluid model has no fixed point: {error}", formula)
        return
    yield Statement(
        "queue",
        f"{port.name}: in the steady state the queue under DCQCN stands near {queue:,.0f} bytes, "
        f"where {marks:.3%} of packets are marked, and each flow has "
        f"{gbit(port.bits_per_second / len(flows))} of the line. With packets it is longer, since "
        "a flow has no CNP within tau of its last.",
        {"port": port.name, "dcqcn_queue_bytes": queue, "dcqcn_mark_probability": marks},
        formula,
        tuple(text for text, holds in assumed.items() if not holds),
        "prediction",
    )


def _by_hpcc(bounds: FrameBounds, port: Line) -> Iterator[Prediction]:
    """Statement on the steady state of HPCC, if a flow over the port has it."""
    network, flows = bounds.network, bounds.network.over[port]
    controls = [flow.roce["control"] if flow.roce is not None else {} for flow in flows]
    told = [control for control in controls if control.get("algorithm") == "hpcc"]
    if not told:
        return
    control = told[0]
    trips = [flow.least_round_trip_seconds for flow in flows]
    base = control["t_seconds"] or max(trips)
    # Each flow begins with a window of a line times T, and never has a longer one.
    windows = sum(flow.hops[0][0].bits_per_second * base / 8 + flow.line_bytes for flow in flows)
    assumed = {
        "all flows run HPCC with the same parameters and data without end": all(
            flow.kind == "greedy" and other == control
            for flow, other in zip(flows, controls, strict=True)
        ),
        "all flows have the same round trip, which is T": max(trips) <= SAME * min(trips)
        and max(base, max(trips)) <= SAME * min(base, max(trips)),
        **_common(network, port),
        "no packet is lost": _loses_nothing(bounds, port) or windows <= port.buffer_bytes,
    }
    law: dict[str, Any] = {
        "base_round_trip_seconds": base,
        "increase_bytes": control["w_ai_bytes"],
        "target": control["eta"],
    }
    share = float(hpcc_line_share(len(flows), port.bits_per_second, **law))
    queue = float(hpcc_queue_bytes(len(flows), port.bits_per_second, **law))
    stands = f"stands near {queue:,.0f} bytes and a few frames" if queue else "has a few frames"
    yield Statement(
        "queue",
        f"{port.name}: in the steady state HPCC uses {share:.2%} of the line, each flow has "
        f"{gbit(share * port.bits_per_second / len(flows))} of it, and the queue {stands}.",
        {"port": port.name, "hpcc_line_share": share, "hpcc_queue_bytes": queue},
        "hpcc-steady-state",
        tuple(text for text, holds in assumed.items() if not holds),
        "prediction",
    )


def _by_timely(bounds: FrameBounds, port: Line) -> Iterator[Prediction]:
    """Statement on the fixed point of patched TIMELY, or that the original has none."""
    network, flows = bounds.network, bounds.network.over[port]
    controls = [flow.roce["control"] if flow.roce is not None else {} for flow in flows]
    timed = [control for control in controls if control.get("algorithm") == "timely"]
    if not timed:
        return
    control, formula = timed[0], "timely-phase-margin"
    name = f"{port.name}: queue of TIMELY in the steady state"
    if not control["patched"]:
        reason = "TIMELY has no fixed point, or infinitely many; `patched` has one"
        yield NoStatement("queue", name, reason, formula)
        return
    lines = {flow.hops[0][0].bits_per_second for flow in flows}
    trips = [flow.least_round_trip_seconds for flow in flows]
    line, trip = max(lines), max(trips)
    # A round trip begins with the last bit of a packet.
    base = trip - 8 * (max(flow.line_bytes for flow in flows) - GAP_BYTES) / line
    law: dict[str, Any] = {
        "increase_bits_per_second": control["delta_bits_per_second"] or line / 1000,
        "beta": control["beta"] or 0.008,
        "low_seconds": control["t_low_seconds"],
        "high_seconds": control["t_high_seconds"],
    }
    try:
        filled = float(timely_queue_bytes(len(flows), port.bits_per_second, **law))
    except AssumptionError as error:
        yield NoStatement("queue", name, f"the fluid model has no fixed point: {error}", formula)
        return
    start = {"start_bits_per_second": None}
    queue = filled - base * port.bits_per_second / 8
    assumed = {
        "all flows run patched TIMELY with the same parameters and data without end": all(
            flow.kind == "greedy" and {**other, **start} == {**control, **start}
            for flow, other in zip(flows, controls, strict=True)
        ),
        "the lines of all sources have one rate": len(lines) == 1,
        "all flows have the same round trip": max(trips) <= SAME * min(trips),
        "T_low is above the least round trip": control["t_low_seconds"] > trip,
        **_common(network, port),
        "no packet is lost": _loses_nothing(bounds, port),
    }
    yield Statement(
        "queue",
        f"{port.name}: in the steady state the queue under patched TIMELY stands near "
        f"{queue:,.0f} bytes, and each flow has {gbit(port.bits_per_second / len(flows))} of the "
        "line.",
        {"port": port.name, "timely_queue_bytes": queue},
        formula,
        tuple(text for text, holds in assumed.items() if not holds),
        "prediction",
    )
