"""Pictures of a reproduction: figures of papers, distributions over seeds, results met."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import cycle

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from cellrate.common.estimates import estimate
from cellrate.common.numbers import counted
from cellrate.common.picture_style import NOTE
from cellrate.language.expressions import evaluate
from cellrate.papers.figure_data import at_point, swept_points, traces_of, visible
from cellrate.papers.findings import Finding
from cellrate.papers.hold_out import VERDICTS
from cellrate.papers.paper import (
    Curve,
    Drawn,
    Experiment,
    Figure,
    Paper,
    Published,
)
from cellrate.papers.runs import Outcomes, scope_of
from cellrate.papers.scoring import last_place
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure, new_panels

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


COLUMNS = 3
BINS = 20
TITLE_WIDTH = 34


def draws_figure(paper: Paper) -> Canvas | None:
    """Figure with a panel for each quantity with a measured distribution; None without any."""
    known = {(e.id, p.quantity): p for e in paper.experiments for p in e.published}
    panels = [(drawn, known[drawn.experiment, drawn.of]) for drawn in paper.draws if drawn.values]
    if not panels:
        return None
    canvas, axes = new_panels(len(panels), COLUMNS, width=7.6, height=2.1)
    with style.context(STYLE):
        for each, (drawn, published) in zip(axes, panels, strict=True):
            _panel(each, paper, drawn, published)
    return canvas


def _panel(axes: Axes, paper: Paper, drawn: Drawn, published: Published) -> None:
    axes.hist(drawn.values, bins=BINS, color=COLOURS[5])
    value = published.value or 0.0
    axes.axvline(value, color=COLOURS[1], linewidth=1.6)
    place = last_place(published.printed, value)
    where = drawn.experiment.removeprefix(f"{paper.id}-")
    title = textwrap.fill(f"{where}: {drawn.of}", TITLE_WIDTH)
    axes.set_title(title, fontsize=7)
    axes.set_xlabel(
        f"{published.unit or 'value'}; printed {published.printed}: "
        f"percentile {drawn.percentile(value, place):.3g}, {drawn.seeds} seeds",
        fontsize=7,
    )
    axes.set_yticks([])
    axes.grid(visible=False)


WIDTH = 4.6
"""Width in inches, suited to the screen of a phone."""
ROW = 0.46
EDGE = 0.75
HALVES_BELOW = 0.17
"""Distance, in rows, from a row's dot down to its two markers, one for each half of the
experiments."""
CHARACTERS = 58
"""Greatest number of characters of a value's name."""
OVERALL, HALF_A, HALF_B, BAD = COLOURS[6], COLOURS[0], COLOURS[4], COLOURS[1]


def shares_picture(finding: Finding) -> Canvas:
    """Picture of the shares of results that the values of a parameter meet."""
    canvas, (axes,) = new_figure(width=WIDTH, height=_height(finding))
    with style.context(STYLE):
        _draw_shares(axes, finding)
    return canvas


def shares_pictures(findings: Sequence[Finding]) -> Canvas:
    """One figure with the pictures of `shares_picture`, one below another, for all parameters."""
    heights = [_height(finding) for finding in findings]
    canvas, _ = new_figure(width=WIDTH, height=sum(heights))
    with style.context(STYLE):
        canvas.clear()
        panels = canvas.subplots(len(findings), 1, squeeze=False, height_ratios=heights)
        for axes, finding in zip(panels[:, 0], findings, strict=True):
            _draw_shares(axes, finding)
            axes.set_title(finding.parameter.assumption.id)
    return canvas


def _height(finding: Finding) -> float:
    return ROW * len(finding.parameter.labels) + EDGE


def _draw_shares(axes: Axes, finding: Finding) -> None:
    """Draws a row per value of the parameter.

    A row has the share of results met, its range over the seeds, and the share in each of the two
    halves into which the hold-out test divides the experiments.
    """
    scores, parts = finding.scores, finding.hold_out.halves
    labels = finding.parameter.labels
    for row, label in enumerate(labels):
        out = finding.excluded(row)
        by_seed = scores.shares(row)
        axes.plot([0, 1], [row, row], color="#e4e4e4", linewidth=0.6, zorder=0)
        axes.plot(
            [min(by_seed), max(by_seed)], [row, row], color=FAINT, linewidth=4, alpha=0.6, zorder=1
        )
        if all(parts):
            for half, colour, marker in zip(parts, (HALF_A, HALF_B), "^v", strict=True):
                axes.plot(
                    scores.share(row, half), row + HALVES_BELOW, marker, color=colour, markersize=4
                )
        axes.plot(
            scores.share(row),
            row,
            "o",
            markersize=6,
            markeredgecolor=BAD if out else OVERALL,
            markerfacecolor="white" if out else OVERALL,
        )
        name = f"{textwrap.shorten(label, CHARACTERS, placeholder=' ...')}: {_status(finding, row)}"
        bold = "bold" if row == finding.hold_out.best else "normal"
        axes.text(
            0, row - 0.28, name, fontsize=8, color=BAD if out else OVERALL, weight=bold, va="bottom"
        )
    axes.set_ylim(len(labels) - 0.6, -1.0)
    axes.set_xlim(-0.03, 1.03)
    axes.set_yticks([])
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(f"share of {counted(len(finding.parameter.subjects), 'result')} met")


def _status(finding: Finding, value: int) -> str:
    """Text beside the name of a value: excluded, allowed, or the verdict on the best value."""
    if finding.excluded(value):
        return "excluded"
    if value != finding.hold_out.best:
        return "allowed"
    if finding.dropped:
        return "held out alone, not used"
    return "best" if value == 0 else VERDICTS[finding.verdict]
