"""The gallery of the lab: it has what the papers' files have, and each of its runs can be run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cellrate import _core

from proof.gallery import PLACE, gallery, text

FOUND: dict[str, Any] = json.loads(PLACE.read_text(encoding="utf-8"))


def test_the_gallery_is_that_of_the_papers() -> None:
    expected = "`python -m proof.gallery` writes it"
    assert PLACE.read_text(encoding="utf-8") == text(gallery()), expected


@pytest.mark.parametrize("paper", FOUND["papers"], ids=lambda paper: str(paper["id"]))
def test_every_run_of_the_gallery_is_a_right_scenario(paper: dict[str, Any]) -> None:
    assert paper["experiments"]
    for experiment in paper["experiments"]:
        assert experiment["runs"], experiment["id"]
        for run in experiment["runs"]:
            settings = [f"{path}={value}" for path, value in run["set"]]
            _core.Scenario(FOUND["scenarios"][run["scenario"]], run["scenario"], settings)
