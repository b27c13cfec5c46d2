"""A sized buffer in sentences, as a document and as JSON."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from cellrate import __version__
from cellrate.advice.formulas import FormulaAnswer, Situation
from cellrate.advice.formulas.credit import reserved_cells
from cellrate.advice.formulas.tcp import beside_windows
from cellrate.advice.locked_phases import doubt
from cellrate.advice.sizing.answer import Answer, Smaller
from cellrate.advice.sizing.confidence import (
    CONFIDENCE,
    covered,
    covered_share,
    seeds_to_cover,
)
from cellrate.advice.sizing.lossless import LosslessAnswer
from cellrate.advice.sizing.over_ethernet import PacketAnswer
from cellrate.common.document import (
    Column,
    Detail,
    Document,
    Figure,
    Folded,
    Listing,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    columns,
    rows,
)
from cellrate.common.numbers import counted, seconds
from cellrate.common.to_json import to_json
from cellrate.theory.cell_conversions import CELL_BYTES

# Buffers below this many KiB are shown in bytes.
LEAST_KIB = 10
# Share of all possible runs that a careful design covers.
WANTED = 0.99


def asked(answer: Answer) -> str:
    """Title of the report: the port and the target."""
    question = answer.question
    if question.delay_seconds is not None:
        target = f"a queueing delay of at most {seconds(question.delay_seconds)}"
    elif question.loss_ratio > 0:
        target = f"a mean cell loss ratio of at most {question.loss_ratio:.3g}"
    else:
        target = "no loss"
    return f"Buffer of {answer.port.name} for {target}"


def verdict(answer: Answer) -> list[str]:
    """The result, as a list of sentences."""
    if answer.endless is not None:
        return answer.endless.words(answer.port.name, "cells", "cells")
    if answer.buffer_cells is None:
        return [*_remarks(answer)]
    locked = sum(run.locked for run in answer.runs)
    doubts = doubt(locked, len(answer.runs), "this buffer")
    return [
        *doubts,
        _buffer(answer),
        *_found(answer),
        *_smaller(answer),
        *_own(answer),
        *_remarks(answer),
    ]


def _buffer(answer: Answer) -> str:
    cells = answer.buffer_cells or 0
    drain = cells / answer.port.cells_per_second
    size = cells * CELL_BYTES
    amount = f"{size / 1024:,.0f} KiB" if size >= LEAST_KIB * 1024 else f"{size:,} bytes"
    return (
        f"Buffer: {counted(cells, 'cell')}, which is {amount} at 53 bytes per "
        f"cell; the link sends them in {seconds(drain)}."
    )


def _own(answer: Answer) -> list[str]:
    """A clause that compares the scenario's own buffer with the result."""
    own, cells = answer.port.switch.buffer_cells, answer.buffer_cells or 0
    if math.isinf(own):
        return []
    excess = own - cells
    verdict = f"{excess:,.0f} more than needed" if excess >= 0 else f"{-excess:,.0f} too few"
    found = f"The buffer in the scenario has {own:,.0f} cells"
    for one in answer.smaller:
        if one.cells == own:
            verdict = "meets the target, too" if one.holds else "misses the target"
            return [f"{found} and {verdict}: {_with_smaller(one)}."]
    return [f"{found}, {verdict}."]


def _with_smaller(one: Smaller) -> str:
    """Clause on the loss ratio and throughput with a smaller buffer."""
    return (
        f"the mean cell loss ratio is {one.mean_loss_ratio:.3g}{_bounded(one.upper_loss_ratio)} "
        f"and TCP throughput {one.tcp_bits_per_second / 1e6:.2f} Mbit/s"
    )


def _bounded(bound: float | None) -> str:
    """The upper bound of a mean; empty if there is none."""
    return "" if bound is None else f", at most {bound:.3g} with {CONFIDENCE:.0%} confidence"


