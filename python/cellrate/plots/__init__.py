"""Figures of studies and traces, all in the same style."""

from cellrate.plots.chart import Chart, Drawing, Mark
from cellrate.plots.distributions import box, ecdf
from cellrate.plots.heat_map import heat_map
from cellrate.plots.lines import lines
from cellrate.plots.over_time import overlaid, phase_portrait

KINDS = {"lines": lines, "heat-map": heat_map, "ecdf": ecdf, "box": box}
"""Functions that draw a measure over runs, by the name of the kind of figure."""

__all__ = [
    "KINDS",
    "Chart",
    "Drawing",
    "Mark",
    "box",
    "ecdf",
    "heat_map",
    "lines",
    "overlaid",
    "phase_portrait",
]
