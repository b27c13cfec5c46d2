"""The hold-out test of inferred parameter values, and the test that excludes values.

A value that was chosen on some results must also be better on results not used for the choice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

Verdict = Literal["held-out", "fitted", "as-assumed"]
VERDICTS: dict[Verdict, str] = {
    "held-out": "held out",
    "fitted": "fitted only",
    "as-assumed": "as assumed",
}
"""Verdicts of the hold-out test, and the phrases by which reports name the verdicts."""
ASSUMED = 0
"""Index of the assumed value, which is the first."""
EXCLUDED_BELOW = 0.05
"""Values with a smaller p-value are excluded."""
OUT_BELOW = 0.01
"""Values with a smaller p-value after the first seed are not run with further seeds."""
EXACT = 16
"""Greatest number of experiments for which every combination of signs is counted.

With more experiments, signs are drawn at random."""
DRAWS = 100_000
DRAWING_SEED = 1
SAME = 1e-9
"""Sums of differences that differ by less than this count as equal."""
Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True)
class Scores:
    """For each value of an open parameter and each seed, the results that are met.

    Attributes:
        experiments: The experiment of each result.
        met: For each value, the assumed one first, a truth array of shape (seeds, results). A value
            that is dropped after the first seed has only this seed.
    """

    experiments: tuple[str, ...]
    met: tuple[npt.NDArray[np.bool_], ...]

    @property
    def full(self) -> tuple[int, ...]:
        """Indices of the values that were run with all seeds."""
        most = max(len(marks) for marks in self.met)
        return tuple(value for value, marks in enumerate(self.met) if len(marks) == most)

    def shares(self, value: int, among: Collection[str] | None = None) -> list[float]:
        """Share of the results that are met, by seed; only in the experiments `among`, if given."""
        columns = self._columns(among)
        return [float(np.mean(row[columns])) if columns else 0.0 for row in self.met[value]]

    def share(self, value: int, among: Collection[str] | None = None) -> float:
        """Share of the results that are met, mean over the seeds."""
        return float(np.mean(self.shares(value, among)))

    def gains(self, value: int, other: int, among: Collection[str] | None = None) -> list[int]:
        """Number of results met under `value` minus that under `other`, for each common seed."""
        columns = self._columns(among)
        difference = self._difference(value, other)[:, columns]
        return [int(gain) for gain in difference.sum(axis=1)]

    def by_experiment(self, value: int, other: int) -> dict[str, float]:
        """Results met under `value` minus those under `other`, by experiment; mean over seeds."""
        mean = self._difference(value, other).mean(axis=0)
        gains = dict.fromkeys(self.experiments, 0.0)
        for experiment, difference in zip(self.experiments, mean, strict=True):
            gains[experiment] += float(difference)
        return gains

    def best(self, among: Collection[str] | None = None) -> int:
        """The value under which most results are met.

        Of equal values the one with the least index.
        """
        columns = self._columns(among)
        counts = {value: int(self.met[value][:, columns].sum()) for value in self.full}
        return max(self.full, key=lambda value: (counts[value], -value))

    def _difference(self, value: int, other: int) -> npt.NDArray[np.int8]:
        seeds = min(len(self.met[value]), len(self.met[other]))
        first, second = self.met[value][:seeds], self.met[other][:seeds]
        return first.astype(np.int8) - second.astype(np.int8)

    def _columns(self, among: Collection[str] | None) -> Sequence[int]:
        return [
            column
            for column, experiment in enumerate(self.experiments)
            if among is None or experiment in among
        ]


def p_value(differences: Sequence[float]) -> float:
    """Chance of a sum of differences at least as large if both values were alike (one-sided).

    Under this hypothesis both signs of a difference are equally likely. The p-value is exact up to
    `EXACT` differences that are not 0. With more differences, signs are drawn with a fixed seed,
    and the observed sum counts as one of the draws.

    Args:
        differences: A difference per experiment, since results of one experiment are dependent.
    """
    moved = np.array([d for d in differences if abs(d) > SAME])
    observed = moved.sum()
    if len(moved) <= EXACT:
        numbers = np.arange(2 ** len(moved))
        flipped = (numbers[:, None] >> np.arange(len(moved))) & 1
        return float(np.mean((1 - 2 * flipped) @ moved >= observed - SAME))
    draws = np.random.default_rng(DRAWING_SEED)
    signs = 1 - 2 * draws.integers(0, 2, size=(DRAWS, len(moved)), dtype=np.int8)
    reached = int(np.count_nonzero(signs @ moved >= observed - SAME))
    return (1 + reached) / (1 + DRAWS)


def least_p(experiments: int) -> float:
    """Least p-value that is possible with a number of experiments."""
    return 2.0**-experiments


def p_values(scores: Scores) -> list[float | None]:
    """p-value of each value: the chance of meeting so many fewer results than the best value.

    This chance is computed as if both values were equally good; it is None for the best value
    itself. The best value is chosen on the same results, and the p-values are not corrected for the
    number of values: on average one of twenty equally good values is excluded wrongly.
    """
    best = scores.best()
    return [
        None if value == best else p_value([*scores.by_experiment(best, value).values()])
        for value in range(len(scores.met))
    ]


def halves(results: Mapping[str, int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Splits experiments into halves with about equal numbers of results.

    Takes the experiments in descending order of their number of results, and puts each into the
    half with fewer results so far.

    Args:
        results: Number of results of each experiment, in the paper's order.
    """
    parts: tuple[list[str], list[str]] = ([], [])
    counts = [0, 0]
    for experiment in sorted(results, key=lambda name: -results[name]):
        side = 0 if counts[0] <= counts[1] else 1
        parts[side].append(experiment)
        counts[side] += results[experiment]
    order = list(results)
    first, second = (tuple(sorted(part, key=order.index)) for part in parts)
    return first, second


