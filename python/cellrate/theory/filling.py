"""Computes the level to which the common share of several flows can rise on a link."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Demand:
    """Rate of a flow as a function of its share: offset + weight * share, within two limits."""

    offset: float
    weight: float
    least: float
    most: float

    def rate(self, share: float) -> float:
        """Rate at a share."""
        return min(self.most, max(self.least, self.offset + self.weight * share))

    @property
    def leaves_least_at(self) -> float:
        """Share from which on the rate grows."""
        return max(0.0, (self.least - self.offset) / self.weight)

    @property
    def reaches_most_at(self) -> float:
        """Share from which on the rate does not grow any more."""
        return max(0.0, (self.most - self.offset) / self.weight)


def filling_level(demands: Sequence[Demand], capacity: float) -> float:
    """Share at which the sum of the rates reaches the capacity; infinite if it never does.

    The sum is continuous and linear between the shares at which a rate starts or ceases to grow.
    """
    corners = {corner for d in demands for corner in (d.leaves_least_at, d.reaches_most_at)}
    ordered = sorted(corner for corner in corners | {0.0} if corner < math.inf)

    def left_at(corner: float) -> float:
        return capacity - math.fsum(d.rate(corner) for d in demands)

    # The capacity is reached after the last corner that leaves some; one earlier for rounding.
    first = max(bisect.bisect_left(ordered, x=True, key=lambda corner: left_at(corner) <= 0) - 2, 0)
    ends = [*ordered[1:], math.inf]
    for begin, end in zip(ordered[first:], ends[first:], strict=True):
        growing = [d for d in demands if d.leaves_least_at <= begin < d.reaches_most_at]
        slope = math.fsum(d.weight for d in growing)
        left = left_at(begin)
        if left <= 0:
            return begin
        if slope > 0 and begin + left / slope <= end:
            return begin + left / slope
    return math.inf
