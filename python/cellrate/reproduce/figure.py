"""Draws the figures of the papers from our runs."""

from collections.abc import Sequence
from itertools import cycle
from typing import cast

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from cellrate.common.estimates import estimate
from cellrate.common.picture_style import COLOURS, NOTE, STYLE
from cellrate.language.expressions import evaluate
from cellrate.language.records import Trace
from cellrate.language.runs import Row, Run
from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.paper_data import Curve, Experiment, Figure, Paper, Point, Variant
from cellrate.reproduce.runs import Outcomes, scope_of
from cellrate.reproduce.thinning import Floats, drawn, within
from cellrate.simulation.figures import new_figure

MARKERS = "os^vPX"
PRINTED = "printed"
NAMED_LINES = 10


def draw(
    paper: Paper, experiment: Experiment, figure: Figure, outcomes: Outcomes, seeds: Sequence[int]
) -> Canvas:
    """Draws a figure from finished runs.

    Sweeps show the mean and the interval over the seeds; traces and formulas show the first seed.
    """
    canvas, (axes,) = new_figure(width=5.6, height=3.4)
    with style.context(STYLE):
        scopes = [scope_of(paper, experiment, outcomes, seed) for seed in seeds]
        for curve, colour, marker in zip(
            figure.curves, cycle(COLOURS), cycle(MARKERS), strict=False
        ):
            if figure.kind == "sweep":
                _sweep(axes, experiment, figure, curve, scopes, colour, marker)
            elif figure.kind == "formula":
                _formula(axes, figure, curve, scopes[0])
            else:
                _traces(axes, experiment, figure, curve, scopes[0])
        _printed(axes, figure)
        _finish(axes, figure, experiment.id)
    return canvas


def _sweep(
    axes: Axes,
    experiment: Experiment,
    figure: Figure,
    curve: Curve,
    scopes: Sequence[dict[str, object]],
    colour: str,
    marker: str,
) -> None:
    _, points = swept_points(experiment, figure, curve)
    xs = [float(point[figure.x.axis]) * figure.x.scale for point in points]
    ys, below, above = [], [], []
    for point in points:
        over_seeds = estimate([at_point(curve, scope, point) for scope in scopes])
        mean = over_seeds.mean
        low = mean if over_seeds.low is None else over_seeds.low
        high = mean if over_seeds.high is None else over_seeds.high
        ys.append(mean * figure.y.scale)
        below.append((mean - low) * figure.y.scale)
        above.append((high - mean) * figure.y.scale)
    axes.errorbar(
        xs,
        ys,
        yerr=[below, above],
        label=curve.label,
        color=colour,
        marker=marker,
        markersize=4,
        capsize=2,
    )


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


def _traces(
    axes: Axes, experiment: Experiment, figure: Figure, curve: Curve, scope: dict[str, object]
) -> None:
    _, traces = traces_of(experiment, figure, curve, scope)
    for number, trace in enumerate(traces):
        label = (
            curve.label if len(traces) == 1 else f"{curve.label} {trace.entity.rsplit('.', 1)[-1]}"
        )
        times, low, high = visible(figure, trace)
        dashes = "-" if number < len(COLOURS) else "--"
        middle = (low + high) / 2
        (line,) = axes.plot(times, middle, label=label, linewidth=0.9, linestyle=dashes)
        if (high > low).any():
            axes.fill_between(times, low, high, color=line.get_color(), alpha=0.35, linewidth=0)


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


def _formula(axes: Axes, figure: Figure, curve: Curve, scope: dict[str, object]) -> None:
    pairs = evaluate(curve.points, scope)
    xs = [float(x) * figure.x.scale for x, _ in pairs]
    ys = [float(y) * figure.y.scale for _, y in pairs]
    axes.plot(xs, ys, label=curve.label, linewidth=1.2)


def _printed(axes: Axes, figure: Figure) -> None:
    """Draws printed values as hollow diamonds in the colour of the curve that measures the same."""
    labels = [curve.label for curve in figure.curves]
    for point in figure.printed:
        colour = COLOURS[labels.index(point.curve) % len(COLOURS)]
        axes.plot(
            point.x, point.y, "D", markerfacecolor="none", markeredgecolor=colour,
            markeredgewidth=1.5, markersize=7.5, zorder=5, gid=PRINTED, clip_on=False,
        )  # fmt: skip
    if figure.printed:
        axes.plot(
            [], [], "D", markerfacecolor="none", markeredgecolor=NOTE, markeredgewidth=1.5,
            markersize=6, label="printed, in the colour of its line",
        )  # fmt: skip


def _finish(axes: Axes, figure: Figure, experiment: str) -> None:
    axes.set(title=figure.title, xlabel=figure.x.label, ylabel=figure.y.label)
    axes.set_title(experiment, loc="right", fontsize=7, color=NOTE)
    if figure.x.log:
        axes.set_xscale("log")
    if figure.y.log:
        axes.set_yscale("log")
    axes.set_xlim(figure.x.start, figure.x.end)
    axes.set_ylim(figure.y.start, figure.y.end)
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    if 1 < len(unique) <= NAMED_LINES:
        axes.legend(list(unique.values()), list(unique))
