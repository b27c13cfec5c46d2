"""Prints the result on standard output."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table

from cellrate.advice.sizing import words
from cellrate.advice.sizing.answer import Answer


def show(answer: Answer, out: Console) -> None:
    """Prints the result in sentences, then the formulas beside the measured buffer."""
    out.print(words.asked(answer), soft_wrap=True)
    for sentence in words.verdict(answer):
        out.print(f"  {sentence}", soft_wrap=True)
    out.print(_formulas(answer))
    for formula in answer.formulas:
        for assumption in formula.fails:
            out.print(f"  {formula.formula}: fails here: {assumption}", soft_wrap=True)
    for formula in answer.formulas:
        if formula.not_said:
            out.print(f"  {formula.formula}: does not apply: {formula.not_said}", soft_wrap=True)


def _formulas(answer: Answer) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(("", "cells", "of measured", "assumptions")):
        table.add_column(column, justify="left" if number in (0, 3) else "right")
    if answer.buffer_cells is not None:
        table.add_row("measured", f"{answer.buffer_cells:,}", "", "")
    for formula in answer.formulas:
        if formula.cells is None:
            continue
        ratio = words.ratio(formula.cells, answer.buffer_cells)
        state = f"{len(formula.fails)} fail" if formula.fails else "hold"
        table.add_row(formula.formula, f"{formula.cells:,.0f}", ratio, state)
    return table
