"""Losses at a port over Ethernet: none, some for certain, or possible ones with their reason."""

from __future__ import annotations

import math

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement
from cellrate.advice.explain.claims import Claim
from cellrate.advice.explain.datagram_losses import certain_loss
from cellrate.advice.explain.losses import CERTAIN
from cellrate.advice.formulas.frame_bounds import EARLY, FrameBounds
from cellrate.advice.roce_controls import ROCE_CONTROLS
from cellrate.common.numbers import seconds
from cellrate.simulation.network.ethernet_view import (
    FrameFlow,
    FrameNetwork,
    Line,
)

IN_TIME = {
    "pfc": "PFC pauses every priority in time",
    "cbfc": "CBFC sends a frame only if the next buffer has room for it",
}


def loss(bounds: FrameBounds, port: Line) -> Prediction:
    """Statement on the packets that a port loses: none, some for certain, or possibly some."""
    if bounds.loses_nothing_at(port) or bounds.is_endless(port):
        why = "all TCP windows together fit into the buffer"
        if bounds.is_endless(port):
            why = "the buffer has no limit"
        elif bounds.network.credit is not None:
            why = "a frame is sent only if the next buffer has room for it"
        elif bounds.network.lossless is not None:
            why = IN_TIME[bounds.network.lossless["by"]]
        return Statement(
            "loss",
            f"{port.name}: {CERTAIN['no'].format(unit='packet')}: {why}.",
            {"port": port.name, "expected": "no"},
            kind="bound",
            claims=(Claim("lost", port.name, "none", 0.0, "loss"),),
        )
    certain = certain_loss(bounds, port)
    if certain is not None:
        return Statement(
            "loss",
            f"{port.name}: {CERTAIN['yes'].format(unit='packet')}: {certain.why}.",
            {
                "port": port.name,
                "expected": "yes",
                "least_lost_share": certain.share,
                "least_lost_packets": certain.packets,
            },
            kind="bound",
            claims=(Claim("lost", port.name, "some", 0.0, "loss"),),
        )
    if port in bounds.network.bottlenecks:
        why = _why_lost(bounds, port)
    elif exceeds_at_peaks(bounds.network, port):
        why = _why_peaks_lose(bounds, port)
    else:
        reason = (
            "in the long run no more arrives than the line carries, and no formula here bounds "
            "the bursts that meet"
        )
        return NoStatement("loss", f"{port.name}: losses", reason)
    return Statement(
        "loss",
        f"{port.name}: losses are possible: {why}.",
        {"port": port.name, "expected": "possible"},
        kind="prediction",
    )


def _why_peaks_lose(bounds: FrameBounds, port: Line) -> str:
    """Reason why a port may lose datagrams that exceed its line at their peaks alone."""
    if bounds.network.lossless is not None:
        return str(bounds.network.lossless["loses"])
    room = f"the buffer has room for {port.buffer_bytes:,.0f} bytes"
    if math.isinf(port.buffer_bytes):
        room = "the memory of the switch is finite"
    return f"no formula here bounds the queue of datagrams at their peaks, and {room}"


def _why_lost(bounds: FrameBounds, port: Line) -> str:
    """Reason why a port may lose packets."""
    if bounds.network.lossless is not None:
        return str(bounds.network.lossless["loses"])
    if all(flow.is_unchecked for flow in bounds.network.over[port]):
        return "datagrams alone exceed the line in the long run"
    if any(flow.roce is not None for flow in bounds.network.over[port]):
        return _why_roce_loses(bounds, port)
    if bounds.may_drop(port):
        return _why_dropped(bounds, port)
    if bounds.fits(port):
        return _why_sent_twice(bounds, port)
    return "the TCP windows may exceed the buffer"


def _why_roce_loses(bounds: FrameBounds, port: Line) -> str:
    """Reason why a port may lose packets of flows over RoCE, or of other flows beside them."""
    controls = [flow.roce["control"] for flow in bounds.network.over[port] if flow.roce is not None]
    algorithms = {control["algorithm"] for control in controls}
    if algorithms == {"expresspass"} and len(controls) == len(bounds.network.over[port]):
        return "no formula here bounds the bursts that credits of ExpressPass let meet"
    if math.isinf(port.buffer_bytes):
        return _why_dropped(bounds, port)
    if port.switch is not None and port.switch["trim_priority"] is not None:
        return (
            "the queue of trimmed packets may be full, and packets that are not of RoCE are dropped"
        )
    if algorithms == {"rccc"} and len(controls) == len(bounds.network.over[port]):
        resends = {flow.roce["resend"] for flow in bounds.network.over[port] if flow.roce}
        again = "go-back-N sends again" if "go-back-n" in resends else "are sent after a timeout"
        return (
            "the first windows of receiver credits may exceed the buffer; later packets await "
            f"pulls, but those that {again} await none, so losses can go on"
        )
    if not all(ROCE_CONTROLS[name].has_window for name in algorithms):
        return "flows over RoCE have no windows"
    titles = sorted(ROCE_CONTROLS[name].title for name in algorithms)
    return f"the windows of {' and '.join(titles)} may exceed the buffer"


def _why_dropped(bounds: FrameBounds, port: Line) -> str:
    """Reason why the queue management of a port may drop packets."""
    flows = bounds.network.over[port]
    marked = any(reacts_to_marks(flow) for flow in flows)
    if port.switch is None or port.switch["aqm"]["algorithm"] != "threshold" or not marked:
        return "`switch.aqm` may drop packets"
    if not all(reacts_to_marks(flow) for flow in flows):
        return "above `switch.aqm.k` packets of flows without ECN are dropped"
    return (
        "the TCP windows may exceed the buffer; above `switch.aqm.k` packets that cannot carry "
        "marks are dropped: acknowledgements, and segments sent again"
    )


def reacts_to_marks(flow: FrameFlow) -> bool:
    """True if TCP reacts to marks."""
    return flow.tcp is not None and (flow.recovery == "dctcp" or flow.tcp.get("ecn") is True)


def _why_sent_twice(bounds: FrameBounds, port: Line) -> str:
    """Reason why a port whose buffer holds all windows may still lose packets."""
    if bounds.network.links_err:
        held = f"the windows fit, {bounds.windows_bytes(port):,.0f} bytes together"
        return f"{held}, but TCP sends segments again that bit errors lose"
    late = [flow for flow in bounds.network.flows if not bounds.is_in_time(flow)]
    longest = max(map(bounds.longest_trip_seconds, late), default=0.0)
    held = f"the windows fit, {bounds.windows_bytes(port):,.0f} bytes together"
    if not late:
        return f"{held}, but TCP sends segments again that other ports lose"
    if not math.isfinite(longest):
        return f"{held}, but a timer may expire early, and TCP then sends segments twice"
    least = min(flow.tcp["min_rto_seconds"] for flow in late if flow.tcp is not None)
    return (
        f"{held}, but with full queues an acknowledgement may take {seconds(longest)}. The least "
        f"timeout of {seconds(least)} is not {1 / EARLY:g} times as long: a timer may expire "
        f"early, and TCP then sends segments twice"
    )


def exceeds_at_peaks(network: FrameNetwork, port: Line) -> bool:
    """True if datagrams exceed the line at their peaks, and data do not in the long run."""
    peak = network.peak_of_datagrams(port)
    return peak > port.bits_per_second and port not in network.bottlenecks
