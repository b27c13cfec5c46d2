"""Steady state of HPCC against the law itself, step by step, in a fluid line."""

from __future__ import annotations

import pytest
from cellrate.theory import AssumptionError
from cellrate.theory.hpcc import hpcc_line_share, hpcc_queue_bytes

TRIP = 20e-6
PIPE = 40e9 * TRIP / 8


def fluid(flows: int, increase: float, target: float) -> tuple[float, float]:
    """Share of a line of 40 Gbit/s and its queue after 20,000 round trips from unequal windows."""
    windows = [PIPE / (1 + number) for number in range(flows)]
    used = queue = 0.0
    for _ in range(20_000):
        # Rates are W / T; what the line does not take waits, and all windows are on their way.
        queue = max(0.0, sum(windows) - PIPE)
        used = min(1.0, sum(windows) / PIPE)
        inflight = used + queue / PIPE
        windows = [window * target / inflight + increase for window in windows]
    assert max(windows) < 1.0001 * min(windows)
    return used, queue


@pytest.mark.parametrize(
    ("flows", "increase", "target"),
    [(1, 80, 0.95), (4, 800, 0.95), (3, 2_000, 0.9), (8, 1_000, 0.95), (16, 5_000, 0.8)],
)
def test_windows_end_where_the_formula_says(flows: int, increase: float, target: float) -> None:
    law = {"base_round_trip_seconds": TRIP, "increase_bytes": increase, "target": target}
    used, queue = fluid(flows, increase, target)
    assert hpcc_line_share(flows, 40e9, **law) == pytest.approx(used, rel=1e-9)
    assert hpcc_queue_bytes(flows, 40e9, **law) == pytest.approx(queue, rel=1e-6, abs=1e-3)


def test_values_by_hand() -> None:
    """100 Gbit/s and 13 us are 162,500 bytes, of which 101 flows with 80 each leave 45."""
    assert hpcc_line_share(1, 100e9, base_round_trip_seconds=13e-6) == pytest.approx(0.9504923077)
    assert hpcc_queue_bytes(101, 100e9, base_round_trip_seconds=13e-6) == 0
    assert hpcc_queue_bytes(102, 100e9, base_round_trip_seconds=13e-6) == pytest.approx(35)


@pytest.mark.parametrize(
    "wrong", [{"target": 1.5}, {"increase_bytes": 0.0}, {"base_round_trip_seconds": 0.0}]
)
def test_what_is_no_line_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(AssumptionError):
        hpcc_queue_bytes(2, 40e9, **({"base_round_trip_seconds": TRIP} | wrong))
