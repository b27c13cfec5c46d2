"""Figures of studies and traces, all in the same style."""

from cellrate.studies.plots.chart import Chart, Drawing, Mark
from cellrate.studies.plots.over_runs import box, ecdf, heat_map, lines
from cellrate.studies.plots.over_time import overlaid, phase_portrait

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
