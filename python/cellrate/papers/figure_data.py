"""The numbers that the curves of a figure show, and tables of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from cellrate.common import parquet_table, whole_file
from cellrate.language.expressions import evaluate
from cellrate.language.records import Trace
from cellrate.language.runs import Row, Run
from cellrate.papers.paper import Curve, Experiment, Figure, Paper, Point, ReproduceError, Variant
from cellrate.papers.runs import Outcomes, job_of, scope_of

LABEL = re.compile(r"(?P<words>.*?)\s*(?:\((?P<unit>[^()]*)\))?")

Record = dict[str, Any]


def figure_data(
    paper: Paper, experiment: Experiment, figure: Figure, outcomes: Outcomes, seeds: Sequence[int]
) -> pl.DataFrame:
    """The values of a figure from finished runs, and the printed values that it marks.

    Columns are `kind` (`run`, `formula` or `printed`), `curve`, and the quantities of both axes
    with their units in the names. A trace also has `entity`, and the least and greatest value of
    each interval. A run also has `seed` and `digest`. A curve over a varied value has a row for
    each run.
    """
    x, y = column(figure.x.label), column(figure.y.label)
    y = y if y != x else f"{y}_2"
    rows = [row for curve in figure.curves for row in
            _rows(paper, experiment, figure, curve, outcomes, seeds)]  # fmt: skip
    rows += [
        {"kind": "printed", "curve": point.curve, "x": point.x, "y": point.y}
        for point in figure.printed
    ]
    schema = {"kind": pl.String, "curve": pl.String, "entity": pl.String, "x": pl.Float64,
              "y": pl.Float64, "least": pl.Float64, "greatest": pl.Float64, "seed": pl.Int64,
              "digest": pl.String}  # fmt: skip
    frame = pl.DataFrame(rows, schema=schema)
    unused = [name for name in ("entity", "least", "greatest") if frame[name].is_null().all()]
    names = {"x": x, "y": y, "least": f"{y}_least", "greatest": f"{y}_greatest"}
    return frame.drop(unused).rename({a: b for a, b in names.items() if a not in unused})


def _rows(
    paper: Paper,
    experiment: Experiment,
    figure: Figure,
    curve: Curve,
    outcomes: Outcomes,
    seeds: Sequence[int],
) -> Iterator[Record]:
    scopes = [scope_of(paper, experiment, outcomes, seed) for seed in seeds]
    if figure.kind == "formula":
        for x, y in evaluate(curve.points, scopes[0]):
            yield _row("formula", curve, float(x) * figure.x.scale, float(y) * figure.y.scale)
    elif figure.kind == "sweep":
        variant, points = swept_points(experiment, figure, curve)
        for point in points:
            x = float(point[figure.x.axis]) * figure.x.scale
            for seed, scope in zip(seeds, scopes, strict=True):
                y = at_point(curve, scope, point) * figure.y.scale
                digest = outcomes[job_of(paper, variant, point, seed)].digest
                yield _row("run", curve, x, y) | {"seed": seed, "digest": digest}
    else:
        run, traces = traces_of(experiment, figure, curve, scopes[0])
        for trace in traces:
            for x, low, high in zip(*visible(figure, trace), strict=True):
                own = {"entity": trace.entity, "least": float(low), "greatest": float(high)}
                row = _row("run", curve, float(x), float(low + high) / 2)
                yield row | own | {"seed": seeds[0], "digest": run.digest}


def _row(kind: str, curve: Curve, x: float, y: float) -> Record:
    return {"kind": kind, "curve": curve.label, "x": x, "y": y}


def column(label: str) -> str:
    """Name of a column for the label of an axis, with its unit.

    >>> column("throughput (Mbit/s)"), column("load factor")
    ('throughput_mbit_per_s', 'load_factor')
    """
    match = LABEL.fullmatch(label)
    parts = (match["words"], match["unit"]) if match else (label, None)
    words = " ".join(part for part in parts if part).replace("/", " per ").replace("%", "percent")
    return re.sub(r"\W+", "_", words.lower()).strip("_") or "value"


def write_figure_data(frame: pl.DataFrame, stem: Path) -> None:
    """Writes a figure's table as CSV and Parquet.

    Raises:
        OSError: A file cannot be written.
    """
    whole_file.write_text(stem.with_name(f"{stem.name}.csv"), frame.write_csv())
    with whole_file.replacing(stem.with_name(f"{stem.name}.parquet")) as fresh:
        parquet_table.write(frame, fresh)


Floats: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.intp]

COLUMNS = 500
"""Number of horizontal positions that a figure resolves; its axes are about five inches wide."""


def within(times: Floats, start: float | None, end: float | None) -> slice:
    """Slice of the points from `start` to `end`, if given, with one further point at each end."""
    first = 0 if start is None else int(np.searchsorted(times, start)) - 1
    after = len(times) if end is None else int(np.searchsorted(times, end, side="right")) + 1
    return slice(max(first, 0), after)


def drawn(times: Floats, low: Floats, high: Floats, columns: int = COLUMNS) -> Indices:
    """Indices of the first, last, lowest and highest point of each column, in order.

    A line through these points looks like a line through all, and loses no peak.
    """
    if len(times) <= 2 * columns:
        return np.arange(len(times))
    edges = np.linspace(times[0], times[-1], columns + 1)[1:-1]
    column = np.searchsorted(edges, times, side="right")
    bounds = [*np.flatnonzero(np.diff(column, prepend=-1)).tolist(), len(times)]
    kept = [
        index
        for a, b in pairwise(bounds)
        for index in (a, a + np.argmin(low[a:b]), a + np.argmax(high[a:b]), b - 1)
    ]
    return np.unique(np.array(kept, dtype=np.intp))


def swept_points(
    experiment: Experiment, figure: Figure, curve: Curve
) -> tuple[Variant, list[Point]]:
    """The variant whose runs a curve shows, and their varied values.

    Raises:
        ReproduceError: The curve names no variant with varied runs.
    """
    rows = {variant.name: variant for variant in experiment.variants if variant.swept}
    if curve.variant not in rows:
        known = ", ".join(rows) or "none"
        message = f"`{curve.variant}` is not a variant with varied runs; those are: {known}"
        raise ReproduceError(f"{experiment.id}, figure {figure.id}: {message}")
    variant = rows[curve.variant]
    return variant, [p for p in variant.points if curve.only.items() <= p.items()]


def at_point(curve: Curve, scope: dict[str, object], point: Point) -> float:
    """The measure of a curve at a point, from the runs of one seed."""
    row = cast("Row", scope[curve.variant])
    here = {**scope, **point, "it": row[tuple(point.values())]}
    return float(evaluate(curve.measure, here))


def traces_of(
    experiment: Experiment, figure: Figure, curve: Curve, scope: dict[str, object]
) -> tuple[Run, list[Trace]]:
    """The run of a curve, and the traces of it that the curve shows.

    Raises:
        ReproduceError: The curve names no run, or no series.
    """
    run = evaluate(curve.run or curve.variant, scope)
    if not isinstance(run, Run) or curve.series is None:
        message = f"`{curve.run or curve.variant}` is not a run, or the curve has no `series`"
        raise ReproduceError(f"{experiment.id}, figure {figure.id}: {message}")
    return run, run.series_all(*curve.series)


def visible(figure: Figure, trace: Trace) -> tuple[Floats, Floats, Floats]:
    """Times, least and greatest values that the figure shows, thinned to its resolution."""
    times = trace.times * figure.x.scale
    part = within(times, figure.x.start, figure.x.end)
    times, low, high = times[part], trace.low[part], trace.high[part]
    kept = drawn(times, low, high)
    return times[kept], low[kept] * figure.y.scale, high[kept] * figure.y.scale
