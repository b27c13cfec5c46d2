"""A test of whether one value does better than another: flips the signs of whole experiments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

EXACT = 16
"""Up to so many experiments every combination of signs is counted; beyond, they are drawn."""
DRAWS = 100_000
DRAWING_SEED = 1
SAME = 1e-9
"""Sums that differ by less are equal."""


def p_value(differences: Sequence[float]) -> float:
    """Chance of a sum at least as large if better and worse were alike.

    Under that hypothesis each experiment's difference might as well have the other sign. One-sided,
    exact up to `EXACT` differences that are not 0; beyond by drawing signs with a fixed seed, which
    counts what was found as one of the draws.

    Args:
        differences: By experiment, since what one experiment shows hangs together.
    """
    moved = np.array([d for d in differences if abs(d) > SAME])
    found = moved.sum()
    if len(moved) <= EXACT:
        numbers = np.arange(2 ** len(moved))
        flipped = (numbers[:, None] >> np.arange(len(moved))) & 1
        return float(np.mean((1 - 2 * flipped) @ moved >= found - SAME))
    draws = np.random.default_rng(DRAWING_SEED)
    signs = 1 - 2 * draws.integers(0, 2, size=(DRAWS, len(moved)), dtype=np.int8)
    reached = int(np.count_nonzero(signs @ moved >= found - SAME))
    return (1 + reached) / (1 + DRAWS)


def least_p(experiments: int) -> float:
    """The least chance that so many experiments allow: all of them better."""
    return 2.0**-experiments
