"""Time constants of the control, and whether it can oscillate."""

from __future__ import annotations

from collections.abc import Iterator

from cellrate.explain.statement import NotSaid, Said, Statement
from cellrate.explain.subject import Subject
from cellrate.network.parts import Parameters
from cellrate.sizing.formulas import Situation
from cellrate.sizing.formulas.fluid import DoesNotApply, loop_of
from cellrate.sizing.words import seconds
from cellrate.theory import AssumptionError, pipe_cells, round_trips_to_fill
from cellrate.theory.efci import clips, limit_cycle

TIME = "time constants"
OSCILLATION = "oscillation"


def statements(subject: Subject) -> Iterator[Said]:
    """How fast the control of every port that can be overloaded is, and what it does."""
    for situation in subject.bottlenecks:
        yield from _filling(situation)
        yield from _timeout(situation)
        if situation.switch.scheme == "erica" and situation.abr:
            yield from _erica(situation)
        elif situation.switch.scheme == "efci" and situation.abr:
            yield from _efci(situation)
        elif situation.elastic:
            yield _uncontrolled(situation)


def _filling(situation: Situation) -> Iterator[Said]:
    tcp = [flow.tcp for flow in situation.elastic if flow.tcp is not None]
    if not tcp or not situation.round_trips_seconds:
        return
    trip = situation.round_trips_seconds[-1]
    pipe = float(pipe_cells(situation.port.bits_per_second, trip))
    try:
        trips = float(round_trips_to_fill(pipe, float(tcp[0].segment_cells), float(len(tcp))))
    except AssumptionError as error:
        what = f"{situation.port.name}: round trips until slow start fills the pipe"
        yield NotSaid(TIME, what, str(error), "round-trips-to-fill")
        return
    fails = ["all sources start together"] if _starts_apart(situation, trip) else []
    if situation.has_unequal_round_trips:
        fails.append("round trips are equal: the longest is taken")
    yield Statement(
        TIME,
        f"{situation.port.name}: slow start fills the pipe in {max(trips, 1.0):.1f} round trips, "
        f"{seconds(max(trips, 1.0) * trip)}.",
        {
            "port": situation.port.name,
            "fill_round_trips": max(trips, 1.0),
            "pipe_cells": pipe,
            "segment_cells": tcp[0].segment_cells,
            "sources": len(tcp),
        },
        "round-trips-to-fill",
        tuple(fails),
    )


def _starts_apart(situation: Situation, trip: float) -> bool:
    starts = [flow.start_seconds for flow in situation.elastic]
    return max(starts) - min(starts) > trip


def _timeout(situation: Situation) -> Iterator[Said]:
    timers = [
        flow.tcp.parameters["min_rto_seconds"] for flow in situation.elastic if flow.tcp is not None
    ]
    trips = situation.round_trips_seconds
    if not timers or not trips:
        return
    least, trip = min(timers), trips[-1]
    room = max(0.0, least - trip) * situation.capacity_cells_per_second
    text = (
        f"{situation.port.name}: the least retransmission timeout, {seconds(least)}, is reached "
        f"by a queue that grows by {room:,.0f} cells within a round trip."
        if room > 0
        else f"{situation.port.name}: the least retransmission timeout, {seconds(least)}, is no "
        f"longer than the round trip of {seconds(trip)}: only measured round trips keep it up."
    )
    yield Statement(
        TIME,
        text,
        {
            "port": situation.port.name,
            "least_timeout_seconds": least,
            "round_trip_seconds": trip,
            "queue_room_cells": room,
        },
    )


def _erica(situation: Situation) -> Iterator[Said]:
    control, port = situation.switch.control, situation.port
    interval = min(control["interval_seconds"], control["interval_cells"] / port.cells_per_second)
    feedback = situation.feedback_delays_seconds[-1]
    slower = "slower" if interval > feedback else "faster"
    yield Statement(
        TIME,
        f"{port.name}: ERICA measures for {seconds(interval)} under full load, {slower} than its "
        f"feedback acts, {seconds(feedback)}.",
        {
            "port": port.name,
            "interval_seconds": interval,
            "feedback_delay_seconds": feedback,
        },
    )
    background = [flow.source for flow in situation.others if flow.kind == "on-off"]
    if not background:
        trip = situation.round_trips_seconds[-1] if situation.round_trips_seconds else feedback
        yield Statement(
            OSCILLATION,
            f"{port.name}: none of its own: explicit rates settle in about two round trips, "
            f"{seconds(2 * trip)}.",
            {"port": port.name, "oscillates": False, "settling_seconds": 2 * trip},
        )
        return
    for source in background:
        yield _follows_background(situation, source, interval, feedback)


