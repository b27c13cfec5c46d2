"""Statements on losses at ports: impossible, certain, or predicted by formulas."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cellrate.advice.explain.answer import Kind, Prediction, Statement, Value
from cellrate.advice.explain.claims import Claim
from cellrate.advice.explain.own_classes import unknown_windows
from cellrate.advice.explain.queues import (
    cannot_lose,
    formula_bound,
    limit_of,
    must_lose,
    ports_with_queues,
    queue_bound,
    room_of,
)
from cellrate.advice.explain.subject import AVOIDS_QUEUES, Subject, mbit
from cellrate.advice.formulas import FormulaAnswer, Situation
from cellrate.advice.formulas.growth import certain_growth_cells_per_second
from cellrate.common.numbers import seconds
from cellrate.simulation.network import Flow, contract_cells_per_second, peak_cells_per_second
from cellrate.simulation.network.ends import Parameters
from cellrate.theory.gcra import burst_tolerance_seconds

TOPIC = "loss"
CERTAIN = {"yes": "the buffer loses {unit}s in every run", "no": "no buffer loses a {unit}"}
EXPECTED = {"yes": "cells are lost", "no": "no cell is lost", "possible": "losses are possible"}
"""Words of a statement on a buffer's loss, by the expected loss."""
# Formulas that limit the queue, and words for what limits it.
LIMITS = {
    "window-sum": "all TCP windows together hold",
    "q-max": "a queue that starts empty reaches at most",
    "buffer-law": "the buffer law requires",
}
# Windows overflow a buffer within this multiple of the time in which they grow to fill it.
AGAIN = 1.2
Expected: TypeAlias = Literal["yes", "no", "possible"]


@dataclass(frozen=True)
class Loss:
    """An expectation of loss at a port.

    Attributes:
        expected: "yes" if cells are lost, "no" if none is, or "possible".
        why: Reason of the expectation.
        kind: `bound` if the expectation holds in every possible run.
        formula: Name of the formula in `cellrate theory`; empty if the expectation follows from the
            scenario by arithmetic.
    """

    expected: Expected
    why: str
    kind: Kind = "prediction"
    formula: str = ""


def statements(subject: Subject) -> Iterator[Prediction]:
    """Statements on the loss at every port that can be overloaded, and in sources."""
    for name, flows in subject.elastic_groups.items():
        if any(math.isfinite(flow.source_queue_cells) for flow in flows):
            yield _at_source(name, flows)
    for situation in ports_with_queues(subject):
        yield _at_port(situation, loss_at(subject, situation))
    if subject.network.links_lose:
        text = "Links lose cells by `link_errors`; statements on ports count buffer losses alone."
        yield Statement(TOPIC, text, {"links_lose": True}, kind="bound")
    for name, (flow, *_) in subject.network.groups(subject.network.flows).items():
        if flow.is_dropped:
            yield _at_policer(name, flow)
    for name, flows in subject.elastic_groups.items():
        if any(flow.errored_pdus_share for flow in flows):
            yield _by_bit_errors(name, flows)


def _at_policer(name: str, flow: Flow) -> Statement:
    """Statement on the cells of each flow of a group that its policer drops."""
    contract = flow.policer or {}
    passes = contract_cells_per_second(flow)
    text, values = f"{name}: the policer drops cells beyond the contract", dict[str, Value]()
    if flow.own_rate is not None and flow.own_rate.mean_cells_per_second > passes:
        share = 1 - passes / flow.own_rate.mean_cells_per_second
        text += f", at least {share:.3g} of all cells in the long run"
        values["least_policed_share"] = share
    line = min(peak_cells_per_second(flow), flow.access.cells_per_second)
    if flow.tcp is not None and flow.abr is None:
        cells, has = flow.tcp.segment_cells, float(contract.get("cdvt_seconds") or 0.0)
        least = _needed_cdvt_seconds(contract, line, cells)
        values["least_cdvt_seconds"] = least
        if has < least:
            text += (
                f"; a segment of {cells} cells at {mbit(line)} loses cells at CDVT = "
                f"{seconds(has)}, and needs {seconds(least)}"
            )
    text += ". Statements on ports do not count these"
    return Statement(TOPIC, f"{text}.", {"group": name, "policer_drops": True, **values})


