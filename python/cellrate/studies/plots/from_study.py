"""Draws any kind of figure from a study's data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import polars as pl

from cellrate.common.problems import BadInput, choose
from cellrate.simulation import phase_picture
from cellrate.simulation.figures import COLOURS
from cellrate.simulation.picture_context import NO_CONTEXT
from cellrate.simulation.series import Series
from cellrate.studies.columns import chosen, column, units_of
from cellrate.studies.dataset import DataSet
from cellrate.studies.dataset.ended_files import whole
from cellrate.studies.plots import KINDS
from cellrate.studies.plots.chart import SUFFIXES, Chart, Drawing, Scale, scale_of
from cellrate.studies.plots.over_time import overlaid, phase_portrait

TRACES = {"traces", "phase"}
MEANS = {"lines", "heat-map"}
"""Kinds of figures that show means."""
ALL_KINDS = (*KINDS, *sorted(TRACES))
# Greatest number of phase portraits side by side.
MOST_PORTRAITS = 4


@dataclass(frozen=True)
class PlotOptions:
    """A requested figure.

    Attributes:
        kind: One of `ALL_KINDS`.
        y: Measure, or trace on the vertical axis.
        x: Factor, or trace on the horizontal axis of a phase portrait.
        by: Column of the colours.
        columns: Column of the panels.
        where: Conditions that select runs, such as `scheme=erica`.
        table: Table of the data set that has the measure.
        replication: Replication whose traces are drawn, 0 by default.
    """

    kind: str
    y: str
    x: str | None = None
    by: str | None = None
    columns: str | None = None
    where: tuple[str, ...] = ()
    table: str = "runs"
    replication: int | None = None


def draw(data: DataSet, options: PlotOptions) -> Drawing:
    """Draws a requested figure.

    Raises:
        BadInput: The request does not fit the data set.
    """
    choose(options.kind, ALL_KINDS, "kind of figure")
    _require_use(options)
    if options.kind in TRACES:
        return _of_traces(data, options)
    frame = data.frame(options.table)
    names = frame.columns
    if options.x is None and options.kind != "ecdf":
        raise BadInput(f"name the horizontal axis: --x FACTOR; there are {_varied(data)}")
    chart = Chart(
        column(options.x or "run", names),
        column(options.y, names, "measure"),
        None if options.by is None else column(options.by, names),
        None if options.columns is None else column(options.columns, names),
        data.description.level,
        units_of(data, options.table),
        options.table,
        data.description.texts,
    )
    runs = chosen(frame, options.where)
    if options.table == "runs":
        runs, _ = whole(data, runs, chart.keys, (chart.y,))
    drawing = KINDS[options.kind](runs, chart)
    about = f"{_about(options.kind, chart)}{_together(data, runs, options.kind, chart)}"
    return _titled(drawing, data, options, about)


def _require_use(options: PlotOptions) -> None:
    """Refuses options that a kind of figure does not use.

    Raises:
        BadInput: The first of these options, and the kinds that use it.
    """
    over_runs = tuple(KINDS)
    users = {
        "x": tuple(kind for kind in ALL_KINDS if kind not in ("ecdf", "traces")),
        "by": over_runs,
        "columns": over_runs,
        "replication": tuple(sorted(TRACES)),
    }
    given = [name for name in users if getattr(options, name) is not None]
    if options.table != "runs":
        users["of"] = over_runs
        given.append("of")
    for name in given:
        if options.kind not in users[name]:
            raise BadInput(
                f"--{name} has no effect on the kind {options.kind}; it is for the kinds "
                f"{', '.join(users[name])}"
            )


def _together(data: DataSet, runs: pl.DataFrame, kind: str, chart: Chart) -> str:
    """Names the factors whose values a figure does not tell apart; empty if there are none."""
    drawn = {chart.x, chart.by, chart.columns}
    others = (one.name for one in data.description.factors if one.name not in drawn)
    varied = ", ".join(_plain(name) for name in others if runs[name].n_unique() > 1)
    if not varied:
        return ""
    return f"; {'means' if kind in MEANS else 'runs'} over all values of {varied}"


def _about(kind: str, chart: Chart) -> str:
    """The measure and the factors of a figure."""
    name, across = (_plain(one) for one in (chart.y, chart.x))
    if kind == "ecdf":
        return f"{name}, distribution over the {chart.rows}"
    if kind == "heat-map":
        return f"{name} over {across} and {_plain(chart.by or '')}"
    return f"{name} over {across}"


def _plain(column: str) -> str:
    """Name of a column for a title, without its unit."""
    end = next((end for end in SUFFIXES if column.endswith(end)), "")
    return Scale(column.removesuffix(end), "", 1.0).label


def _titled(drawing: Drawing, data: DataSet, options: PlotOptions, about: str) -> Drawing:
    """Writes the title of a figure: the study, the subject and the selected runs."""
    only = f"; {', '.join(options.where)}" if options.where else ""
    title = f"{data.description.name}: {about}{only}"
    drawing.figure.suptitle(title, x=0.01, ha="left", fontsize=10, wrap=True)
    return drawing


def _varied(data: DataSet) -> str:
    return ", ".join(factor.name for factor in data.description.varied) or "no factors"


def _of_traces(data: DataSet, options: PlotOptions) -> Drawing:
    """Draws traces of one replication at each of the selected points."""
    if not data.description.traces:
        raise BadInput(
            f"the study {data.description.name} kept no traces; ask for traces in [keep] of the "
            "study file"
        )
    replication = options.replication or 0
    frame = chosen(data.runs, [*options.where, f"replication={replication}"])
    frame = frame.filter(pl.col("status") == "done")
    names = _names(data, frame)
    seeds = frame["seed"].unique().sort().to_list()
    seed = f"seed {seeds[0]}" if len(seeds) == 1 else f"replication {replication}"
    if options.kind == "traces":
        if len(names) > len(COLOURS):
            raise BadInput(
                f"{len(names)} runs in one figure cannot be distinguished, at most {len(COLOURS)} "
                "can; select runs with --where"
            )
        figure = overlaid({name: trace_of(data, run, options.y) for run, name in names.items()})
        kind = options.y.partition(":")[0]
        return _titled(Drawing(figure), data, options, f"{kind} over time, {seed}")
    if len(names) > MOST_PORTRAITS:
        raise BadInput(
            f"{len(names)} phase portraits do not fit side by side, at most {MOST_PORTRAITS} do; "
            "select runs with --where"
        )
    across = options.x or "acr"
    pairs = [
        (name, trace_of(data, run, across), trace_of(data, run, options.y))
        for run, name in names.items()
    ]
    kinds = [one.partition(":")[0] for one in (options.y, across)]
    title = f"{kinds[0]} against {kinds[1]}, {seed}"
    if len(pairs) == 1 and kinds == ["queue", "acr"]:
        [(_, rate, queue)] = pairs
        figure = phase_picture.draw(rate, queue, NO_CONTEXT)
        return _titled(Drawing(figure), data, options, title)
    return _titled(Drawing(phase_portrait(pairs)), data, options, title)


def _names(data: DataSet, frame: pl.DataFrame) -> dict[int, str]:
    """Names of the runs: the values of factors that differ, or else of all factors."""
    varied = [factor.name for factor in data.description.varied]
    differing: Sequence[str] = [name for name in varied if frame[name].n_unique() > 1] or varied
    chart = Chart("run", "run", units=units_of(data), written=data.description.texts)
    scales = [scale_of(frame, name, chart) for name in differing]
    names = {}
    for row in frame.iter_rows(named=True):
        values = ", ".join(scale.shown(row[scale.name]) for scale in scales)
        names[int(row["run"])] = values or f"run {row['run']}"
    return names


def trace_of(data: DataSet, run: int, asked: str) -> Series:
    """Trace of a run by `KIND` or `KIND:ENTITY`, where `*` stands for any text.

    If several entities fit, the trace with the greatest maximum is returned.

    Raises:
        BadInput: The study keeps no traces, or the run has no such trace.
    """
    kind, _, pattern = asked.partition(":")
    own = data.scan("traces").filter(pl.col("run") == run)
    peaks = own.group_by("kind", "entity", maintain_order=True).agg(pl.col("maximum").max())
    rows = data.collect(peaks).rows()
    of_kind = [(peak, entity) for traced, entity, peak in rows if traced == kind]
    if not of_kind:
        kinds = ", ".join(dict.fromkeys(traced for traced, _, _ in rows)) or "nothing"
        raise BadInput(f"run {run} has no trace `{kind}`; traced: {kinds}")
    fitting = [trace for trace in of_kind if fnmatchcase(trace[1], pattern or "*")]
    if not fitting:
        names = ", ".join(entity for _, entity in of_kind)
        raise BadInput(f"run {run} has no trace `{kind}` of `{pattern}`; allowed: {names}")
    highest = max(fitting, key=lambda trace: trace[0])
    return data.series(run, kind, highest[1])
