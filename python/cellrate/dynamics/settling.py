"""Settling time: how long until a quantity stays near its final value."""

from __future__ import annotations

import math

import numpy as np

from cellrate.dynamics.part import Sampled


def settling_time(
    sampled: Sampled,
    tolerance: float = 0.05,
    start: float = 0.0,
    end: float = math.inf,
    final: float = 0.2,
) -> float:
    """Seconds from `start` until the samples stay within a band around their final mean.

    The settling time of control theory, there with a band of 2 % or 5 %. The final mean is that of
    the samples in the last part, `final`, of the time from `start` to `end`; the band is that mean
    times 1 - tolerance to 1 + tolerance. What settles has to lie in the band, with its least and
    its greatest value, from some sample on until the end.

    Args:
        sampled: The trace.
        tolerance: Half the width of the band, as a share of the final mean, above 0.
        start: When the disturbance came, in seconds.
        end: Until when the trace is looked at, in seconds.
        final: Share of the time over which the final mean is taken, above 0 and at most 1.

    Returns:
        Seconds from `start` to the first sample that is followed by none outside the band; infinite
        if there still are samples outside in the last part.

    Raises:
        ValueError: There are fewer than two samples, or an argument is out of its range.
    """
    if not (tolerance > 0 and 0 < final <= 1):
        raise ValueError("tolerance has to be above 0, and final above 0 and at most 1")
    part = sampled.between(start, end)
    last = part.times[-1] - final * (part.times[-1] - part.times[0])
    mean = float(part.middle[part.times >= last].mean())
    width = tolerance * abs(mean)
    outside = np.flatnonzero((part.high > mean + width) | (part.low < mean - width))
    if not len(outside):
        return 0.0
    if part.times[outside[-1]] >= last:
        return math.inf
    return float(part.times[outside[-1] + 1] - start)
