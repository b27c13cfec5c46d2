"""Check of study files, which must give valid points, or a refusal at a place in the file."""

import json
import math
from typing import Any

from cellrate import ScenarioError, _core
from cellrate.studies.study.file import parse_study

MOST_POINTS = 64
"""Designs with more points are not built: their time is the user's choice."""


def check(data: bytes) -> None:
    """Checks the input as the text of a study file."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    try:
        if _points(json.loads(_core.study(text, "study.toml"))) > MOST_POINTS:
            return
        study = parse_study(text, "/nowhere/study.toml")
    except ScenarioError as error:
        assert str(error)
        return
    except OSError:
        return
    assert study.points
    assert all(len(point.values) == len(study.points[0].values) for point in study.points)


def _points(study: dict[str, Any]) -> int:
    """Largest number of points that a study may have."""
    axes = [levels for _, levels in study["factors"]]
    axes += [table[0][1] for table in study["paired"] if table]
    lengths = (len(axis) if isinstance(axis, list) else axis["count"] or 2 for axis in axes)
    drawn: int = study["design"].get("points", 0)
    return max(math.prod(lengths), drawn)
