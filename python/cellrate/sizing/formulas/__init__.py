"""What formulas say of the queue at a port, each with the assumptions that fail there."""

from __future__ import annotations

from collections.abc import Callable

from cellrate.network import Link, Network
from cellrate.sizing.formulas import buffer_law, credit, fluid, long_range, open_loop, windows
from cellrate.sizing.formulas.model import FormulaAnswer
from cellrate.sizing.formulas.situation import Situation

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
    """Every formula at a port; one that does not apply says why.

    Args:
        network: The network.
        port: One of its ports.
        credit_cells: Cells per credit, if it is asked what credits would need.
        loss_ratio: Share of cells that may be lost.
    """
    situation = Situation(network, port, credit_cells, loss_ratio)
    answers = tuple(formula(situation) for formula in FORMULAS)
    return answers if network.credit is None else tuple(map(_under_credit, answers))


# What holds whatever lets cells into a queue.
HOLDS_UNDER_CREDIT = frozenset({"window-sum", credit.FORMULA.name})


def _under_credit(answer: FormulaAnswer) -> FormulaAnswer:
    """Laws of queues that sources fill as they like say nothing where cells wait for credit."""
    if answer.formula in HOLDS_UNDER_CREDIT:
        return answer
    reason = "cells come only as credit lets them: they wait in the sources instead"
    return FormulaAnswer(answer.formula, answer.title, answer.source, not_said=reason)
