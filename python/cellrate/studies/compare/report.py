"""The report on a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellrate.common.document import (
    Column,
    Document,
    Paragraph,
    Section,
    Span,
    Table,
    Text,
    rows,
)
from cellrate.common.numbers import number
from cellrate.studies.compare import sentences
from cellrate.studies.compare.answer import Comparison, Pair, Place, Ranking

# At most so many rows of a measure are printed; --json and the figure have more.
MOST_ROWS = 40


def report(
    comparison: Comparison, units: Mapping[str, str], *, all_pairs: bool = False
) -> Document:
    """A ranking of each measure with the differences to the best, and a summary.

    Args:
        comparison: The comparison.
        units: Unit of each measure.
        all_pairs: True for a table of all pairs after each ranking; pairs with a baseline always
            have their table.
    """
    summary = map(Paragraph, sentences.summary(comparison))
    sections = [
        _section(comparison, measure, units.get(measure, ""), all_pairs=all_pairs)
        for measure in comparison.measures
    ]
    return Document(sentences.title(comparison), (*sections, *summary))


def _section(comparison: Comparison, measure: str, unit: str, *, all_pairs: bool) -> Section:
    """The ranking of a measure, and its pairs if they are asked for or nothing is ranked."""
    rankings = comparison.rankings_of(measure)
    tables = [_ranking(comparison, rankings)] if rankings else []
    if all_pairs or not rankings:
        tables.append(_pairs(comparison.pairs_of(measure)))
    title = sentences.heading(measure, unit, comparison.better.get(measure))
    return Section(title, tuple(tables))


def _ranking(comparison: Comparison, rankings: Sequence[Ranking]) -> Table:
    """The alternatives at each point, the best first, beside it the difference to the best."""
    names = [name.rpartition(".")[2] for name in rankings[0].where]
    best = {one.places[0].alternative for one in rankings if one.places}
    least = f"minus {sentences.shown(best.pop())}" if len(best) == 1 else "minus the best"
    found = [
        (*map(sentences.shown, one.where.values()), *_place(place))
        for one in rankings
        for place in one.places
    ]
    heads = (
        *map(Column, names),
        Column(sentences.factor(comparison)),
        Column("mean", "right"),
        Column("group"),
        Column(least, "right"),
        *_decision("% of\nbest"),
    )
    return _without_empty(heads, found)


def _place(place: Place) -> tuple[Text, ...]:
    name, mean = sentences.shown(place.alternative), number(place.mean)
    pair = place.against_best
    if pair is None:
        return (name, mean, place.letters, "", "", "", "best", "")
    return (name, mean, place.letters, sentences.difference(pair), *_decided(pair))


def _decision(relative: str) -> tuple[Column, ...]:
    return (
        Column(relative, "right", optional=True),
        Column("adjusted\np", "right", optional=True),
        Column("verdict"),
        Column("seeds to\ndecide", "right"),
    )


def _decided(pair: Pair) -> tuple[Text, ...]:
    verdict = Span(sentences.verdict(pair), "strong" if pair.real else "plain")
    return (sentences.relative(pair), sentences.chance(pair), verdict, sentences.needed(pair))


def _pairs(pairs: Sequence[Pair]) -> Table:
    heads = (
        Column("difference"),
        Column("second", "right"),
        Column("first", "right"),
        Column("second - first", "right"),
        *_decision("% of\nfirst"),
    )
    return _without_empty(heads, [_cells(pair) for pair in pairs])


def _cells(pair: Pair) -> tuple[Text, ...]:
    first, second = sentences.means(pair)
    return (sentences.name(pair), second, first, sentences.difference(pair), *_decided(pair))


def _without_empty(heads: Sequence[Column], found: Sequence[tuple[Text, ...]]) -> Table:
    """The table, without its last column if no row has anything there."""
    if not any(cells[-1] for cells in found):
        heads, found = heads[:-1], [cells[:-1] for cells in found]
    return Table(tuple(heads), rows(found), most=MOST_ROWS, more="in the output of --json")
