"""Results as JSON, which has neither infinity nor NaN."""

from __future__ import annotations

import json
from math import inf, nan

import pytest
from cellrate.common.estimates import Estimate
from cellrate.common.numbers import finite_or_none
from cellrate.common.to_json import json_text
from cellrate.papers.as_json import as_json
from cellrate.papers.collection import select
from cellrate.papers.paper import Alternative, Assumption, Published
from cellrate.papers.reproduction import Judged
from cellrate.papers.results import ExperimentResult, ValueResult
from cellrate.papers.sensitivity import AlternativeEffect, Sensitivity


def judged(measured: Estimate, *sensitivities: Sensitivity) -> Judged:
    """An experiment with a single value."""
    paper, [experiment] = select("ohsaki95", ["text-cells"])[0]
    published = Published("delay", "measured", "1", value=1.0, unit="s")
    values = (ValueResult(published, measured, met=False, runs=()),)
    result = ExperimentResult(paper, experiment, (1, 2), values, ())
    return Judged(paper, (experiment,), results=(result,), sensitivities=sensitivities)


@pytest.mark.parametrize("beyond", [nan, inf, -inf])
def test_a_value_beyond_numbers_is_null(beyond: float) -> None:
    [table] = json.loads(
        json_text(as_json([judged(Estimate((1.0, beyond), beyond, beyond, beyond))]))
    )
    [value] = table["published"]
    assert value["value"] == 1.0
    keys = "measured_mean", "ci95_low", "ci95_high", "relative_difference"
    assert [value[key] for key in keys] == [None] * 4


def test_a_mean_beyond_numbers_under_an_alternative_is_null() -> None:
    as_assumed = Estimate((2.0,), 2.0, None, None)
    other = Estimate((inf,), inf, None, None)
    moved = AlternativeEffect(
        Assumption("a", "parameter", "1"), Alternative("2", ()), {"delay": (as_assumed, other)}, {}
    )
    sensitivity = Sensitivity("ohsaki95-text-cells", (moved,))
    [table] = json.loads(json_text(as_json([judged(as_assumed, sensitivity)])))
    [row] = table["sensitivity"]
    assert row["values"] == {"delay": {"baseline": 2.0, "alternative": None}}


def test_finite_numbers_stay() -> None:
    assert [finite_or_none(value) for value in (0.0, -1.5, None)] == [0.0, -1.5, None]