def _follows_background(
    situation: Situation, source: Parameters, interval: float, feedback: float
) -> Statement:
    """What Kalyanaraman 97 section 8.16.1 says of ON and OFF times against the feedback delay."""
    period = source["period_seconds"]
    on, off = period * source["duty_cycle"], period * (1 - source["duty_cycle"])
    may_diverge = interval < off < feedback and on < feedback
    how = (
        f"high rates of its OFF time of {seconds(off)} arrive in the ON time, {seconds(feedback)} "
        f"later, and that is over before it is corrected: queues may grow without end"
        if may_diverge
        else f"rates follow with a delay of {seconds(feedback)}"
    )
    return Statement(
        OSCILLATION,
        f"{situation.port.name}: with the background's period of {seconds(period)}: {how}.",
        {
            "port": situation.port.name,
            "oscillates": True,
            "period_seconds": period,
            "on_seconds": on,
            "off_seconds": off,
            "feedback_delay_seconds": feedback,
            "may_diverge": may_diverge,
        },
    )


def _efci(situation: Situation) -> Iterator[Said]:
    port, what = situation.port, f"{situation.port.name}: the limit cycle"
    try:
        loop = loop_of(situation)
        cycle = limit_cycle(loop)
    except (AssumptionError, DoesNotApply) as error:
        yield NotSaid(OSCILLATION, what, str(error), "efci-cycle")
        return
    heard = float(loop.n) * _nrm(situation) / float(loop.bw)
    yield Statement(
        TIME,
        f"{port.name}: each source hears of the queue every {seconds(heard)} (N Nrm / BW), and "
        f"marks take a round trip of {seconds(float(loop.tau))}.",
        {"port": port.name, "rm_interval_seconds": heard, "round_trip_seconds": float(loop.tau)},
    )
    fails = [*(["ACR stays within MCR and PCR"] if bool(clips(loop, cycle)) else [])]
    if situation.has_unequal_round_trips:
        fails.append("round trips are equal: the longest is taken")
    if situation.has_other_bottlenecks:
        fails.append("there is one bottleneck")
    ends = "and is empty in between" if cycle.empties else "and never empty"
    yield Statement(
        OSCILLATION,
        f"{port.name}: always: the queue swings between {cycle.minimum_queue_cells:,.0f} and "
        f"{cycle.maximum_queue_cells:,.0f} cells every {seconds(cycle.period_seconds)}, {ends}; "
        f"the link is used to {cycle.utilisation:.1%}.",
        {
            "port": port.name,
            "oscillates": True,
            "period_seconds": cycle.period_seconds,
            "amplitude_cells": cycle.amplitude_cells,
            "minimum_queue_cells": cycle.minimum_queue_cells,
            "maximum_queue_cells": cycle.maximum_queue_cells,
            "maximum_acr_cells_per_second": cycle.maximum_acr_cells_per_second,
            "minimum_acr_cells_per_second": cycle.minimum_acr_cells_per_second,
            "utilisation": cycle.utilisation,
        },
        "efci-cycle",
        tuple(fails),
    )


def _nrm(situation: Situation) -> int:
    """Nrm of the ABR flows, which are alike where there is a loop."""
    return next(flow.abr.nrm for flow in situation.abr if flow.abr is not None)


def _uncontrolled(situation: Situation) -> Statement:
    port = situation.port
    if situation.abr:
        text = "none of the switch: it controls no rates, and ACR rises to PCR"
    elif all(flow.tcp is not None for flow in situation.elastic):
        text = "that of TCP: windows grow until a cell is lost or the receive window is full"
    else:
        text = "none: nothing holds the sources back"
    return Statement(
        OSCILLATION, f"{port.name}: {text}.", {"port": port.name, "oscillates": "only by loss"}
    )
