"""The queue of fractional Brownian motion against its definition and a simulation."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from cellrate.theory import AssumptionError, queueing
from scipy import optimize, stats

Floats = npt.NDArray[np.float64]


MULTIPLEX = {
    "sources": 9,
    "mean_cells_per_second": 10e6 / 424,
    "deviation_cells_per_second": 5e6 / 424,
    "interval_seconds": 0.02,
    "link_cells_per_second": 149.76e6 / 424,
}


def test_brownian_motion_is_exact() -> None:
    left = (149.76e6 - 90e6) / 424
    variance = 9 * (5e6 / 424) ** 2 * 0.02
    found = queueing.fractional_exponential_exceedance(**MULTIPLEX, hurst=0.5, queue_cells=500)
    assert found == pytest.approx(math.exp(-2 * left * 500 / variance))


@pytest.mark.parametrize("hurst", [0.5, 0.8, 0.95])
def test_the_bound_is_that_of_the_worst_time(hurst: float) -> None:
    left = (149.76e6 - 90e6) / 424
    deviation = 3 * 5e6 / 424 * 0.02 ** (1 - hurst)
    scale = float(
        queueing.fractional_time_scale_seconds(9, 10e6 / 424, hurst, 149.76e6 / 424, 2000.0)
    )
    worst = optimize.minimize_scalar(
        lambda t: (2000 + left * t) / (deviation * t**hurst),
        bounds=(scale / 50, scale * 50),
        method="bounded",
        options={"xatol": scale * 1e-9},
    )
    assert worst.x == pytest.approx(scale, rel=1e-4)
    found = queueing.fractional_exceedance(**MULTIPLEX, hurst=hurst, queue_cells=2000.0)
    assert found == pytest.approx(stats.norm.sf(worst.fun), rel=1e-8)


def fractional_noise(random: np.random.Generator, hurst: float, length: int) -> Floats:
    """Fractional Gaussian noise of variance 1 by Davies and Harte's circulant embedding."""
    k = np.arange(length + 1.0)
    covariance = ((k + 1) ** (2 * hurst) - 2 * k ** (2 * hurst) + abs(k - 1) ** (2 * hurst)) / 2
    circle = np.fft.fft(np.concatenate([covariance, covariance[-2:0:-1]])).real
    noise = random.normal(size=len(circle)) + 1j * random.normal(size=len(circle))
    found: Floats = np.fft.fft(np.sqrt(circle / len(circle)) * noise).real[:length]
    return found


def test_the_fractional_queue_against_a_simulation_of_it() -> None:
    """One stream with a rate of 1 left: the bound holds, and the tail is as heavy as it says."""
    hurst, deviation = 0.8, 1.0
    steps = np.array([4.0, 16.0, 64.0])
    queues = steps * (1 - hurst) / hurst  # whose time scale is a whole number of intervals
    random = np.random.default_rng(1)
    runs = []
    for _ in range(40):
        walk = np.cumsum(deviation * fractional_noise(random, hurst, 1 << 13) - 1)
        queue = walk - np.minimum.accumulate(np.minimum(walk, 0))
        runs.append([(queue[1 << 11 :] > q).mean() for q in queues])
    found = np.mean(runs, axis=0)
    error = 4 * np.std(runs, axis=0, ddof=1) / math.sqrt(len(runs))
    options = {"interval_seconds": 1.0, "hurst": hurst, "link_cells_per_second": 2.0}
    bound = np.asarray(
        queueing.fractional_exceedance(1, 1.0, deviation, queue_cells=queues, **options)
    )
    rough = np.asarray(
        queueing.fractional_exponential_exceedance(1, 1.0, deviation, queue_cells=queues, **options)
    )
    assert np.all(found + error >= bound)
    assert np.all(found - error <= rough)
    # log P falls as q^(2 - 2H); with independent increments it would fall as q.
    slope = np.diff(np.log(-np.log(found))) / np.diff(np.log(queues))
    assert np.all(slope < 0.6)


def test_the_buffer_is_the_inverse_of_the_approximation() -> None:
    probability = np.array([1e-2, 1e-6, 1e-9])
    buffers = queueing.fractional_buffer_cells(**MULTIPLEX, hurst=0.8, probability=probability)
    found = queueing.fractional_exponential_exceedance(**MULTIPLEX, hurst=0.8, queue_cells=buffers)
    np.testing.assert_allclose(found, probability, rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: queueing.fractional_exceedance(**MULTIPLEX, hurst=1, queue_cells=1), "hurst = 1"),
        (
            lambda: queueing.fractional_exceedance(
                **(MULTIPLEX | {"sources": 15}), hurst=0.8, queue_cells=1
            ),
            "sources = 15: the streams' mean rate must be below",
        ),
    ],
)
def test_outside_the_assumptions(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(AssumptionError, match=message):
        call()
