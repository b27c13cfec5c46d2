"""Statements on round trips, feedback delays, the pipe, and time constants of TCP and control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement
from cellrate.advice.explain.own_classes import unknown_windows
from cellrate.advice.explain.subject import Subject
from cellrate.advice.formulas import Situation
from cellrate.advice.formulas.situation import full_load_interval_seconds
from cellrate.common.numbers import seconds
from cellrate.simulation.network import Flow
from cellrate.theory import AssumptionError, pipe_cells, round_trips_to_fill
from cellrate.theory.cell_conversions import CELL_BYTES

DELAYS = "delays"


def delays(subject: Subject) -> Iterator[Prediction]:
    """Statements on the delays of every group of elastic flows."""
    for name, flows in subject.elastic_groups.items():
        trips = sorted(
            {t for flow in flows if (t := flow.propagation_round_trip_seconds) is not None}
        )
        if trips:
            yield _round_trip(name, trips)
        if any(flow.relays for flow in flows):
            yield _first_loop(name, flows)
        for situation in subject.bottlenecks_of(flows):
            over = [flow for flow in flows if situation.port in flow.forward]
            if trips:
                yield _pipe(name, over, situation)


def _round_trip(name: str, trips: Sequence[float]) -> Statement:
    return Statement(
        DELAYS,
        f"{name}: propagation alone makes a round trip of {_range(trips)}.",
        {
            "group": name,
            "least_round_trip_seconds": trips[0],
            "greatest_round_trip_seconds": trips[-1],
        },
    )


def _first_loop(name: str, flows: Sequence[Flow]) -> Statement:
    """Statement on the first control loop of flows, which ends at the first virtual destination."""
    ends = dict.fromkeys(flow.relays[0].name for flow in flows if flow.relays)
    trips = sorted({flow.first_loop_seconds for flow in flows if flow.relays})
    return Statement(
        DELAYS,
        f"{name}: the control loop of a source ends at {', '.join(ends)}, the first virtual "
        f"destination, where propagation alone makes a round trip of {_range(trips)}.",
        {
            "group": name,
            "first_virtual_destinations": list(ends),
            "least_loop_seconds": trips[0],
            "greatest_loop_seconds": trips[-1],
        },
    )


def _pipe(name: str, flows: Sequence[Flow], situation: Situation) -> Statement:
    port = situation.port
    longest = max(flow.propagation_round_trip_seconds or 0.0 for flow in flows)
    cells = float(pipe_cells(port.bits_per_second, longest))
    values: dict[str, float | str] = {
        "group": name,
        "port": port.name,
        "pipe_cells": cells,
        "pipe_bytes": cells * CELL_BYTES,
    }
    text = f"{name}: {port.name} sends {cells:,.0f} cells in a round trip (the pipe)"
    delays = sorted({f.feedback_delay_seconds(port) for f in flows if f.feedback_delays_seconds})
    if delays:
        values["feedback_delay_seconds"] = delays[-1]
        text += f"; feedback in backward RM cells takes effect there after {_range(delays)}"
    return Statement(DELAYS, f"{text}.", values, "pipe")


def _range(times: Sequence[float]) -> str:
    if times[0] == times[-1]:
        return seconds(times[0])
    return f"{seconds(times[0])} to {seconds(times[-1])}"


TIME_CONSTANTS = "time constants"
NOTHING = "background takes the whole link on average"


def time_constants(subject: Subject) -> Iterator[Prediction]:
    """Statements on the speed of TCP and of the control at every port that can be overloaded."""
    for situation in subject.bottlenecks:
        yield from _filling(situation)
        yield from _timeout(situation)
        if situation.abr and situation.switch.scheme == "erica":
            yield from _erica(situation)
        elif situation.abr and situation.switch.scheme == "efci":
            yield from _efci(situation)


def _filling(situation: Situation) -> Iterator[Prediction]:
    tcp = [flow.tcp for flow in situation.elastic if flow.tcp is not None]
    if not tcp or not situation.round_trips_seconds:
        return
    trip = situation.round_trips_seconds[-1]
    pipe = float(pipe_cells(situation.port.bits_per_second, trip))
    quantity = f"{situation.port.name}: round trips until slow start fills the pipe"
    windows = sum(one.window_cells for one in tcp)
    small = f"all windows together, {windows:,.0f} cells, do not fill the pipe of {pipe:,.0f}"
    why = NOTHING if situation.is_starved else small if windows < pipe else ""
    why = why or unknown_windows(situation.elastic)
    if why:
        yield NoStatement(TIME_CONSTANTS, quantity, why, "round-trips-to-fill")
        return
    try:
        # The windows begin with `initial_window` segments instead of one.
        first = sum(one.first_window_cells for one in tcp) / len(tcp)
        trips = float(round_trips_to_fill(pipe, first, float(len(tcp))))
    except AssumptionError as error:
        yield NoStatement(TIME_CONSTANTS, quantity, str(error), "round-trips-to-fill")
        return
    fails = ["all sources start together"] if _starts_apart(situation, trip) else []
    if situation.has_unequal_round_trips:
        fails.append("round trips are equal; the longest is used")
    if any(one.parameters["delayed_ack"] for one in tcp):
        fails.append("each segment is acknowledged at once, without `tcp.delayed_ack`")
    yield Statement(
        TIME_CONSTANTS,
        f"{situation.port.name}: slow start fills the pipe in {max(trips, 1.0):.1f} round trips, "
        f"which take {seconds(max(trips, 1.0) * trip)}.",
        {
            "port": situation.port.name,
            "fill_round_trips": max(trips, 1.0),
            "pipe_cells": pipe,
            "first_window_cells": first,
            "sources": len(tcp),
        },
        "round-trips-to-fill",
        tuple(fails),
        "prediction",
    )


def _starts_apart(situation: Situation, trip: float) -> bool:
    starts = [flow.start_seconds for flow in situation.elastic]
    return max(starts) - min(starts) > trip


def _timeout(situation: Situation) -> Iterator[Prediction]:
    timers = [
        flow.tcp.parameters["min_rto_seconds"] for flow in situation.elastic if flow.tcp is not None
    ]
    trips = situation.round_trips_seconds
    if not timers or not trips:
        return
    least, trip = min(timers), trips[-1]
    left = situation.capacity_cells_per_second
    if least > trip and left <= 0:
        quantity = f"{situation.port.name}: growth of the queue that makes a timeout spurious"
        yield NoStatement(TIME_CONSTANTS, quantity, NOTHING)
        return
    growth = max(0.0, least - trip) * left
    text = (
        f"{situation.port.name}: a spurious timeout (the minimum RTO is {seconds(least)}) needs a "
        f"queue that grows by {growth:,.0f} cells within a round trip."
        if least > trip
        else f"{situation.port.name}: the minimum RTO of {seconds(least)} does not exceed "
        f"the round trip of {seconds(trip)}, so the timer follows the measured round trips."
    )
    yield Statement(
        TIME_CONSTANTS,
        text,
        {
            "port": situation.port.name,
            "least_timeout_seconds": least,
            "round_trip_seconds": trip,
            "queue_room_cells": growth,
        },
    )


def _erica(situation: Situation) -> Iterator[Prediction]:
    port = situation.port
    interval = full_load_interval_seconds(situation)
    feedback = situation.feedback_delays_seconds[-1]
    slower = "longer" if interval > feedback else "not longer"
    yield Statement(
        TIME_CONSTANTS,
        f"{port.name}: ERICA's interval under full load is {seconds(interval)}, {slower} than its "
        f"feedback delay of {seconds(feedback)}.",
        {
            "port": port.name,
            "interval_seconds": interval,
            "feedback_delay_seconds": feedback,
        },
    )


def _efci(situation: Situation) -> Iterator[Prediction]:
    if situation.split:
        quantity = f"{situation.port.name}: the interval of feedback to a source"
        yield NoStatement(TIME_CONSTANTS, quantity, situation.split)
        return
    nrm = {flow.abr.nrm for flow in situation.abr if flow.abr is not None}
    left = situation.capacity_cells_per_second
    if len(nrm) > 1 or left <= 0:
        return
    interval = len(situation.abr) * nrm.pop() / left
    yield Statement(
        TIME_CONSTANTS,
        f"{situation.port.name}: each source receives feedback every {seconds(interval)} (N Nrm / "
        "BW), and a mark takes effect after a round trip of "
        f"{seconds(situation.round_trips_seconds[-1])}.",
        {
            "port": situation.port.name,
            "rm_interval_seconds": interval,
            "round_trip_seconds": situation.round_trips_seconds[-1],
        },
    )
