"""The report on a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellrate.common.document import Column, Document, Paragraph, Row, Span, Table, Text
from cellrate.studies.compare import sentences
from cellrate.studies.compare.answer import Comparison, Pair

# At most so many pairs of a measure are printed; --json and the figure have more.
MOST_PAIRS = 40


def report(comparison: Comparison, units: Mapping[str, str]) -> Document:
    """A table of the differences for each measure, and a summary."""
    tables = []
    for measure in comparison.measures:
        pairs = [pair for pair in comparison.pairs if pair.measure == measure]
        unit = units.get(measure, "")
        tables.append(_table(f"{measure} ({unit})" if unit else measure, pairs))
    summary = map(Paragraph, sentences.summary(comparison))
    return Document(sentences.title(comparison), (*tables, *summary))


def _table(title: str, pairs: Sequence[Pair]) -> Table:
    return Table(
        (
            Column(title),
            Column("first", "right"),
            Column("second", "right"),
            Column("second less first", "right"),
            Column("change", "right", optional=True),
            Column("p, together", "right"),
            Column("verdict"),
        ),
        tuple(Row(_cells(pair)) for pair in pairs),
        most=MOST_PAIRS,
        more="in the output of --json",
    )


def _cells(pair: Pair) -> tuple[Text, ...]:
    first, second = sentences.means(pair)
    return (
        sentences.name(pair),
        first,
        second,
        sentences.difference(pair),
        sentences.relative(pair),
        sentences.chance(pair),
        Span(sentences.verdict(pair), "strong" if pair.real else "plain"),
    )
