"""The numbers behind a figure, as tables with units in their column names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from cellrate.common import parquet_table, whole_file
from cellrate.language.expressions import evaluate
from cellrate.reproduce.figure import at_point, swept_points, traces_of, visible
from cellrate.reproduce.paper_data import Curve, Experiment, Figure, Paper
from cellrate.reproduce.runs import Outcomes, job_of, scope_of

LABEL = re.compile(r"(?P<words>.*?)\s*(?:\((?P<unit>[^()]*)\))?")

Row = dict[str, Any]


def figure_data(
    paper: Paper, experiment: Experiment, figure: Figure, outcomes: Outcomes, seeds: Sequence[int]
) -> pl.DataFrame:
    """The values of a figure from finished runs, and the printed values that it marks.

    Columns: `kind` (`run`, `formula` or `printed`), `curve`, `entity` of a trace, the quantities of
    both axes with their units in the names, of a trace the least and greatest value of each
    interval, and of a run its `seed` and `digest`. A sweep has a row for each run.
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
) -> Iterator[Row]:
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


def _row(kind: str, curve: Curve, x: float, y: float) -> Row:
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
