"""Statements on queue lengths: bounds that no run exceeds, and predictions of formulas."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement
from cellrate.advice.explain.claims import Claim, Quantity, Sense
from cellrate.advice.explain.efci_cycle import unsteady
from cellrate.advice.explain.subject import Subject
from cellrate.advice.formulas import FormulaAnswer, Situation
from cellrate.advice.formulas.tcp import beside_windows
from cellrate.common.numbers import counted
from cellrate.simulation.network import UNDER_CREDIT, Flow, contract_cells_per_second

# Formulas that may bound a queue, and what sets the bound.
BOUNDS = {
    "window-sum": "all TCP windows in one queue",
    "credit-buffer": "N2 + N3 cells of each channel, the most that credits admit",
    "n-d-d-1": "one cell of each source",
    "leaky-bucket-queue": "bursts that the contracts of all sources admit at once",
}


@dataclass(frozen=True)
class QueueBound:
    """An upper bound of the queue of elastic flows at a port.

    Attributes:
        cells: The bound in cells.
        formula: Name of the formula in `cellrate theory`; empty if it is arithmetic alone.
        why: Clause that says what the bound counts.
        given: Parameters of the formula, units in their names.
    """

    cells: float
    formula: str
    why: str
    given: dict[str, float]


def ports_with_queues(subject: Subject) -> tuple[Situation, ...]:
    """Ports that can be overloaded, and those where cells of periodic sources first meet."""
    return (*subject.bottlenecks, *filter(_is_periodic_here, subject.periodic))


def queue_bound(subject: Subject, situation: Situation) -> QueueBound | None:
    """The least bound of the queue of a port's elastic flows; None without one."""
    return min(_bounds(subject, situation), key=lambda bound: bound.cells, default=None)


def formula_bound(subject: Subject, situation: Situation) -> QueueBound | None:
    """The least of the bounds by formulas, which may exceed the buffer; None without one."""
    bounds = (bound for bound in _bounds(subject, situation) if bound.formula)
    return min(bounds, key=lambda bound: bound.cells, default=None)


def limit_of(situation: Situation, answer: FormulaAnswer) -> tuple[float, str]:
    """The length to which a formula limits the queue, and words on cells that it leaves out.

    The sum of windows counts data alone, as its paper does.
    """
    more = beside_windows(situation) if answer.formula == "window-sum" else 0
    words = f", with up to {more:,} RM cells and acknowledgements beside them" if more else ""
    return (answer.cells or 0.0) + more, words


def room_of(situation: Situation) -> str:
    """A clause with the length of the queue up to which no cell is dropped."""
    switch = situation.switch
    if switch.unrefused_cells == switch.buffer_cells:
        return f"the buffer has room for {switch.buffer_cells:,.0f}"
    if not switch.unrefused_cells:
        return f"`{switch.policy}` may refuse cells at any length of the queue"
    return f"`{switch.policy}` may refuse cells of a queue of {switch.unrefused_cells:,.0f}"


def cannot_lose(situation: Situation, bound: QueueBound | None) -> bool:
    """True if no cell of the queue can be dropped, because the bound fits into the buffer."""
    if _is_all_credited(situation):
        return True
    unrefused = situation.switch.unrefused_cells
    return math.isinf(unrefused) or (
        bound is not None and bound.formula != "" and bound.cells <= unrefused
    )


def must_lose(subject: Subject, situation: Situation, growth_cells_per_second: float) -> bool:
    """True if cells must be dropped in the measuring window.

    `growth_cells_per_second` is the growth of the queue if sources send evenly all the time.
    Returns False if a source without TCP and ABR does not send evenly.
    """
    unchecked = [flow for flow in situation.flows if flow.tcp is None and flow.abr is None]
    even = all(flow.kind in {"cbr", "persistent"} for flow in unchecked)
    begin = max((flow.start_seconds for flow in unchecked), default=0.0)
    begin = max(subject.begin_seconds, begin + subject.network.start_jitter_seconds)
    grown = growth_cells_per_second * (subject.end_seconds - begin)
    queues = len(situation.switch.priority)
    # Cells that may be on links before the port when the window ends.
    before = {
        link for flow in unchecked for link in flow.forward[: flow.forward.index(situation.port)]
    }
    slack = sum(math.ceil(1 + link.cells_per_second * link.delay_seconds) for link in before)
    return even and grown > queues * situation.switch.buffer_cells + slack


def _bounds(subject: Subject, situation: Situation) -> Iterator[QueueBound]:
    said = subject.queue_answers(situation)
    for name, why in BOUNDS.items():
        if name in said and _is_bound(subject, situation, said[name]):
            yield QueueBound(said[name].cells or 0.0, name, why, dict(said[name].given))
    buffer_cells = situation.switch.buffer_cells
    if math.isfinite(buffer_cells):
        yield QueueBound(buffer_cells, "", "its buffer", {})


