"""Queues of sources without feedback: periodic cells, Poisson cells."""

from __future__ import annotations

from cellrate.advice.formulas.formula_answer import FormulaAnswer
from cellrate.advice.formulas.situation import Situation
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.queueing import md1, periodic

PERIODIC = "queue of periodic sources, of each a cell at the same time at worst"
POISSON = "queue of Poisson cells that is exceeded for the share of time that may be lost"
# The formulas give this share of time, which is at least the loss ratio.
STANDS = "the loss ratio is the share of time that an unlimited queue is longer than the buffer"


def periodic_sources(situation: Situation) -> FormulaAnswer:
    """The queue of constant bit rate sources: a cell of each, or less if some may be lost."""
    name, source = periodic.FORMULA.name, periodic.FORMULA.source
    rates = {flow.source.get("rate_cells_per_second") for flow in situation.others}
    reason = _other_flows(situation, "cbr")
    if not reason and len(rates) > 1:
        reason = "the rates differ; the formula assumes equal ones"
    if reason:
        return FormulaAnswer(name, PERIODIC, source, inapplicable=reason)
    given = {
        "sources": float(len(situation.others)),
        "rate_cells_per_second": float(rates.pop() or 0.0),
        "link_cells_per_second": situation.port.cells_per_second,
    }
    fails: tuple[str, ...] = ()
    try:
        # Holds for all phases, so nothing is ever lost.
        cells = float(len(situation.others))
        periodic.periodic_mean_queue_cells(**given)
        if situation.loss_ratio > 0:
            given["probability"] = situation.loss_ratio
            cells = float(periodic.periodic_buffer_cells(int(given.pop("sources")), **given))
            given["sources"] = float(len(situation.others))
            fails = (STANDS,)
    except AssumptionError as error:
        return FormulaAnswer(name, PERIODIC, source, inapplicable=str(error))
    return FormulaAnswer(name, PERIODIC, source, cells, given, fails)


def poisson_sources(situation: Situation) -> FormulaAnswer:
    """The queue of Poisson sources; it has no upper bound, so a loss ratio is needed."""
    name, source = md1.FORMULA.name, md1.FORMULA.source
    reason = _other_flows(situation, "poisson")
    if not reason and situation.loss_ratio == 0:
        reason = "the queue of Poisson cells has no bound: ask for a loss ratio"
    if reason:
        return FormulaAnswer(name, POISSON, source, inapplicable=reason)
    given = {
        "arrival_cells_per_second": situation.background_cells_per_second(),
        "link_cells_per_second": situation.port.cells_per_second,
        "probability": situation.loss_ratio,
    }
    try:
        cells = float(md1.md1_buffer_cells(**given))
    except AssumptionError as error:
        return FormulaAnswer(name, POISSON, source, inapplicable=str(error))
    return FormulaAnswer(name, POISSON, source, cells, given, (STANDS,))


def _other_flows(situation: Situation, kind: str) -> str:
    """Reason why the port has other sources than those of one kind; empty if it has none."""
    if situation.elastic:
        return "elastic flows cross the port"
    if any(flow.kind != kind for flow in situation.others) or not situation.others:
        return f"not all sources are {kind}"
    queues = {situation.switch.queue_of(flow.service) for flow in situation.others}
    return "" if len(queues) == 1 else "the sources do not share a queue"
