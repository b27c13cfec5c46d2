"""Compares two studies, or the values of a factor of one study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from cellrate.common.numbers import value_text
from cellrate.common.problems import BadInput, choose
from cellrate.language.ended_flows import FILES
from cellrate.studies.columns import chosen, column, factors_of, measures_of, units_of
from cellrate.studies.compare.answer import LOST_OUTSIDE, Comparison, Value
from cellrate.studies.compare.comparing import Rules, compare
from cellrate.studies.compare.measures import better_of, directions, is_share
from cellrate.studies.dataset import DataSet
from cellrate.studies.dataset.ended_files import of_ended, with_files

STUDY, OTHERWISE = "study", "the study"
"""Name of the column that names each run's study; the second if a factor is called `study`."""


@dataclass(frozen=True)
class StudyRuns:
    """One of two studies that are compared.

    Attributes:
        name: Name of the study in the result.
        runs: Table with a row per run.
        factors: Columns that are factors.
        measures: Columns that are measures.
    """

    name: str
    runs: pl.DataFrame
    factors: tuple[str, ...]
    measures: tuple[str, ...]


@dataclass(frozen=True)
class JoinedStudies:
    """Two studies joined into one table.

    Attributes:
        runs: Runs of both studies, with a column that names the study.
        study: Name of that column.
        where: Factors that both studies have.
        measures: Measures that both studies have.
    """

    runs: pl.DataFrame
    study: str
    where: tuple[str, ...]
    measures: tuple[str, ...]


def side_by_side(first: StudyRuns, second: StudyRuns) -> JoinedStudies:
    """Joins two studies into one table, to be compared by a column that names the study.

    A factor that only one of the studies has must have a single value there. Columns of the same
    name must hold the same kind of value.

    Raises:
        BadInput: The studies have no measure or no point in common, or one of them varies a factor
            that the other lacks.
    """
    names = (first.name, second.name)
    if first.name == second.name:
        names = (f"{first.name} (1)", f"{second.name} (2)")
    where = _common(first.factors, second.factors)
    measures = _common(first.measures, second.measures)
    if not measures:
        raise BadInput(
            f"{names[0]} and {names[1]} have no measure in common: {names[0]} has "
            f"{', '.join(first.measures)}, and {names[1]} {', '.join(second.measures)}"
        )
    for side, name in zip((first, second), names, strict=True):
        _require_all_common(side, name, where)
    _require_common_points(first, second, names, where)
    columns = ["seed", *where, *measures]
    shared = _common(first.runs.columns, second.runs.columns)
    columns += [name for name in ("status", "digest", FILES) if name in shared]
    study = OTHERWISE if STUDY in columns else STUDY
    tables = [
        side.runs.select(pl.lit(name).alias(study), *columns)
        for side, name in zip((first, second), names, strict=True)
    ]
    return JoinedStudies(pl.concat(tables, how="vertical_relaxed"), study, where, measures)


def _common(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in first if name in second)


def _require_all_common(side: StudyRuns, name: str, where: Sequence[str]) -> None:
    """Raises BadInput if a study varies a factor that the other lacks.

    Such a factor would match several runs of a seed with one run of the other study.
    """
    for factor in side.factors:
        values = side.runs[factor].n_unique()
        if factor not in where and values > 1:
            raise BadInput(
                f"{name} has {values} values of {factor}, which the other study does not vary; "
                f"select one with --where {factor}=VALUE"
            )


def _require_common_points(
    first: StudyRuns, second: StudyRuns, names: tuple[str, str], where: Sequence[str]
) -> None:
    for factor in where:
        kinds = [side.runs[factor].dtype.is_numeric() for side in (first, second)]
        if kinds[0] != kinds[1]:
            raise BadInput(f"{factor} is a number in one study and text in the other")
        values = [
            side.runs[factor].unique(maintain_order=True).to_list() for side in (first, second)
        ]
        if not set(values[0]) & set(values[1]):
            lists = [", ".join(map(str, some[:4])) for some in values]
            raise BadInput(
                f"no point is common to both: {factor} is {lists[0]} in {names[0]} "
                f"and {lists[1]} in {names[1]}"
            )
    if where and first.runs.join(second.runs, on=list(where), how="semi").is_empty():
        raise BadInput(
            f"no point is common to both: {names[0]} and {names[1]} share no combination of "
            f"{', '.join(where)}"
        )


