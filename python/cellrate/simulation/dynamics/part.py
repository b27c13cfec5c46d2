"""A sampled quantity, and the part of it between two times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]


class Trace(Protocol):
    """A trace of a run, as `cellrate.Series`."""

    @property
    def time(self) -> Floats:
        """Times in seconds."""

    @property
    def minimum(self) -> Floats:
        """Least value of each point."""

    @property
    def maximum(self) -> Floats:
        """Greatest value of each point."""


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """Samples in order of time; a point of a thinned trace holds a least and a greatest value.

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


def sampled_of(trace: Trace | Sampled) -> Sampled:
    """The samples of a trace.

    Raises:
        TypeError: It is neither a trace nor `Sampled`.
    """
    if isinstance(trace, Sampled):
        return trace
    try:
        return Sampled(trace.time, trace.minimum, trace.maximum)
    except AttributeError:
        raise TypeError(
            f"{type(trace).__name__}: must be a Series, as Result.series returns it, or Sampled"
        ) from None
