"""M/D/1 and N*D/D/1 against textbook sums and small cases by hand."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from cellrate.theory import AssumptionError, queueing
from cellrate.theory.queueing.md1 import _decay
from hypothesis import given, settings
from hypothesis import strategies as some


def erlang(load: float, n: int) -> float:
    """P(N = n) of M/D/1 by the alternating sum of Erlang 1909, with digits to spare."""
    with localcontext(prec=100):
        rho = Decimal(load)

        def term(k: int, power: int) -> Decimal:
            return (k * rho) ** power / math.factorial(power) * (k * rho).exp()

        if n == 0:
            return float(1 - rho)
        total = term(n, 0)
        for k in range(1, n):
            total += (-1) ** (n - k) * (term(k, n - k) + term(k, n - k - 1))
        return float((1 - rho) * (total - (1 if n == 1 else 0)))


@pytest.mark.parametrize("load", [0.05, 0.3, 0.6, 0.9, 0.99])
def test_m_d_1_is_the_sum_of_erlang(load: float) -> None:
    n = np.arange(30.0)
    tails = np.asarray(queueing.md1_exceedance(load, 1.0, n))
    below = np.cumsum([erlang(load, int(k)) for k in n])
    np.testing.assert_allclose(tails, 1 - below, atol=1e-13)
    ratios = -np.diff(tails) / [erlang(load, int(k)) for k in n[1:]]
    np.testing.assert_allclose(ratios[:10], 1, rtol=1e-8)


@pytest.mark.parametrize("idle", [1e-7, 1e-6, 0.99e-5])
def test_m_d_1_decays_by_the_root_of_its_equation_on_a_full_line(idle: float) -> None:
    above = _decay(1 - idle) - 1
    # exp(load (z - 1)) = z, of which a line nearly full leaves the difference of like numbers.
    assert (1 - idle) * above - math.log1p(above) == pytest.approx(0, abs=1e-13 * idle)


@given(some.floats(0.01, 0.98))
@settings(max_examples=30)
def test_m_d_1_has_the_mean_of_pollaczek_and_khinchine(load: float) -> None:
    tails = np.asarray(queueing.md1_exceedance(load, 1.0, np.arange(2000.0)))
    assert tails.sum() == pytest.approx(queueing.md1_mean_queue_cells(load, 1.0), rel=1e-9)
    # Little: mean queue = rate * (wait + service).
    mean = load * (float(queueing.md1_mean_wait_seconds(load, 1.0)) + 1)
    assert queueing.md1_mean_queue_cells(load, 1.0) == pytest.approx(mean)
    waits = [queueing.md1_wait_exceedance(load, 1.0, (k + 0.5) / 8) / 8 for k in range(1600)]
    assert sum(waits) == pytest.approx(
        queueing.md1_mean_wait_seconds(load, 1.0), rel=0.01, abs=1e-3
    )


def test_m_d_1_waits() -> None:
    # An arrival finds the line busy with the probability of its load (PASTA).
    assert queueing.md1_wait_exceedance(0.7, 1.0, 0.0) == pytest.approx(0.7)
    # Within the first cell time P(W <= t) = (1 - rho) exp(rho t).
    for t in (0.25, 0.5, 0.999):
        expected = 1 - 0.3 * math.exp(0.7 * t)
        assert queueing.md1_wait_exceedance(0.7, 1.0, t) == pytest.approx(expected)
    # In units: a line of 1000 cells/s makes everything a thousand times faster.
    assert queueing.md1_mean_wait_seconds(700, 1000) == pytest.approx(0.7 / 0.6 / 1000)
    assert queueing.md1_wait_exceedance(700, 1000, 2.5e-3) == pytest.approx(
        queueing.md1_wait_exceedance(0.7, 1.0, 2.5)
    )


@pytest.mark.parametrize("probability", [0.3, 1e-3, 1e-9, 1e-15])
def test_a_buffer_is_the_least_one(probability: float) -> None:
    assert queueing.md1_buffer_cells(0.8, 1.0, probability=0.8) == 0
    md1 = queueing.md1_buffer_cells(0.8, 1.0, probability=probability)
    tails = np.asarray(queueing.md1_exceedance(0.8, 1.0, np.array([md1 - 1, md1])))
    assert tails[0] > probability >= tails[1]
    periodic = queueing.periodic_buffer_cells(80, 0.01, 1.0, probability=probability)
    tails = np.asarray(
        queueing.periodic_exceedance(80, 0.01, 1.0, np.array([periodic - 1.0, periodic]))
    )
    assert tails[0] > probability >= tails[1]
    assert periodic <= md1


def test_one_and_two_periodic_sources_by_hand() -> None:
    # One source: work falls from 1 to 0 once in each period of T.
    np.testing.assert_allclose(
        queueing.periodic_exceedance(1, 0.1, 1.0, np.array([0.0, 0.25, 1.0])), [0.1, 0.075, 0.0]
    )
    # Two: more than one cell while the second comes d < 1 after the first, for 1 - d, either first.
    assert queueing.periodic_exceedance(2, 0.1, 1.0, 1) == pytest.approx(0.01)
    assert queueing.periodic_mean_queue_cells(2, 0.1, 1.0) == pytest.approx(0.21)


@given(some.integers(1, 60), some.floats(0.05, 0.99))
def test_a_periodic_queue_is_busy_as_its_load_and_below_poisson(sources: int, load: float) -> None:
    rate = load / sources
    assert queueing.periodic_exceedance(sources, rate, 1.0, 0) == pytest.approx(load)
    queues = np.arange(1.0, 20.0)
    periodic = np.asarray(queueing.periodic_exceedance(sources, rate, 1.0, queues))
    poisson = np.asarray(queueing.md1_exceedance(load, 1.0, queues))
    assert np.all(periodic <= poisson * (1 + 1e-9))


def test_many_slow_periodic_sources_are_poisson() -> None:
    queues = np.arange(12.0)
    periodic = queueing.periodic_exceedance(20_000, 0.6 / 20_000, 1.0, queues)
    np.testing.assert_allclose(periodic, queueing.md1_exceedance(0.6, 1.0, queues), rtol=0.01)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: queueing.md1_mean_wait_seconds(1.0, 1.0),
            r"arrival_cells_per_second = 1\.0: must",
        ),
        (lambda: queueing.md1_exceedance(0.5, 1.0, 0.5), r"queue_cells = 0\.5: must be a whole"),
        (lambda: queueing.md1_exceedance(0.5, 1.0, 1 << 14), "must be below 16384"),
        (lambda: queueing.md1_buffer_cells(0.5, 1.0, probability=0.0), "above 0 and below 1"),
        (
            lambda: queueing.md1_buffer_cells(0.9999, 1.0),
            "a buffer of 8192 cells is exceeded more often",
        ),
        (lambda: queueing.md1_wait_exceedance(0.5, 1.0, -1.0), "wait_seconds = -1.0"),
        (
            lambda: queueing.periodic_exceedance(10, 0.1, 1.0, 0),
            "total rate must be below the link rate",
        ),
        (
            lambda: queueing.periodic_exceedance(0.5, 0.1, 1.0, 0),
            r"sources = 0\.5: must be a whole",
        ),
    ],
)
def test_outside_the_assumptions(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(AssumptionError, match=message):
        call()


def test_buffers_are_exceeded_once_in_a_thousand_million_cells_unless_told() -> None:
    for buffer, arguments in (
        (queueing.md1_buffer_cells, (0.8, 1.0)),
        (queueing.periodic_buffer_cells, (50, 1.0, 60.0)),
    ):
        assert buffer(*arguments) == buffer(*arguments, probability=1e-9)
        assert buffer(*arguments) > buffer(*arguments, probability=1e-8)
