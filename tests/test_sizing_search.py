"""Statements on all runs from a few seeds, and the search for a buffer that no run shows."""

from __future__ import annotations

import math

import pytest
from cellrate.advice.sizing.confidence import (
    covered_share,
    normal_tolerance,
    seeds_to_cover,
    upper_mean,
)
from cellrate.advice.sizing.search import least, least_each
from hypothesis import given
from hypothesis import strategies as st


def test_the_largest_of_some_seeds_covers_a_share_of_all_runs() -> None:
    assert covered_share(59) == pytest.approx(0.95, abs=5e-4)
    assert (seeds_to_cover(0.95), seeds_to_cover(0.99)) == (59, 299)
    assert covered_share(58) < 0.95 <= covered_share(59)


def test_bounds_of_normal_values() -> None:
    values = [float(value) for value in range(10)]
    mean, deviation = 4.5, math.sqrt(sum((v - 4.5) ** 2 for v in range(10)) / 9)
    # k of 10 values for 99 % and 95 % with 95 % confidence, from the tables of ISO 16269-6.
    assert normal_tolerance(values) == pytest.approx(mean + 3.981 * deviation, rel=1e-3)
    assert normal_tolerance(values, 0.95) == pytest.approx(mean + 2.911 * deviation, rel=1e-3)
    # t of 9 degrees of freedom at 95 %.
    assert upper_mean(values) == pytest.approx(mean + 1.833 * deviation / math.sqrt(10), rel=1e-3)
    assert upper_mean([1.0]) is None


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=8))
def test_bisection_finds_every_threshold(thresholds: list[int]) -> None:
    def holds(buffers: object) -> list[bool]:
        return [b >= t for b, t in zip(buffers, thresholds, strict=True)]  # type: ignore[call-overload]

    assert least_each(holds, [5000] * len(thresholds)) == thresholds


def test_a_buffer_above_which_the_target_is_missed_again_is_not_the_answer() -> None:
    assert least(lambda cells: cells >= 1000, 1, 5000).cells == pytest.approx(1000, rel=0.02)
    again = least(lambda cells: cells >= 1000 and not 1100 <= cells <= 1300, 1, 5000)
    assert 1300 < again.cells < 1300 * 1.03
    assert again.verified_cells[0] > again.cells > again.too_small_cells
