"""Makes lines visible that lie beneath later ones, by dashes that take turns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from cellrate.simulation.series import Floats

# Lines closer than this share of the panel's height cover each other.
CLOSE = 0.012
# Length of a dash, in line widths.
DASH = 7.0
# Places across the panel at which lines are compared.
PLACES = 800


def reveal(panel: Axes, lines: Sequence[Line2D]) -> None:
    """Draws lines again as dashes where others are close, each in turn, so that all are seen.

    A line holds its value up to its next point where lines are compared.
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
