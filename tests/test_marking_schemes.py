"""Sources that ignore marks keep their rates under the control schemes that write no rate."""

from __future__ import annotations

import json

import cellrate
import pytest
from cellrate import _core
from cellrate.advice.marking import WITHOUT_A_RATE

SCHEMES = [one["name"] for one in json.loads(_core.registry())["schemes"] if one["name"] != "none"]
PCR = 155.52e6 / 424
# Five sources send to one link; a mark takes a part of 32768 off a rate.
DEAF = {
    "abr.icr": "155.52 Mbit/s",
    "abr.rdf": 1 / 32768,
    "flow.tcp.source": {"kind": "persistent"},
    "flow.tcp.stagger": "0 s",
    "measure.from": "100 ms",
    "measure.traces": ["acr"],
    "run.duration": "200 ms",
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_source_that_ignores_marks_slows_down_for_rates_only(scheme: str) -> None:
    settings = {**DEAF, "switch.control": {"scheme": scheme}}
    result = cellrate.run(cellrate.template("n-source"), overrides=settings)
    least = min(float(series.minimum.min()) for series in result.traces)
    assert (least > 0.9 * PCR) is (scheme in WITHOUT_A_RATE)


def test_schemes_without_a_rate_exist() -> None:
    assert set(SCHEMES) > WITHOUT_A_RATE
