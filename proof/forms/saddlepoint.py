"""Probability of a mean of independent draws from a distribution that is known by many draws."""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize, stats

from proof.forms.arrays import Floats

STEEPEST = 20.0
"""Largest tilt, per standard deviation: means beyond its reach have probabilities below 1e-30."""


def upper_tail(pool: Floats, expected: float, mean: float, count: int) -> float:
    """Probability that the mean of so many draws is as large as this or larger.

    By Barndorff-Nielsen's form of the saddlepoint approximation (Lugannani and Rice 1980; Jensen
    1995, Saddlepoint Approximations, section 3.3), with the cumulants of a pool of draws. It holds
    for skewed draws, of which Student's t says too little.

    Args:
        pool: Draws, from which the distribution about its mean is taken.
        expected: Its true mean.
        mean: Of the draws in question.
        count: How many they are.
    """
    spread = float(pool.std())
    draws = (pool - pool.mean()) / spread
    distance = (mean - expected) / spread
    if abs(distance) < 1e-3 / math.sqrt(count):
        return 0.5

    def cumulants(tilt: float) -> tuple[float, float, float]:
        largest = float((tilt * draws).max())
        weights = np.exp(tilt * draws - largest)
        total = float(weights.sum())
        first = float(weights @ draws) / total
        second = float(weights @ (draws - first) ** 2) / total
        return largest + math.log(total / len(draws)), first, second

    if abs(cumulants(math.copysign(STEEPEST, distance))[1]) <= abs(distance):
        return float(distance < 0)
    beyond = math.copysign(1 / STEEPEST, distance)
    while abs(cumulants(beyond)[1]) < abs(distance):
        beyond *= 4
    tilt = optimize.brentq(lambda t: cumulants(t)[1] - distance, 0, beyond, xtol=1e-9)
    whole, _, curvature = cumulants(tilt)
    root = math.copysign(math.sqrt(2 * count * (tilt * distance - whole)), tilt)
    slope = tilt * math.sqrt(count * curvature)
    return float(stats.norm.sf(root + math.log(slope / root) / root))
