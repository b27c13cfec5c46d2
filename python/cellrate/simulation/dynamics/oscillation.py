"""Amplitude and period of an oscillation, from the crossings of its middle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cellrate.simulation.dynamics.part import Floats, Sampled, Trace, sampled_of

# The swing of a trace is taken between these quantiles, so that single outliers do not count.
LOW, HIGH = 0.05, 0.95


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
        """Half the swing, as for a sine.

        Raises:
            ValueError: There is no whole cycle.
        """
        return self.swing / 2

    def _some(self) -> int:
        if not self.tops:
            raise ValueError("there is no whole cycle")
        return len(self.tops)


def oscillation(
    trace: Trace | Sampled, start: float = 0.0, end: float = math.inf, hysteresis: float = 0.25
) -> Oscillation:
    """Finds the cycles of a trace.

    The swing is the distance between the 5th and the 95th percentile of the trace; its middle is
    half-way between them. A cycle begins where the trace rises through the middle. It counts only
    if the trace was below the middle by `hysteresis` times the swing before, and is above it by as
    much afterwards; so smaller ripples do not count as cycles. Instants are interpolated between
    samples. Top and bottom are the greatest and least value within the cycle, which thinning keeps.

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
        raise ValueError("points of the trace cover whole cycles: it needs more trace_points")
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
