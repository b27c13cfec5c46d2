"""The report on a study: plan, figures, tables, failures, and the command of every run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import polars as pl

from cellrate import __version__
from cellrate.common.document import (
    Block,
    Cell,
    Document,
    Figure,
    Folded,
    Paragraph,
    Section,
    Span,
    Table,
    columns,
    rows,
)
from cellrate.common.numbers import counted, number
from cellrate.common.problems import BadInput
from cellrate.simulation.figures import COLOURS, svg
from cellrate.studies.columns import HIGH, MEAN, factors_of, measures_of, units_of
from cellrate.studies.compare.figure import differences
from cellrate.studies.compare.of_studies import StudyOptions, compare_factor
from cellrate.studies.compare.report import counted_verdicts, files_left, summary
from cellrate.studies.dataset import DataSet, Description, FactorColumn
from cellrate.studies.dataset.ended_files import note as on_unfinished
from cellrate.studies.dataset.ended_files import whole
from cellrate.studies.plots import Chart, Drawing, Mark, lines
from cellrate.studies.plots.chart import means, scale_of

# Greatest number of panels side by side.
MOST_PANELS = 9


def chart_of(data: DataSet, measure: str) -> tuple[Chart, Sequence[str]] | None:
    """Chooses the chart of a measure, and the factors over whose values it shows the mean.

    The x axis shows the numeric factor with the most values, or the text factor with the most if
    none is numeric. Of the remaining factors, text before numeric ones, the first becomes the
    colours and the next the panels, if they have few enough values. Returns None if nothing varies.
    """
    runs = data.runs
    factors = factors_of(data)
    if not factors:
        return None
    count = {name: runs[name].n_unique() for name in factors}
    numbers = [name for name in factors if runs[name].dtype.is_numeric()]
    across = max(numbers or factors, key=lambda name: count[name])
    rest = [name for name in factors if name != across]
    rest.sort(key=lambda name: runs[name].dtype.is_numeric())
    by = next((name for name in rest if count[name] <= len(COLOURS)), None)
    columns = next((name for name in rest if name != by and count[name] <= MOST_PANELS), None)
    chart = Chart(
        across,
        measure,
        by,
        columns,
        data.description.level,
        units_of(data),
        written=data.description.texts,
    )
    return chart, [name for name in rest if name not in {by, columns}]


# Points of an SVG drawing are 1/72 of an inch.
DOTS = 72.0
RADIUS = 6.0
# Greatest number of commands in a tooltip; the table has all commands.
MOST_COMMANDS = 5


def with_commands(drawing: Drawing, commands: Mapping[int, str], points: Mapping[int, int]) -> str:
    """The drawing as SVG; its points show the commands of their runs and link to their table rows.

    Args:
        drawing: The figure with its points.
        commands: Shell command, by number of the run.
        points: Point of the study, by number of the run.
    """
    text = svg(drawing.figure)
    circles = "".join(_circle(drawing, mark, commands, points) for mark in drawing.marks)
    return text.replace("</svg>", f'<g class="points">{circles}</g></svg>')


def _circle(
    drawing: Drawing, mark: Mark, commands: Mapping[int, str], points: Mapping[int, int]
) -> str:
    figure = drawing.figure
    shown = mark.axes.transData.transform((mark.x, mark.y))
    across, up = figure.transFigure.inverted().transform(shown)
    width, height = figure.get_size_inches() * DOTS
    tooltip = escape(_tooltip([commands[run] for run in mark.runs]))
    runs = " ".join(map(str, mark.runs))
    return (
        f'<a href="#point-{points[mark.runs[0]]}"><circle cx="{across * width:.1f}" '
        f'cy="{(1 - up) * height:.1f}" r="{RADIUS:g}" fill="transparent" data-runs="{runs}">'
        f"<title>{tooltip}</title></circle></a>"
    )


def _tooltip(commands: Sequence[str]) -> str:
    lines = list(commands[:MOST_COMMANDS])
    if len(commands) > MOST_COMMANDS:
        lines.append(f"and {len(commands) - MOST_COMMANDS} more: click")
    return "\n".join(lines)


# Greatest number of levels of a factor that are listed.
LISTED = 12
# Greatest number of points that are listed with their runs; the data set has all points.
MOST_POINTS = 2000
MOST_ALTERNATIVES = 6


def report(data: DataSet) -> Document:
    """The report on a study whose runs are done."""
    described = data.description
    failed = data.runs.filter(pl.col("status") != "done")
    count = f"{counted(len(data.runs), 'run')} of {counted(data.runs['point'].n_unique(), 'point')}"
    facts = f" · {count}, {len(failed):,} failed · cellrate {__version__}"
    hint = "Every point shows the commands of its runs; a click opens its runs in the table below."
    return Document(
        described.name,
        (
            Paragraph((*_scenario(described), facts), "faint"),
            Section("Plan", _plan(data)),
            _failures(failed),
            _warnings(data.runs),
            Section(
                "Figures",
                (
                    Paragraph(hint, "faint"),
                    *(_figure(data, measure) for measure in measures_of(data)),
                ),
            ),
            *_comparison(data),
            Section("Points and their runs", _points(data)),
        ),
    )


def _scenario(described: Description) -> Iterator[str | Span]:
    """The scenario, and settings besides those of the study file."""
    yield Span(described.scenario, "code")
    for setting in described.settings:
        yield from (" ", Span(f"--set {shlex.quote(setting)}", "code"))


def _plan(data: DataSet) -> tuple[Block, ...]:
    described = data.description
    found = rows(_factor(data, one) for one in described.varied)
    seeds = (
        "all points have the same seeds"
        if described.common_random_numbers
        else "each point has seeds of its own"
    )
    measures = "; ".join(f"{one.name} = {one.expression}" for one in described.measures)
    facts = [f"Replications: {_replications(described.replications)}; {seeds}."]
    facts += [f"Measures: {measures}."] if measures else []
    facts += [f"Intervals at {described.level:.10g}."]
    table = Table(columns("factor", "key", "values"), found)
    return (table if found else Paragraph("Nothing varies."), *map(Paragraph, facts))


def _replications(asked: int | Mapping[str, Any]) -> str:
    if isinstance(asked, int):
        return str(asked)
    return ", ".join(f"{name} {value}" for name, value in asked.items() if value is not None)


def _factor(data: DataSet, one: FactorColumn) -> list[str]:
    frame = data.runs
    chart = Chart(one.name, one.name, units={one.name: one.unit}, written=data.description.texts)
    scale = scale_of(frame, one.name, chart)
    values = frame[one.name].drop_nulls().unique(maintain_order=True).to_list()
    if len(values) <= LISTED:
        levels = ", ".join(scale.shown(value) for value in values)
    else:
        count = counted(len(values), "value")
        levels = f"{count}, {scale.shown(min(values))} to {scale.shown(max(values))}"
    return [one.name, one.path or "a variable of expressions", levels]


def _failures(failed: pl.DataFrame) -> Section:
    found: list[list[Cell]] = [
        [str(row["error"]), Span(row["command"], "code")]
        for row in failed.head(MOST_POINTS).iter_rows(named=True)
    ]
    parts = (Table(columns("error", "command"), rows(found)),) if found else ()
    return Section(f"Failures ({len(failed):,})", parts)


def _warnings(runs: pl.DataFrame) -> Folded:
    codes = runs.select(pl.col("warnings").str.split(",").explode().alias("code"))
    codes = codes.filter(pl.col("code").is_not_null() & (pl.col("code") != ""))
    by_code = codes.group_by("code", maintain_order=True).len().rows()
    found = [[code, f"{count:,}"] for code, count in by_code]
    parts = (Table(columns("warning", "runs", numbers=[1]), rows(found)),) if found else ()
    return Folded(f"Warnings of the runs ({counted(len(found), 'kind')})", parts)


def _figure(data: DataSet, measure: str) -> Section:
    found = chart_of(data, measure)
    if found is None:
        return Section(measure, (Paragraph("Nothing varies, so there is nothing to draw."),))
    chart, averaged = found
    runs, lacking = whole(data, data.runs, chart.keys, (measure,))
    about = [on_unfinished(lacking)] if lacking else []
    about += [f"Means over {', '.join(averaged)}."] if averaged else []
    if lacking and not runs[measure].count():
        return Section(measure, tuple(map(Paragraph, about)))

    def drawn() -> str:
        commands = dict(zip(data.runs["run"], data.runs["command"], strict=True))
        points = dict(zip(data.runs["run"], data.runs["point"], strict=True))
        return with_commands(lines(runs, chart), commands, points)

    figure = Figure(drawn, f"{measure} over {chart.x}")
    return Section(measure, (figure, *map(Paragraph, about)))


def _comparison(data: DataSet) -> tuple[Section, ...]:
    """Differences between the values of the first text factor, averaged over all other factors."""
    factors = factors_of(data)
    texts = [
        name
        for name in factors
        if not data.runs[name].dtype.is_numeric()
        and data.runs[name].n_unique() <= MOST_ALTERNATIVES
    ]
    if not texts or not measures_of(data) or data.runs["replication"].n_unique() < 2:
        return ()
    averaged = len(factors) > 1
    title = f"Which differences of {texts[0]} are real"
    options = StudyOptions(factor=texts[0], level=data.description.level, averaged=averaged)
    try:
        found = compare_factor(data, options)
        said = (
            files_left(found) + summary(found) + (_at_each_point(data, options) if averaged else [])
        )
    except BadInput as error:
        return (Section(title, (Paragraph(f"They cannot be compared: {error}."),)),)

    def drawn() -> str:
        return svg(differences(found, units_of(data)))

    figure = Figure(drawn, f"Differences of {texts[0]} with their confidence intervals")
    return (Section(title, (figure, *map(Paragraph, said))),)


def _at_each_point(data: DataSet, options: StudyOptions) -> list[str]:
    """Sentences on the difference at each point, as `cellrate compare` shows them."""
    found = compare_factor(data, replace(options, averaged=False))
    real = sum(bool(pair.real) for pair in found.pairs)
    text = (
        f"Without the mean, at each point by itself, {real} of {len(found.pairs)} differences are "
        f"real, at {found.level:.10g} for all of them together: {counted_verdicts(found)}. "
        f"`cellrate compare STUDY --factor {found.factor}` shows these; with `--average` it shows "
        "the means of this page."
    )
    return [text]


def _points(data: DataSet) -> tuple[Block, ...]:
    """Table with a row per point: factor values, means with intervals, commands of the runs."""
    varied = [one.name for one in data.description.varied]
    measures = measures_of(data)
    chart = Chart("point", "point", units=units_of(data), written=data.description.texts)
    scales = {name: scale_of(data.runs, name, chart) for name in varied}
    shown = {name: _means(data, name) for name in measures}
    found: list[list[Cell]] = []
    parts = data.runs.partition_by("point", maintain_order=True)
    for part in parts[:MOST_POINTS]:
        point = part["point"][0]
        values = [scales[name].shown(part[name][0]) for name in varied]
        runs = rows(map(_run, part.iter_rows(named=True)))
        commands = Table(columns("digest", "command"), runs)
        inner = Folded(counted(len(part), "run"), (commands,), f"point-{point}")
        measured = [shown[name].get(point, "-") for name in measures]
        found.append([str(point), *values, *measured, inner])
    units = units_of(data)
    heads = [f"{name} ({units[name]})" if units.get(name) else name for name in measures]
    numbers = range(1 + len(varied), 1 + len(varied) + len(measures))
    titles = columns("point", *varied, *heads, "runs", numbers=numbers)
    more = len(parts) - MOST_POINTS
    note = (Paragraph(f"{more:,} more are in the data set."),) if more > 0 else ()
    return (Table(titles, rows(found), wide=True), *note)


def _means(data: DataSet, measure: str) -> dict[int, str]:
    runs, _ = whole(data, data.runs, ("point",), (measure,))
    values = runs.filter(pl.col(measure).cast(pl.Float64).is_finite())
    found = means(values, ["point"], measure, data.description.level)
    texts = {}
    for row in found.iter_rows(named=True):
        half = None if row[HIGH] is None else row[HIGH] - row[MEAN]
        texts[row["point"]] = number(row[MEAN]) + (f" ± {number(half)}" if half else "")
    return texts


def _run(row: Mapping[str, Any]) -> list[Cell]:
    return [row["digest"] or "failed", Span(row["command"], "code")]
