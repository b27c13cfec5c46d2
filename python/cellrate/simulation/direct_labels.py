"""Names of lines and levels beside a panel, at the height where each ends, without overlaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from cellrate.common.picture_style import NOTE

SIZE = 7.5
# Least distance of two names, and length of the leaders, in points.
APART, LEADER = 10.0, 14.0
# Lines that end this close, as a share of the panel's height, are alike there.
ALIKE = 0.012


def label_ends(
    panel: Axes, lines: Sequence[Line2D], levels: Sequence[tuple[float, str]] = ()
) -> None:
    """Writes each line's label, and each level's name, to the right of the panel.

    Lines that end at the same height keep their names, one beneath the other, and a note says how
    many are alike.

    Args:
        panel: A panel whose limits are final.
        lines: Lines with labels.
        levels: Heights and names of horizontal lines.
    """
    bottom, top = panel.get_ylim()
    wanted = [(_end(line), _name(line), str(line.get_color())) for line in lines]
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
    """Label of a line; a channel is named after its flow if it is the forward one."""
    return str(line.get_label()).removesuffix("/forward")


def _end(line: Line2D) -> float:
    return float(np.asarray(line.get_ydata(), dtype=float)[-1])


def _alike(ends: Sequence[float], near: float) -> list[list[float]]:
    """Ends in groups of neighbours that are at most `near` apart, from high to low."""
    groups: list[list[float]] = []
    for end in sorted(ends, reverse=True):
        if groups and groups[-1][-1] - end <= near:
            groups[-1].append(end)
        else:
            groups.append([end])
    return groups


def _height_points(panel: Axes) -> float:
    """Height of a panel in points; the margins of its figure are taken as they usually are."""
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
