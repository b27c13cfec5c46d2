"""Traced quantities in expressions."""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from cellrate.language.expressions import Readable
from cellrate.simulation import dynamics

Floats = npt.NDArray[np.float64]


class Trace(Readable):
    """A traced quantity over time (s); points of thinned traces have a minimum and a maximum."""

    def __init__(self, entity: str, times: Floats, low: Floats, high: Floats) -> None:
        self.entity = entity
        self.times = times
        self.low = low
        self.high = high

    @cached_property
    def values(self) -> list[float]:
        """Greatest value of each point."""
        return [float(x) for x in self.high]

    def _part(self, start: float, end: float, values: Floats) -> Floats:
        part: Floats = values[(self.times >= start) & (self.times <= end)]
        if not len(part):
            raise ValueError(f"no samples of {self.entity} between {start} s and {end} s")
        return part

    def at(self, time: float) -> float:
        """Value of the last sample at or before `time` (seconds)."""
        index = int(np.searchsorted(self.times, time, side="right")) - 1
        if index < 0:
            raise ValueError(f"no sample of {self.entity} before {time} s")
        return float(self.high[index])

    def max(self, start: float = 0.0, end: float = float("inf")) -> float:
        """Greatest value between two times."""
        return float(self._part(start, end, self.high).max())

    def min(self, start: float = 0.0, end: float = float("inf")) -> float:
        """Least value between two times."""
        return float(self._part(start, end, self.low).min())

    def mean(self, start: float = 0.0, end: float = float("inf")) -> float:
        """Mean of the samples between two times."""
        return float(self._part(start, end, (self.low + self.high) / 2).mean())

    def first_above(self, level: float, start: float = 0.0) -> float:
        """First time from `start` with a sample above the level; infinite if there is none."""
        return self._first((self.times >= start) & (self.high > level))

    def first_below(self, level: float, start: float = 0.0) -> float:
        """First time from `start` with a sample below the level; infinite if there is none."""
        return self._first((self.times >= start) & (self.low < level))

    def settling_time(
        self,
        tolerance: float = 0.05,
        start: float = 0.0,
        end: float = float("inf"),
        final: float = 0.2,
    ) -> float:
        """Seconds from `start` until the trace stays within the tolerance of its final mean."""
        return dynamics.settling_time(self._sampled, tolerance, start, end, final)

    def oscillation(
        self, start: float = 0.0, end: float = float("inf"), hysteresis: float = 0.25
    ) -> "Cycles":
        """Cycles of the trace between two times."""
        return Cycles(dynamics.oscillation(self._sampled, start, end, hysteresis))

    @property
    def _sampled(self) -> dynamics.Sampled:
        return dynamics.Sampled(self.times, self.low, self.high)

    def _first(self, where: npt.NDArray[np.bool_]) -> float:
        times = self.times[where]
        return float(times[0]) if len(times) else float("inf")


class Cycles(Readable):
    """The oscillation of a trace."""

    def __init__(self, oscillation: dynamics.Oscillation) -> None:
        self.cycles = oscillation.cycles
        self._oscillation = oscillation

    @property
    def period(self) -> float:
        """Mean length of a cycle in seconds; an error if there is none."""
        return self._oscillation.period

    @property
    def swing(self) -> float:
        """Mean distance from bottom to top of a cycle; an error if there is none."""
        return self._oscillation.swing

    @property
    def amplitude(self) -> float:
        """Half of the swing; an error if there is no cycle."""
        return self._oscillation.amplitude
