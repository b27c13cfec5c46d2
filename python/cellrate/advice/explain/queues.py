"""Predicted queue lengths and losses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement
from cellrate.advice.explain.subject import Subject
from cellrate.advice.formulas import FormulaAnswer, Situation, formulas_of
from cellrate.advice.formulas.growth import certain_growth_cells_per_second
from cellrate.simulation.network import Flow

TOPIC = "queue"
LOSS = "loss"
# A queue without a bound is described by the length that it exceeds for this share of the time.
RARE = 1e-6


def statements(subject: Subject) -> Iterator[Prediction]:
    """Statements by formulas on the queue of every port that can be overloaded."""
    for situation in subject.bottlenecks:
        answers = formulas_of(subject.network, situation.port, loss_ratio=RARE)
        yield from (_said(situation, answer) for answer in answers)


def losses(subject: Subject) -> Iterator[Prediction]:
    """Statements on the loss at every such port."""
    for name, flows in subject.elastic_groups.items():
        if any(math.isfinite(flow.source_queue_cells) for flow in flows):
            yield _at_source(name, flows)
    for situation in subject.bottlenecks:
        answers = formulas_of(subject.network, situation.port)
        yield _loss(situation, {one.formula: one for one in answers if one.cells is not None})


def _said(situation: Situation, answer: FormulaAnswer) -> Prediction:
    port = situation.port
    if answer.cells is None:
        quantity = f"{port.name}: {answer.title}"
        return NoStatement(TOPIC, quantity, answer.inapplicable, answer.formula)
    return Statement(
        TOPIC,
        f"{port.name}: {answer.cells:,.0f} cells: {answer.title}.",
        {"port": port.name, "queue_cells": answer.cells, **answer.given},
        answer.formula,
        answer.fails,
    )


def _at_source(name: str, flows: Sequence[Flow]) -> Statement:
    """Statement on a finite queue between TCP and the network, which may overflow."""
    capacity = min(flow.source_queue_cells for flow in flows)
    window = max((flow.tcp.window_cells for flow in flows if flow.tcp is not None), default=0)
    over = window > capacity
    text = "so it can overflow" if over else "so it cannot overflow"
    return Statement(
        LOSS,
        f"{name}: the queue of a source holds {capacity:,.0f} cells and a window {window:,}, "
        f"{text}.",
        {
            "group": name,
            "source_queue_cells": capacity,
            "window_cells": window,
            "expected_at_source": "possible" if over else "no",
        },
    )


def _loss(situation: Situation, said: dict[str, FormulaAnswer]) -> Statement:
    buffer_cells = situation.switch.buffer_cells
    finite = math.isfinite(buffer_cells)
    values = {
        "port": situation.port.name,
        "buffer_cells": buffer_cells if finite else None,
    }
    if situation.network.credit is not None:
        text = "none under credit control: a cell is sent only if a buffer is free for it"
        return Statement(LOSS, f"{situation.port.name}: {text}.", values | {"expected": "no"})
    if not finite:
        text = "none in the switch: its buffer has no limit"
        return Statement(LOSS, f"{situation.port.name}: {text}.", values | {"expected": "no"})
    expected, why, formula, fails = _expected(situation, buffer_cells, said)
    text = f"{expected}: {why}, and the buffer has {buffer_cells:,.0f}"
    return Statement(
        LOSS,
        f"{situation.port.name}: {text}.",
        values | {"expected": expected},
        formula,
        fails,
    )


def _expected(
    situation: Situation, buffer_cells: float, said: dict[str, FormulaAnswer]
) -> tuple[str, str, str, tuple[str, ...]]:
    """The expectation, its reason, the formula, and the formula's failing assumptions."""
    growth = certain_growth_cells_per_second(situation.network, situation.port)
    if growth > 0:
        return "yes", f"arrivals exceed departures by {growth:,.0f} cells/s", "", ()
    windows, law = said.get("window-sum"), said.get("buffer-law")
    cycle, bound = said.get("efci-cycle"), said.get("q-max")
    if windows is not None and (windows.cells or 0.0) <= buffer_cells:
        return "no", f"all TCP windows hold {windows.cells:,.0f} cells", "window-sum", windows.fails
    if cycle is not None and (cycle.cells or 0.0) > buffer_cells:
        why = f"every cycle reaches {cycle.cells:,.0f} cells"
        return "yes", why, "efci-cycle", cycle.fails
    if bound is not None:
        inside = (bound.cells or 0.0) <= buffer_cells
        why = f"a queue that starts empty reaches at most {bound.cells:,.0f} cells"
        return ("no" if inside else "at the start"), why, "q-max", bound.fails
    if law is not None:
        inside = (law.cells or 0.0) <= buffer_cells
        why = f"the buffer law requires {law.cells:,.0f} cells"
        return ("no" if inside else "possible"), why, "buffer-law", law.fails
    periodic = said.get("n-d-d-1")
    if periodic is not None:
        inside = (periodic.cells or 0.0) <= buffer_cells
        why = f"one cell of each source makes {periodic.cells:,.0f} cells"
        return ("no" if inside else "possible"), why, "n-d-d-1", periodic.fails
    if windows is not None and not situation.abr:
        pipe = situation.port.cells_per_second * max(situation.round_trips_seconds, default=0.0)
        over = (windows.cells or 0.0) > buffer_cells + pipe
        why = (
            f"TCP grows until a window is full or a cell is lost, and all windows hold "
            f"{windows.cells:,.0f} cells, of which the pipe holds {pipe:,.0f}"
        )
        return ("yes" if over else "no"), why, "window-sum", windows.fails
    return "possible", "no formula bounds the queue", "", ()
