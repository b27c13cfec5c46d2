"""A small picture of how a result depends on an open parameter: a bar for each value."""

from __future__ import annotations

from html import escape

from cellrate.papers.dependence import Dependence

WIDTH, ROW, NAME, LETTERS = 264, 14, 130, 24
"""Width of the picture, height of a bar and width of the names in pixels, and greatest length of a
name."""


def share_bars(found: Dependence) -> str:
    """An SVG element; each bar is the share of joint readings with this value that meet the result.

    A joint reading is one set of values for all open parameters.
    """
    rows = zip(found.axis.labels, found.by_value, strict=True)
    shapes = "".join(_row(at, name, *counts) for at, (name, counts) in enumerate(rows))
    height = ROW * len(found.axis.labels) + 4
    return f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">{shapes}</svg>'


def _row(at: int, name: str, met: int, readings: int) -> str:
    top, space = ROW * at + 2, WIDTH - NAME - 40
    shown = name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}\u2026"
    length = space * met / readings if readings else 0.0
    from cellrate.common.picture_style import COLOURS  # slow to import

    return (
        f'<text x="{NAME - 4}" y="{top + 10}" font-size="9" text-anchor="end">'
        f"<title>{escape(name)}</title>{escape(shown)}</text>"
        f'<rect x="{NAME}" y="{top + 2}" width="{length:.0f}" height="{ROW - 5}" '
        f'fill="{COLOURS[1] if at else COLOURS[0]}"/>'
        f'<text x="{NAME + length + 4:.0f}" y="{top + 10}" font-size="9">{met}/{readings}</text>'
    )
