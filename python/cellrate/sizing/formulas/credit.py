"""The buffer of a channel under credit-based flow control (Gerla et al. 1995, section II.B)."""

from __future__ import annotations

from cellrate.sizing.formulas.model import FormulaAnswer
from cellrate.sizing.formulas.situation import Situation
from cellrate.theory import credit

[FORMULA] = [one for one in credit.FORMULAE if one.name == "credit-buffer"]
TITLE = "N2 + N3 cells of each channel: what credits would let into the port"


def answer(situation: Situation) -> FormulaAnswer:
    """What the flows over a port could send without a new credit, at the port's rate each.

    The round trip of a flow is that of its link into the switch of the port.
    """
    asked = situation.credit_cells
    if asked is None:
        reason = f"the port gives no credits, it has `{situation.switch.scheme}`"
        return FormulaAnswer(FORMULA.name, TITLE, FORMULA.source, not_said=reason)
    before = [flow.forward[flow.forward.index(situation.port) - 1] for flow in situation.flows]
    rate = situation.port.bits_per_second
    cells = sum(
        float(credit.credit_buffer_cells(2 * link.delay_seconds, rate, asked)) for link in before
    )
    given = {
        "round_trip_seconds": max((2 * link.delay_seconds for link in before), default=0.0),
        "target_bits_per_second": rate,
        "credit_cells": float(asked),
        "channels": float(len(before)),
    }
    fails = (f"the port gives credits: it has `{situation.switch.scheme}`",)
    return FormulaAnswer(FORMULA.name, TITLE, FORMULA.source, cells, given, fails)
