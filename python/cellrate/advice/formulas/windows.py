"""The sum of the TCP windows, the buffer of UBR (Kalyanaraman 1997, sections 8.14, 8.15.5)."""

from __future__ import annotations

from cellrate.advice.formulas.formula_answer import FormulaAnswer
from cellrate.advice.formulas.situation import Situation
from cellrate.theory import window_sum

NAME = window_sum.FORMULA.name
TITLE = "all TCP windows in one queue, without what is sent again"


def answer(situation: Situation) -> FormulaAnswer:
    """The sum of the windows of the flows over the port."""
    source = window_sum.FORMULA.source
    if not situation.elastic:
        return FormulaAnswer(NAME, TITLE, source, inapplicable="no TCP flow crosses the port")
    if any(flow.tcp is None for flow in situation.elastic):
        reason = "sources without TCP have no window, so their outstanding cells are not bounded"
        return FormulaAnswer(NAME, TITLE, source, inapplicable=reason)
    cells = float(sum(flow.tcp.window_cells for flow in situation.elastic if flow.tcp is not None))
    given = {"sources": float(len(situation.elastic))}
    kinds = {
        (f.tcp.window_bytes, f.tcp.mss_bytes, f.tcp.overhead_bytes)
        for f in situation.elastic
        if f.tcp
    }
    if len(kinds) == 1:
        [(window, segment, overhead)] = kinds
        given |= {
            "window_bytes": float(window),
            "segment_bytes": float(segment),
            "overhead_bytes": float(overhead),
        }
    return FormulaAnswer(NAME, TITLE, source, cells, given, tuple(_fails(situation, cells)))


def _fails(situation: Situation, cells: float) -> list[str]:
    fails = []
    left = situation.capacity_cells_per_second
    if left <= 0:
        fails.append("background leaves TCP some of the link")
    else:
        soonest = min(f.tcp.parameters["min_rto_seconds"] for f in situation.elastic if f.tcp)
        if cells / left > soonest:
            fails.append(
                f"nothing is sent twice: a full queue takes {cells / left:.3g} s, longer than the "
                f"least retransmission timeout of {soonest:.3g} s"
            )
    if situation.sharing():
        names = ", ".join(flow.name for flow in situation.sharing())
        fails.append(f"only TCP uses the queue: {names} share it, and add to it")
    return fails
