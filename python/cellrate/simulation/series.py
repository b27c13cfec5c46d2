"""A traced quantity over time, as numpy arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cellrate import _core
from cellrate.simulation import dynamics
from cellrate.simulation.dynamics import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One traced quantity of one entity.

    Attributes:
        kind: The quantity: queue, acr, cwnd, sequence, source-queue or utilisation.
        entity: Name of the port queue, channel or flow.
        unit: Unit of the values.
        time: Simulated time in seconds.
        minimum: Least value in the interval of each point.
        maximum: Greatest value in the interval; equal to the least unless the trace was thinned.
    """

    kind: str
    entity: str
    unit: str
    time: Floats
    minimum: Floats
    maximum: Floats

    def __len__(self) -> int:
        """Number of points."""
        return len(self.time)

    @property
    def middle(self) -> Floats:
        """Half-way between the least and the greatest value of each point."""
        middle: Floats = (self.minimum + self.maximum) / 2
        return middle

    def between(self, start: float, end: float) -> Series:
        """The points from `start` to `end`, in seconds, both included."""
        inside = (self.time >= start) & (self.time <= end)
        columns = (self.time[inside], self.minimum[inside], self.maximum[inside])
        return Series(self.kind, self.entity, self.unit, *columns)

    def settling_time(
        self, tolerance: float = 0.05, start: float = 0.0, end: float = math.inf, final: float = 0.2
    ) -> float:
        """Seconds from `start` until the series stays near its final mean; infinite if never.

        See :func:`cellrate.simulation.dynamics.settling_time`.
        """
        return dynamics.settling_time(self, tolerance, start, end, final)

    def oscillation(
        self, start: float = 0.0, end: float = math.inf, hysteresis: float = 0.25
    ) -> dynamics.Oscillation:
        """Cycles of the series between two times, with their period and amplitude.

        See :func:`cellrate.simulation.dynamics.oscillation`.
        """
        return dynamics.oscillation(self, start, end, hysteresis)


def series_of(outcome: _core.Outcome) -> list[Series]:
    """All series of a finished run, in the order in which the run lists them."""
    found = []
    for index, info in enumerate(outcome.series()):
        columns = [np.frombuffer(column, dtype="<f8") for column in outcome.series_data(index)]
        found.append(Series(info["kind"], info["entity"], info["unit"], *columns))
    return found
