"""Advice knows all controls of sources over RoCE; `test_tuning_ranges` holds `by_marks` to runs."""

from __future__ import annotations

import json

from cellrate import _core
from cellrate.advice.roce_controls import ROCE_CONTROLS


def test_every_control_has_a_row() -> None:
    controls = [one["name"] for one in json.loads(_core.registry())["roce"]]
    missing = "controls without a row in python/cellrate/advice/roce_controls.py, or rows too many"
    assert sorted({*controls} ^ {*ROCE_CONTROLS}) == [], missing
