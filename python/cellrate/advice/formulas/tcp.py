"""Buffers for TCP: the buffer law over ABR with ERICA, and the sum of the windows over UBR."""

from __future__ import annotations

import math

from cellrate.advice.formulas.situation import (
    EQUAL,
    DoesNotApply,
    PortFormula,
    Result,
    Situation,
    full_load_interval_seconds,
)
from cellrate.simulation.network import Switch
from cellrate.theory import tcp_over_abr

# Share of the buffer up to which the first window of each source counts as small.
SMALL = 0.1
# Sources for which section 8.14.2 item 4 derives the law. ERICA divides all rates by the load, and
# has two round trips, with loads of 2 and 3. So it brings the rates of 6 sources from the link's
# rate down to their shares.
DERIVED = round(math.prod(tcp_over_abr.load_per_cycle(1.0, 3)))
# Most sources of Tables 8.2 to 8.6, whose target utilisation is 0.9 (section 8.6), and whose
# initial rates together are less than the link.
TABLED, TABLED_TARGET = 15, 0.9
# Share of the round trip above which an averaging interval counts as long.
LONG = 0.5


def _buffer_law(situation: Situation) -> Result:
    """Applies the law of Kalyanaraman 1997, section 8.14, to the port."""
    if situation.switch.scheme != "erica":
        raise DoesNotApply(
            f"the coefficients are those of ERICA, but the port uses `{situation.switch.scheme}`"
        )
    if not situation.abr:
        raise DoesNotApply("no elastic ABR flow crosses the port")
    if situation.split:
        raise DoesNotApply(situation.split)
    given = {
        "round_trip_seconds": situation.round_trips_seconds[-1],
        "interval_seconds": full_load_interval_seconds(situation),
        "feedback_delay_seconds": situation.feedback_delays_seconds[-1],
        "link_cells_per_second": situation.port.cells_per_second,
    }
    cells = float(tcp_over_abr.buffer_law_cells(**given))
    return Result(cells, given, tuple(_law_fails(situation, cells)))


def _law_fails(situation: Situation, cells: float) -> list[str]:
    fails = _law_fails_of_sources(situation, cells)
    most = _load_without_overload(situation.switch)
    if most >= 1:
        fails.append(
            f"queues empty again, but the switch counts up to {most:.3g} of the link as no overload"
        )
    if len(situation.abr) < len(situation.elastic):
        fails.append(
            "all elastic flows are ABR, but here some are not, and nothing limits their rates"
        )
    interval = full_load_interval_seconds(situation)
    if interval > LONG * situation.round_trips_seconds[-1]:
        fails.append(
            "the averaging interval is short compared with the round trip; in local networks Table "
            "8.4 has queues of up to four times the law"
        )
    if situation.has_varying_background:
        fails.append(
            "the capacity for ABR is constant, but the background varies: then section 8.14.2 asks "
            "for a buffer of at least 5 RTT, and the queue may grow without end"
        )
    if situation.is_two_way:
        fails.append(
            "data go one way, but here both: then section 8.14.2 asks for a buffer of at least 5 "
            "RTT"
        )
    if situation.has_other_bottlenecks:
        fails.append("there is one bottleneck")
    if _mcr_exceeds_a_share(situation):
        fails.append(
            "ABR rates fit the capacity, but ERICA gives shares as if there were no MCR, and here "
            "an MCR exceeds an equal share"
        )
    return fails


def _mcr_exceeds_a_share(situation: Situation) -> bool:
    """True if an MCR may exceed the share that ERICA gives each channel of the port."""
    target = float(situation.switch.control["target_utilisation"])
    share = target * situation.capacity_cells_per_second / len(situation.elastic)
    return any(flow.abr and flow.abr.mcr_cells_per_second > share for flow in situation.abr)


def _law_fails_of_sources(situation: Situation, cells: float) -> list[str]:
    fails = []
    if any(flow.tcp is None for flow in situation.abr):
        fails.append("the sources run over TCP, whose load doubles in a round trip at most")
    if any(flow.kind == "transfer" for flow in situation.abr):
        fails.append("the sources send without end, but transfers that end and begin may coincide")
    if many := _too_many_sources(situation):
        fails.append(f"few sources share the port: {many}")
    first = sum(flow.tcp.first_window_cells for flow in situation.abr if flow.tcp is not None)
    if first > SMALL * cells:
        fails.append(
            f"the first windows of all sources, {first:,} cells, are small compared with the buffer"
        )
    return fails


