"""Dynamics of a trace: settling time and oscillation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from cellrate.simulation.series import Series

__all__ = ["Oscillation", "Sampled", "oscillation", "settling_time"]

Floats: TypeAlias = npt.NDArray[np.float64]
# Quantiles between which the swing of a trace is measured, so that single outliers do not count.
LOW, HIGH = 0.05, 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """Samples of a trace in order of time; each has a least and a greatest value.

    Attributes:
        times: Times in seconds.
        low: Least values.
        high: Greatest values.
    """

    times: Floats
    low: Floats
    high: Floats

    def between(self, start: float, end: float) -> Sampled:
        """The samples from `start` to `end`, both included.

        Raises:
            ValueError: There are fewer than two samples.
        """
        kept = (self.times >= start) & (self.times <= end)
        if kept.sum() < 2:
            raise ValueError(f"fewer than two samples between {start} s and {end} s")
        return Sampled(self.times[kept], self.low[kept], self.high[kept])

    @property
    def middle(self) -> Floats:
        """Half-way between the least and the greatest value of each point."""
        middle: Floats = (self.low + self.high) / 2
        return middle


def sampled_of(trace: Series | Sampled) -> Sampled:
    """The samples of a trace.

    Raises:
        TypeError: `trace` is neither a trace nor `Sampled`.
    """
    if isinstance(trace, Sampled):
        return trace
    try:
        return Sampled(trace.time, trace.minimum, trace.maximum)
    except AttributeError:
        raise TypeError(
            f"{type(trace).__name__}: must be a Series, as Result.series returns it, or Sampled"
        ) from None


def settling_time(
    trace: Series | Sampled,
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


@dataclass(frozen=True, slots=True)
class Oscillation:
    """Whole cycles of a trace; each begins where the trace rises through its middle.

    Attributes:
        begins: Start of each cycle, and end of the last one, in seconds.
        tops: Greatest value of each cycle.
        bottoms: Least value of each cycle.
    """

    begins: tuple[float, ...]
    tops: tuple[float, ...]
    bottoms: tuple[float, ...]

    @property
    def cycles(self) -> int:
        """Number of whole cycles."""
        return len(self.tops)

    @property
    def period(self) -> float:
        """Mean length of a cycle in seconds.

        Raises:
            ValueError: There is no whole cycle.
        """
        cycles = self._some()
        return (self.begins[-1] - self.begins[0]) / cycles

    @property
    def swing(self) -> float:
        """Mean distance between top and bottom of a cycle, in the unit of the trace.

        Raises:
            ValueError: There is no whole cycle.
        """
        return (sum(self.tops) - sum(self.bottoms)) / self._some()

    @property
    def amplitude(self) -> float:
        """Mean half swing of a cycle, in the unit of the trace, as the amplitude of a sine.

        Raises:
            ValueError: There is no whole cycle.
        """
        return self.swing / 2

    def _some(self) -> int:
        if not self.tops:
            raise ValueError("the trace has no whole cycle")
        return len(self.tops)


def oscillation(
    trace: Series | Sampled, start: float = 0.0, end: float = math.inf, hysteresis: float = 0.25
) -> Oscillation:
    """Finds the cycles of a trace.

    The swing is the distance between the 5th and the 95th percentile of the trace; its middle is
    half-way between them. A cycle begins where the trace rises through the middle. To count, a
    cycle must begin after a value below the middle by `hysteresis` times the swing, and reach a
    value as far above the middle. So smaller ripples are not cycles. Instants are interpolated
    between samples. Top and bottom are the greatest and the least value within the cycle; a thinned
    trace keeps these extremes.

    Args:
        trace: The trace, a `Series` of a run or `Sampled`.
        start: Start of the part that is used, in seconds; after the transient.
        end: End of this part, in seconds.
        hysteresis: Share of the swing, above 0 and below 0.5.

    Raises:
        TypeError: The trace is of another type.
        ValueError: There are fewer than two samples, the trace is thinned so much that a point
            covers a whole cycle, or hysteresis is out of its range.
    """
    if not 0 < hysteresis < 0.5:
        raise ValueError("hysteresis has to be above 0 and below 0.5")
    part = sampled_of(trace).between(start, end)
    least, greatest = np.quantile(part.low, LOW), np.quantile(part.high, HIGH)
    middle, margin = (least + greatest) / 2, hysteresis * (greatest - least)
    rises = _rises(part, middle - margin, middle, middle + margin) if margin > 0 else []
    times = [_crossing(part, index, middle) for index in rises]
    spans = [slice(begin, after) for begin, after in pairwise(rises)]
    return Oscillation(
        tuple(times),
        tuple(float(part.high[span].max()) for span in spans),
        tuple(float(part.low[span].min()) for span in spans),
    )


def _rises(part: Sampled, low: float, middle: float, high: float) -> list[int]:
    """Indices of the first samples above the middle in rises from below `low` to above `high`."""
    spans = (part.low < low) & (part.high > high)
    if np.any(spans[1:] & spans[:-1]):
        raise ValueError("a point of the trace covers a whole cycle or more: set more trace_points")
    found = []
    was_low, crossed = False, None
    values = zip(part.low.tolist(), part.high.tolist(), part.middle.tolist(), strict=True)
    for index, (lowest, highest, value) in enumerate(values):
        if was_low and highest > high:
            found.append(index if crossed is None else crossed)
            was_low, crossed = False, None
        elif lowest < low:
            was_low, crossed = True, None
        elif value <= middle:
            crossed = None
        elif crossed is None:
            crossed = index
    return found


def _crossing(part: Sampled, index: int, level: float) -> float:
    """Time at which the trace reached the level, interpolated before sample `index`."""
    values: Floats = part.middle
    before, after = values[index - 1], values[index]
    share = (level - before) / (after - before) if after > before else 0.0
    since, until = part.times[index - 1], part.times[index]
    return float(since + min(max(share, 0.0), 1.0) * (until - since))
