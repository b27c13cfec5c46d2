"""Pictures of open parameters: the share of the results that each value meets."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellrate.inference import sentences
from cellrate.inference.answer import Finding
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure

WIDTH = 4.6
"""Width in inches; a phone shows the picture almost unscaled."""
ROW = 0.46
EDGE = 0.75
HALVES_BELOW = 0.17
"""Distance of the halves' markers below a row's dot, which would hide them; in rows."""
CHARACTERS = 58
"""Greatest length of a value's name, in characters."""
OVERALL, HALF_A, HALF_B, BAD = COLOURS[6], COLOURS[0], COLOURS[4], COLOURS[1]


def picture(finding: Finding) -> Figure:
    """Picture of one parameter."""
    figure, (axes,) = new_figure(width=WIDTH, height=_height(finding))
    with style.context(STYLE):
        _draw(axes, finding)
    return figure


def pictures(findings: Sequence[Finding]) -> Figure:
    """Pictures of all parameters, one below another, in one figure."""
    heights = [_height(finding) for finding in findings]
    figure, _ = new_figure(width=WIDTH, height=sum(heights))
    with style.context(STYLE):
        figure.clear()
        panels = figure.subplots(len(findings), 1, squeeze=False, height_ratios=heights)
        for axes, finding in zip(panels[:, 0], findings, strict=True):
            _draw(axes, finding)
            axes.set_title(finding.parameter.assumption.id)
    return figure


def _height(finding: Finding) -> float:
    return ROW * len(finding.parameter.labels) + EDGE


def _draw(axes: Axes, finding: Finding) -> None:
    """Draws a row per value: its share of all results, the range over the seeds, and the halves."""
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
    axes.set_xlabel(f"share of {sentences.counted(len(finding.parameter.subjects), 'result')} met")


def _status(finding: Finding, value: int) -> str:
    """Text beside the name of a value."""
    if finding.excluded(value):
        return "excluded"
    if value != finding.hold_out.best:
        return "allowed"
    if finding.dropped:
        return "held out alone, not used"
    return "best" if value == 0 else sentences.OF_VERDICT[finding.verdict]
