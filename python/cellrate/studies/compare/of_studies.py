"""Compares two studies, or the values of a factor of one study."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cellrate.common.problems import BadInput, choose
from cellrate.studies.columns import chosen, column, factors_of, measures_of, units_of
from cellrate.studies.compare.answer import Comparison, Value
from cellrate.studies.compare.comparing import Rules, compare
from cellrate.studies.compare.two_studies import STUDY, Side, side_by_side
from cellrate.studies.compare.words import shown
from cellrate.studies.dataset import DataSet


@dataclass(frozen=True)
class Wish:
    """Options of a comparison of studies.

    Attributes:
        measures: Columns of the runs; the study's own measures if empty.
        factor: Factor of a single study whose values are compared.
        where: Conditions that select runs, such as `buffer=100`.
        baseline: The alternative with which all others are compared, as the user writes it.
        level: See `Rules`.
        averaged: See `Rules`.
    """

    measures: tuple[str, ...] = ()
    factor: str | None = None
    where: tuple[str, ...] = ()
    baseline: str | None = None
    level: float = 0.95
    averaged: bool = False


def compare_studies(places: Sequence[Path], wish: Wish) -> tuple[Comparison, dict[str, str]]:
    """Compares two studies, matched on their common factors, or one along a factor.

    Args:
        places: Directories of one or two data sets.
        wish: Options of the comparison.

    Returns:
        The comparison, and the unit of each column.

    Raises:
        BadInput: A directory holds no data set, or there is nothing to compare.
    """
    studies = [DataSet(place) for place in places]
    if len(studies) == 2:
        return _two(studies[0], studies[1], wish), units_of(studies[0])
    return _one(studies[0], wish), units_of(studies[0])


def _one(data: DataSet, wish: Wish) -> Comparison:
    factors = factors_of(data)
    if wish.factor is None:
        raise BadInput(
            f"name what is compared, --factor, or another study; there are {', '.join(factors)}"
        )
    runs = chosen(data.runs, wish.where)
    factor = column(wish.factor, factors, "factor that varies")
    values = runs[factor].unique(maintain_order=True).to_list()
    rules = Rules(
        factor,
        _measures(data, wish),
        tuple(name for name in factors if name != factor),
        _baseline(wish, values),
        wish.level,
        wish.averaged,
    )
    return compare(runs, rules)


def _two(first: DataSet, second: DataSet, wish: Wish) -> Comparison:
    if wish.factor is not None:
        raise BadInput("--factor is for a single study; two are matched on their common factors")
    sides = [_side(data, wish) for data in (first, second)]
    together = side_by_side(*sides)
    names = together.runs[STUDY].unique(maintain_order=True).to_list()
    rules = Rules(STUDY, together.measures, together.where, None, wish.level, wish.averaged)
    rules = dataclasses.replace(rules, baseline=_baseline(wish, names))
    return compare(together.runs, rules)


def _side(data: DataSet, wish: Wish) -> Side:
    varied = tuple(one.name for one in data.description.factors)
    return Side(data.description.name, chosen(data.runs, wish.where), varied, _measures(data, wish))


def _measures(data: DataSet, wish: Wish) -> tuple[str, ...]:
    if not wish.measures:
        return tuple(measures_of(data))
    return tuple(column(name, data.runs.columns, "measure") for name in wish.measures)


def _baseline(wish: Wish, values: Sequence[Value]) -> Value | None:
    """The value that the user means; numbers may be written in any form."""
    if wish.baseline is None:
        return None
    for value in values:
        if wish.baseline in {str(value), shown(value)} or _same(wish.baseline, value):
            return value
    choose(wish.baseline, [str(value) for value in values], "alternative")
    return None


def _same(text: str, value: Value) -> bool:
    try:
        return isinstance(value, (int, float)) and float(text) == value
    except ValueError:
        return False
