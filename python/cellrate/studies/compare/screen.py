"""Prints a comparison on standard output."""

from __future__ import annotations

from collections.abc import Mapping

from rich import box
from rich.console import Console
from rich.table import Table

from cellrate.studies.compare import words
from cellrate.studies.compare.answer import Comparison, Pair

# At most so many pairs of a measure are printed; --json and the figure have more.
MOST_PAIRS = 40


def show(comparison: Comparison, units: Mapping[str, str], out: Console) -> None:
    """Prints a title, a table per measure, and a summary."""
    out.print(words.title(comparison), soft_wrap=True)
    for measure in comparison.measures:
        pairs = [pair for pair in comparison.pairs if pair.measure == measure]
        unit = units.get(measure, "")
        out.print(_table(f"{measure} ({unit})" if unit else measure, pairs))
        if len(pairs) > MOST_PAIRS:
            out.print(f"  {len(pairs) - MOST_PAIRS} more; --json has all of them")
    for sentence in words.summary(comparison):
        out.print(sentence, soft_wrap=True)


def _table(title: str, pairs: list[Pair]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in (title, "first", "second", "second less first", "", "p, together", ""):
        table.add_column(column, justify="left" if column == title else "right")
    for pair in pairs[:MOST_PAIRS]:
        name = f"{words.shown(pair.second)} less {words.shown(pair.first)}"
        at = words.place(pair.where)
        table.add_row(
            f"{name}, {at}" if at else name,
            *words.means(pair),
            words.difference(pair),
            words.relative(pair),
            words.chance(pair),
            words.verdict(pair),
            style="bold" if pair.real else None,
        )
    return table