@dataclass(frozen=True)
class StudyOptions:
    """Options of a comparison of studies.

    Attributes:
        measures: Columns of the runs; the study's own measures if empty.
        factor: Factor of a single study whose values are compared.
        where: Conditions that select runs, such as `buffer=100`.
        baseline: The alternative with which all others are compared, as the user writes it.
        level: See `Rules`.
        averaged: See `Rules`.
        better: Whether more or less of a measure is better, such as `timeouts=less`.
    """

    measures: tuple[str, ...] = ()
    factor: str | None = None
    where: tuple[str, ...] = ()
    baseline: str | None = None
    level: float = 0.95
    averaged: bool = False
    better: tuple[str, ...] = ()


def compare_studies(
    places: Sequence[Path], options: StudyOptions
) -> tuple[Comparison, dict[str, str]]:
    """Compares two studies, matched on their common factors, or one along a factor.

    Returns:
        The comparison, and the unit of each column.

    Raises:
        BadInput: A directory holds no data set, or there is nothing to compare.
    """
    studies = [DataSet(place) for place in places]
    if len(studies) == 2:
        return _two(studies[0], studies[1], options), units_of(studies[0])
    return compare_factor(studies[0], options), units_of(studies[0])


def compare_factor(data: DataSet, options: StudyOptions) -> Comparison:
    """Compares the values of a factor of one study.

    Raises:
        BadInput: There is no such factor, or there is nothing to compare.
    """
    factors = factors_of(data)
    if options.factor is None:
        raise BadInput(
            f"give --factor NAME or a second study; "
            f"the factors of this study are {', '.join(factors)}"
        )
    runs = chosen(with_files(data, data.runs), options.where)
    factor = column(options.factor, factors, "factor that varies")
    where = tuple(name for name in factors if name != factor)
    return _compared(data, options, runs, factor, where, _measures(data, options))


def _two(first: DataSet, second: DataSet, options: StudyOptions) -> Comparison:
    if options.factor is not None:
        raise BadInput("--factor is for a single study; two are matched on their common factors")
    both = side_by_side(*(_side(data, options) for data in (first, second)))
    return _compared(first, options, both.runs, both.study, both.where, both.measures)


def _compared(
    data: DataSet,
    options: StudyOptions,
    runs: pl.DataFrame,
    factor: str,
    where: tuple[str, ...],
    measures: tuple[str, ...],
) -> Comparison:
    """The comparison of the values of a factor, by measures as a study defines them."""
    definitions = _definitions(data, measures)
    ends = {name: better_of(one) for name, one in definitions.items()}
    known = {name: end for name, end in ends.items() if end is not None}
    rules = Rules(
        factor,
        measures,
        where,
        _baseline(data, factor, options, runs[factor].unique(maintain_order=True).to_list()),
        options.level,
        options.averaged,
        directions(known, options.better, measures),
        frozenset(name for name, one in definitions.items() if is_share(one)),
        frozenset(of_ended(data, measures)),
    )
    found = replace(compare(runs, rules), texts=data.description.texts)
    if "warnings" not in runs.columns:  # a data set of an earlier version
        return found
    warned = runs.filter(pl.col("warnings").str.split(",").list.contains(LOST_OUTSIDE))
    counts = warned.group_by(factor, maintain_order=True).len().iter_rows()
    return replace(found, lost_outside={found.text(factor, one): count for one, count in counts})


def _side(data: DataSet, options: StudyOptions) -> StudyRuns:
    varied = tuple(one.name for one in data.description.factors)
    return StudyRuns(
        data.description.name,
        chosen(with_files(data, data.runs), options.where),
        varied,
        _measures(data, options),
    )


def _measures(data: DataSet, options: StudyOptions) -> tuple[str, ...]:
    if not options.measures:
        return tuple(measures_of(data))
    return tuple(column(name, data.runs.columns, "measure") for name in options.measures)


def _definitions(data: DataSet, measures: Sequence[str]) -> dict[str, str]:
    """Expression of each measure.

    For a column that the study does not define, the name of the column.
    """
    defined = {one.name: one.expression for one in data.description.measures}
    return {name: defined.get(name, name) for name in measures}


def _baseline(
    data: DataSet, factor: str, options: StudyOptions, values: Sequence[Value]
) -> Value | None:
    """The value of the factor that equals the user's text; numbers may be written in any form."""
    texts = data.description.texts.get(factor, {})

    def as_listed(value: Value) -> str:
        return texts.get(value, str(value)) if isinstance(value, float) else str(value)

    if options.baseline is None:
        return None
    for value in values:
        known = {str(value), value_text(value), as_listed(value)}
        if options.baseline in known or _same(options.baseline, value):
            return value
    choose(options.baseline, [as_listed(value) for value in values], "alternative")
    return None


def _same(text: str, value: Value) -> bool:
    try:
        return isinstance(value, (int, float)) and float(text) == value
    except ValueError:
        return False
