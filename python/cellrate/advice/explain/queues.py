"""Queue lengths: the least bound of each port, and what formulas expect."""

from __future__ import annotations

from collections.abc import Iterator

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement
from cellrate.advice.explain.claims import Claim, Quantity, Sense
from cellrate.advice.explain.cycles import unsteady
from cellrate.advice.explain.queue_bounds import queue_bound
from cellrate.advice.explain.subject import Subject
from cellrate.advice.formulas import FormulaAnswer, Situation

TOPIC = "queue"
# Formulas of a typical longest queue, from the start on or in the steady state; others limit it.
TYPICAL: dict[str, Quantity] = {"q-max": "queue", "efci-cycle": "late queue"}


def statements(subject: Subject) -> Iterator[Prediction]:
    """Statements on the queue of every port that can be overloaded."""
    for situation in subject.bottlenecks:
        answers = subject.queue_answers(situation)
        bound = queue_bound(subject, situation, answers)
        if bound is not None:
            port = situation.port.name
            yield Statement(
                TOPIC,
                f"{port}: at most {bound.cells:,.0f} cells: {bound.why}.",
                {"port": port, "queue_cells": bound.cells, **bound.given},
                bound.formula,
                kind="bound",
                claims=(Claim("queue", port, "at most", bound.cells, "queue", situation.service),),
            )
        proved = "" if bound is None else bound.formula
        yield from (
            _said(subject, situation, one) for one in answers.values() if one.formula != proved
        )
        yield from _silent(subject, situation)


def _silent(subject: Subject, situation: Situation) -> Iterator[NoStatement]:
    """Formulas that have no result at the port."""
    for answer in subject.formula_answers(situation):
        if answer.cells is None:
            quantity = f"{situation.port.name}: {answer.title}"
            yield NoStatement(TOPIC, quantity, answer.inapplicable, answer.formula)


def _said(subject: Subject, situation: Situation, answer: FormulaAnswer) -> Statement:
    port, cells = situation.port, answer.cells or 0.0
    sense: Sense = "about" if answer.formula in TYPICAL else "at most"
    # A queue that would exceed its buffer loses cells instead, and becomes another one.
    tested = cells <= situation.switch.unrefused_cells
    quantity = TYPICAL.get(answer.formula, "queue")
    topic = f"queue by {answer.formula}"
    claim = Claim(quantity, port.name, sense, cells, topic, situation.service)
    return Statement(
        TOPIC,
        f"{port.name}: {answer.title}: {cells:,.0f} cells.",
        {"port": port.name, "queue_cells": cells, **answer.given},
        answer.formula,
        (*answer.fails, *(unsteady(subject, situation) if answer.formula in TYPICAL else ())),
        "prediction",
        (claim,) if tested else (),
    )
