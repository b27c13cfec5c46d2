"""Figures that notebooks show by themselves."""

from __future__ import annotations

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A figure of matplotlib that a notebook shows without `%matplotlib inline`.

    It is not one of pyplot's figures, which notebooks show by themselves at the end of a cell, so
    it is never shown twice.
    """

    def _repr_svg_(self) -> str:
        from cellrate.simulation.figures import svg

        return svg(self)
