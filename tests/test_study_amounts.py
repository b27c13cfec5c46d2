"""Reckoning with units."""

from __future__ import annotations

import math

import pytest
from cellrate.language.expressions import ExpressionError
from cellrate.studies.study.amounts import DATA, RATE, TIME, Amount, amount, read_amount
from hypothesis import given
from hypothesis import strategies as st

NAMES = {"rtt": Amount(0.06, TIME), "rate": Amount(1.5e8, RATE), "n": Amount(3.0)}


def value(text: str) -> Amount:
    return amount(text, NAMES.__getitem__)


@pytest.mark.parametrize(
    ("text", "expected", "dimension"),
    [
        ("n * rtt * rate", 2.7e7, DATA),
        ("'1 cells'", 424.0, DATA),
        ("'1 kB' / rtt", 8000 / 0.06, RATE),
        ("rtt * rate / '1 cells'", 0.06 * 1.5e8 / 424, (0, 0)),
        ("max(rtt, '100 ms') - '30 ms'", 0.07, TIME),
        ("min(n, 2, 5) ** 3", 8.0, (0, 0)),
        ("ceil(rtt * rate / '1 cells')", 21227.0, (0, 0)),
        ("sqrt(16) + log2(8) + floor(2.5) + round(2.5)", 12.0, (0, 0)),
        ("-rtt ** 2", -0.0036, (2, 0)),
    ],
)
def test_expressions(text: str, expected: float, dimension: tuple[int, int]) -> None:
    found = value(text)
    assert found.value == pytest.approx(expected)
    assert found.dimension == dimension


@pytest.mark.parametrize(
    "text",
    [
        "rtt + n", "min(rtt, rate)", "ceil(rtt)", "2 ** rtt", "rtt ** 0.5", "'10 parsec'", "f(2)",
        "sqrt(1, 2)", "n if n else 2", "[1]", "True", "log2(0)", "1 / 0",
        "-" * 2000 + "1",
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_an_error(text: str) -> None:
    with pytest.raises(ExpressionError):
        value(text)


@given(st.floats(1e-6, 1e6), st.floats(1e3, 1e12))
def test_a_round_trip_of_data_takes_the_round_trip(rtt: float, rate: float) -> None:
    data = Amount(rtt, TIME) * Amount(rate, RATE)
    back = (data / Amount(rate, RATE)).as_kind("Time")
    assert math.isclose(back, rtt, rel_tol=1e-12)


def test_a_cell_is_53_bytes() -> None:
    assert read_amount("53 bytes") == read_amount("1 cells") == Amount(424.0, DATA)
