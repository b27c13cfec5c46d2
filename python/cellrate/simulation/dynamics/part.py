"""A sampled quantity, and the part of it between two times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]


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
