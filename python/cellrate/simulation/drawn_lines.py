"""Names at the ends of the lines of a panel, and dashes where lines cover each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from cellrate.common.picture_style import NOTE
from cellrate.simulation.dynamics import Floats

SIZE = 7.5
# Least distance of two names, and length of the leaders, in points.
APART, LEADER = 10.0, 14.0
# Lines whose ends differ by less than this share of the panel's height count as equal there.
ALIKE = 0.012
# Lines closer than this share of the panel's height cover each other.
CLOSE = 0.012
# Length of a dash, in line widths.
DASH = 7.0
# Number of horizontal positions at which lines are compared.
PLACES = 800


def label_ends(
    panel: Axes, lines: Sequence[Line2D], levels: Sequence[tuple[float, str]] = ()
) -> None:
    """Writes each line's label, and each level's name, to the right of the panel.

    Names of lines that end at the same height stand one below the other, with a note on their
    number.

    Args:
        panel: A panel whose limits are final.
        lines: Lines with labels.
        levels: Heights and names of horizontal lines.
    """
    bottom, top = panel.get_ylim()
    wanted = [(_height_at_end(line), _name(line), str(line.get_color())) for line in lines]
    wanted += [(value, name, NOTE) for value, name in levels]
    for ends in _alike([value for value, _, _ in wanted[: len(lines)]], ALIKE * (top - bottom)):
        if len(ends) > 2:
            wanted.append((ends[0] - 1e-9 * (top - bottom), f"({len(ends)} alike)", NOTE))
    if not wanted:
        return
    wanted.sort(key=lambda one: -one[0])
    height = _height_points(panel)
    heights = [height * (value - bottom) / (top - bottom) for value, _, _ in wanted]
    for (value, text, colour), own, place in zip(
        wanted, heights, _spread(heights, height), strict=True
    ):
        panel.annotate(
            text, (1.0, value), (LEADER, place - own), xycoords=panel.get_yaxis_transform(),
            textcoords="offset points", va="center", fontsize=SIZE, color=colour,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.6, "shrinkA": 0, "shrinkB": 1,
                        "relpos": (0.0, 0.5)},
        )  # fmt: skip


def _name(line: Line2D) -> str:
    """Label of a line; a forward channel has the name of its flow."""
    return str(line.get_label()).removesuffix("/forward")


def _height_at_end(line: Line2D) -> float:
    return float(np.asarray(line.get_ydata(), dtype=float)[-1])


def _alike(ends: Sequence[float], near: float) -> list[list[float]]:
    """Groups of line ends, from high to low; neighbours in a group are at most `near` apart."""
    groups: list[list[float]] = []
    for end in sorted(ends, reverse=True):
        if groups and groups[-1][-1] - end <= near:
            groups[-1].append(end)
        else:
            groups.append([end])
    return groups


def _height_points(panel: Axes) -> float:
    """Approximate height of the axes in points: the panel's share of the figure, less margins."""
    figure = panel.get_figure(root=True)
    rows = panel.get_gridspec().nrows if panel.get_subplotspec() else 1  # type: ignore[union-attr]
    return 72.0 * (figure.get_figheight() if figure else 3.0) / rows - 30.0


def _spread(heights: Sequence[float], limit: float) -> list[float]:
    """Places for names from top to bottom, near their heights, at least `APART` from each other."""
    places: list[float] = []
    for height in heights:
        places.append(min(height, places[-1] - APART) if places else min(height, limit))
    # Names that were pushed below the panel move up again, with those above them.
    floor = 0.0
    for at in reversed(range(len(places))):
        places[at] = max(places[at], floor)
        floor = places[at] + APART
    return places


def reveal(panel: Axes, lines: Sequence[Line2D]) -> None:
    """Draws lines in turn as dashes where they are close, so that all lines are visible.

    For the comparison a line keeps the value of a point up to its next point.
    """
    left, right = panel.get_xlim()
    bottom, top = panel.get_ylim()
    spaced = np.geomspace if panel.get_xscale() == "log" else np.linspace
    places = spaced(left, right, PLACES)
    values = [_at(line, places) for line in lines]
    for number, (line, own) in enumerate(zip(lines, values, strict=True)):
        others = [other for at, other in enumerate(values) if at != number]
        near = [np.abs(other - own) < CLOSE * (top - bottom) for other in others]
        covered = np.any(near, axis=0) if near else np.zeros(PLACES, dtype=bool)
        if not covered.any():
            continue
        panel.plot(
            places,
            np.where(covered, own, np.nan),
            color=line.get_color(),
            lw=line.get_linewidth() + 0.3,
            ls=(number * DASH, (DASH, (len(lines) - 1) * DASH)),
            dash_capstyle="butt",
            zorder=2.5,
        )
    panel.set_xlim(left, right)
    panel.set_ylim(bottom, top)


def _at(line: Line2D, places: Floats) -> Floats:
    """Values of a line at places between its points; NaN outside."""
    x, y = (np.asarray(column, dtype=float) for column in line.get_data())
    found: Floats = np.interp(places, x, y, left=np.nan, right=np.nan)
    return found
