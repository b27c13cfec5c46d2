"""Kinds of figures over the runs of a study, in the house style."""

from cellrate.plots.chart import Chart, Drawing, Mark
from cellrate.plots.distributions import box, ecdf
from cellrate.plots.heat_map import heat_map
from cellrate.plots.lines import lines
from cellrate.plots.over_time import overlaid, phase_portrait

KINDS = {"lines": lines, "heat-map": heat_map, "ecdf": ecdf, "box": box}
"""Figures of a measure over runs, by name."""

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
