"""Scores, order and confidence intervals."""

from math import inf, nan

import pytest
from cellrate.common.estimates import estimate
from cellrate.papers.scoring import in_order, last_place, meets, relative_difference


@pytest.mark.parametrize(
    ("score", "printed", "measured", "met"),
    [
        ("throughput", 100, 110, True),
        ("throughput", 100, 110.1, False),
        ("throughput", 100, 89.9, False),
        ("rate", 100, 90, True),
        ("queue", 100, 125, True),
        ("queue", 100, 74.9, False),
        ("loss", 100, 50, True),
        ("loss", 100, 49, False),
        ("loss", 100, 200, True),
        ("loss", 100, 201, False),
        ("loss", 0, 0, True),
        ("loss", 0, 1, False),
        ("loss", 5, 0, False),
        ("whole", 1, 0.991, True),
        ("whole", 1, 0.98, False),
    ],
)
def test_scores(score: str, printed: float, measured: float, *, met: bool) -> None:
    assert meets(score, printed, measured) is met


@pytest.mark.parametrize(
    ("score", "printed", "measured", "met"),
    [
        # "0" of cells: what rounds to it is up to half a cell, and twice that is one.
        ("loss", "0", 1.0, True),
        ("loss", "0", 1.1, False),
        # "0.0" %: up to 0.05 rounds to it, and twice that is 0.1.
        ("loss", "0.0", 0.1, True),
        ("loss", "0.0", 0.11, False),
        ("loss", "59", 0.0, False),
        ("loss", "1", 0.0, True),
        ("loss", "2", 0.0, False),
        ("rate", "0", 0.5, True),
        ("rate", "0", 0.6, False),
        ("queue", "0.00", 0.006, False),
    ],
)
def test_what_rounds_to_zero_as_it_is_printed(
    score: str, printed: str, measured: float, *, met: bool
) -> None:
    value = float(printed)
    assert meets(score, value, measured, last_place(printed, value)) is met


@pytest.mark.parametrize(
    ("printed", "value", "place"),
    [
        ("1,163", 1163.0, 1.0),
        ("4.8", 4.8, 0.1),
        ("1e3", 1000.0, 1000.0),
        ("0.50%", 0.5, 0.01),
        ("64 K", 65536.0, 0.0),
        ("12", 0.12, 0.0),
        ("none", 0.0, 0.0),
    ],
)
def test_last_printed_place(printed: str, value: float, place: float) -> None:
    assert last_place(printed, value) == pytest.approx(place)


def test_there_is_no_other_score() -> None:
    with pytest.raises(ValueError, match="no score"):
        meets("delay", 1, 1)
    with pytest.raises(ValueError, match="no score"):
        meets("order", 1, 1)


def test_rows_in_the_printed_order() -> None:
    rows = {"a": (1.0, 10.0), "b": (2.0, 20.0), "c": (3.0, 15.0), "d": (4.0, 40.0)}
    assert in_order(rows) == {"a": True, "b": False, "c": False, "d": True}


def test_equal_prints_are_compared_by_their_mean() -> None:
    rows = {"a": (1.0, 10.0), "b": (2.0, 9.0), "c": (2.0, 13.0), "d": (3.0, 12.0)}
    assert in_order(rows) == {"a": True, "b": False, "c": False, "d": True}


def test_a_row_alone_is_in_order() -> None:
    assert in_order({"a": (1.0, 5.0)}) == {"a": True}


def test_interval_of_students_t() -> None:
    # n = 5, s = sqrt(2.5), t(0.975, 4) = 2.776445
    found = estimate([1.0, 2.0, 3.0, 4.0, 5.0])
    assert found.mean == 3.0
    assert found.low == pytest.approx(3 - 2.776445 * 2.5**0.5 / 5**0.5, abs=1e-6)
    assert found.high == pytest.approx(3 + 2.776445 * 2.5**0.5 / 5**0.5, abs=1e-6)
    assert found.contains(4.9)
    assert not found.contains(5.0)


def test_one_seed_has_no_interval() -> None:
    for values in ([inf, inf], [1.0, nan]):
        assert estimate(values).low is None
    found = estimate([7.0])
    assert (found.mean, found.low, found.high) == (7.0, None, None)
    assert found.contains(7.0) is None


def test_no_seed_is_an_error() -> None:
    with pytest.raises(ValueError, match="needs a value"):
        estimate([])


def test_relative_difference() -> None:
    assert relative_difference(0.5, 0.6) == pytest.approx(0.2)
    assert relative_difference(0.0, 3.0) is None
