"""Points that are left of a trace where a figure cannot show all of it."""

import numpy as np
from cellrate.papers.figure_data import drawn, within
from hypothesis import given
from hypothesis import strategies as st


def test_a_column_keeps_its_first_last_lowest_and_highest() -> None:
    times = np.arange(12, dtype=np.float64)
    values = np.array([5, 9, 4, 6, 1, 2, 3, 3, 7, 8, 0, 5], dtype=np.float64)
    kept = drawn(times, values, values, columns=2)
    assert kept.tolist() == [0, 1, 4, 5, 6, 9, 10, 11]


def test_few_points_stay() -> None:
    times = np.linspace(0, 1, 7)
    assert drawn(times, times, times, columns=4).tolist() == list(range(7))
    assert drawn(times[:0], times[:0], times[:0]).tolist() == []


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(-10, 10), st.floats(0, 5)), min_size=1),
    st.integers(1, 9),
)
def test_no_peak_is_lost(points: list[tuple[float, float, float]], columns: int) -> None:
    times = np.array(sorted(time for time, _, _ in points))
    low = np.array([value for _, value, _ in points])
    high = low + np.array([above for _, _, above in points])
    kept = drawn(times, low, high, columns)
    assert low[kept].min() == low.min()
    assert high[kept].max() == high.max()
    assert {0, len(times) - 1} <= set(kept.tolist())
    assert len(kept) <= max(4 * columns, 2)
    assert (np.diff(kept) > 0).all()


def test_what_is_shown_reaches_beyond_both_edges() -> None:
    times = np.arange(10, dtype=np.float64)
    assert times[within(times, 2.5, 5.5)].tolist() == [2, 3, 4, 5, 6]
    assert times[within(times, None, 3)].tolist() == [0, 1, 2, 3, 4]
    assert times[within(times, -5, None)].tolist() == times.tolist()
