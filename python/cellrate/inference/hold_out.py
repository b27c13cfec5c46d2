"""The hold-out test: a better value must also be better on results that did not choose it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from cellrate.inference.halves import halves
from cellrate.inference.scores import ASSUMED, Scores

Verdict = Literal["held-out", "fitted", "as-assumed"]
VERDICTS: tuple[Verdict, ...] = ("held-out", "fitted", "as-assumed")


@dataclass(frozen=True)
class HoldOut:
    """Result of the hold-out test.

    Attributes:
        halves: Experiments of either half.
        best: The value under which most results are met.
        chosen: The best value on each half.
        crossed: Results that each half's choice meets on the other half, less those met under the
            assumed value; mean over the seeds.
        verdict: `as-assumed` if no value does better; `held-out` if the best value gains on either
            half and with every seed; otherwise `fitted`.
        why: Reason of the failure, if the verdict is `fitted`.
    """

    halves: tuple[tuple[str, ...], tuple[str, ...]]
    best: int
    chosen: tuple[int, int]
    crossed: tuple[float, float]
    verdict: Verdict
    why: str = ""


def hold_out(scores: Scores) -> HoldOut:
    """Tries the best value on one half of the experiments on the other half, and vice versa.

    A value holds out if it is the best over all results, if the choice of either half alone gains
    on the other half against the assumed value, if the value itself gains on each half, and if it
    gains over all results with every seed.
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