def _too_many_sources(situation: Situation) -> str:
    """Reason why the law is not known to hold for so many sources; empty if it is known to hold."""
    count, link = len(situation.abr), situation.port.cells_per_second
    if count <= DERIVED:
        return ""
    most = _load_without_overload(situation.switch)
    initial = sum(flow.abr.icr_cells_per_second for flow in situation.abr if flow.abr is not None)
    if count > TABLED:
        limit, condition = TABLED, ""
    elif most > TABLED_TARGET * (1 + EQUAL):
        condition = f" where the switch counts up to {most:.3g} of the link as no overload"
        limit = DERIVED
    elif initial > link * (1 + EQUAL):
        condition = f" where their ICRs add up to {initial / link:.3g} times the link"
        limit = DERIVED
    else:
        return ""
    return f"the law is known to hold for up to {limit}{condition}, but here are {count}"


def _load_without_overload(switch: Switch) -> float:
    """Greatest input, as a share of the link, under which ERICA equalises rates upwards.

    That is the target utilisation, times 1 + delta with `max_alloc` (ERICA's step for fairness).
    """
    control = switch.control
    slack = float(control["delta"]) if control["max_alloc"] else 0.0
    return (1 + slack) * float(control["target_utilisation"])


def _window_sum(situation: Situation) -> Result:
    """The sum of the windows of the flows over the port (Kalyanaraman 1997, 8.14 and 8.15.5)."""
    if not situation.elastic:
        raise DoesNotApply("no TCP flow crosses the port")
    windows = [flow.tcp for flow in situation.elastic if flow.tcp is not None]
    if len(windows) < len(situation.elastic):
        raise DoesNotApply(
            "sources without TCP have no window, so nothing bounds their outstanding cells"
        )
    cells = float(sum(tcp.window_cells for tcp in windows))
    given = {"sources": float(len(windows))}
    kinds = {(tcp.window_bytes, tcp.mss_bytes, tcp.overhead_bytes) for tcp in windows}
    if len(kinds) == 1:
        names = ("window_bytes", "segment_bytes", "overhead_bytes")
        given |= dict(zip(names, map(float, kinds.pop()), strict=True))
    return Result(cells, given, tuple(_sum_fails(situation, cells)))


def _sum_fails(situation: Situation, cells: float) -> list[str]:
    fails = []
    left = situation.capacity_cells_per_second
    if left <= 0:
        fails.append("background leaves TCP a part of the link")
    else:
        soonest = min(f.tcp.parameters["min_rto_seconds"] for f in situation.elastic if f.tcp)
        if cells / left > soonest:
            fails.append(
                f"nothing is sent twice: a full queue takes {cells / left:.3g} s, longer than the "
                f"least retransmission timeout of {soonest:.3g} s"
            )
    if situation.sharing():
        names = ", ".join(flow.name for flow in situation.sharing())
        fails.append(f"only TCP uses the queue, but {names} use it, too")
    return fails


def beside_windows(situation: Situation) -> int:
    """Most RM cells and acknowledgements in the queue beside all windows of data.

    One of Nrm cells that a source sends is an RM cell (TM 4.0), with one more at either end of a
    window. A flow in the other direction has an acknowledgement for each outstanding segment.
    """
    switch, port = situation.switch, situation.port
    against = [
        flow
        for flow in situation.network.flows
        if port in flow.backward and switch.queue_of(flow.ack_service) == situation.queue
    ]
    found = 0
    for flow in (*situation.elastic, *against):
        window = 0 if flow.tcp is None else flow.tcp.window_cells
        if flow.abr is not None:
            found += window // (flow.abr.nrm - 1) + 2
    for flow in against:
        if flow.tcp is not None:
            segments = flow.tcp.window_cells // flow.tcp.segment_cells
            found += segments * flow.tcp.acknowledgement_cells
    return found


BUFFER_LAW = PortFormula(
    tcp_over_abr.BUFFER_LAW.name,
    "lossless buffer of TCP over ABR: a RTT + b interval + c feedback delay",
    tcp_over_abr.BUFFER_LAW.source,
    _buffer_law,
)
WINDOW_SUM = PortFormula(
    tcp_over_abr.WINDOW_SUM.name,
    "all TCP windows in one queue, without retransmissions",
    tcp_over_abr.WINDOW_SUM.source,
    _window_sum,
    holds_under_credit=True,
)
