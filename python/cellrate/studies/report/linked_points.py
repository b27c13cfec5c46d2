"""Adds links to the points of a figure, with the commands of their runs as tooltips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from cellrate.simulation.figures import svg
from cellrate.studies.plots import Drawing, Mark

# Points of an SVG drawing are 1/72 of an inch.
DOTS = 72.0
RADIUS = 6.0
# A tooltip shows at most so many commands; the table behind the link has all.
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
