"""The report on a sized buffer."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from cellrate import __version__
from cellrate.advice.formulas import FormulaAnswer
from cellrate.advice.sizing import sentences
from cellrate.advice.sizing.answer import Answer
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


def report(answer: Answer) -> Document:
    """The result in sentences, then the formulas beside the measured buffer, then each seed."""
    return Document(
        sentences.asked(answer),
        (
            Detail((_origin(answer),)),
            *map(Paragraph, sentences.verdict(answer)),
            _queue(answer),
            Section("Formulas beside the measurement", (_formulas(answer), _inapplicable(answer))),
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
                    sentences.ratio(formula.cells, measured),
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
            Column("of\nmeasured", "right"),
            Column("computes", optional=True),
            Column("with", detail=True),
            Column("source", detail=True),
        ),
        tuple(found),
    )


def _given(given: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in given.items())


def _inapplicable(answer: Answer) -> Listing:
    return Listing(
        tuple(
            (Span(one.formula, "strong"), f", {one.title}, does not apply: {_why(one)}")
            for one in answer.formulas
            if not one.applies
        )
    )


def _why(one: FormulaAnswer) -> str:
    """The reason, or the assumptions that fail, and last what the formula would say."""
    if one.cells is None:
        return one.inapplicable
    return f"it assumes that {'; that '.join(one.fails)}. It would say {one.cells:,.0f} cells"


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
