"""The law for TCP over ABR with ERICA (Kalyanaraman 1997, section 8.14)."""

from __future__ import annotations

from cellrate.advice.formulas.formula_answer import FormulaAnswer
from cellrate.advice.formulas.situation import Situation, full_load_interval_seconds
from cellrate.theory import buffer_law
from cellrate.theory.assumptions import AssumptionError

NAME = buffer_law.FORMULA.name
TITLE = "lossless buffer of TCP over ABR: a RTT + b interval + c feedback delay"
# Segments of all sources together are small up to this share of the buffer.
SMALL = 0.1
# An interval is short up to this share of the round trip.
LONG = 0.5


def answer(situation: Situation) -> FormulaAnswer:
    """Applies the law to the port."""
    reason = _does_not_apply(situation)
    if reason:
        return FormulaAnswer(NAME, TITLE, buffer_law.FORMULA.source, inapplicable=reason)
    link = situation.port.cells_per_second
    given = {
        "round_trip_seconds": situation.round_trips_seconds[-1],
        "interval_seconds": full_load_interval_seconds(situation),
        "feedback_delay_seconds": situation.feedback_delays_seconds[-1],
        "link_cells_per_second": link,
    }
    try:
        cells = float(buffer_law.buffer_law_cells(**given))
    except AssumptionError as error:
        return FormulaAnswer(NAME, TITLE, buffer_law.FORMULA.source, inapplicable=str(error))
    fails = tuple(_fails(situation, cells))
    return FormulaAnswer(NAME, TITLE, buffer_law.FORMULA.source, cells, given, fails)


def _does_not_apply(situation: Situation) -> str:
    if situation.switch.scheme != "erica":
        return f"its coefficients are ERICA's, and the port has `{situation.switch.scheme}`"
    if not situation.abr:
        return "no elastic ABR flow crosses the port"
    return situation.split


def _fails(situation: Situation, cells: float) -> list[str]:
    fails = []
    if any(flow.tcp is None for flow in situation.abr):
        fails.append("the sources run over TCP, whose load doubles in a round trip at most")
    if any(flow.kind == "transfer" for flow in situation.abr):
        fails.append("the sources are persistent: transfers that end and begin may come together")
    if len(situation.abr) < len(situation.elastic):
        fails.append("all elastic flows are ABR: nothing limits the rates of the rest")
    segments = sum(flow.tcp.segment_cells for flow in situation.abr if flow.tcp is not None)
    if segments > SMALL * cells:
        fails.append(f"a segment of each source, {segments} cells, is small beside the buffer")
    interval = full_load_interval_seconds(situation)
    if interval > LONG * situation.round_trips_seconds[-1]:
        fails.append(
            "the interval is short beside the round trip: in local networks Table 8.4 has queues "
            "of up to four times the law"
        )
    if situation.has_varying_background:
        fails.append(
            "the capacity for ABR is constant: with background that comes and goes section 8.14.2 "
            "asks for 5 RTT at least, and the queue may grow without end"
        )
    if situation.is_two_way:
        fails.append("data go one way: with two-way traffic section 8.14.2 asks for 5 RTT at least")
    if situation.has_other_bottlenecks:
        fails.append("there is one bottleneck")
    return fails
