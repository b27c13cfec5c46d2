"""The page of a study: plan, figures, tables, failures, and the command of every run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from cellrate import __version__
from cellrate.common import html
from cellrate.common.html import Markup, escape
from cellrate.common.numbers import number
from cellrate.common.problems import BadInput
from cellrate.simulation.figures import svg
from cellrate.studies.columns import factors_of, measures_of, units_of
from cellrate.studies.compare import Rules, compare, words
from cellrate.studies.compare.drawing import differences
from cellrate.studies.dataset import DataSet, FactorColumn
from cellrate.studies.plots import lines
from cellrate.studies.plots.axes import scale_of
from cellrate.studies.plots.chart import Chart
from cellrate.studies.plots.summary import means
from cellrate.studies.report.charts import chart_of
from cellrate.studies.report.points import with_commands

# Levels of a factor are listed up to this number.
LISTED = 12
# Points are listed with their runs up to this number; the data set has all.
MOST_POINTS = 2000
MOST_ALTERNATIVES = 6


def page(data: DataSet) -> str:
    """The page as HTML; it loads nothing from elsewhere."""
    described = data.description
    failed = data.runs.filter(pl.col("status") != "done")
    count = f"{len(data.runs):,} runs of {data.runs['point'].n_unique():,} points"
    facts = f"{count}, {len(failed):,} failed · cellrate {__version__}"
    parts = [
        f"<h1>{escape(described.name)}</h1>",
        f'<p class="faint"><code>{escape(described.scenario)}</code> · {escape(facts)}</p>',
        "<h2>Plan</h2>",
        _plan(data),
        _failures(failed),
        _warnings(data.runs),
        "<h2>Figures</h2>",
        '<p class="faint">Every point shows the commands of its runs, and leads to them.</p>',
        *(_figure(data, measure) for measure in measures_of(data)),
        _comparison(data),
        "<h2>Points and their runs</h2>",
        _points(data),
    ]
    return html.document(described.name, parts)


def _plan(data: DataSet) -> str:
    described = data.description
    rows = [_factor(data, one) for one in described.varied]
    seeds = (
        "all points have the same seeds"
        if described.common_random_numbers
        else "each point has seeds of its own"
    )
    measures = "; ".join(f"{one.name} = {one.expression}" for one in described.measures)
    facts = [f"Replications: {_replications(described.replications)}; {seeds}."]
    facts += [f"Measures: {measures}."] if measures else []
    facts += [f"Intervals at {described.level:.10g}."]
    paragraphs = "".join(f"<p>{escape(one)}</p>" for one in facts)
    columns = ["factor", "key", "values"]
    return (html.table(columns, rows) if rows else "<p>Nothing varies.</p>") + paragraphs


def _replications(asked: int | Mapping[str, Any]) -> str:
    if isinstance(asked, int):
        return str(asked)
    return ", ".join(f"{name} {value}" for name, value in asked.items() if value is not None)


def _factor(data: DataSet, one: FactorColumn) -> list[str]:
    frame = data.runs
    scale = scale_of(frame, one.name, Chart(one.name, one.name, units={one.name: one.unit}))
    values = frame[one.name].drop_nulls().unique(maintain_order=True).to_list()
    if len(values) <= LISTED:
        levels = ", ".join(scale.shown(value) for value in values)
    else:
        levels = f"{len(values)} values, {scale.shown(min(values))} to {scale.shown(max(values))}"
    return [one.name, one.path or "a variable of expressions", levels]


def _failures(failed: pl.DataFrame) -> str:
    if failed.is_empty():
        return ""
    rows = [
        [str(row["error"]), Markup(f"<code>{escape(row['command'])}</code>")]
        for row in failed.head(MOST_POINTS).iter_rows(named=True)
    ]
    return f"<h2>Failures ({len(failed):,})</h2>" + html.table(["error", "command"], rows)


def _warnings(runs: pl.DataFrame) -> str:
    codes = runs.select(pl.col("warnings").str.split(",").explode().alias("code"))
    codes = codes.filter(pl.col("code").is_not_null() & (pl.col("code") != ""))
    counted = codes.group_by("code", maintain_order=True).len().rows()
    rows = [[code, f"{count:,}"] for code, count in counted]
    table = html.table(["warning", "runs"], rows, numbers={1}) if rows else ""
    return html.details(f"Warnings of the runs ({len(rows)} kinds)", table)


def _figure(data: DataSet, measure: str) -> str:
    found = chart_of(data, measure)
    title = f"<h3>{escape(measure)}</h3>"
    if found is None:
        return title + "<p>Nothing varies, so there is nothing to draw.</p>"
    chart, averaged = found
    drawing = lines(data.runs, chart)
    commands = dict(zip(data.runs["run"], data.runs["command"], strict=True))
    points = dict(zip(data.runs["run"], data.runs["point"], strict=True))
    note = f"<p>Means over {escape(', '.join(averaged))}.</p>" if averaged else ""
    return title + html.figure(with_commands(drawing, commands, points)) + note


def _comparison(data: DataSet) -> str:
    """Differences between the values of the first text factor, averaged over all others."""
    factors = factors_of(data)
    texts = [
        name
        for name in factors
        if not data.runs[name].dtype.is_numeric()
        and data.runs[name].n_unique() <= MOST_ALTERNATIVES
    ]
    measures = tuple(measures_of(data))
    if not texts or not measures or data.runs["replication"].n_unique() < 2:
        return ""
    others = tuple(name for name in factors if name != texts[0])
    rules = Rules(texts[0], measures, others, level=data.description.level, averaged=bool(others))
    head = f"<h2>Which differences of {escape(texts[0])} are real</h2>"
    try:
        found = compare(data.runs, rules)
    except BadInput as error:
        return f"{head}<p>They cannot be compared: {escape(str(error))}.</p>"
    summary = "".join(f"<p>{escape(one)}</p>" for one in words.summary(found))
    return head + html.figure(svg(differences(found, units_of(data)))) + summary


def _points(data: DataSet) -> str:
    """Table with a row per point: its values, means with half their intervals, its runs."""
    varied = [one.name for one in data.description.varied]
    measures = measures_of(data)
    chart = Chart("point", "point", units=units_of(data))
    scales = {name: scale_of(data.runs, name, chart) for name in varied}
    shown = {name: _means(data, name) for name in measures}
    rows = []
    parts = data.runs.partition_by("point", maintain_order=True)
    for part in parts[:MOST_POINTS]:
        point = part["point"][0]
        values = [scales[name].shown(part[name][0]) for name in varied]
        runs = "".join(_run(row) for row in part.iter_rows(named=True))
        inner = html.details(f"{len(part)} runs", f"<table>{runs}</table>")
        anchor = Markup(f'<span id="point-{point}">{point}</span>')
        rows.append([anchor, *values, *(shown[name].get(point, "-") for name in measures)])
        rows[-1].append(Markup(inner))
    units = units_of(data)
    heads = [f"{name} ({units[name]})" if units.get(name) else name for name in measures]
    columns = ["point", *varied, *heads, "runs"]
    numbers = range(1 + len(varied), 1 + len(varied) + len(measures))
    more = len(parts) - MOST_POINTS
    note = f"<p>{more:,} more are in the data set.</p>" if more > 0 else ""
    return html.table(columns, rows, numbers=numbers, wide=True) + note


def _means(data: DataSet, measure: str) -> dict[int, str]:
    values = data.runs.filter(pl.col(measure).cast(pl.Float64).is_finite())
    found = means(values, ["point"], measure, data.description.level)
    texts = {}
    for row in found.iter_rows(named=True):
        half = None if row["high"] is None else row["high"] - row["mean"]
        texts[row["point"]] = number(row["mean"]) + (f" ± {number(half)}" if half else "")
    return texts


def _run(row: Mapping[str, Any]) -> str:
    digest = row["digest"] or "failed"
    return f"<tr><td>{escape(digest)}</td><td><code>{escape(row['command'])}</code></td></tr>"
