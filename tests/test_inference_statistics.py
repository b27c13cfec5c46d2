"""The statistics of inference, against numbers worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from cellrate.papers.hold_out import (
    DRAWS,
    Scores,
    eliminate,
    halves,
    hold_out,
    least_p,
    out_of_the_race,
    p_value,
    p_values,
)


def scores(experiments: str, *values: Sequence[str]) -> Scores:
    """Scores from digits: an experiment's letter per result, and for each value a text per seed."""
    met = tuple(np.array([[digit == "1" for digit in seed] for seed in each]) for each in values)
    return Scores(tuple(experiments), met)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        # All five better: one of 32 combinations of signs.
        ([1, 1, 1, 1, 1], 1 / 32),
        # Sum 3 of 2, 1: only as it is; -1 turns 2 + 1 into the next, which is 1.
        ([2, 1], 1 / 4),
        # Sum 2 of 1, 2, -1: +++ has 4, ++- 2, -++ 2 and the others less.
        ([1, 2, -1], 3 / 8),
        # A difference of 0 says nothing.
        ([1, 0, 1, 0], 1 / 4),
        # A loss: -1 is reached by both.
        ([-1], 1.0),
        ([], 1.0),
    ],
)
def test_sign_flips_by_hand(differences: list[float], expected: float) -> None:
    assert p_value(differences) == pytest.approx(expected)


def test_drawn_signs_agree_with_all_signs() -> None:
    differences = np.array([1.0, 0.5, -0.25, 2.0, 1.0, -1.0, 0.75, 0.5, 1.5] * 2)
    sums = np.zeros(1)
    for one in differences:
        sums = np.concatenate([sums + one, sums - one])
    exact = float(np.mean(sums >= differences.sum() - 1e-9))
    drawn = p_value([*differences])
    assert 0.001 < exact < 0.05
    # Four standard deviations of so many draws.
    assert drawn == pytest.approx(exact, abs=4 * (exact / DRAWS) ** 0.5)
    assert drawn == p_value([*differences])
    assert p_value([1.0] * 40) == pytest.approx(1 / (1 + DRAWS))


def test_few_experiments_exclude_nothing() -> None:
    assert least_p(4) > 0.05 > least_p(5)
    assert p_value([10.0] * 4) == least_p(4)


def test_halves_are_balanced_and_fixed_by_counts_alone() -> None:
    # 5 to A, 4 to B, 3 to B, 2 to A, 1 to A or B as 7 = 7: A.
    assert halves({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}) == (("a", "b", "e"), ("c", "d"))
    assert halves({"x": 2, "y": 2}) == (("x",), ("y",))
    assert halves({"only": 9}) == (("only",), ())


def test_shares_gains_and_the_best() -> None:
    # Experiment a has two results, b one; two seeds.
    found = scores("aab", ["100", "100"], ["110", "011"], ["110", "011"])
    assert found.shares(0) == pytest.approx([1 / 3, 1 / 3])
    assert found.share(1) == pytest.approx(4 / 6)
    assert found.share(1, ["a"]) == pytest.approx(3 / 4)
    assert found.gains(1, 0) == [1, 1]
    assert found.gains(1, 0, ["b"]) == [0, 1]
    assert found.by_experiment(1, 0) == {"a": 0.5, "b": 0.5}
    # Equal to the second, which comes first.
    assert found.best() == 1
    assert found.best(["a"]) == 1
    assert scores("ab", ["11"], ["11"]).best() == 0


def test_a_clear_loser_leaves_the_race_but_never_the_assumed_value() -> None:
    seven = "abcdefg"
    found = scores(seven, ["0000000"], ["1111111"], ["0000000"], ["1111110"])
    assert p_values(found) == [pytest.approx(2**-7), None, pytest.approx(2**-7), 0.5]
    assert out_of_the_race(found) == {2}
    # A value with fewer seeds is compared over those, and never the best.
    short = scores("ab", ["00", "00"], ["11", "01"], ["11"])
    assert short.best() == 1
    assert short.gains(1, 2) == [0]


