"""A traced quantity over time, as numpy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cellrate import _core

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One traced quantity of one thing.

    Attributes:
        kind: What was traced: queue, acr, cwnd, sequence or utilisation.
        entity: Of which port queue, channel or flow.
        unit: Unit of the values.
        time: Seconds of simulated time.
        minimum: Least value in the interval that a point stands for.
        maximum: Greatest value in it; equal to the least one unless the trace was thinned.
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


def series_of(outcome: _core.Outcome) -> list[Series]:
    """Every series of a finished run, in the order in which the run lists them."""
    found = []
    for index, info in enumerate(outcome.series()):
        columns = [np.frombuffer(column, dtype="<f8") for column in outcome.series_data(index)]
        found.append(Series(info["kind"], info["entity"], info["unit"], *columns))
    return found
