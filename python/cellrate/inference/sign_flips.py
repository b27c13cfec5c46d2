"""Statistical test for one value doing better than another, by sign flips of whole experiments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

EXACT = 16
"""Up to so many experiments every combination of signs is counted; beyond, signs are drawn."""
DRAWS = 100_000
DRAWING_SEED = 1
SAME = 1e-9
"""Sums that differ by less count as equal."""


def p_value(differences: Sequence[float]) -> float:
    """Chance of a sum of differences at least as large if both values were alike (one-sided).

    Under that hypothesis each experiment's difference might as well have the other sign. Exact up
    to `EXACT` differences that are not 0; beyond, signs are drawn with a fixed seed, and the
    observed sum counts as one of the draws.

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
    """Least p-value that a number of experiments allows, reached if all do better."""
    return 2.0**-experiments
