"""Settling time: the time until a quantity stays near its final value."""

from __future__ import annotations

import math

import numpy as np

from cellrate.simulation.dynamics.part import Sampled, Trace, sampled_of


def settling_time(
    trace: Trace | Sampled,
    tolerance: float = 0.05,
    start: float = 0.0,
    end: float = math.inf,
    final: float = 0.2,
) -> float:
    """Seconds from `start` until the samples stay within a band around their final mean.

    This is the settling time of control theory, which uses a band of 2 % or 5 %. The final mean is
    that of the samples in the last part, `final`, of the time from `start` to `end`; the band
    extends from 1 - tolerance to 1 + tolerance times that mean. A trace has settled if, from some
    sample until the end, its least and its greatest values lie in the band.

    Args:
        trace: The trace, a `Series` of a run or `Sampled`.
        tolerance: Half the width of the band, as a share of the final mean, above 0.
        start: Time of the disturbance, in seconds.
        end: End of the part of the trace that is used, in seconds.
        final: Share of the time over which the final mean is taken, above 0 and at most 1.

    Returns:
        Seconds from `start` to the first sample after which all samples lie in the band; infinite
        if samples of the last part lie outside.

    Raises:
        TypeError: The trace is of another type.
        ValueError: There are fewer than two samples, or an argument is out of its range.
    """
    if not (tolerance > 0 and 0 < final <= 1):
        raise ValueError("tolerance has to be above 0, and final above 0 and at most 1")
    part = sampled_of(trace).between(start, end)
    last = part.times[-1] - final * (part.times[-1] - part.times[0])
    mean = float(part.middle[part.times >= last].mean())
    width = tolerance * abs(mean)
    outside = np.flatnonzero((part.high > mean + width) | (part.low < mean - width))
    if not len(outside):
        return 0.0
    if part.times[outside[-1]] >= last:
        return math.inf
    return float(part.times[outside[-1] + 1] - start)
