"""Cells of messages and the goodput bound, against closed sums, integration and counting."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cellrate import theory
from cellrate.theory import goodput_bound
from cellrate.theory.goodput_bound import LengthKind
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import integrate, stats


def cells_of(length: float, segment: float, overhead: float) -> int:
    """Cells of one message, as the two functions N_seg and N_cells say."""
    if length == 0:
        return 0
    segments = math.ceil(length / segment)
    last = length - segment * (segments - 1)
    full = math.ceil((segment + overhead) / 48)
    return full * (segments - 1) + math.ceil((last + overhead) / 48)


@given(
    some.lists(some.integers(0, 20_000), min_size=1, max_size=30).filter(any),
    some.integers(1, 10_000),
    some.integers(0, 120),
)
def test_measured_lengths_are_counted_one_by_one(
    lengths: list[int], segment: int, header: int
) -> None:
    expected = np.mean([cells_of(length, segment, header + 8) for length in lengths])
    found = theory.mean_message_cells(
        theory.discrete_lengths(lengths), segment, header_bytes=header
    )
    assert found == pytest.approx(expected, rel=1e-12)


@given(some.floats(10, 50_000), some.integers(1, 10_000))
@settings(max_examples=50)
def test_exponential_lengths_have_a_geometric_sum(mean: float, segment: int) -> None:
    full = math.ceil((segment + 48) / 48)
    steps = sum(math.exp(-48 * k / mean) for k in range(1, full - 1))
    expected = (2 + steps) / -math.expm1(-segment / mean)
    found = theory.mean_message_cells(theory.exponential_lengths(mean), segment)
    assert found == pytest.approx(expected, rel=1e-12)


def test_uniform_lengths_against_the_integral() -> None:
    lengths = theory.uniform_lengths(100, 3000)
    places = sorted({n * 700 + 48 * k for n in range(5) for k in range(16)})
    expected, _ = integrate.quad(
        lambda x: cells_of(x, 700, 48) / 2900, 100, 3000, points=places, limit=500
    )
    assert theory.mean_message_cells(lengths, 700) == pytest.approx(expected, rel=1e-6)


def test_the_bound_of_the_paper() -> None:
    lengths = theory.exponential_lengths(2500)
    sizes = np.array([256, 512, 1024, 1460, 2048, 4096, 8192])
    expected = [0.683, 0.7933, 0.8293, 0.8486, 0.8633, 0.8737, 0.8794]
    np.testing.assert_allclose(theory.message_efficiency(lengths, sizes), expected, atol=5e-5)
    available = 150e6 * (1 - 1 / np.array([1.1, 1.2, 1.3]))
    bounds = theory.goodput_bound_bits_per_second(available, lengths, 1024)
    # Above what was measured under credit-based control: 9.6, 18.9 and 27.4 Mbit/s.
    np.testing.assert_allclose(bounds, np.array([11.31, 20.73, 28.71]) * 1e6, atol=0.01e6)


def test_distributions_by_any_door_are_the_same() -> None:
    mean, segment = 2500.0, 512
    expected = theory.mean_message_cells(theory.exponential_lengths(mean), segment)
    frozen = theory.scipy_lengths(stats.expon(scale=mean))
    cdf = theory.cdf_lengths(lambda x: -np.expm1(-x / mean), mean)
    named = theory.named_lengths("exponential", mean)
    for lengths in (frozen, cdf, named):
        assert theory.mean_message_cells(lengths, segment) == pytest.approx(expected, rel=1e-12)
    discrete = theory.scipy_lengths(stats.randint(1, 101))
    counted = np.mean([cells_of(length, 40, 48) for length in range(1, 101)])
    assert theory.mean_message_cells(discrete, 40) == pytest.approx(counted)
    assert theory.named_lengths("uniform", 50.0).longest_bytes == 100
    assert theory.named_lengths("deterministic", 50.0).longest_bytes == 50


@pytest.mark.parametrize("name", ["exponential", "uniform", "deterministic"])
def test_the_formula_knows_each_distribution_by_its_name(name: LengthKind) -> None:
    cells = goodput_bound.FORMULA.results["mean_message_cells"]
    found = cells(1e6, 512, mean_message_bytes=2500.0, message_lengths=name)
    assert found == theory.mean_message_cells(theory.named_lengths(name, 2500.0), 512)


def test_a_heavy_tail_is_summed_to_its_end() -> None:
    # Pareto lengths from 1000 bytes on; every step n M of the tail is a term of Hurwitz' zeta.
    shape, least, segment = 1.5, 1000.0, 48.0 * 4
    lengths = theory.scipy_lengths(stats.pareto(shape, scale=least))
    # Without headers and trailer every 48 bytes are a cell, so the mean is the sum of P(X > 48 k).
    found = theory.mean_message_cells(lengths, segment, header_bytes=0, trailer_bytes=0)
    from scipy.special import zeta

    whole = math.ceil(least / 48)
    expected = whole + (least / 48) ** shape * zeta(shape, whole)
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: theory.exponential_lengths(0.0), "mean_bytes = 0.0: must be above 0"),
        (lambda: theory.scipy_lengths(stats.norm(100, 50)), "probability below 0 bytes"),
        (lambda: theory.scipy_lengths(stats.pareto(0.9)), "mean_bytes = inf: must be a finite"),
        (lambda: theory.discrete_lengths([40, 1500], [0.5, 0.6]), "their sum must be 1"),
        (lambda: theory.discrete_lengths([]), "one length at least"),
        (lambda: theory.discrete_lengths([-1]), "lengths_bytes = -1.0: must be at least 0"),
        (lambda: theory.uniform_lengths(5, 5), "above the shortest length"),
        (
            lambda: theory.mean_message_cells(theory.exponential_lengths(1), 0),
            "segment_bytes = 0: must be at least 1",
        ),
    ],
)
def test_what_is_no_distribution_of_lengths(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(theory.AssumptionError, match=message):
        make()
