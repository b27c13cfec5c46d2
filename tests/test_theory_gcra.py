"""Bursts of traffic contracts, by hand and against the engine."""

from __future__ import annotations

import cellrate
import numpy as np
import pytest
from cellrate.advice.explain import Explanation, explain
from cellrate.simulation.network import Network
from cellrate.theory import AssumptionError
from cellrate.theory.gcra import burst_at_peak_cells, burst_tolerance_seconds, worst_queue_cells

# A cell in 10 us and in 40 us; the line sends a cell in 7 us.
PEAK, SUSTAINED, LINK = 100e3, 25e3, 1e6 / 7


def test_a_burst_by_hand() -> None:
    # (3 - 1) (40 us - 10 us); 30 us of CDVT admit one cell more.
    assert burst_tolerance_seconds(PEAK, SUSTAINED, 3) == pytest.approx(60e-6)
    assert burst_at_peak_cells(PEAK, SUSTAINED, np.array([1, 3, 100])) == pytest.approx([1, 3, 100])
    further = burst_at_peak_cells(PEAK, SUSTAINED, 3, np.array([29e-6, 30e-6, 90e-6]))
    assert further == pytest.approx([3, 4, 6])


def test_what_no_contract_has_is_refused() -> None:
    with pytest.raises(AssumptionError, match="must be at most the peak rate"):
        burst_tolerance_seconds(SUSTAINED, PEAK, 3)
    with pytest.raises(AssumptionError, match="must be below the peak rate"):
        burst_at_peak_cells(PEAK, PEAK, 3)
    with pytest.raises(AssumptionError, match="must be at least 1"):
        burst_tolerance_seconds(PEAK, SUSTAINED, 0)
    with pytest.raises(AssumptionError, match="the queue has no bound"):
        worst_queue_cells(6, LINK, PEAK, SUSTAINED, 3)


SCENARIO = """
[run]
duration = "50 ms"

[topology]
template = "single-switch"
link_rate = "1000 Mbit/s"
bottleneck_rate = "{link} Mbit/s"
access = "0 s"
bottleneck = "0 s"

[[flow]]
name = "bursts"
count = {sources}
service = "ubr"
source = {{ kind = "persistent" }}
shaper = {{ pcr = "42.4 Mbit/s", scr = "10.6 Mbit/s", mbs = "{burst} cells" }}
"""


@pytest.mark.parametrize(
    ("sources", "burst", "link"), [(2, 40, 60), (5, 7, 106), (3, 200, 50), (2, 9, 200)]
)
def test_shaped_sources_that_start_together_make_the_worst_queue(
    sources: int, burst: int, link: float
) -> None:
    text = SCENARIO.format(sources=sources, burst=burst, link=link)
    result = cellrate.run(text)
    [port] = [one for one in result.summary["ports"] if one["name"] == "A->sink"]
    expected = worst_queue_cells(sources, link * 1e6 / 424, PEAK, SUSTAINED, burst)
    assert port["queues"][0]["queue_max_cells"] == expected
    # No cell of a shaped source is early at a policer with the same contract.
    contract = f'pcr = "42.4 Mbit/s", scr = "10.6 Mbit/s", mbs = "{burst} cells"'
    policed = f"{text}policer = {{ {contract} }}\n"
    checked = cellrate.run(policed)
    assert [vc["cells_nonconforming"] for vc in checked.summary["vcs"]] == [0] * sources
    assert sum(vc["cells_conforming"] for vc in checked.summary["vcs"]) > sources * burst


# Raw cells at 60 Mbit/s into 50 Mbit/s.
OVERLOAD = """
[run]
duration = "50 ms"

[topology]
template = "single-switch"
link_rate = "155.52 Mbit/s"
bottleneck_rate = "50 Mbit/s"
access = "0 s"
bottleneck = "0 s"

[switch]
buffer = "100 cells"

[[flow]]
name = "raw"
service = "cbr"
source = { kind = "cbr", rate = "60 Mbit/s" }
"""
CONTRACT = 'policer = { pcr = "40 Mbit/s", scr = "20 Mbit/s", mbs = "30 cells", action = "drop" }\n'


def said(text: str) -> Explanation:
    return explain(Network.of(text))


def test_explain_states_the_burst_of_a_contract() -> None:
    [statement] = [one for one in said(OVERLOAD + CONTRACT).statements if one.topic == "contract"]
    assert statement.values["burst_cells"] == 30
    assert statement.text == (
        "raw: the policer admits 30 cells one after another at PCR, 40 Mbit/s, and 20 Mbit/s (SCR) "
        "in the long run; cells beyond it are dropped."
    )
    shaped = 'shaper = { pcr = "40 Mbit/s" }\n'
    [statement] = [one for one in said(OVERLOAD + shaped).statements if one.topic == "contract"]
    assert statement.values["burst_cells"] is None


def test_explain_does_not_promise_the_losses_that_a_contract_prevents() -> None:
    """Without a contract the buffer loses cells in every run, with one in none."""
    bounds = [one.claims for one in said(OVERLOAD).statements if one.topic == "loss"]
    assert [claim.sense for claims in bounds for claim in claims] == ["some"]
    for contract in (
        CONTRACT,
        CONTRACT.replace("policer", "shaper").replace(', action = "drop"', ""),
    ):
        found = [one for one in said(OVERLOAD + contract).statements if one.topic == "loss"]
        assert not [one for one in found if one.kind == "bound" and one.values["expected"] == "yes"]
        [port] = cellrate.run(OVERLOAD + contract).summary["ports"]
        assert port["queues"][0]["cells_dropped"] == 0
