"""Any kind of figure out of a study's data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import polars as pl

from cellrate.dataset import DataSet
from cellrate.figures import COLOURS
from cellrate.plots import KINDS
from cellrate.plots.axes import scale_of
from cellrate.plots.chart import Chart, Drawing
from cellrate.plots.over_time import overlaid, phase_portrait
from cellrate.problems import BadInput, choose
from cellrate.series import Series
from cellrate.study_columns import chosen, column, units_of

TRACES = {"traces", "phase"}
ALL_KINDS = (*KINDS, *sorted(TRACES))
# Phase portraits stand side by side.
MOST_PORTRAITS = 4


@dataclass(frozen=True)
class Wish:
    """What is to be drawn.

    Attributes:
        kind: One of `ALL_KINDS`.
        y: Measure, or the trace that is drawn upwards.
        x: Factor, or the trace across of a phase portrait.
        by: Column of the colours.
        columns: Column of the panels.
        where: Which runs, as `scheme=erica`.
        table: Table of the data set that has the measure.
        replication: Whose traces are drawn.
    """

    kind: str
    y: str
    x: str | None = None
    by: str | None = None
    columns: str | None = None
    where: tuple[str, ...] = ()
    table: str = "runs"
    replication: int = 0


def draw(data: DataSet, wish: Wish) -> Drawing:
    """Draws it.

    Raises:
        BadInput: The data set has nothing of that kind.
    """
    choose(wish.kind, ALL_KINDS, "kind of figure")
    if wish.kind in TRACES:
        return _of_traces(data, wish)
    frame = data.frame(wish.table)
    names = frame.columns
    if wish.x is None and wish.kind != "ecdf":
        raise BadInput(f"name what is across: --x FACTOR; there are {_varied(data)}")
    chart = Chart(
        column(wish.x or "run", names),
        column(wish.y, names, "measure"),
        None if wish.by is None else column(wish.by, names),
        None if wish.columns is None else column(wish.columns, names),
        data.description.level,
        units_of(data, wish.table),
    )
    return KINDS[wish.kind](chosen(frame, wish.where), chart)


def _varied(data: DataSet) -> str:
    return ", ".join(one.name for one in data.description.varied) or "no factors"


def _of_traces(data: DataSet, wish: Wish) -> Drawing:
    """Traces of one replication at each of the chosen points."""
    if not data.description.traces:
        raise BadInput(f"the study {data.description.name} keeps no traces; ask for them in [keep]")
    frame = chosen(data.runs, [*wish.where, f"replication={wish.replication}"])
    frame = frame.filter(pl.col("status") == "done")
    names = _names(data, frame)
    if wish.kind == "traces":
        if len(names) > len(COLOURS):
            raise BadInput(
                f"{len(names)} runs over one another cannot be told apart, "
                f"at most {len(COLOURS)} can; choose with --where"
            )
        return Drawing(overlaid({name: trace_of(data, run, wish.y) for run, name in names.items()}))
    if len(names) > MOST_PORTRAITS:
        raise BadInput(
            f"{len(names)} portraits have no room side by side, "
            f"at most {MOST_PORTRAITS} have; choose with --where"
        )
    across = wish.x or "acr"
    pairs = [
        (name, trace_of(data, run, across), trace_of(data, run, wish.y))
        for run, name in names.items()
    ]
    return Drawing(phase_portrait(pairs))


def _names(data: DataSet, frame: pl.DataFrame) -> dict[int, str]:
    """What tells the runs apart: values of the factors that differ among them."""
    varied = [one.name for one in data.description.varied]
    differing: Sequence[str] = [name for name in varied if frame[name].n_unique() > 1]
    chart = Chart("run", "run", units=units_of(data))
    scales = [scale_of(frame, name, chart) for name in differing]
    found = {}
    for row in frame.iter_rows(named=True):
        told = ", ".join(scale.shown(row[scale.name]) for scale in scales)
        found[int(row["run"])] = told or f"run {row['run']}"
    return found


def trace_of(data: DataSet, run: int, asked: str) -> Series:
    """A trace of a run by `KIND` or `KIND:ENTITY`, with * for anything.

    Where several entities fit, the one that reaches highest.

    Raises:
        BadInput: The study keeps no traces, or the run has no such one.
    """
    kind, _, pattern = asked.partition(":")
    own = data.scan("traces").filter(pl.col("run") == run)
    peaks = own.group_by("kind", "entity", maintain_order=True).agg(pl.col("maximum").max())
    rows = data.collect(peaks).rows()
    found = [(peak, entity) for of, entity, peak in rows if of == kind]
    if not found:
        kinds = ", ".join(dict.fromkeys(of for of, _, _ in rows)) or "nothing"
        raise BadInput(f"run {run} has no trace of {kind}; traced: {kinds}")
    fitting = [one for one in found if fnmatchcase(one[1], pattern or "*")]
    if not fitting:
        names = ", ".join(entity for _, entity in found)
        raise BadInput(f"run {run} has no trace of {kind} of {pattern}; it has {names}")
    highest = max(fitting, key=lambda one: one[0])
    return data.series(run, kind, highest[1])