def _smaller(answer: Answer) -> list[str]:
    """Sentences on smaller buffers that meet a loss ratio, because sources then send less."""
    enough = [one for one in answer.smaller if one.holds]
    if not enough:
        return []
    return [
        (
            "Far smaller buffers can meet the target as well, since TCP sends less when cells are "
            f"lost. With {counted(enough[-1].cells, 'cell')} {_with_smaller(enough[-1])}, instead "
            f"of {answer.tcp_bits_per_second / 1e6:.2f} Mbit/s with {answer.buffer_cells:,} cells."
        )
    ]


def _found(answer: Answer) -> list[str]:
    runs = len(answer.runs)
    if answer.question.network.credit is not None and answer.each_cells:
        return [*_by_credits(answer)]
    if answer.each_cells:
        return [_lossless(answer), *_covered(answer)]
    loss = f"{answer.mean_loss_ratio or 0.0:.3g}"
    upper = _bounded(answer.upper_loss_ratio)
    found = [f"With this buffer the mean cell loss ratio of {runs} runs is {loss}{upper}."]
    switch, here = answer.port.switch, answer.question.network.flows_over(answer.port)
    if len({switch.queue_of(flow.service) for flow in here}) > 1:
        found.append("The ratio is that of all cells at the port, those of every queue.")
    if answer.random and not any(run.cells_dropped for run in answer.runs):
        share = 1 - covered_share(runs)
        found.append(
            f"No run loses a cell. With {CONFIDENCE:.0%} confidence at most {share:.1%} of runs "
            "with other seeds lose cells."
        )
    if answer.question.delay_seconds is not None:
        found += _delay(answer)
    elif answer.searched is not None and answer.searched.verified_cells:
        tried = ", ".join(f"{cells:,}" for cells in answer.searched.verified_cells)
        found.append(
            f"{answer.searched.too_small_cells:,} cells miss the target; {tried} cells, tried as a "
            "check, meet it, too."
        )
    return found


def _by_credits(answer: Answer) -> Iterator[str]:
    """Sentences on the buffer that credits reserve, and on the part that queues take of it."""
    longest = max(run.longest_queue_cells for run in answer.unlimited)
    runs = "1 run" if len(answer.runs) == 1 else f"{len(answer.runs)} runs"
    yield (
        "Credits set this buffer, not the queue: a cell is sent only if a credit reserves its "
        f"place. The longest queue of {answer.port.name} in {runs} has {counted(longest, 'cell')}."
    )
    if answer.refused_less is not None:
        yield f"A buffer with a cell less is refused: {answer.refused_less}."
    reserved = math.ceil(reserved_cells(answer.question.network, answer.port))
    static = answer.question.network.credit
    if static and static["allocation"] == "static" and reserved < (answer.buffer_cells or 0):
        yield (
            f"The credits at {answer.port.name} alone need {counted(reserved, 'cell')}, but other "
            "ports have the same buffer."
        )


def _lossless(answer: Answer) -> str:
    cells, runs = answer.buffer_cells or 0, len(answer.each_cells)
    fewer = (
        "with a cell less one of the runs loses cells" if runs > 1 else "with a cell less it does"
    )
    how = (
        "one run per seed without a limit shows this, because a buffer changes nothing before it "
        "overflows"
        if answer.question.is_exact
        else "found by bisection over runs, because the discard policy depends on the buffer"
    )
    count = f"none of {runs} runs loses a cell" if runs > 1 else "the run loses no cell"
    less = f"; {fewer}" if cells > 1 else ""
    return f"With {counted(cells, 'cell')} {count}{less} ({how})."


