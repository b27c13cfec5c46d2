"""Small pictures of figures, with positions worked out by hand."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl
from cellrate.papers.paper import Axis, Curve, Figure, PrintedPoint
from cellrate.papers.thumbnail import HEIGHT, MARGIN, POINTS, WIDTH, thumbnail
from cellrate.simulation.figures import COLOURS

LEFT, RIGHT, TOP, BOTTOM = MARGIN, WIDTH - MARGIN, MARGIN, HEIGHT - MARGIN
FIGURE = Figure(
    "a",
    "A",
    "sweep",
    Axis("load", axis="load"),
    Axis("queue (cells)", start=0.0),
    (Curve("one"), Curve("other")),
    (PrintedPoint("other", 10.0, 100.0),),
)
FRAME = pl.DataFrame(
    [
        ("run", "one", 10.0, 100.0),
        ("run", "one", 0.0, 0.0),
        ("run", "other", 5.0, 50.0),
        ("printed", "other", 10.0, 100.0),
    ],
    schema=["kind", "curve", "load", "queue_cells"],
    orient="row",
)


def lines(picture: str) -> list[tuple[str, str]]:
    return re.findall(r'<polyline points="([^"]*)" stroke="([^"]*)"', picture)


def test_curves_fill_the_picture_in_the_order_of_x_and_printed_values_are_diamonds() -> None:
    picture = thumbnail(FIGURE, FRAME)
    middle = f"{(LEFT + RIGHT) // 2},{(TOP + BOTTOM) // 2}"
    assert lines(picture) == [
        (f"{LEFT},{BOTTOM} {RIGHT},{TOP}", COLOURS[0]),
        (middle, COLOURS[1]),
    ]
    assert f'<path d="M{RIGHT},{TOP - 3}l3,3l-3,3l-3,-3z" stroke="{COLOURS[1]}"/>' in picture


def test_an_axis_is_logarithmic_where_the_figure_has_it_so() -> None:
    frame = FRAME.with_columns(load=pl.Series([100.0, 1.0, 10.0, 100.0]))
    figure = replace(FIGURE, x=replace(FIGURE.x, log=True))
    assert lines(thumbnail(figure, frame))[1][0].split(",")[0] == str((LEFT + RIGHT) // 2)


def test_a_long_line_keeps_its_peak() -> None:
    rows = [("run", "one", float(x), 1000.0 if x == 4321 else 1.0) for x in range(10_000)]
    frame = pl.DataFrame(rows, schema=FRAME.columns, orient="row")
    [(points, _)] = lines(thumbnail(replace(FIGURE, printed=()), frame))
    heights = [int(point.split(",")[1]) for point in points.split()]
    assert len(heights) == 2 * POINTS
    assert heights.count(TOP) == 1
