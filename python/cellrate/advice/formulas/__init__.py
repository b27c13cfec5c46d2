"""Formulas for the queue at a port, each with its assumptions that fail at this port."""

from __future__ import annotations

from cellrate.advice.formulas import credit, fluid, open_loop, tcp
from cellrate.advice.formulas.situation import FormulaAnswer, Situation
from cellrate.simulation.network import Link, Network

__all__ = ["FormulaAnswer", "Situation", "formulas_of"]

FORMULAS = (
    tcp.BUFFER_LAW,
    fluid.BOUND,
    fluid.STEADY,
    tcp.WINDOW_SUM,
    open_loop.PERIODIC,
    open_loop.POISSON,
    open_loop.VIDEO,
    open_loop.CONTRACTS,
    credit.BUFFER,
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
    return tuple(formula.answer(situation) for formula in FORMULAS)
