"""Values that the results allow, and values that they exclude."""

from __future__ import annotations

from cellrate.inference.scores import Scores
from cellrate.inference.sign_flips import p_value

EXCLUDED_BELOW = 0.05


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
