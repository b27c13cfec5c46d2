"""Means over replications, with confidence intervals from Student's t."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl
from scipy.special import stdtrit

from cellrate.common.numbers import value_text
from cellrate.common.problems import BadInput, choose
from cellrate.studies.columns import COUNT, MEAN, SPREAD, VALUE
from cellrate.studies.dataset.columns import RUNS, columns, distinct
from cellrate.studies.dataset.ended_files import note, whole
from cellrate.studies.dataset.reader import DataSet
from cellrate.studies.dataset.table.tabulation import Cell, Head, Key, Tabulation

TOTALS = "totals"
# Columns that identify points and runs besides the factors.
NUMBERS = ("point", "replication")


@dataclass(frozen=True, slots=True)
class Question:
    """A request for a table: factors of its rows and columns, and measures.

    Attributes:
        rows: Factors, or columns that identify entities, whose values make the rows.
        columns: Factors, or columns that identify entities, whose values make the columns.
        measures: Measures to show; by default all named measures of the study.
        table: `runs`, or a table with a row per run and entity.
        where: Only runs with these values of factors: a number in the factor's unit, or a text.
        level: Level of the confidence intervals; by default that of the study.
    """

    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    table: str = RUNS
    where: Mapping[str, float | str] = field(default_factory=dict)
    level: float | None = None


def known(question: Question, data: DataSet) -> Question:
    """Completes the request for a table: short names become full names, defaults are filled in.

    Raises:
        BadInput: The data set has no such column, or a name fits several columns.
    """
    description = data.description
    types = data.columns(question.table)
    varied = [one.name for one in description.varied]
    keys = [*varied, *_identifying(types, question.table), *NUMBERS]
    rows = [_find(name, keys, "factor") for name in question.rows]
    columns = [_find(name, keys, "factor") for name in question.columns]
    if not rows and not columns:
        rows = [one.name for one in description.factors] or ["point"]
    twice = [name for name in [*rows, *columns] if [*rows, *columns].count(name) > 1]
    if twice:
        raise BadInput(f"{twice[0]!r} is named twice in rows or columns")
    where = {_find(name, keys, "factor"): value for name, value in question.where.items()}
    level = description.level if question.level is None else question.level
    if not 0 < level < 1:
        raise BadInput(f"a confidence level of {level:g}: must be between 0 and 1, such as 0.95")
    return Question(
        tuple(rows), tuple(columns), _measures(question, data), question.table, where, level
    )


def _measures(question: Question, data: DataSet) -> tuple[str, ...]:
    """Columns of the measures to show."""
    named = tuple(one.name for one in data.description.measures)
    if not question.measures and question.table == RUNS and named:
        return named
    varied = {one.name for one in data.description.varied}
    types = data.columns(question.table)
    numbers = [
        name
        for name, kind in types.items()
        if kind.is_numeric() and name not in varied and name not in (*NUMBERS, "run", "seed")
    ]
    if not question.measures:
        raise BadInput(f"name a measure; {question.table} has {', '.join(numbers)}")
    return tuple(_find(name, numbers, f"measure of {question.table}") for name in question.measures)


def _identifying(types: Mapping[str, pl.DataType], table: str) -> list[str]:
    """Columns that identify the entities of a table."""
    if table == RUNS:
        return []
    texts = [name for name, kind in types.items() if kind in (pl.String(), pl.List(pl.String()))]
    return [*texts, *(name for name in ("index", "priority") if name in types)]


def _find(name: str, names: Sequence[str], what: str) -> str:
    """Finds a name, or the only longer name that ends with it after a dot or an underscore.

    Raises:
        BadInput: No name or several names match.
    """
    wanted = name.replace(".", "_")
    for same in (name, wanted, f"{TOTALS}_{wanted}"):
        if same in names:
            return same
    ends = [one for one in names if one.replace(".", "_").endswith(f"_{wanted}")]
    if len(ends) > 1:
        raise BadInput(f"{name!r} fits several names; name one {what} of {', '.join(ends)}")
    return ends[0] if ends else choose(name, names, what)


# Relative difference up to which a value from the command line equals one of the study.
SAME = 1e-9


def tabulate(data: DataSet, question: Question) -> Tabulation:
    """Makes a table of means over replications.

    If a cell covers several entities, the mean over the entities of each run is taken first. If a
    cell covers several points, their mean is taken replication by replication, over the
    replications that all these points have. Under common random numbers replications are
    independent, but runs of different points are not.

    Args:
        data: The data set.
        question: The content of the table.

    Raises:
        BadInput: A name is unknown, or no run meets the conditions.
    """
    asked = known(question, data)
    keys = [*asked.rows, *asked.columns]
    rows = data.collect(_chosen(data, asked))
    if rows.is_empty():
        raise BadInput("no run of the study has succeeded")
    lacking: tuple[str, ...] = ()
    if asked.table == RUNS:
        rows, lacking = whole(data, rows, keys, asked.measures)
    cells: dict[tuple[Key, Key, str], Cell] = {}
    uneven = False
    for measure in asked.measures:
        means, some_left_out = _means(rows, keys, measure)
        uneven = uneven or some_left_out
        cells.update(_cells(means, asked, measure))
    return Tabulation(
        title=data.description.name,
        rows=_heads(data, asked.rows, asked.table),
        columns=_heads(data, asked.columns, asked.table),
        measures=_heads(data, asked.measures, asked.table),
        row_keys=_present(rows, asked.rows),
        column_keys=_present(rows, asked.columns),
        cells=cells,
        level=asked.level or data.description.level,
        notes=(*([note(lacking)] if lacking else []), *_notes(data, rows, asked, uneven=uneven)),
    )


def _chosen(data: DataSet, asked: Question) -> pl.LazyFrame:
    """The columns needed, of the runs that meet the conditions and did not fail."""
    keys = dict.fromkeys([*asked.rows, *asked.columns, *asked.where])
    own = data.columns(asked.table)
    runs = data.scan(RUNS).filter(pl.col("status") == "done")
    if asked.table == RUNS:
        kept = dict.fromkeys(["run", *NUMBERS, *keys, *asked.measures])
        return _where(data, runs, asked).select(*kept)
    varied = [name for name in keys if name not in own]
    entities = data.scan(asked.table).select(
        "run", *dict.fromkeys([*NUMBERS, *(k for k in keys if k in own), *asked.measures])
    )
    lists = [name for name in keys if own.get(name) == pl.List(pl.String())]
    entities = entities.with_columns(pl.col(name).list.join(" ") for name in lists)
    joined = entities.join(runs.select("run", *varied), on="run", maintain_order="left")
    return _where(data, joined, asked)


def _where(data: DataSet, rows: pl.LazyFrame, asked: Question) -> pl.LazyFrame:
    """The rows that meet the conditions.

    Raises:
        BadInput: No row meets a condition; the message lists the values in the data set.
    """
    for name, value in asked.where.items():
        column = pl.col(name)
        if isinstance(value, str):
            found = rows.filter(column.cast(pl.String) == value)
        else:
            found = rows.filter((column - value).abs() <= SAME * abs(value))
        if data.collect(found.select(pl.len())).item() == 0:
            values = data.collect(rows.select(column.unique(maintain_order=True)))
            present = values[name].to_list()
            shown = ", ".join(value_text(one) for one in present[:20])
            raise BadInput(f"no run has {name} = {value_text(value)}; there are {shown}")
        rows = found
    return rows


def _means(rows: pl.DataFrame, keys: Sequence[str], measure: str) -> tuple[pl.DataFrame, bool]:
    """Mean, standard deviation and number of replications of each cell.

    Also True if some replications were left out, because not all points of a cell have them.
    """
    value = pl.col(measure).cast(pl.Float64).alias(VALUE)
    finite = rows.select(*dict.fromkeys([*keys, *NUMBERS]), value).filter(pl.col(VALUE).is_finite())
    own = [name for name in NUMBERS if name not in keys]
    runs = finite.group_by([*keys, *own]).agg(pl.col(VALUE).mean())
    per_replication = runs.group_by(list(dict.fromkeys([*keys, "replication"]))).agg(
        pl.col(VALUE).mean(), pl.len().alias(COUNT)
    )
    most = pl.col(COUNT).max()
    whole = per_replication.filter(pl.col(COUNT) == most.over(keys))
    cut = len(whole) < len(per_replication)
    means = whole.group_by(keys).agg(
        pl.col(VALUE).mean().alias(MEAN),
        pl.col(VALUE).std().alias(SPREAD),
        pl.len().alias(COUNT),
    )
    return means, cut


def _cells(means: pl.DataFrame, asked: Question, measure: str) -> dict[tuple[Key, Key, str], Cell]:
    level = asked.level or 0.0
    counts = means[COUNT].to_list()
    factors = {n: float(stdtrit(n - 1, (1 + level) / 2)) / math.sqrt(n) for n in set(counts) - {1}}
    found = {}
    keys = means.select(*asked.rows, *asked.columns).rows()
    values = zip(means[MEAN].to_list(), means[SPREAD].to_list(), counts, strict=True)
    for key, (mean, deviation, count) in zip(keys, values, strict=True):
        place = (key[: len(asked.rows)], key[len(asked.rows) :], measure)
        if count == 1:
            found[place] = Cell(mean, None, None, 1)
        else:
            half = factors[count] * deviation
            found[place] = Cell(mean, mean - half, mean + half, count)
    return found


def _present(rows: pl.DataFrame, names: Sequence[str]) -> tuple[Key, ...]:
    """Combinations of values that occur: numbers in order, texts in the order of the rows."""
    if not names:
        return ((),)
    found = rows.select(names).unique(maintain_order=True)
    ranks = {
        name: {value: rank for rank, value in enumerate(distinct(found[name]))} for name in names
    }
    keys: list[Key] = found.rows()
    places = [[ranks[name][value] for name, value in zip(names, key, strict=True)] for key in keys]
    return tuple(key for _, key in sorted(zip(places, keys, strict=True), key=lambda one: one[0]))


def _heads(data: DataSet, names: Sequence[str], table: str) -> tuple[Head, ...]:
    units = {one.name: one.unit for one in data.description.varied}
    units |= {one.name: one.unit for one in columns(data.description) if one.table == table}
    texts = data.description.texts
    return tuple(Head(name, units.get(name, ""), texts.get(name, {})) for name in names)


def _notes(data: DataSet, rows: pl.DataFrame, asked: Question, *, uneven: bool) -> list[str]:
    """Notes under the table."""
    notes = []
    pooled = _pooled(data, rows, asked)
    if pooled:
        notes.append(f"Means over the values of {', '.join(pooled)}.")
        keys = [*asked.rows, *asked.columns]
        counts = rows.group_by(keys).agg(pl.col("point").n_unique()) if keys else pl.DataFrame()
        points = set(counts["point"]) if keys else set()
        if len(points) > 1:
            notes.append(
                f"Cells are means over {min(points)} to {max(points)} points, since some points "
                "have no such row; they do not compare alike."
            )
    if uneven:
        notes.append(
            "Points with different numbers of replications: only those that all have count."
        )
    failures = data.scan(RUNS).filter(pl.col("status") != "done")
    failed = data.collect(failures.select(pl.len())).item()
    if failed:
        total = data.collect(data.scan(RUNS).select(pl.len())).item()
        notes.append(f"{failed} of {total} runs failed and do not count.")
    return notes


def _pooled(data: DataSet, rows: pl.DataFrame, asked: Question) -> list[str]:
    """A note on the factors over whose values the cells are means."""
    varied = {one.name for one in data.description.varied}
    keys = [name for name in (*asked.rows, *asked.columns) if name in varied or name == "point"]
    others = [one.name for one in data.description.factors if one.name not in keys]
    points = data.scan(RUNS).select(list(dict.fromkeys(["point", *keys, *others]))).unique()
    present = points.join(rows.lazy().select("point").unique(), on="point", how="semi")
    counts = [pl.col(name).n_unique() for name in others]
    cells = present.group_by(keys).agg(counts) if keys else present.select(counts)
    most = data.collect(cells.select(pl.col(name).max() for name in others))
    return [name for name in others if most[name].item() > 1]
