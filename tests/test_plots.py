"""Figures over runs: what stands where, in which unit, and which runs a point stands for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cellrate.common.problems import BadInput
from cellrate.simulation import figures
from cellrate.simulation.series import Series
from cellrate.studies.columns import HIGH, LOW
from cellrate.studies.plots import KINDS, Chart, overlaid, phase_portrait
from cellrate.studies.plots.chart import grows, means, scale_of

UNITS = {"buffer": "cells", "rtt": "s", "throughput": "bit/s"}
VALUES = {"efci": 10e6, "erica": 20e6}


def runs() -> pl.DataFrame:
    """Throughput 10 or 20 Mbit/s, 5 more for each step of the buffer, 1 up and down by seed."""
    rows = [
        {"scheme": scheme, "buffer": buffer, "rtt": rtt, "seed": seed, "throughput": value}
        for rtt in (0.001, 0.01)
        for scheme, base in VALUES.items()
        for step, buffer in enumerate((100.0, 200.0, 400.0))
        for seed, more in ((1, -1e6), (2, 0.0), (3, 1e6))
        for value in [base + 5e6 * step + more]
    ]
    return pl.DataFrame(rows).with_row_index("run")


CHART = Chart("buffer", "throughput", "scheme", "rtt", units=UNITS)
TEXTS = Chart("scheme", "throughput", "rtt", units=UNITS)


def test_lines_stand_at_the_means() -> None:
    drawing = KINDS["lines"](runs(), CHART)
    places = [(mark.x, mark.y) for mark in drawing.marks]
    one_panel = [(x, 10.0 + 5.0 * at) for at, x in enumerate((100.0, 200.0, 400.0))]
    one_panel += [(x, 20.0 + 5.0 * at) for at, x in enumerate((100.0, 200.0, 400.0))]
    assert places == pytest.approx(np.array(one_panel * 2))
    assert drawing.marks[0].runs == (0, 1, 2)
    assert [axes.get_title(loc="left") for axes in drawing.figure.axes] == ["rtt 1 ms", "rtt 10 ms"]
    assert drawing.figure.axes[0].get_ylabel() == "throughput (Mbit/s)"
    assert drawing.figure.axes[0].get_xscale() == "log"


def test_bands_are_confidence_intervals() -> None:
    # Three values, 1e6 apart: standard deviation 1e6, quantile 4.30265 at 95 %.
    [first, *_] = means(runs(), ["scheme", "buffer", "rtt"], "throughput", 0.95).rows(named=True)
    half = 4.30265 * 1e6 / np.sqrt(3)
    assert (first[LOW], first[HIGH]) == pytest.approx((1e7 - half, 1e7 + half), rel=1e-5)
    alone = means(runs()[:1], ["scheme"], "throughput", 0.95)
    assert alone[LOW].to_list() == [None]


def test_texts_stand_side_by_side() -> None:
    drawing = KINDS["lines"](runs().filter(pl.col("buffer") == 100), TEXTS)
    assert [round(mark.x, 3) for mark in drawing.marks] == [-0.125, 0.875, 0.125, 1.125]
    labels = [text.get_text() for text in drawing.figure.axes[0].get_xticklabels()]
    assert labels == ["efci", "erica"]


def test_a_heat_map_has_a_cell_for_each_pair() -> None:
    chart = Chart("buffer", "throughput", "rtt", "scheme", units=UNITS)
    some = runs().filter((pl.col("buffer") < 400) | (pl.col("rtt") < 0.005))
    drawing = KINDS["heat-map"](some, chart)
    image = drawing.figure.axes[0].images[0].get_array()
    assert image is not None
    cells = np.ma.filled(image, np.nan)
    assert cells[0].tolist() == [10.0, 15.0, 20.0]
    assert np.isnan(cells[1, 2])
    panels = [axes.images[0].get_array() for axes in drawing.figure.axes if axes.images]
    drawn = [np.ma.filled(one, np.nan) for one in panels if one is not None]
    assert sum(int(np.isfinite(one).sum()) for one in drawn) == 10
    with pytest.raises(BadInput, match="name the second one with --by"):
        KINDS["heat-map"](some, Chart("buffer", "throughput"))


def test_distributions_hold_every_run() -> None:
    every = sorted(runs()["throughput"])
    ecdf = KINDS["ecdf"](runs(), CHART).figure
    lines = [line for axes in ecdf.axes for line in axes.get_lines()]
    # A line begins at the first value with the share 0.
    assert sorted(x * 1e6 for line in lines for x in np.asarray(line.get_xdata())[1:]) == every
    box = KINDS["box"](runs(), Chart("scheme", "throughput", None, "rtt")).figure
    points = [line for axes in box.axes for line in axes.get_lines() if line.get_marker() == "."]
    assert sorted(y for line in points for y in np.asarray(line.get_ydata())) == every
    figure = KINDS["ecdf"](runs()[:3], Chart("scheme", "throughput", units=UNITS)).figure
    [line] = figure.axes[0].get_lines()
    assert np.asarray(line.get_xdata()).tolist() == [9.0, 9.0, 10.0, 11.0]
    assert np.asarray(line.get_ydata()) == pytest.approx([0.0, 1 / 3, 2 / 3, 1.0])


def test_few_runs_are_points_without_a_box() -> None:
    chart = Chart("scheme", "throughput")
    for few, lines in ((3, 2), (9, 14)):
        some = runs().filter(pl.col("rtt") < 0.005).group_by("scheme").head(few)
        [axes] = KINDS["box"](some, chart).figure.axes
        # A box has six lines (box, two whiskers, two caps, median); its points are one more.
        assert len(axes.get_lines()) == lines


def test_what_cannot_be_drawn_is_refused() -> None:
    for chart, said in (
        (Chart("bufer", "throughput"), "did you mean 'buffer'"),
        (Chart("buffer", "scheme"), "holds no numbers"),
    ):
        with pytest.raises(BadInput, match=said):
            KINDS["lines"](runs(), chart)
    nothing = runs().with_columns(throughput=pl.lit(None, pl.Float64))
    with pytest.raises(BadInput, match="no run has a value"):
        KINDS["ecdf"](nothing, CHART)


def test_missing_values_are_left_out() -> None:
    some = runs().with_columns(
        throughput=pl.when(pl.col("seed") == 2).then(float("nan")).otherwise("throughput")
    )
    assert KINDS["lines"](some, CHART).marks[0].runs == (0, 2)


def test_units_suit_the_numbers() -> None:
    table = pl.DataFrame({"rtt": [0.001, 0.02], "acr_mean_cells": [1.0, 2.0], "scheme": ["a", "b"]})
    chart = Chart("rtt", "rtt", units=UNITS)
    assert scale_of(table, "rtt", chart).label == "rtt (ms)"
    assert scale_of(table, "acr_mean_cells", chart).label == "acr mean (cells)"
    assert scale_of(table, "scheme", chart).at("b") == 1.0


def test_levels_that_grow_by_a_factor_are_logarithmic() -> None:
    assert grows([100, 200, 400])
    assert grows([1, 3, 10, 30])
    assert not grows([1, 2, 3, 4])
    assert not grows([0, 1, 2, 4])
    assert not grows([100, 400])


def trace(kind: str, times: list[float], values: list[float]) -> Series:
    found = np.array(values)
    return Series(kind, "x", "", np.array(times), found, found)


def test_a_phase_portrait_takes_both_at_the_same_times() -> None:
    rate = trace("acr", [0.0, 2.0, 4.0], [1e3, 2e3, 3e3])
    queue = trace("queue", [1.0, 3.0, 9.0], [5.0, 6.0, 7.0])
    figure = phase_portrait([("run 1", rate, queue)])
    [way] = figure.axes[0].collections
    points = [segment[0].tolist() for segment in way.get_segments()]  # type: ignore[attr-defined]
    # At 1, 2 and 3 s, up to 4 s, where the rates end.
    # 1000 cells/s of 424 bits are 0.424 Mbit/s.
    assert np.array(points) == pytest.approx(np.array([[0.424, 5], [0.848, 5], [0.848, 6]]))
    assert figure.axes[0].get_xlabel() == "ACR of x (Mbit/s)"
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["start, at 1 s"]
    with pytest.raises(BadInput, match="without a common time"):
        phase_portrait([("", trace("acr", [0.0, 1.0], [1, 2]), trace("queue", [2.0, 3.0], [1, 2]))])


def test_traces_over_one_another_are_of_one_kind() -> None:
    queue, rate = trace("queue", [0.0, 1.0], [5.0, 6.0]), trace("acr", [0.0, 1.0], [5.0, 6.0])
    [panel] = overlaid({"efci": queue, "erica": queue}).axes
    # Names stand beside the ends of the lines, although one line hides the other.
    assert {text.get_text() for text in panel.texts} >= {"efci", "erica"}
    assert panel.get_ylim()[0] == 0
    with pytest.raises(BadInput, match="of one kind; these are acr, queue"):
        overlaid({"a": queue, "b": rate})


def test_the_same_figure_gives_the_same_files(tmp_path: Path) -> None:
    for name in ("first", "again"):
        figures.save(KINDS["lines"](runs(), CHART).figure, tmp_path / name, tuple(figures.FORMATS))
    for suffix in figures.FORMATS:
        first, again = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("first", "again"))
        assert first == again
        assert len(first) > 5000
