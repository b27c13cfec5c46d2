"""Confidence statements about all possible runs from a few seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

from scipy.stats import nct, norm, t

CONFIDENCE = 0.95


def covered_share(seeds: int, confidence: float = CONFIDENCE) -> float:
    """Share of all possible runs whose value is at most the largest of some seeds, with confidence.

    The largest of n independent values lies below the p-quantile with probability p^n, whatever
    their distribution. So with n seeds the share is the p with p^n = 1 - confidence (Wilks 1941).

    >>> round(covered_share(59), 3)
    0.95
    """
    return float((1.0 - confidence) ** (1.0 / seeds))


def covered(seeds: int) -> str:
    """A sentence on the runs for which the longest queue of some seeds is enough."""
    return (
        f"With {CONFIDENCE:.0%} confidence this buffer is enough for at least "
        f"{covered_share(seeds):.1%} of runs with other seeds."
    )


def seeds_to_cover(share: float, confidence: float = CONFIDENCE) -> int:
    """Least number of seeds whose largest value covers a share of all runs (Wilks 1941).

    >>> seeds_to_cover(0.95), seeds_to_cover(0.99)
    (59, 299)
    """
    return math.ceil(math.log(1.0 - confidence) / math.log(share))


def upper_mean(values: Sequence[float], confidence: float = CONFIDENCE) -> float | None:
    """One-sided upper bound of the mean by Student's t; None if all values are equal.

    The bound is approximate if values are not normally distributed, as with rare losses.
    """
    if len(set(values)) < 2:
        return None
    factor = float(t.ppf(confidence, len(values) - 1))
    return fmean(values) + factor * stdev(values) / math.sqrt(len(values))


def normal_tolerance(
    values: Sequence[float], share: float = 0.99, confidence: float = CONFIDENCE
) -> float | None:
    """Upper tolerance limit of normally distributed values; None from a single value.

    With probability `confidence`, the share `share` of all values lies below mean + k s. Here
    k sqrt(n) is the quantile of the non-central t distribution with noncentrality z(share) sqrt(n)
    (NIST/SEMATECH e-Handbook of Statistical Methods, section 7.2.6.3).
    """
    if len(values) < 2:
        return None
    n = len(values)
    noncentrality = float(norm.ppf(share)) * math.sqrt(n)
    factor = float(nct.ppf(confidence, n - 1, noncentrality)) / math.sqrt(n)
    return fmean(values) + factor * stdev(values)
