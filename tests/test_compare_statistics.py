"""Differences, their intervals, and the correction for many of them, against numbers by hand."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from cellrate.studies.compare import adjusted, contrast, ratio_of_means, simultaneous_level
from cellrate.studies.compare.contrast import least_seeds, seeds_to_decide
from scipy import stats

FIRST = np.array([10.0, 20.0, 30.0, 40.0])
SECOND = np.array([11.0, 22.0, 30.0, 45.0])


def test_pairs_by_hand() -> None:
    # Gaps 1, 2, 0, 5: mean 2, variance 14/3, t = 2 / sqrt(14/12) = 1.8516 with 3 degrees.
    found = contrast(FIRST, SECOND, paired=True)
    assert found.difference == 2.0
    assert found.test == "t"
    assert found.p_value == pytest.approx(0.16116, abs=1e-5)
    ends = found.interval(0.95)
    assert ends is not None
    half = 3.18245 * math.sqrt(14 / 12)  # the table's quantile
    assert ends == pytest.approx((2.0 - half, 2.0 + half), abs=1e-4)
    # Variances 166.667 and 204.667 apart, 14/3 together.
    assert found.gain == pytest.approx((500 / 3 + 614 / 3) / (14 / 3))


def test_independent_samples_by_hand() -> None:
    # Means 25 and 27, variances 500/3 and 614/3: t = 2 / sqrt(92.8333), 5.9378 degrees.
    found = contrast(FIRST, SECOND, paired=False)
    assert found.test == "Welch"
    assert found.freedom == pytest.approx(5.9378, abs=1e-4)
    assert found.p_value == pytest.approx(0.84250, abs=1e-5)
    assert found.gain is None


def test_the_tests_are_those_of_scipy() -> None:
    draw = np.random.default_rng(29)
    for count in (2, 3, 10):
        first, second = draw.normal(5.0, 1.0, count), draw.exponential(4.0, count)
        pairs = stats.ttest_rel(second, first)
        apart = stats.ttest_ind(second, first, equal_var=False)
        for expected, paired in ((pairs, True), (apart, False)):
            found = contrast(first, second, paired=paired)
            assert found.p_value == pytest.approx(expected.pvalue)
            assert found.interval(0.9) == pytest.approx(tuple(expected.confidence_interval(0.9)))


def test_independent_samples_need_not_be_of_one_size() -> None:
    found = contrast(FIRST[:2], SECOND, paired=False)
    assert found.difference == 12.0
    assert found.p_value == pytest.approx(stats.ttest_ind(SECOND, FIRST[:2], equal_var=False)[1])
    with pytest.raises(ValueError, match="paired alternatives need equally many runs, not 2 and 4"):
        contrast(FIRST[:2], SECOND, paired=True)


def test_adjusted_p_values_decide_as_the_intervals_do() -> None:
    """Differences 7, 8, 9 and 8, spread 0.8165, error 0.40825: t = 19.6 with 3 degrees."""
    found = contrast(np.zeros(4), np.array([7.0, 8.0, 9.0, 8.0]), paired=True)
    assert found.p_value is not None
    # The p-value is 0.00028979: at 0.95 real among 172 comparisons, not among 173.
    for many in (1, 172, 173):
        interval = found.interval(simultaneous_level(0.95, many))
        assert interval is not None
        assert (adjusted(found.p_value, many) <= 0.05) == (interval[0] > 0.0) == (many < 173)


def test_the_fewest_seeds_that_can_decide() -> None:
    """Student's t over the root of n: 12.7 / 1.41 = 9, 4.30 / 1.73 = 2.5; three is enough."""
    assert least_seeds(0.95, paired=True) == 3
    # Of 5 tests, t at 0.995: 9.92 / 1.73 = 5.7, 5.84 / 2 = 2.9.
    assert least_seeds(simultaneous_level(0.95, 5), paired=True) == 4
    # Independent runs have twice the freedom: 4.30 sqrt(2 / 2) > 3, 2.78 sqrt(2 / 3) = 2.3.
    assert least_seeds(0.95, paired=False) == 3


def test_seeds_that_an_undecided_pair_needs() -> None:
    """Differences 1 and 3, mean 2, spread 1.414, at 0.95 with 0.8 in four of five cases.

    (2.571 + 0.920) 1.414 / sqrt(6) = 2.02 > 2, (2.447 + 0.906) 1.414 / sqrt(7) = 1.79 < 2.
    """
    found = contrast(np.zeros(2), np.array([1.0, 3.0]), paired=True)
    assert seeds_to_decide(found, 0.95) == 7
    # Equal differences without spread: 2 / 2^n is at most 0.05 for 6 pairs.
    equal = contrast(np.zeros(2), np.ones(2), paired=True)
    assert seeds_to_decide(equal, 0.95) == 6
    assert seeds_to_decide(contrast(np.zeros(2), np.zeros(2), paired=True), 0.95) is None
    far = contrast(np.zeros(2), np.array([-1.0, 1.001]), paired=True)
    assert seeds_to_decide(far, 0.95) is None


