"""Figures of the papers: printed values stand beside the line that measures the same."""

from __future__ import annotations

from typing import Any

import pytest
from cellrate.papers.collection import all_papers
from cellrate.papers.figure import _printed
from cellrate.papers.paper import Axis, Curve, Figure, PrintedPoint, ReproduceError
from cellrate.papers.reading import read_figure
from cellrate.papers.toml_reader import Reader
from cellrate.simulation.figures import COLOURS, new_figure
from matplotlib.colors import to_hex

TABLE: dict[str, Any] = {
    "id": "a",
    "title": "Throughput",
    "kind": "sweep",
    "x": {"label": "buffer", "axis": "b"},
    "y": {"label": "throughput"},
    "curves": [
        {"label": "ABR", "variant": "abr", "measure": "1"},
        {"label": "EPD", "variant": "epd", "measure": "1"},
    ],
    "printed": [{"curve": "EPD", "x": 10, "y": 0.85}],
}


def test_a_printed_value_has_the_colour_of_its_line() -> None:
    curves = (Curve("ABR", "abr"), Curve("EPD", "epd"))
    points = (PrintedPoint("EPD", 10, 0.853), PrintedPoint("ABR", 10, 0.458))
    figure = Figure("a", "t", "sweep", Axis("x"), Axis("y"), curves, points)
    _, [axes] = new_figure()
    _printed(axes, figure)
    drawn = [line for line in axes.get_lines() if line.get_gid() == "printed"]
    assert [to_hex(line.get_markeredgecolor()) for line in drawn] == [COLOURS[1], COLOURS[0]]
    assert {line.get_markerfacecolor() for line in drawn} == {"none"}
    assert [one for one in axes.get_legend_handles_labels()[1] if "printed" in one] == [
        "printed, in the colour of its line"
    ]


def test_a_printed_value_names_a_line_of_the_figure() -> None:
    assert read_figure(Reader(TABLE, "here")).printed[0].curve == "EPD"
    wrong = {**TABLE, "printed": [{"curve": "UBR", "x": 10, "y": 0.85}]}
    with pytest.raises(ReproduceError, match="names the curve 'UBR'; there are ABR, EPD"):
        read_figure(Reader(wrong, "here"))


def test_printed_points_repeat_printed_values_of_their_experiments() -> None:
    checked = 0
    for paper in all_papers():
        for experiment in paper.experiments:
            known = [one.value for one in experiment.published if one.value is not None]
            for point in (one for figure in experiment.figures for one in figure.printed):
                assert any(point.y == pytest.approx(value) for value in known), experiment.id
                checked += 1
    assert checked > 40