def test_no_value_stays_in_the_race_where_none_holds_out_with_the_first_seed() -> None:
    # One result for another, and one less.
    assert out_of_the_race(scores("ab", ["10"], ["01"], ["00"])) == {1, 2}
    # Two more, both in one half, and what that half chooses gains nothing in the other.
    assert out_of_the_race(scores("aabb", ["0000"], ["1100"])) == {1}
    # One more in either: the third value stays, too, as it has not lost clearly.
    assert out_of_the_race(scores("ab", ["00"], ["11"], ["10"])) == frozenset()


def test_a_value_that_gains_on_both_halves_with_every_seed_has_held_out() -> None:
    found = hold_out(scores("aabb", ["1000", "1000"], ["1110", "1011"], ["1000", "0000"]))
    assert found.halves == (("a",), ("b",))
    assert (found.best, found.chosen, found.verdict) == (1, (1, 1), "held-out")
    # On b: 1 and 2 more; on a: 1 and 0.
    assert found.crossed == (1.5, 0.5)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        # Two more on a, nothing on b.
        ((["0011"], ["1111"]), "what is best on half A does not gain on the other"),
        # a chooses the third value, which loses on b; the second is the best over all.
        ((["0000"], ["1011"], ["1100"]), "what is best on half A does not gain on the other"),
        # Three more with the first seed, none with the second.
        ((["0000", "1010"], ["0111", "1010"]), "it does not gain with every seed"),
    ],
)
def test_what_fails_the_hold_out_is_fitted_only(values: tuple[list[str], ...], why: str) -> None:
    found = hold_out(scores("aabb", *values))
    assert (found.best, found.verdict, found.why) == (1, "fitted", why)


def test_each_half_may_choose_another_value_that_gains_and_the_best_must_gain_on_both() -> None:
    # Third value best on a, second on b, where the second loses nothing and gains nothing on a.
    found = hold_out(scores("aaabbb", ["100000"], ["100111"], ["110100"]))
    assert (found.best, found.chosen) == (1, (2, 1))
    assert (found.verdict, found.why) == (
        "fitted",
        "what is best on half B does not gain on the other",
    )


def test_one_experiment_holds_nothing_out() -> None:
    found = hold_out(scores("aaa", ["000"], ["111"]))
    assert (found.verdict, found.why) == ("fitted", "all the results are in one experiment")
    assert hold_out(scores("aaa", ["111"], ["000"])).verdict == "as-assumed"


def test_as_many_results_are_no_reason_to_leave_the_assumed_value() -> None:
    assert hold_out(scores("ab", ["10"], ["01"])).verdict == "as-assumed"


def test_elimination_drops_what_the_others_do_better_without() -> None:
    results = {"abc": 10, "ab": 12, "ac": 9, "bc": 11, "a": 11, "b": 12, "": 5}
    asked: list[Sequence[tuple[str, ...]]] = []

    def score(combinations: Sequence[tuple[str, ...]]) -> list[int]:
        asked.append(combinations)
        return [results["".join(each)] for each in combinations]

    # Without c 12 instead of 10; then b alone has as many as a and b, which is no reason.
    assert eliminate("abc", score) == (("a", "b"), ("c",))
    assert asked == [
        [tuple("abc"), tuple("bc"), tuple("ac"), tuple("ab")],
        [tuple("ab"), tuple("b"), tuple("a")],
    ]


def test_elimination_may_keep_all_or_have_nothing_to_do() -> None:
    assert eliminate("ab", lambda c: [len(each) for each in c]) == (("a", "b"), ())
    assert eliminate("ab", lambda c: [-len(each) for each in c]) == ((), ("b", "a"))
    assert eliminate((), lambda c: [0 for _ in c]) == ((), ())
