"""Upper bounds of TCP throughput after headers, padding and RM cells; limits by TCP windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement, Value
from cellrate.advice.explain.shares import unfair
from cellrate.advice.explain.subject import Subject
from cellrate.common.numbers import seconds
from cellrate.simulation.network import Abr, Flow, Tcp
from cellrate.theory import peak_throughput_bits_per_second
from cellrate.theory.cell_conversions import CELL_BITS

TOPIC = "TCP throughput"
FORMULA = "peak-throughput"
# Background may start after this share of the run without being mentioned.
LATE = 0.01


def statements(subject: Subject) -> Iterator[Prediction]:
    """Statements on the bound of every group over TCP, and on that of all groups together."""
    groups = {
        name: flows
        for name, flows in subject.elastic_groups.items()
        if len(_over_tcp(flows)) == len(flows)
    }
    shares = subject.shares_or_reason()
    if not groups:
        yield NoStatement(TOPIC, "TCP throughput", "no elastic flow runs over TCP", FORMULA)
        return
    if isinstance(shares, str):
        yield NoStatement(TOPIC, "TCP throughput", shares, FORMULA)
        return
    total = 0.0
    fails: dict[str, None] = {}
    # The total over one link does not depend on its division among flows; over several it does.
    several = len({shares.bottlenecks[f.name] for flows in groups.values() for f in flows}) > 1
    for name, flows in groups.items():
        tcps = _over_tcp(flows)
        peaks = [
            _peak(tcp, flow.abr, shares.rates[flow.name] * CELL_BITS)
            for tcp, flow in zip(tcps, flows, strict=True)
        ]
        total += sum(peaks)
        common = [*_overshoots(flows), *_late(subject, flows)]
        skewed = unfair(subject, flows)
        fails |= dict.fromkeys(common + (skewed if several else []))
        yield _group(name, (tcps[0], flows[0].abr), peaks, common + skewed)
        yield _window(name, flows, peaks)
    yield Statement(
        TOPIC,
        f"All together at most {total / 1e6:.2f} Mbit/s of TCP payload.",
        {"total_throughput_bits_per_second": total},
        FORMULA,
        tuple(fails),
    )


def _over_tcp(flows: Sequence[Flow]) -> list[Tcp]:
    """The TCP parameters of the flows that use TCP."""
    return [flow.tcp for flow in flows if flow.tcp is not None]


def _peak(tcp: Tcp, abr: Abr | None, share_bits_per_second: float) -> float:
    """Payload rate at a share: all segments full and padded, one of Nrm cells an RM cell."""
    return float(
        peak_throughput_bits_per_second(
            share_bits_per_second,
            tcp.mss_bytes,
            overhead_bytes=tcp.overhead_bytes,
            nrm=0 if abr is None else abr.nrm,
        )
    )


def _overshoots(flows: Sequence[Flow]) -> list[str]:
    """Assumption that fails if switches may allocate more than their target."""
    switches = {link.switch for flow in flows if flow.abr for link in flow.forward if link.is_port}
    deltas = [s.control["delta"] for s in switches if s.control.get("max_alloc")]
    if not deltas:
        return []
    most = f"up to {1 + max(deltas):g} times the target counts as no overload"
    return [f"loads come down to the target: with `max_alloc` {most}"]


def _late(subject: Subject, flows: Sequence[Flow]) -> list[str]:
    """Assumption that fails for background that starts late, although its mean is subtracted."""
    met = (one for one in subject.bottlenecks if any(one.port in flow.forward for flow in flows))
    others = {other.group: other.start_seconds for one in met for other in one.others}
    soon = LATE * subject.network.duration_seconds
    return [
        f"background is there from the start: {group} comes after {seconds(start)}"
        for group, start in others.items()
        if start > soon
    ]


def _group(
    name: str, ends: tuple[Tcp, Abr | None], peaks: Sequence[float], fails: Sequence[str]
) -> Statement:
    tcp, abr = ends
    rm = f" and one of {abr.nrm} is an RM cell" if abr is not None else ""
    shown = f"{min(peaks) / 1e6:.2f}"
    if max(peaks) > min(peaks):
        shown += f" to {max(peaks) / 1e6:.2f}"
    return Statement(
        TOPIC,
        f"{name}: at most {shown} Mbit/s each: a segment of {tcp.mss_bytes:,} bytes takes "
        f"{tcp.segment_cells} cells{rm}.",
        {
            "group": name,
            "least_throughput_bits_per_second": min(peaks),
            "greatest_throughput_bits_per_second": max(peaks),
            "segment_cells": tcp.segment_cells,
        },
        FORMULA,
        tuple(fails),
    )


def _window(name: str, flows: Sequence[Flow], peaks: Sequence[float]) -> Statement:
    """Statement on the window: it may limit a flow even while queues are empty."""
    windows = [tcp.window_bytes // tcp.mss_bytes * tcp.mss_bytes * 8 for tcp in _over_tcp(flows)]
    trips = [flow.propagation_round_trip_seconds or 0.0 for flow in flows]
    # Windows in bits that the share needs.
    needed = [peak * trip for peak, trip in zip(peaks, trips, strict=True)]
    limited = sum(window < need for window, need in zip(windows, needed, strict=True))
    values: dict[str, Value] = {
        "group": name,
        "window_bytes": windows[0] // 8,
        "needed_window_bytes": max(needed) / 8,
        "window_limited_flows": limited,
    }
    longest = seconds(max(trips))
    if limited:
        rate = min(w / t for w, t in zip(windows, trips, strict=True) if t > 0)
        values["window_limit_bits_per_second"] = rate
        text = (
            f"{name}: {limited} of {len(flows)} are limited by their windows: "
            f"{windows[0] // 8:,} bytes in a round trip of {longest} are {rate / 1e6:.2f} Mbit/s."
        )
    else:
        text = (
            f"{name}: windows limit no flow: the share needs {max(needed) / 8:,.0f} bytes in "
            f"{longest}, and whole segments of the window hold {windows[0] // 8:,}."
        )
    return Statement(TOPIC, text, values)
