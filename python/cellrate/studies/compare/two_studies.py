"""Joins two studies into one table of runs, matched on their common factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from cellrate.common.problems import BadInput

STUDY, OTHERWISE = "study", "the study"
"""Names of the column that names the study of a run; the second beside a factor `study`."""


@dataclass(frozen=True)
class StudyRuns:
    """One of two studies.

    Attributes:
        name: Its name in the result.
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
        runs: Runs of both, with a column that names the study.
        study: Name of that column.
        where: Factors that both have.
        measures: Measures that both have.
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
            f"{names[0]} and {names[1]} have no measure in common: "
            f"{', '.join(first.measures)} here, {', '.join(second.measures)} there"
        )
    for side, name in zip((first, second), names, strict=True):
        _require_all_common(side, name, where)
    _require_common_points(first, second, names, where)
    columns = ["seed", *where, *measures]
    columns += [name for name in ("status", "digest") if _both_have(first, second, name)]
    study = OTHERWISE if STUDY in columns else STUDY
    tables = [
        side.runs.select(pl.lit(name).alias(study), *columns)
        for side, name in zip((first, second), names, strict=True)
    ]
    return JoinedStudies(pl.concat(tables, how="vertical_relaxed"), study, where, measures)


def _common(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in first if name in second)


def _both_have(first: StudyRuns, second: StudyRuns, name: str) -> bool:
    return name in first.runs.columns and name in second.runs.columns


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
