"""The simulator against closed forms: one set of seeds for cases of `proof.forms`.

Of a right simulator a test fails with one in 10,000 sets of seeds at most, that of a Hurst number
with one in 185; the seeds are fixed. `make closed-forms` repeats these tests with other seeds, with
and without faults.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from cellrate.theory import queueing
from scipy import stats

from proof.forms import fluid, noise, periodic, poisson
from proof.forms.case import Case
from proof.forms.judges import Floats, upper_tail
from proof.forms.line import LINE

# `make closed-forms` repeats these cases, and tests those of more sources, loads and exponents.
CASES = [*poisson.CASES, *periodic.CASES[:2], *fluid.CASES[2:], noise.CASES[2]]


@cache
def _runs(form: str, name: str) -> Floats:
    (case,) = (case for case in CASES if (case.form, case.name) == (form, name))
    return np.array([case.run(0, replication) for replication in range(case.replications)])


def runs(case: Case) -> Floats:
    """Observations of the runs of the fixed seeds, each case simulated once."""
    return _runs(case.form, case.name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.form}, {case.name}")
def test_the_simulator_holds(case: Case) -> None:
    found = runs(case)
    p_values = case.p_values(case.means(found[None]))[0]
    told = zip(case.quantities, found.mean(axis=0), case.expected, p_values, strict=False)
    report = "\n".join(f"{name}: {a:.5g} of {b:.5g}, p = {p:.2g}" for name, a, b, p in told)
    assert case.p_value(found) >= case.alarm, report


@pytest.mark.parametrize(
    ("case", "fault"),
    [(poisson.CASES[0], 0.02), (periodic.CASES[0], -0.02), (noise.CASES[2], 0.02)],
    ids=["M/D/1", "N*D/D/1", "noise"],
)
def test_a_fault_of_two_percent_is_noticed(case: Case, fault: float) -> None:
    """Service times 2 % too long or too short, or a Hurst parameter 0.02 too high."""
    found = [case.run(0, replication, fault) for replication in range(case.replications)]
    assert case.p_value(np.array(found)) < case.alarm


def test_periodic_cells_are_told_from_poisson_cells_of_the_same_load() -> None:
    case = periodic.CASES[1]
    found = runs(case)
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    poisson_tails = np.asarray(queueing.md1_exceedance(0.9 * LINE, LINE, np.arange(8.0)))
    assert np.all(poisson_tails[2:] > (found.mean(axis=0) + 5 * error)[3:])


def test_the_spectrum_is_that_of_correlations() -> None:
    """Its mean is the variance, 1, and its first cosine the correlation of neighbours."""
    frequency = (np.arange(200_000) + 0.5) * np.pi / 200_000
    for hurst in (0.6, 0.75):
        power = noise.power(frequency, hurst)
        assert power.mean() == pytest.approx(1, abs=0.02)
        neighbours = (power * np.cos(frequency)).mean()
        assert neighbours == pytest.approx(2 ** (2 * hurst - 1) - 1, abs=0.02)


def test_the_probability_of_a_mean_is_right_where_draws_are_skewed() -> None:
    """Exponential draws, whose sums are known; Student's t is off by factors of 3 and 30 there."""
    pool = np.random.default_rng(1).exponential(size=100_000)
    for chance in (1e-2, 1e-4):
        most, least = stats.gamma(20).isf(chance) / 20, stats.gamma(20).ppf(chance) / 20
        assert upper_tail(pool, 1.0, most, 20) == pytest.approx(chance, rel=0.2)
        assert upper_tail(-pool, -1.0, -least, 20) == pytest.approx(chance, rel=0.2)