def _covered(answer: Answer) -> list[str]:
    if answer.covered_share is None:
        return []
    found = [
        (
            f"{covered(len(answer.each_cells))} The bound follows from the largest of "
            f"{len(answer.each_cells)} seeds, for any distribution; {seeds_to_cover(WANTED)} seeds "
            f"would give {WANTED:.0%}."
        )
    ]
    tolerance = answer.normal_tolerance_cells
    if tolerance is not None:
        found.append(
            f"If the longest queues are normally distributed over seeds, {tolerance:,.0f} cells "
            f"are enough for {WANTED:.0%} of runs, with {CONFIDENCE:.0%} confidence."
        )
    return found


def _delay(answer: Answer) -> list[str]:
    longest = max(run.longest_queue_cells for run in answer.unlimited)
    if longest <= (answer.buffer_cells or 0):
        return [
            (
                f"This delay allows more buffer than needed: with {counted(longest, 'cell')} "
                "no cell is lost, and the delay is shorter."
            )
        ]
    limited = sum(run.tcp_bits_per_second for run in answer.runs) / len(answer.runs)
    free = sum(run.tcp_bits_per_second for run in answer.unlimited) / len(answer.unlimited)
    found = [f"A buffer without loss would need {counted(longest, 'cell')}."]
    if free > 0:
        found.append(
            f"TCP throughput is {limited / 1e6:.2f} Mbit/s instead of {free / 1e6:.2f} Mbit/s with "
            "an unlimited buffer."
        )
    return found


def _remarks(answer: Answer) -> list[str]:
    return [f"{remark[0].upper()}{remark[1:]}." for remark in answer.remarks]


def ratio(formula_cells: float | None, buffer_cells: int | None) -> str:
    """A formula's buffer as a multiple of the measured one; "-" if one of them is missing."""
    if formula_cells is None or not buffer_cells:
        return "-"
    return f"{formula_cells / buffer_cells:.2f}"


def report(answer: Answer) -> Document:
    """The result in sentences, then the formulas beside the measured buffer, then each seed."""
    return Document(
        asked(answer),
        (
            Detail((_origin(answer),)),
            *map(Paragraph, verdict(answer)),
            _queue(answer),
            Section(
                "Formulas beside the measurement",
                (_formulas(answer), *_beside_windows(answer), _inapplicable(answer)),
            ),
            Detail((Section("Each seed", (*_seeds(answer), _ports(answer))),)),
        ),
    )


def _origin(answer: Answer) -> Paragraph:
    """The scenario with its settings, and the version of the program."""
    question = answer.question
    settings = [f"--set {shlex.quote(setting)}" for setting in question.overrides]
    scenario = Span(" ".join([question.path, *settings]), "code")
    return Paragraph((scenario, f" · cellrate {__version__}"), "faint")


def _queue(answer: Answer) -> Section:
    queue = answer.queue
    if queue is None:
        return Section("", ())

    def drawn() -> str:
        from cellrate.advice.sizing.figure import queue_figure  # slow to import
        from cellrate.simulation.figures import svg

        return svg(queue_figure(answer, queue))

    about = f"Length of the longest queue of {answer.port.name} over time, with the buffers"
    return Section("The longest queue of all seeds", (Detail((Figure(drawn, about),)),))


def _formulas(answer: Answer) -> Table:
    """The measured buffer, and the formulas whose assumptions hold."""
    measured = answer.buffer_cells
    found = [] if measured is None else [Row(("measured", f"{measured:,}", "", "", "", ""))]
    for formula in answer.formulas:
        if formula.cells is None or not formula.applies:
            continue
        found.append(
            Row(
                (
                    formula.formula,
                    f"{formula.cells:,.0f}",
                    ratio(formula.cells, measured),
                    formula.title,
                    _given(formula.given),
                    formula.source,
                )
            )
        )
    return Table(
        (
            Column("formula"),
            Column("cells", "right"),
            Column("ratio to\nmeasured", "right"),
            Column("computes", optional=True),
            Column("with", detail=True),
            Column("source", detail=True),
        ),
        tuple(found),
    )


