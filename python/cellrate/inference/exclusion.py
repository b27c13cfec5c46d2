"""Values that the results allow, and values that they exclude."""

from __future__ import annotations

from cellrate.inference.scores import ASSUMED, Scores
from cellrate.inference.sign_flips import p_value

EXCLUDED_BELOW = 0.05
OUT_OF_THE_RACE_BELOW = 0.01


def p_values(scores: Scores) -> list[float | None]:
    """p-value of each value: the chance of losing so much against the best if both were alike.

    None for the best value itself. The best value is chosen on the same results, and the chances
    are not corrected for the number of values: of twenty equally good values, one is excluded
    wrongly.
    """
    best = scores.best()
    return [
        None if value == best else p_value([*scores.by_experiment(best, value).values()])
        for value in range(len(scores.met))
    ]


def out_of_the_race(scores: Scores) -> frozenset[int]:
    """Values that have lost so clearly with the first seed that more seeds are a waste.

    If no value meets more results than the assumed value, these are all other values, since a value
    that holds out gains with every seed. The assumed value is never out, since all others are
    compared with it.
    """
    others = range(ASSUMED + 1, len(scores.met))
    if all(scores.gains(value, ASSUMED)[0] <= 0 for value in others):
        return frozenset(others)
    p = p_values(scores)
    return frozenset(
        v for v in others if (chance := p[v]) is not None and chance < OUT_OF_THE_RACE_BELOW
    )