@dataclass(frozen=True)
class HoldOut:
    """Result of the hold-out test of one open parameter.

    Attributes:
        halves: Experiments of each half.
        best: The value under which most results are met.
        chosen: The best value on each half.
        crossed: Number of results that each half's choice meets on the other half, minus the number
            met under the assumed value; mean over the seeds.
        verdict: `as-assumed` if no value meets more results than the assumed value; `held-out` if
            the best value passes the test (see `hold_out`); otherwise `fitted`.
        why: Reason of the failure, if the verdict is `fitted`.
    """

    halves: tuple[tuple[str, ...], tuple[str, ...]]
    best: int
    chosen: tuple[int, int]
    crossed: tuple[float, float]
    verdict: Verdict
    why: str = ""


def hold_out(scores: Scores) -> HoldOut:
    """Tests the best value of each half of the experiments on the other half.

    To gain is to meet more results than the assumed value. A value holds out under four conditions:

    - The value meets most results over all experiments.
    - The best value of each half gains on the other half.
    - The value gains on each half.
    - The value gains over all experiments with every seed.
    """
    parts = halves(Counter(scores.experiments))
    best = scores.best()
    if not all(parts):
        verdict: Verdict = "as-assumed" if best == ASSUMED else "fitted"
        why = "all the results are in one experiment" if best != ASSUMED else ""
        return HoldOut(parts, best, (best, best), (0.0, 0.0), verdict, why)
    chosen = scores.best(parts[0]), scores.best(parts[1])
    crossed = _gain(scores, chosen[0], parts[1]), _gain(scores, chosen[1], parts[0])
    if best == ASSUMED:
        return HoldOut(parts, best, chosen, crossed, "as-assumed")
    why = _failed(scores, best, parts, crossed)
    return HoldOut(parts, best, chosen, crossed, "fitted" if why else "held-out", why)


def _failed(
    scores: Scores,
    best: int,
    parts: tuple[tuple[str, ...], tuple[str, ...]],
    crossed: tuple[float, float],
) -> str:
    for half, gain in zip("AB", crossed, strict=True):
        if gain <= 0:
            return f"what is best on half {half} does not gain on the other"
    for half, part in zip("AB", parts, strict=True):
        if _gain(scores, best, part) <= 0:
            return f"it does not gain on half {half}"
    if min(scores.gains(best, ASSUMED)) <= 0:
        return "it does not gain with every seed"
    return ""


def _gain(scores: Scores, value: int, among: tuple[str, ...]) -> float:
    gains = scores.gains(value, ASSUMED, among)
    return sum(gains) / len(gains)


def out_of_the_race(scores: Scores) -> frozenset[int]:
    """Values that are not run with further seeds, because these would not change the verdict.

    A value must hold out with the first seed alone, too. So if no value does, these are all values
    but the assumed one. Otherwise these are the values that lose clearly with the first seed. The
    assumed value stays, because all other values are compared with it.
    """
    others = range(ASSUMED + 1, len(scores.met))
    if hold_out(scores).verdict != "held-out":
        return frozenset(others)
    p = p_values(scores)
    return frozenset(v for v in others if (chance := p[v]) is not None and chance < OUT_BELOW)


def eliminate(
    held: Sequence[Value], score: Callable[[Sequence[tuple[Value, ...]]], Sequence[int]]
) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """Drops values one by one, as long as the combination meets more results without a value.

    Each step drops the value without which most results are met, the last of equal values. No other
    combinations are tried.

    Args:
        held: Values of several parameters that passed the hold-out test alone.
        score: Returns the number of results met under each of several combinations.

    Returns:
        The values kept, and the values dropped in the order of dropping.
    """
    kept, dropped = tuple(held), []
    while kept:
        without = [tuple(value for value in kept if value != left_out) for left_out in kept]
        together, *others = score([kept, *without])
        most = max(others)
        if most <= together:
            break
        # Of equal values the last.
        number = len(others) - 1 - list(reversed(others)).index(most)
        dropped.append(kept[number])
        kept = without[number]
    return kept, tuple(dropped)
