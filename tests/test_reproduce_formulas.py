"""Curves that come from formulas, and results of several fields in expressions."""

from pathlib import Path

import numpy as np
import pytest
from cellrate import theory
from cellrate.language.expressions import ExpressionError, evaluate
from cellrate.papers import ReproduceError
from cellrate.papers.figure import draw
from cellrate.papers.reading import read_paper
from cellrate.papers.runs import Outcomes, vocabulary

HEAD = (
    'id = "p"\ntitle = "A paper"\nauthors = ["A"]\npublished_in = "X"\nyear = 1995\nsummary = "s"\n'
)
PUBLISHED = """
[[experiment]]
id = "p-fig1"
kind = "analytic"
title = "a parabola"
where = "Fig. 1"

[[experiment.figure]]
id = "a"
title = "squares"
kind = "formula"
x = { label = "x (ms)", scale = 1e3 }
y = { label = "y", scale = 2 }
curves = [{ label = "squares", points = "[(k / 1000, k * k) for k in range(0, 4)]" }]
"""
CYCLE = "theory.efci_periodic_trajectory(10, 353.2e3, 2e-3, 97, rif=1/256, rdf=1/2)"


def write(directory: Path, published: str) -> Path:
    (directory / "paper.toml").write_text(HEAD, "utf-8")
    (directory / "published.toml").write_text(published, "utf-8")
    return directory


def test_a_formula_is_drawn_through_its_points(tmp_path: Path) -> None:
    paper = read_paper(write(tmp_path, PUBLISHED))
    experiment = paper.experiments[0]
    canvas = draw(paper, experiment, experiment.figures[0], Outcomes(), (1,))
    (line,) = canvas.axes[0].get_lines()
    assert np.asarray(line.get_xdata()).tolist() == [0, 1, 2, 3]
    assert np.asarray(line.get_ydata()).tolist() == [0, 2, 8, 18]


def test_a_formula_needs_points(tmp_path: Path) -> None:
    published = PUBLISHED.replace("points =", "measure =")
    with pytest.raises(ReproduceError, match="curve `squares` lacks its data"):
        read_paper(write(tmp_path, published))


def test_fields_of_a_result_are_lists_and_numbers() -> None:
    scope = vocabulary()
    assert evaluate(f"sorted({CYCLE}.phase)[0]", scope) == 1
    assert evaluate(f"min({CYCLE}.queue_cells)", scope) == 0
    assert evaluate(f"{CYCLE}.cycles", scope) == 1
    with pytest.raises(ExpressionError, match="there is no `length`; there are time_seconds"):
        evaluate(f"{CYCLE}.length", scope)


def test_curves_of_the_fluid_model_agree_with_its_closed_forms() -> None:
    loop = (10, 353.2e3, 2e-3, 2898.0)
    expected = theory.efci_maximum_queue_cells(*loop, rif=1 / 128, rdf=1 / 2)
    assert expected == pytest.approx(4120.814, abs=1e-3)
    rise = theory.efci_first_rise(*loop, rif=1 / 128, rdf=1 / 2)
    integrated = theory.efci_integrated_first_rise(*loop, rif=1 / 128, rdf=1 / 2)
    assert np.max(rise.queue_cells) == pytest.approx(expected, rel=1e-3)
    assert np.max(integrated.queue_cells) == pytest.approx(expected, rel=1e-6)
    period = theory.efci_cycle_period_seconds(*loop, rif=1 / 128, rdf=1 / 2)
    cycle = theory.efci_periodic_trajectory(*loop, rif=1 / 128, rdf=1 / 2)
    settled = theory.efci_settled_trajectory(*loop, rif=1 / 128, rdf=1 / 2)
    assert cycle.time_seconds[-1] == pytest.approx(period) == pytest.approx(settled.period_seconds)