def test_levels_of_many_intervals() -> None:
    assert simultaneous_level(0.95, 1) == pytest.approx(0.95)
    assert simultaneous_level(0.9, 20) == pytest.approx(0.995)
    assert simultaneous_level(0.95, 0) == pytest.approx(0.95)


def test_a_difference_that_only_pairs_show() -> None:
    # Closed form: second = first + 0.1 + noise of 0.05, while runs spread by 1. The standard error
    # is 0.05 / sqrt(20) = 0.011 with pairs and sqrt(2 / 20) = 0.32 without.
    draw = np.random.default_rng(3)
    first = draw.normal(10.0, 1.0, 20)
    second = first + 0.1 + draw.normal(0.0, 0.05, 20)
    pairs, apart = (contrast(first, second, paired=one) for one in (True, False))
    assert pairs.p_value is not None
    assert pairs.p_value < 1e-4
    within = pairs.interval(0.99)
    assert within is not None
    assert within[0] < 0.1 < within[1]
    assert apart.p_value is not None
    assert apart.p_value > 0.5
    # 1 + 1 against 0.05^2, twice as much or half of it by chance.
    assert pairs.gain == pytest.approx(2.0 / 0.05**2, rel=0.6)


@pytest.mark.parametrize("paired", [True, False])
def test_equal_values_do_not_differ(paired: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = contrast(FIRST, FIRST.copy(), paired=paired)
    assert found.difference == 0.0
    assert found.p_value == 1.0


def test_the_rounding_of_sums_is_no_difference() -> None:
    found = contrast(FIRST, FIRST * (1.0 + 1e-15), paired=True)
    assert (found.difference, found.p_value, found.test) == (0.0, 1.0, "permutation")


def test_one_run_tells_nothing() -> None:
    found = contrast(FIRST[:1], SECOND[:1], paired=True)
    assert (found.difference, found.p_value, found.test) == (1.0, None, "none")
    assert found.interval(0.95) is None
    with pytest.raises(ValueError, match="needs runs of both"):
        contrast(FIRST[:0], SECOND, paired=False)


@pytest.mark.parametrize(("paired", "p_value"), [(True, 2 / 2**3), (False, 2 / 20)])
def test_counts_without_spread_are_not_certain(paired: bool, p_value: float) -> None:
    # One packet lost in each of three runs against none: t would be infinite.
    found = contrast(np.zeros(3), np.ones(3), paired=paired)
    assert (found.difference, found.p_value, found.test) == (1.0, p_value, "permutation")
    assert found.interval(0.95) is None


def test_what_seeds_do_not_change_is_exact() -> None:
    found = contrast(np.full(2, 3.0), np.full(2, 4.0), paired=True, deterministic=True)
    assert (found.difference, found.p_value, found.test) == (1.0, 0.0, "exact")
    assert found.interval(0.999) == (1.0, 1.0)


def test_ratio_by_hand() -> None:
    # a = 625 - F 41.667, b = 675 - F 45.833, c = 729 - F 51.167 with F = 3.18245^2, since the
    # covariance is 550/3.
    factor = 3.18245**2
    a, b, c = 625 - factor * 500 / 12, 675 - factor * 550 / 12, 729 - factor * 614 / 12
    half = math.sqrt(b * b - a * c)
    found = ratio_of_means(FIRST, SECOND, paired=True)
    assert found.value == pytest.approx(27 / 25)
    assert (found.low, found.high) == pytest.approx(((b - half) / a, (b + half) / a), rel=1e-4)


def test_no_ratio_to_what_may_be_nothing() -> None:
    assert ratio_of_means(np.zeros(3), np.ones(3), paired=True).value is None
    around_zero = np.array([-1.0, 1.5, 0.2])
    assert ratio_of_means(around_zero, np.ones(3), paired=False).low is None
    assert ratio_of_means(np.ones(1), np.ones(1), paired=True).low is None


def test_fieller_covers_the_true_ratio() -> None:
    """800 repetitions of 6 pairs: 95 % within three standard errors, 2.3 %."""
    draw = np.random.default_rng(11)
    covered = 0
    for _ in range(800):
        shared = draw.normal(0.0, 1.0, 6)
        first = 10.0 + shared
        second = 12.0 + shared + draw.normal(0.0, 0.5, 6)
        found = ratio_of_means(first, second, paired=True)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 1.2 <= found.high
    assert abs(covered / 800 - 0.95) <= 0.023
