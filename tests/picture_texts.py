"""Texts of a rendered figure that overlap each other."""

from __future__ import annotations

from matplotlib.axis import Tick
from matplotlib.figure import Figure
from matplotlib.text import Text


def overlapping_texts(figure: Figure) -> list[tuple[str, str]]:
    """Pairs of visible texts of a figure whose boxes overlap when it is rendered."""
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    figure.draw(renderer)
    every, drawn = _tick_labels(figure)
    texts = [
        one for one in figure.findobj(Text) if _is_shown(one) and (one not in every or one in drawn)
    ]
    # An annotation's own box would include its leader.
    boxes = [(one.get_text(), Text.get_window_extent(one, renderer).padded(-1.0)) for one in texts]
    return [
        (text, other)
        for number, (text, box) in enumerate(boxes)
        for other, its in boxes[number + 1 :]
        if box.overlaps(its)
    ]


def _is_shown(text: Text) -> bool:
    """True if a text is drawn, apart from the labels of ticks."""
    visible = text.get_visible() and (text.axes is None or text.axes.get_visible())
    return visible and bool(text.get_text().strip())


def _tick_labels(figure: Figure) -> tuple[set[Text], set[Text]]:
    """Labels of all ticks, and of those that are drawn; an axis keeps unused ticks."""
    every = {label for tick in figure.findobj(Tick) for label in (tick.label1, tick.label2)}
    drawn = {
        label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis._update_ticks()  # type: ignore[union-attr]  # noqa: SLF001  no public way
        for label in (tick.label1, tick.label2)
    }
    return every, drawn