def _needed_cdvt_seconds(contract: Parameters, line: float, cells: int) -> float:
    """Least CDVT with which cells at the rate `line`, in cells/s, conform to PCR, SCR and MBS."""
    peak = float(contract["pcr_cells_per_second"])
    least = (cells - 1) * (1 / peak - 1 / line)
    if (sustained := contract.get("scr_cells_per_second")) is not None:
        tolerance = float(burst_tolerance_seconds(peak, sustained, contract["mbs_cells"]))
        least = max(least, (cells - 1) * (1 / sustained - 1 / line) - tolerance)
    return max(0.0, least)


def _by_bit_errors(name: str, flows: Sequence[Flow]) -> Statement:
    """Statement on the PDUs of a group that have an errored bit on the way."""
    shares = [flow.errored_pdus_share or 0.0 for flow in flows]
    cells = max((flow.tcp.segment_cells for flow in flows if flow.tcp is not None), default=0)
    least, most = f"{min(shares):.3g}", f"{max(shares):.3g}"
    share = most if least == most else f"{least} to {most}"
    return Statement(
        TOPIC,
        f"{name}: bit errors damage {share} of the PDUs of {cells:,} cells: 1 - (1 - p)^bits on "
        "each link. The HEC corrects few of them, since most bits are payload.",
        {
            "group": name,
            "least_errored_share": min(shares),
            "greatest_errored_share": max(shares),
        },
        kind="prediction",
    )


def loss_at(subject: Subject, situation: Situation) -> Loss:
    """The expectation of loss at a port."""
    return _certain(subject, situation) or _expected(subject, situation)


def _at_port(situation: Situation, loss: Loss) -> Statement:
    port, buffer_cells = situation.port.name, situation.switch.buffer_cells
    words = (CERTAIN if loss.kind == "bound" else EXPECTED)[loss.expected].format(unit="cell")
    topic = f"loss by {loss.formula or 'rates'}: {loss.expected}"
    claims = {
        "yes": (Claim("lost", port, "some", 0.0, topic),),
        "no": (Claim("lost", port, "none", 0.0, topic, situation.service),),
        "possible": (),
    }
    return Statement(
        TOPIC,
        f"{port}: {words}: {loss.why}.",
        {
            "port": port,
            "buffer_cells": buffer_cells if math.isfinite(buffer_cells) else None,
            "expected": loss.expected,
        },
        loss.formula,
        kind=loss.kind,
        claims=claims[loss.expected],
    )


def _certain(subject: Subject, situation: Situation) -> Loss | None:
    """The loss that occurs in every run or in no run; None if neither is certain."""
    bound = queue_bound(subject, situation)
    growth = certain_growth_cells_per_second(subject.network, situation.port)
    if cannot_lose(situation, bound):
        if situation.network.credit is not None:
            why = "under credit control a cell is sent only if a buffer is free for it"
            return Loss("no", why, "bound")
        if math.isinf(situation.switch.unrefused_cells):
            return Loss("no", "the buffer has no limit", "bound")
        if bound is not None:
            why = f"{bound.why} are at most {bound.cells:,.0f} cells, and {room_of(situation)}"
            return Loss("no", why, "bound", bound.formula)
    if growth > 0 and must_lose(subject, situation, growth):
        return Loss("yes", f"arrivals exceed departures by {growth:,.0f} cells/s", "bound")
    return None


def _expected(subject: Subject, situation: Situation) -> Loss:
    """The loss that is predicted by formulas, if their assumptions hold."""
    room, has = situation.switch.unrefused_cells, room_of(situation)
    said = {
        answer.formula: answer
        for answer in subject.queue_answers(situation).values()
        if not answer.fails
    }
    growth = certain_growth_cells_per_second(subject.network, situation.port)
    if growth > 0:
        why = f"arrivals exceed departures by {growth:,.0f} cells/s on average"
        if growth * subject.end_seconds > situation.switch.most_unrefused_cells:
            return Loss("yes", why)
        return Loss("possible", f"{why}, but the run is too short to fill the buffer")
    cycle = said.get("efci-cycle")
    if cycle is not None and (cycle.cells or 0.0) > situation.switch.most_unrefused_cells:
        why = f"every cycle reaches {cycle.cells:,.0f} cells, and {has}"
        return Loss("yes", why, formula=cycle.formula)
    limits = [_limit(situation, said[name]) for name in LIMITS if name in said]
    for cells, formula, what in limits:
        if cells <= room:
            return Loss("no", f"{what}, and {has}", formula=formula)
    if situation.abr and limits:
        _, formula, what = limits[-1]
        return Loss("possible", f"{what}, and {has}", formula=formula)
    return _overflowing(subject, situation, has)


