"""A small picture of a figure: its curves as lines, its printed values as diamonds."""

from __future__ import annotations

from itertools import chain

import numpy as np
import numpy.typing as npt
import polars as pl

from cellrate.papers.figure_data import column
from cellrate.papers.paper import Axis, Figure

WIDTH, HEIGHT = 132, 76
MARGIN = 4
POINTS = 60
"""Greatest number of intervals of a line; each interval shows its least and greatest value."""

Floats = npt.NDArray[np.float64]


def thumbnail(figure: Figure, frame: pl.DataFrame) -> str:
    """An SVG element with the curves of a figure, from its `figure_data`, without axes."""
    x, y = column(figure.x.label), column(figure.y.label)
    y = y if y != x else f"{y}_2"
    frame = frame.filter(pl.col(x).is_finite() & pl.col(y).is_finite())
    across = _Scale(figure.x, frame[x].to_numpy(), MARGIN, WIDTH - MARGIN)
    up = _Scale(figure.y, frame[y].to_numpy(), HEIGHT - MARGIN, MARGIN)
    from cellrate.common.picture_style import COLOURS  # slow to import

    colours = {curve.label: COLOURS[at % len(COLOURS)] for at, curve in enumerate(figure.curves)}
    keys = [name for name in ("curve", "entity") if name in frame.columns]
    shapes = []
    for (curve, *_), rows in frame.filter(pl.col("kind") != "printed").group_by(
        keys, maintain_order=True
    ):
        points = _line(across(rows[x].to_numpy()), up(rows[y].to_numpy()))
        shapes.append(f'<polyline points="{points}" stroke="{colours[str(curve)]}"/>')
    printed = frame.filter(pl.col("kind") == "printed")
    marks = zip(across(printed[x].to_numpy()), up(printed[y].to_numpy()), strict=True)
    for (left, top), curve in zip(marks, printed["curve"], strict=True):
        shapes.append(
            f'<path d="M{left:.0f},{top - 3:.0f}l3,3l-3,3l-3,-3z" stroke="{colours[curve]}"/>'
        )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" fill="none" '
        f'aria-hidden="true">{"".join(shapes)}</svg>'
    )


class _Scale:
    """Converts values of an axis to positions in the picture."""

    def __init__(self, axis: Axis, values: Floats, first: float, last: float) -> None:
        self._log, self._first, self._last = axis.log, first, last
        shown = self._value(values[values > 0] if axis.log else values)
        found = (float(shown.min()), float(shown.max())) if shown.size else (0.0, 1.0)
        ends = [
            end if stated is None else float(self._value(np.array([stated]))[0])
            for end, stated in zip(found, (axis.start, axis.end), strict=True)
        ]
        self._low, self._span = ends[0], (ends[1] - ends[0]) or 1.0

    def _value(self, values: Floats) -> Floats:
        return np.log10(np.maximum(values, 1e-300)) if self._log else values

    def __call__(self, values: Floats) -> Floats:
        share = np.clip((self._value(values) - self._low) / self._span, 0.0, 1.0)
        return self._first + share * (self._last - self._first)


def _line(across: Floats, up: Floats) -> str:
    """SVG text of a line's points in the order of x, at most two in each of `POINTS` intervals."""
    order = np.argsort(across, kind="stable")
    across, up = across[order], up[order]
    if len(across) > 2 * POINTS:
        parts = np.array_split(np.arange(len(across)), POINTS)
        extremes = ((part[up[part].argmin()], part[up[part].argmax()]) for part in parts)
        kept = list(chain.from_iterable(map(sorted, extremes)))
        across, up = across[kept], up[kept]
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in zip(across, up, strict=True))
