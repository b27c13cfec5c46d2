"""The result as one self-contained web page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from cellrate import __version__
from cellrate.advice.sizing import words
from cellrate.advice.sizing.answer import Answer
from cellrate.advice.sizing.drawing import queue_figure
from cellrate.common import html
from cellrate.common.html import escape
from cellrate.simulation.figures import svg


def page(answer: Answer) -> str:
    """The page as HTML."""
    question = answer.question
    settings = " ".join(f"--set {shlex.quote(setting)}" for setting in question.overrides)
    verdict = "".join(f"<p>{escape(sentence)}</p>" for sentence in words.verdict(answer))
    picture = (
        html.figure(svg(queue_figure(answer, answer.queue))) if answer.queue is not None else ""
    )
    return html.document(
        words.asked(answer),
        [
            f"<h1>{escape(words.asked(answer))}</h1>",
            (
                f'<p class="faint"><code>{escape(question.path)} {escape(settings)}</code> · '
                f"cellrate {escape(__version__)}</p>"
            ),
            verdict,
            "<h2>The longest queue of all seeds</h2>" if picture else "",
            picture,
            "<h2>Formulas beside the measurement</h2>",
            _formulas(answer),
            _failing(answer),
            "<h2>Each seed</h2>" if answer.unlimited else "",
            _seeds(answer),
            _ports(answer),
        ],
    )


def _formulas(answer: Answer) -> str:
    rows = []
    if answer.buffer_cells is not None:
        rows.append(["measured", f"{answer.buffer_cells:,}", "", "", ""])
    for formula in answer.formulas:
        cells = "-" if formula.cells is None else f"{formula.cells:,.0f}"
        ratio = words.ratio(formula.cells, answer.buffer_cells)
        given = formula.not_said and f"does not apply: {formula.not_said}"
        title = f"{formula.formula}: {formula.title}"
        rows.append([title, cells, ratio, given or _given(formula.given), formula.source])
    columns = ["formula", "cells", "of measured", "with", "source"]
    return html.table(columns, rows, numbers={1, 2})


def _given(given: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in given.items())


def _failing(answer: Answer) -> str:
    rows = [[f.formula, assumption] for f in answer.formulas for assumption in f.fails]
    title = "<h3>Assumptions that fail here</h3>"
    return title + html.table(["formula", "assumption"], rows) if rows else ""


def _seeds(answer: Answer) -> str:
    if not answer.unlimited:
        return ""
    each = dict(zip((run.seed for run in answer.unlimited), answer.each_cells, strict=False))
    limited = {run.seed: run for run in answer.runs}
    rows = []
    for run in answer.unlimited:
        with_buffer = limited.get(run.seed)
        rows.append(
            [
                str(run.seed),
                f"{run.longest_queue_cells:,}",
                f"{each[run.seed]:,}" if run.seed in each else "-",
                f"{with_buffer.loss_ratio:.3g}" if with_buffer else "-",
                f"{with_buffer.tcp_bits_per_second / 1e6:.3f}" if with_buffer else "-",
            ]
        )
    columns = [
        "seed",
        "longest queue without a limit",
        "least lossless buffer",
        "loss ratio with the buffer",
        "TCP Mbit/s with the buffer",
    ]
    return html.table(columns, rows, numbers=range(5))


def _ports(answer: Answer) -> str:
    longest = sorted(answer.longest_queues_cells.items(), key=lambda entry: -entry[1])
    rows = [[name, f"{cells:,}"] for name, cells in longest if cells]
    table = html.table(["port", "longest queue of all seeds (cells)"], rows, numbers={1})
    return html.details(f"All ports ({len(rows)})", table if rows else "")