def _limit(situation: Situation, answer: FormulaAnswer) -> tuple[float, str, str]:
    """The length that a formula limits the queue to, the formula's name, and words for both."""
    cells, beside = limit_of(situation, answer)
    what = f"{LIMITS[answer.formula]} {answer.cells or 0.0:,.0f} cells{beside}"
    return cells, answer.formula, what


def _overflowing(subject: Subject, situation: Situation, has: str) -> Loss:
    """Loss of TCP without any control of rates, whose windows grow until a cell is lost.

    Other cells in the queue, and cells that are sent twice, only make the queue longer.
    """
    bound = formula_bound(subject, situation)
    if bound is not None:
        why = f"{bound.why} are up to {bound.cells:,.0f} cells, and {has}"
        return Loss("possible", why, formula=bound.formula)
    windows = subject.queue_answers(situation).get("window-sum")
    if windows is None or situation.abr or situation.network.credit is not None:
        return Loss("possible", f"no formula bounds the queue here, and {has}")
    pipe = situation.port.cells_per_second * max(situation.round_trips_seconds, default=0.0)
    why = (
        "each TCP window grows until it is full or a cell is lost; all windows together hold "
        f"{windows.cells:,.0f} cells, the pipe holds {pipe:,.0f}, and {has}"
    )
    room = situation.switch.most_unrefused_cells + pipe
    over = (windows.cells or 0.0) > room and _grows_in_window(subject, situation, room)
    return Loss("yes" if over else "possible", why, formula=windows.formula)


def _grows_in_window(subject: Subject, situation: Situation, cells: float) -> bool:
    """True if windows grow to so many cells together within the measuring window.

    In slow start a window grows by a segment with each acknowledgement, or with every second one
    (RFC 5681 3.1). Once the link is full, windows grow at the rate of the link. After a loss the
    growth begins again when the timer expires. False for flows that end, that stop at
    `initial_ssthresh`, that lose cells at a policer or acknowledgements on an overloaded way back,
    that process segments more slowly than the link sends them, or whose recovery avoids queues or
    is a class of Python.
    """
    flows, network = situation.elastic, subject.network
    if network.links_lose or any(flow.kind != "greedy" or flow.is_dropped for flow in flows):
        return False
    back = {link for flow in flows for link in flow.backward}
    if any(certain_growth_cells_per_second(network, link) > 0 for link in back):
        return False
    if unknown_windows(flows):
        return False
    rounds, slow, timer = 0.0, 1.0, 0.0
    for flow in flows:
        settings = {} if flow.tcp is None else flow.tcp.parameters
        if flow.tcp is None or flow.tcp.recovery in AVOIDS_QUEUES:
            return False
        first = settings["initial_ssthresh_bytes"]
        if first is not None and first < flow.tcp.window_bytes:
            return False
        slow = max(slow, 2.0 if settings["delayed_ack"] else 1.0)
        timer = max(timer, settings["min_rto_seconds"])
        if settings["processing_time_seconds"] + settings["processing_variation_seconds"] > 0:
            return False
        doublings = math.log2(max(2.0, cells / len(flows) / flow.tcp.segment_cells))
        trip = flow.propagation_round_trip_seconds or 0.0
        rounds = max(rounds, flow.start_seconds + slow * doublings * trip)
    filled = rounds + slow * cells / situation.port.cells_per_second
    if subject.begin_seconds == 0:
        return subject.end_seconds > 2 * (filled + subject.network.start_jitter_seconds)
    return subject.window_seconds > AGAIN * (filled + timer)


def _at_source(name: str, flows: Sequence[Flow]) -> Statement:
    """Statement on a finite queue between TCP and the network, which may overflow."""
    capacity = min(flow.source_queue_cells for flow in flows)
    window = max((flow.tcp.window_cells for flow in flows if flow.tcp is not None), default=0)
    over = window > capacity
    text = "so the queue can overflow" if over else "so the queue cannot overflow"
    return Statement(
        TOPIC,
        f"{name}: the source queue of a flow holds {capacity:,.0f} cells and its window "
        f"{window:,}, {text}.",
        {
            "group": name,
            "source_queue_cells": capacity,
            "window_cells": window,
            "expected_at_source": "possible" if over else "no",
        },
    )
