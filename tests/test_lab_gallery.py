"""The gallery of the lab: it has what the papers' files have, and each of its runs can be run."""

from __future__ import annotations

import json
from typing import Any

import gallery
import pytest
from cellrate import _core
from cellrate.papers.collection import all_papers
from cellrate.simulation.runner import run_many

FOUND: dict[str, Any] = json.loads(gallery.GALLERY.read_text(encoding="utf-8"))
PICTURES: dict[str, Any] = json.loads(gallery.PICTURES.read_text(encoding="utf-8"))


def test_the_gallery_is_that_of_the_papers() -> None:
    expected = "`python lab/gallery.py out` writes it"
    made = gallery.text(gallery.gallery())
    assert gallery.GALLERY.read_text(encoding="utf-8") == made, expected


@pytest.mark.parametrize("paper", FOUND["papers"], ids=lambda paper: str(paper["id"]))
def test_every_run_of_the_gallery_is_a_right_scenario(paper: dict[str, Any]) -> None:
    assert paper["experiments"]
    for experiment in paper["experiments"]:
        assert experiment["runs"], experiment["id"]
        for run in experiment["runs"]:
            settings = [f"{path}={value}" for path, value in run["set"]]
            _core.Scenario(FOUND["scenarios"][run["scenario"]], run["scenario"], settings)


def test_an_experiment_says_whether_its_claim_holds() -> None:
    """FMMRA's queue is longer than ERICA's with seed 1: 519 and 150 cells (golden table)."""
    shown = {one["id"]: one for paper in FOUND["papers"] for one in paper["experiments"]}
    queues = shown["fmmra-fig2"]
    assert (queues["holds"], queues["claims"], queues["claims_held"]) == (False, 3, 2)
    assert (shown["fmmra-text-slowstart"]["holds"], shown["marsan97-table2"]["holds"]) == (
        True,
        None,
    )
    for name, one in shown.items():
        assert (one["holds"] is None) == (one["claims"] == 0) == (one["claim"] == ""), name
        assert one["claims_held"] + (one["holds"] is False) <= one["claims"], name


def test_every_experiment_with_a_figure_has_a_small_picture() -> None:
    shown = {one["id"] for paper in FOUND["papers"] for one in paper["experiments"]}
    drawn = {one.id for paper in all_papers() for one in paper.experiments if one.figures}
    assert set(PICTURES) == shown & drawn
    for name, picture in PICTURES.items():
        assert picture["lines"], name
        for points in [*picture["lines"], *(point for _, point in picture["printed"])]:
            pairs = [tuple(map(int, point.split(","))) for point in points.split(" ")]
            assert all(0 <= x <= gallery.WIDTH and 0 <= y <= gallery.HEIGHT for x, y in pairs), name


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("gerla95-fig5", marks=pytest.mark.long),
        pytest.param("marsan97-fig6", marks=pytest.mark.long),
        "fmmra-text-onoff",
    ],
)
def test_small_pictures_are_those_of_the_runs(name: str) -> None:
    found = gallery.pictures(run_many, [name])
    assert found[name] == PICTURES[name], "`python lab/gallery.py out` writes them"
