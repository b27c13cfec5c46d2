"""Formulas for the queue at a port, each with the assumptions that fail there."""

from __future__ import annotations

from collections.abc import Callable

from cellrate.advice.formulas import (
    buffer_law,
    credit,
    fluid,
    long_range,
    open_loop,
    windows,
)
from cellrate.advice.formulas.formula_answer import FormulaAnswer
from cellrate.advice.formulas.situation import Situation
from cellrate.simulation.network import Link, Network

__all__ = ["FormulaAnswer", "Situation", "formulas_of"]

FORMULAS: tuple[Callable[[Situation], FormulaAnswer], ...] = (
    buffer_law.answer,
    fluid.bound,
    fluid.steady,
    windows.answer,
    open_loop.periodic_sources,
    open_loop.poisson_sources,
    long_range.answer,
    credit.answer,
)


def formulas_of(
    network: Network, port: Link, credit_cells: int | None = None, loss_ratio: float = 0.0
) -> tuple[FormulaAnswer, ...]:
    """Evaluates every formula at a port; a formula that does not apply gives the reason.

    Args:
        network: The network.
        port: One of its ports.
        credit_cells: Cells per credit, to compute the buffer under credit control as well.
        loss_ratio: Share of cells that may be lost.
    """
    situation = Situation(network, port, credit_cells, loss_ratio)
    answers = tuple(formula(situation) for formula in FORMULAS)
    return answers if network.credit is None else tuple(map(_under_credit, answers))


# Formulas that also hold under credit control.
HOLDS_UNDER_CREDIT = frozenset({"window-sum", credit.FORMULA.name})


def _under_credit(answer: FormulaAnswer) -> FormulaAnswer:
    """Replaces the result of a formula that assumes sources may send at any time."""
    if answer.formula in HOLDS_UNDER_CREDIT:
        return answer
    reason = "under credit control cells wait in the sources until they have credit"
    return FormulaAnswer(answer.formula, answer.title, answer.source, inapplicable=reason)
