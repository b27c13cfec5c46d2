"""Round trips, feedback delays, and the capacity of the pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cellrate.advice.explain.answer import Prediction, Statement
from cellrate.advice.explain.subject import Subject
from cellrate.advice.formulas import Situation
from cellrate.common.numbers import seconds
from cellrate.simulation.network import Flow
from cellrate.theory import pipe_cells
from cellrate.theory.cell_conversions import CELL_BYTES

TOPIC = "delays"


def statements(subject: Subject) -> Iterator[Prediction]:
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
        TOPIC,
        f"{name}: a round trip of {_range(trips)} by propagation alone.",
        {
            "group": name,
            "least_round_trip_seconds": trips[0],
            "greatest_round_trip_seconds": trips[-1],
        },
    )


def _first_loop(name: str, flows: Sequence[Flow]) -> Statement:
    """The sources' own control loops, which end at the first virtual destination."""
    ends = dict.fromkeys(flow.relays[0].name for flow in flows if flow.relays)
    trips = sorted({flow.first_loop_seconds for flow in flows if flow.relays})
    return Statement(
        TOPIC,
        f"{name}: the control loop of a source ends at {', '.join(ends)}, the first virtual "
        f"destination, with a round trip of {_range(trips)} by propagation alone.",
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
    text = f"{name}: the pipe of {port.name} holds {cells:,.0f} cells in a round trip"
    delays = sorted({f.feedback_delay_seconds(port) for f in flows if f.feedback_delays_seconds})
    if delays:
        values["feedback_delay_seconds"] = delays[-1]
        text += f"; feedback in backward RM cells acts after {_range(delays)}"
    return Statement(TOPIC, f"{text}.", values, "pipe")


def _range(times: Sequence[float]) -> str:
    if times[0] == times[-1]:
        return seconds(times[0])
    return f"{seconds(times[0])} to {seconds(times[-1])}"
