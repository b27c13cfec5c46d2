"""Collects the statements on a network, topic by topic, and the verdict of three sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from cellrate.advice.explain import contracts, losses, oscillation, queues, throughput
from cellrate.advice.explain.answer import Explanation, NoStatement, Prediction, Statement
from cellrate.advice.explain.capacity import bottlenecks, fair_shares
from cellrate.advice.explain.claims import is_known, spoken
from cellrate.advice.explain.losses import CERTAIN, EXPECTED
from cellrate.advice.explain.over_ethernet import statements as over_ethernet
from cellrate.advice.explain.subject import EQUAL, Subject
from cellrate.advice.explain.through_routers import NO_FORMULA
from cellrate.advice.explain.through_routers import statements as through_routers
from cellrate.advice.explain.times import delays, time_constants
from cellrate.common.numbers import counted
from cellrate.simulation.network import Network
from cellrate.simulation.network.ethernet_view import FrameNetwork
from cellrate.simulation.network.joined_view import JoinedNetwork

# Greatest number of ports and groups that the verdict names.
MOST = 3
WORDS = {
    "pcr": "PCR",
    "contract": "contract",
    "window": "window",
    "delayed-ack": "window and delayed acknowledgements",
    "processing": "processing time of segments",
    "size": "size",
    "credit": "credit",
}


@dataclass(frozen=True)
class Units:
    """Units of the sentences of a verdict.

    Attributes:
        unit: Unit that buffers lose, in the singular.
        queue: Unit of queue lengths.
        rate: Unit of rates.
        bits_per_second: Number of bit/s in the unit of rates.
    """

    unit: str
    queue: str
    rate: str
    bits_per_second: float

    def rates(self, bits_per_second: float) -> str:
        """A rate as text without its unit."""
        rate = bits_per_second / self.bits_per_second
        return f"{rate:.1f}" if rate >= 1 and self is CELLS else f"{rate:.4g}"


CELLS = Units("cell", "cells", "Mbit/s", 1e6)
BYTES = Units("packet", "bytes", "Gbit/s", 1e9)


def verdict(statements: Sequence[Statement], units: Units = CELLS) -> tuple[str, ...]:
    """Sentences on throughput, on queue and loss, and on limits and uncertainty.

    Only bounds and predictions whose assumptions hold are used.
    """
    applied = [statement for statement in statements if statement.applies]
    texts = _throughput(applied, units), _queue_and_loss(applied, units)
    return *texts, _limit(applied, statements)


def _throughput(applied: Sequence[Statement], units: Units) -> str:
    bounds = [statement for statement in applied if "bound_bits_per_second" in statement.values]
    if not bounds:
        return "Throughput: no flow runs over TCP, so TCP throughput is not predicted."
    most = _number(bounds[0], "bound_bits_per_second")
    expected = [
        statement for statement in applied if "total_throughput_bits_per_second" in statement.values
    ]
    text = f"Throughput: TCP delivers at most {units.rates(most)} {units.rate}"
    carried = bounds[0].values.get("carried_bits_per_second", most)
    if isinstance(carried, float) and carried < EQUAL * most:
        text = (
            f"Throughput: links carry at most {units.rates(carried)} {units.rate} of TCP payload; "
            f"with data sent before the measuring window {units.rates(most)} may arrive in it"
        )
    if not expected:
        starved = [str(one.values["port"]) for one in applied if one.values.get("starved") is True]
        if starved:
            none = (
                f"background takes the whole link {starved[0]} on average, and leaves TCP nothing"
            )
            return f"{text.replace('Throughput: ', f'Throughput: {none}; ')}."
        return f"{text}; no formula here predicts the throughput of a run."
    about = _number(expected[0], "total_throughput_bits_per_second")
    claim = expected[0].claims[0]
    said = "are expected" if is_known(claim) else "result from a formula"
    return f"{text}; {about / 1e6:.1f} Mbit/s {said} ({spoken(claim)})."


def _queue_and_loss(applied: Sequence[Statement], units: Units) -> str:
    overloads = {str(one.values["port"]): _overload(one) for one in _overloads(applied)}
    losses = [statement for statement in applied if "expected" in statement.values]
    losses.sort(key=lambda one: overloads.get(str(one.values["port"]), 0.0), reverse=True)
    if not losses:
        return "Queue and loss: no port can receive more than its link carries in the long run."
    parts = []
    for loss in losses[:MOST]:
        port = str(loss.values["port"])
        parts.append(f"{port}: {_longest(applied, port, units)}, {_loss(loss, units)}")
    more = (
        f"; the sections below have {len(losses) - MOST} more ports" if len(losses) > MOST else ""
    )
    if any("links_lose" in statement.values for statement in applied):
        more += "; links lose cells"
    if any("policer_drops" in statement.values for statement in applied):
        more += "; policers drop cells beyond contracts"
    cycles = [one.values for one in applied if one.values.get("deadlock_cycle")]
    if cycles:
        more += f"; {str(cycles[0]['by']).upper()} can deadlock"
    return f"Queue and loss: {'; '.join(parts)}{more}."


def _longest(applied: Sequence[Statement], port: str, units: Units) -> str:
    """A clause with the bound of a queue, and a lower limit that most runs stay below."""
    at_port = [
        one
        for one in applied
        if one.values.get("port") == port and f"queue_{units.queue}" in one.values
    ]
    bounds = [_number(one, f"queue_{units.queue}") for one in at_port if one.kind == "bound"]
    least = min(bounds, default=math.inf)
    limits = [
        claim
        for one in at_port
        if one.kind == "prediction"
        for claim in one.claims
        if claim.sense == "at most" and claim.value < least and is_known(claim)
    ]
    words = (
        f"at most {least:,.0f} {units.queue} wait" if bounds else _unbounded(applied, port, units)
    )
    if not limits:
        return words
    limit = min(limits, key=lambda claim: claim.value)
    expected = f"at most {limit.value:,.0f} {units.queue}"
    if bounds:
        return f"{words}, {expected} are expected ({spoken(limit)})"
    return f"{expected} are expected to wait ({spoken(limit)})"


def _unbounded(applied: Sequence[Statement], port: str, units: Units) -> str:
    """A clause on a queue without a bound."""
    growth = f"endless_growth_{units.queue}_per_second"
    for one in applied:
        if one.values.get("port") == port and growth in one.values:
            return f"the queue grows without end, by {_number(one, growth):,.0f} {units.queue}/s"
    return "no formula bounds the queue"


def _loss(loss: Statement, units: Units) -> str:
    expected = str(loss.values["expected"])
    if loss.kind == "bound":
        return f"and {CERTAIN[expected].format(unit=units.unit)}"
    words = EXPECTED[expected]
    if expected == "possible":
        return f"and {words}"
    return f"and {words}, as expected ({spoken(loss.claims[0])})" if loss.claims else f"and {words}"


def _limit(applied: Sequence[Statement], statements: Sequence[Statement]) -> str:
    bounds = [
        (str(statement.values["group"]), limit)
        for statement in applied
        if "bound_by" in statement.values
        for limit in _texts(statement.values["bound_by"])
    ]
    limits = [f"{group} by its {WORDS[limit]}" for group, limit in bounds if limit != "link"]
    every = _overloads(applied)
    overloads = [one for one in every if not _is_held_to_contracts(one)]
    overloads.sort(key=_overload, reverse=True)
    links = [f"the link {statement.values['port']}" for statement in overloads]
    if len(limits) < len(bounds) or not bounds:
        limits += links
    more = f" and {len(limits) - MOST} more" if len(limits) > MOST else ""
    otherwise = "contracts of the flows" if every else "the rates of the links alone"
    named = ", ".join(limits[:MOST]) or otherwise
    failing = sum(not statement.applies for statement in statements)
    counted = "1 statement below rests" if failing == 1 else f"{failing} statements below rest"
    rest = (
        f". {counted} on assumptions that do not hold: only a run can answer them"
        if failing
        else ""
    )
    return f"Limit: {named}{more}{rest}."


def _overloads(applied: Sequence[Statement]) -> list[Statement]:
    """Statements on ports that can receive more than their links carry."""
    return [one for one in applied if any(key.startswith("offered_") for key in one.values)]


def _overload(statement: Statement) -> float:
    """Rate at which data can reach a port, as a multiple of the rate of its link."""
    [unit] = (key.removeprefix("offered_") for key in statement.values if "offered_" in key)
    return _number(statement, f"offered_{unit}") / _number(statement, f"link_{unit}")


def _is_held_to_contracts(statement: Statement) -> bool:
    """True if contracts let pass no more to a port than its link carries in the long run."""
    lasting = statement.values.get("lasting_cells_per_second")
    return isinstance(lasting, float) and lasting <= _number(statement, "link_cells_per_second")


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _number(one: Statement, key: str) -> float:
    return float(cast("float", one.values[key]))


TOPICS: tuple[Callable[[Subject], Iterable[Prediction]], ...] = (
    bottlenecks,
    fair_shares,
    contracts.statements,
    delays,
    throughput.statements,
    queues.statements,
    time_constants,
    oscillation.statements,
    losses.statements,
)


def explain(network: Network | FrameNetwork | JoinedNetwork) -> Explanation:
    """Collects the predictions of theory for a network of any link layer.

    The predictions describe the network before the first of the changes that the scenario makes
    during the run. Flows that do not send then (`sends = false`) are left out.
    """
    if isinstance(network, JoinedNetwork):
        explanation = _collected(through_routers(network), BYTES)
        of_throughput, _, limit = explanation.verdict
        unknown = f"Queue and loss: {NO_FORMULA}."
        explanation = replace(explanation, verdict=(of_throughput, unknown, limit))
    elif isinstance(network, FrameNetwork):
        frames = replace(network, flows=tuple(flow for flow in network.flows if flow.sends))
        explanation = _collected(over_ethernet(frames), BYTES)
    else:
        flows = tuple(flow for flow in network.flows if flow.sends)
        subject = Subject(replace(network, flows=flows))
        found = (statement for statements in TOPICS for statement in statements(subject))
        found = (_with_holding_ports(one, subject) for one in found)
        explanation = _collected(found, CELLS)
    notes = []
    if network.until_first_change is not None:
        notes.append(
            "All statements are about the network before its first change: "
            f"{network.until_first_change}."
        )
    if silent := sum(not flow.sends for flow in network.flows):
        have, them = ("have", "them") if silent > 1 else ("has", "it")
        notes.append(
            f"{counted(silent, 'flow')} {have} `sends = false`: no statement counts {them}."
        )
    return replace(explanation, verdict=(*notes, *explanation.verdict))


def _with_holding_ports(prediction: Prediction, subject: Subject) -> Prediction:
    """A prediction, with the assumption that fails if ports hold cells until they conform."""
    held = [flow.group for flow in subject.network.flows if flow.port_shaper]
    if not held or isinstance(prediction, NoStatement) or prediction.topic == contracts.TOPIC:
        return prediction
    fails = f"ports send whenever cells wait, but they hold cells of `{held[0]}` until they conform"
    return replace(prediction, fails=(*prediction.fails, fails))


def _collected(predictions: Iterable[Prediction], units: Units) -> Explanation:
    found = list(predictions)
    statements = tuple(one for one in found if isinstance(one, Statement))
    without = tuple(one for one in found if isinstance(one, NoStatement))
    return Explanation(verdict(statements, units), statements, without)
