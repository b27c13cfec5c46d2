"""Bottlenecks: ports that can be overloaded, and the capacity left there for elastic flows."""

from __future__ import annotations

from collections.abc import Iterator

from cellrate.advice.explain.answer import Prediction, Statement
from cellrate.advice.explain.subject import (
    Subject,
    handed_out_cells_per_second,
    mbit,
    target_utilisation,
)
from cellrate.advice.formulas import Situation
from cellrate.advice.formulas.growth import certain_growth_cells_per_second
from cellrate.simulation.network import offered_cells_per_second

TOPIC = "bottleneck"


def statements(subject: Subject) -> Iterator[Prediction]:
    """Statements on every port that can be overloaded, and on the capacity left there."""
    if not subject.bottlenecks:
        yield Statement(
            TOPIC,
            "No port can receive more than its link carries: cells wait for single others only.",
            {"ports": []},
        )
    for situation in subject.bottlenecks:
        yield _overload(subject, situation)
        if situation.others:
            yield _background(situation)
        if situation.abr and target_utilisation(situation.switch) != 1.0:
            yield _target(situation)
        growth = certain_growth_cells_per_second(subject.network, situation.port)
        if growth > 0:
            yield _endless(situation, growth)


def _overload(subject: Subject, situation: Situation) -> Statement:
    port = situation.port
    offered = offered_cells_per_second(subject.network, port)
    count = len(situation.flows)
    return Statement(
        TOPIC,
        f"{port.name}: {count} flow{'s' if count > 1 else ''} could bring {mbit(offered)} "
        f"to a link of {mbit(port.cells_per_second)}.",
        {
            "port": port.name,
            "flows": count,
            "offered_cells_per_second": offered,
            "link_cells_per_second": port.cells_per_second,
        },
    )


def _background(situation: Situation) -> Statement:
    left = situation.capacity_cells_per_second
    names = ", ".join(dict.fromkeys(flow.group for flow in situation.others))
    taken = situation.background_cells_per_second()
    varies = ", in bursts" if situation.has_varying_background else ""
    rest = f"{mbit(left)} are left" if left > 0 else "nothing is left"
    return Statement(
        TOPIC,
        f"{situation.port.name}: {names} sends {mbit(taken)} on average{varies}; {rest} for "
        "elastic flows.",
        {
            "port": situation.port.name,
            "background_cells_per_second": taken,
            "left_cells_per_second": max(0.0, left),
        },
        "available-bandwidth",
    )


def _target(situation: Situation) -> Statement:
    share = target_utilisation(situation.switch)
    handed_out = handed_out_cells_per_second(situation)
    return Statement(
        TOPIC,
        f"{situation.port.name}: the switch allocates {mbit(handed_out)}, with a target "
        f"utilisation of {share:g}.",
        {
            "port": situation.port.name,
            "target_utilisation": share,
            "handed_out_cells_per_second": handed_out,
        },
    )


def _endless(situation: Situation, growth: float) -> Statement:
    return Statement(
        TOPIC,
        f"{situation.port.name}: flows without any control send more than the link carries: the "
        f"queue grows without end, by {growth:,.0f} cells/s.",
        {"port": situation.port.name, "growth_cells_per_second": growth},
        kind="prediction",
    )