def _beside_windows(answer: Answer) -> Iterator[Paragraph]:
    """A sentence on cells beside the windows, which the sum of windows leaves out."""
    more = beside_windows(Situation(answer.question.network, answer.port))
    if more and any(one.formula == "window-sum" and one.applies for one in answer.formulas):
        yield Paragraph(
            f"window-sum counts data alone; up to {more:,} RM cells and acknowledgements may wait "
            "beside these.",
            "faint",
        )


def _given(given: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in given.items())


def _inapplicable(answer: Answer) -> Listing:
    return Listing(
        tuple(
            (Span(formula.formula, "strong"), f", {formula.title}, does not apply: {_why(formula)}")
            for formula in answer.formulas
            if not formula.applies
        )
    )


def _why(one: FormulaAnswer) -> str:
    """The reason, or the assumptions that fail and the result of the formula all the same."""
    if one.cells is None:
        return one.inapplicable
    return (
        f"it assumes that {'; that '.join(one.fails)}. Applied all the same, it gives "
        f"{one.cells:,.0f} cells"
    )


def _seeds(answer: Answer) -> tuple[Table, ...]:
    if not answer.unlimited:
        return ()
    each = dict(zip((run.seed for run in answer.unlimited), answer.each_cells, strict=False))
    limited = {run.seed: run for run in answer.runs}
    found = []
    for run in answer.unlimited:
        with_buffer = limited.get(run.seed)
        found.append(
            [
                str(run.seed),
                f"{run.longest_queue_cells:,}",
                f"{each[run.seed]:,}" if run.seed in each else "-",
                f"{with_buffer.loss_ratio:.3g}" if with_buffer else "-",
                f"{with_buffer.tcp_bits_per_second / 1e6:.3f}" if with_buffer else "-",
            ]
        )
    titles = (
        "seed",
        "longest queue without a limit (cells)",
        "least lossless buffer (cells)",
        "loss ratio with the buffer",
        "TCP Mbit/s with the buffer",
    )
    return (Table(columns(*titles, numbers=range(5)), rows(found)),)


def _ports(answer: Answer) -> Folded:
    longest = sorted(answer.longest_queues_cells.items(), key=lambda entry: -entry[1])
    found = [[name, f"{cells:,}"] for name, cells in longest if cells]
    titles = columns("port", "longest queue of all seeds (cells)", numbers=[1])
    return Folded(f"All ports ({len(found)})", (Table(titles, rows(found)),) if found else ())


def as_json(answer: Answer | PacketAnswer | LosslessAnswer) -> dict[str, Any]:
    """The output of `cellrate size-buffer --json`."""
    if not isinstance(answer, Answer):
        return answer.as_json()
    question = answer.question
    names = {
        "cells": "buffer_cells",
        "fails": "failing_assumptions",
        "inapplicable": "not_said_because",
    }
    return {
        "scenario": question.path,
        "settings": list(question.overrides),
        "port": answer.port.name,
        "target": {"loss_ratio": question.loss_ratio, "delay_seconds": question.delay_seconds},
        "buffer_cells": answer.buffer_cells,
        "grows_without_end": answer.endless and answer.endless.as_json("cells"),
        "confidence": CONFIDENCE,
        "covered_share": answer.covered_share,
        "normal_tolerance_cells": answer.normal_tolerance_cells,
        "seeds": [run.seed for run in answer.unlimited],
        "least_buffer_cells_by_seed": list(answer.each_cells),
        "mean_loss_ratio": answer.mean_loss_ratio,
        "upper_mean_loss_ratio": answer.upper_loss_ratio,
        "smaller_buffers": to_json(answer.smaller),
        "runs_with_buffer": to_json(answer.runs),
        "runs_without_limit": to_json(answer.unlimited),
        "longest_queues_cells": answer.longest_queues_cells,
        "formulas": [
            {**to_json(formula, names), "not_said_because": formula.inapplicable or None}
            for formula in answer.formulas
        ],
        "words": verdict(answer),
    }
