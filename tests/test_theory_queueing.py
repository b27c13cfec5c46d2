"""Queueing formulas against textbook sums, independent solutions and small cases by hand."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import numpy.typing as npt
import pytest
from cellrate.theory import AssumptionError, queueing
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import optimize, stats

Floats = npt.NDArray[np.float64]


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
    # Who arrives finds the line busy with the probability of its load (PASTA).
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


def birth_and_death(n: int, on: float, off: float) -> Floats:
    """Generator of the number of sources that are ON; column = from, row = to."""
    generator = np.zeros((n + 1, n + 1))
    for i in range(n + 1):
        for to, rate in ((i + 1, (n - i) / off), (i - 1, i / on)):
            if rate > 0:
                generator[to, i] += rate
                generator[i, i] -= rate
    return generator


def solved(n: int, on: float, off: float, line: float, queues: Floats) -> Floats:
    """P(Q > x) of n sources with a peak of 1, by a general eigenvalue solver."""
    drift = np.arange(n + 1) - line
    values, vectors = np.linalg.eig(birth_and_death(n, on, off) / drift[:, None])
    falling = np.flatnonzero(values.real < -1e-9)
    stationary = stats.binom.pmf(np.arange(n + 1), n, on / (on + off))
    up = drift > 0
    weights = np.linalg.solve(vectors.real[np.ix_(up, falling)], -stationary[up])
    sums = vectors.real[:, falling].sum(axis=0)
    return np.array([-(weights * sums) @ np.exp(values.real[falling] * x) for x in queues])


@given(some.integers(1, 12), some.floats(0.2, 5), some.floats(0.2, 5), some.floats(0.05, 0.95))
@settings(max_examples=60)
def test_the_fluid_solution_is_that_of_the_linear_system(
    n: int, on: float, off: float, place: float
) -> None:
    mean = n * on / (on + off)
    line = mean + (n - mean) * place
    if abs(line - round(line)) < 0.01:  # a state without drift: a solver's matrix is singular
        line += 0.02
    if line >= n:
        return
    queues = np.array([0.0, 0.3, 2.0])
    found = queueing.fluid_exceedance(n, 1.0, on, off, line, queues)
    np.testing.assert_allclose(found, solved(n, on, off, line, queues), rtol=1e-6, atol=1e-12)


def test_one_source_by_hand() -> None:
    # One eigenvalue: ON it fills at 1 - C for `on`, OFF it empties at C for `off`.
    on, off, line = 2.0, 3.0, 0.6
    eta = 1 / (on * (1 - line)) - 1 / (off * line)
    load = on / (on + off) / line
    found = queueing.fluid_exceedance(1, 1.0, on, off, line, np.array([0.0, 1.7]))
    np.testing.assert_allclose(found, [load, load * math.exp(-eta * 1.7)])
    assert queueing.fluid_decay_per_cell(1, 1.0, on, off, line) == pytest.approx(eta)


def test_the_fluid_of_whole_lines_is_the_limit_of_others() -> None:
    """A line of a whole number of peaks, where one state has no drift."""
    queues = np.array([0.0, 1.0, 5.0])
    near = np.asarray(queueing.fluid_exceedance(6, 1.0, 1.0, 2.0, 3 + 1e-7, queues))
    np.testing.assert_allclose(
        queueing.fluid_exceedance(6, 1.0, 1.0, 2.0, 3.0, queues), near, rtol=1e-5
    )


# Gerla et al. 1995: 14 sources, bursts of 4.8 kB at 10 Mbit/s of the user, so 3.84 ms.
PEAK, ON, BURSTINESS = 10e6 * 53 / 48 / 424, 4.8e3 * 8 / 10e6, 1.2
GUARANTEED = 14, PEAK, ON, ON * (BURSTINESS - 1)


def test_the_14_guaranteed_sources() -> None:
    line = 150e6 / 424
    assert queueing.fluid_utilisation(*GUARANTEED, line) == pytest.approx(128.819 / 150, rel=1e-5)
    queues = np.array([0.0, 1.0, 50.0, 100.0])
    found = np.asarray(queueing.fluid_exceedance(*GUARANTEED, line, queues))
    expected = solved(14, 1.0, BURSTINESS - 1, line / PEAK, queues / (PEAK * ON))
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    # Only all 14 together exceed 150 Mbit/s, and the tail is one exponential.
    eta = queueing.fluid_decay_per_cell(*GUARANTEED, line)
    np.testing.assert_allclose(found, found[0] * np.exp(-eta * queues))
    # A line of 155 Mbit/s holds all of them, so there is no queue.
    assert queueing.fluid_exceedance(*GUARANTEED, 155e6 / 424, 0.0) == 0


def fluid_run(seed: int, n: int, on: float, off: float, line: float, events: int) -> Floats:
    """Share of the time with more than 0, 1 and 3 in the queue, event by event."""
    random = np.random.default_rng(seed)
    gaps, choices = random.exponential(size=events), random.random(events)
    active, queue, total = round(n * on / (on + off)), 0.0, 0.0
    levels = np.array([0.0, 1.0, 3.0])
    above = np.zeros(3)
    for gap, choice in zip(gaps, choices, strict=True):
        rise = (n - active) / off
        rate = rise + active / on
        time, slope = gap / rate, active - line
        after = max(0.0, queue + slope * time)
        # The queue is linear in between: time spent above each level.
        until = (levels - queue) / slope
        if slope > 0:
            above += np.clip(time - np.maximum(until, 0), 0, time)
        else:
            above += np.clip(until, 0, time)
        total += time
        queue = after
        active += 1 if choice < rise / rate else -1
    return above / total


def test_the_fluid_against_a_simulation_of_it() -> None:
    n, on, off, line = 8, 1.0, 2.0, 3.7
    runs = np.array([fluid_run(seed, n, on, off, line, 8000) for seed in range(30)])
    expected = queueing.fluid_exceedance(n, 1.0, on, off, line, np.array([0.0, 1.0, 3.0]))
    # One of 30,000 such tests would fail by chance, were the seeds not fixed: 3 comparisons.
    z = stats.t.ppf(1 - 1e-5 / 2, df=29)
    half = z * runs.std(axis=0, ddof=1) / math.sqrt(len(runs))
    assert np.all(np.abs(runs.mean(axis=0) - expected) <= half)
    assert np.all(half < [0.05, 0.05, 0.04])


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
        (lambda: queueing.md1_buffer_cells(0.9999, 1.0), "a buffer of 8192 cells at most"),
        (lambda: queueing.md1_wait_exceedance(0.5, 1.0, -1.0), "wait_seconds = -1.0"),
        (lambda: queueing.periodic_exceedance(10, 0.1, 1.0, 0), "together must be below the line"),
        (
            lambda: queueing.periodic_exceedance(0.5, 0.1, 1.0, 0),
            r"sources = 0\.5: must be a whole",
        ),
        (lambda: queueing.fluid_exceedance(2, 1.0, 1.0, 1.0, 1.0, 0), "grows without end"),
        (lambda: queueing.fluid_exceedance(2001, 1.0, 1.0, 1.0, 2e3, 0), "must be at most 2000"),
        (lambda: queueing.fluid_decay_per_cell(2, 1.0, 1.0, 1.0, 2.0), "there is never a queue"),
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