def _is_bound(subject: Subject, situation: Situation, answer: FormulaAnswer) -> bool:
    """True if no run of this scenario exceeds the result of a formula of `BOUNDS` at the port."""
    if answer.formula == "window-sum":
        return _holds_windows_alone(subject, situation, answer)
    if answer.formula == "credit-buffer":
        return _is_all_credited(situation)
    if answer.formula == "leaky-bucket-queue":
        return answer.applies
    return _is_periodic_here(situation)


def _crossing_back(situation: Situation) -> list[Flow]:
    """Flows whose backward channel, with acknowledgements and RM cells, crosses the port."""
    return [flow for flow in situation.network.flows if situation.port in flow.backward]


def _is_all_credited(situation: Situation) -> bool:
    """True if every channel of the queue, in either direction, is under credit control."""
    if situation.network.credit is None:
        return False
    back = _crossing_back(situation)
    services = {flow.service for flow in situation.flows} | {flow.ack_service for flow in back}
    queue_of, queue = situation.switch.queue_of, situation.queue
    return all(one in UNDER_CREDIT for one in services if queue_of(one) == queue)


def _is_periodic_here(situation: Situation) -> bool:
    """True if each source sends evenly spaced cells, without end, over a line of its own."""
    lines = [flow.forward[0] for flow in situation.flows]
    alone = len(set(lines)) == len(lines)
    first = all(flow.forward.index(situation.port) == 1 for flow in situation.flows)
    return alone and first and not _crossing_back(situation)


def _holds_windows_alone(subject: Subject, situation: Situation, windows: FormulaAnswer) -> bool:
    """True if the queue holds only TCP segments that were sent once.

    No other flow, acknowledgement or RM cell shares the port; nothing is lost, and no timeout can
    come before the acknowledgement.
    """
    flows = situation.elastic
    if windows.fails or situation.others or situation.abr or _crossing_back(situation):
        return False
    if not subject.lossless or any(flow.kind != "greedy" for flow in flows):
        return False
    return all(map(subject.is_in_time, flows))


def contracts_fit(situation: Situation) -> bool:
    """True if contracts of the elastic flows let pass no more than the capacity of the link."""
    elastic = sum(map(contract_cells_per_second, situation.elastic))
    return elastic <= situation.capacity_cells_per_second


TOPIC = "queue"
# Formulas that predict the longest queue, of the whole run or of the steady state; all other
# formulas bound it.
TYPICAL: dict[str, Quantity] = {"q-max": "queue", "efci-cycle": "late queue"}


def statements(subject: Subject) -> Iterator[Prediction]:
    """Statements on the queue of every port that can be overloaded or has periodic sources."""
    for situation in ports_with_queues(subject):
        answers = subject.queue_answers(situation)
        bound = queue_bound(subject, situation)
        if bound is not None:
            port = situation.port.name
            yield Statement(
                TOPIC,
                f"{port}: at most {counted(round(bound.cells), 'cell')}: {bound.why}.",
                {"port": port, "queue_cells": bound.cells, **bound.given},
                bound.formula,
                kind="bound",
                claims=(Claim("queue", port, "at most", bound.cells, "queue", situation.service),),
            )
        proved = math.inf if bound is None or not bound.formula else bound.cells
        yield from (
            _said(subject, situation, answer)
            for answer in answers.values()
            if answer.formula in TYPICAL or limit_of(situation, answer)[0] < proved
        )
        yield from _silent(subject, situation)


def _silent(subject: Subject, situation: Situation) -> Iterator[NoStatement]:
    """The formulas that do not apply at the port, each with the reason."""
    for answer in subject.formula_answers(situation):
        if answer.cells is None:
            quantity = f"{situation.port.name}: {answer.title}"
            yield NoStatement(TOPIC, quantity, answer.inapplicable, answer.formula)


def _said(subject: Subject, situation: Situation, answer: FormulaAnswer) -> Statement:
    port, cells = situation.port, answer.cells or 0.0
    limit, beside = limit_of(situation, answer)
    sense: Sense = "about" if answer.formula in TYPICAL else "at most"
    # A prediction above the buffer cannot be tested, since the queue would lose cells instead.
    tested = limit <= situation.switch.unrefused_cells
    more = "" if tested else f", and {room_of(situation)}"
    fails = (*answer.fails, *(unsteady(subject, situation) if answer.formula in TYPICAL else ()))
    if answer.formula == "window-sum" and contracts_fit(situation):
        fails += ("windows wait in this queue, but contracts let pass less than the link carries",)
    quantity = TYPICAL.get(answer.formula, "queue")
    topic = f"queue by {answer.formula}"
    claim = Claim(quantity, port.name, sense, limit, topic, situation.service)
    return Statement(
        TOPIC,
        f"{port.name}: {answer.title}: {cells:,.0f} cells{beside}{more}.",
        {"port": port.name, "queue_cells": cells, **answer.given},
        answer.formula,
        fails,
        "prediction" if tested or sense == "about" else "fact",
        (claim,) if tested else (),
    )
