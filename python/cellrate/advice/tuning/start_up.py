"""Utilisation of the bottleneck in a run whose sources start below their fair share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cellrate.simulation.network import Flow
from cellrate.studies.parameters.keys import Keys, number
from cellrate.theory.efci import EfciLoop

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class StartUp:
    """Initial rates and the measuring window of a scenario.

    Attributes:
        share: Sum of the initial rates of all sources, as a share of the bottleneck.
        begins_seconds: Start of the measuring window, counted from the start of the last flow.
        ends_seconds: End of the window, counted likewise.
    """

    share: float
    begins_seconds: float
    ends_seconds: float

    @classmethod
    def of(cls, keys: Keys, flows: Sequence[Flow], bandwidth_cells_per_second: float) -> StartUp:
        """The start-up of a scenario's ABR flows."""
        together = sum(flow.abr.icr_cells_per_second for flow in flows if flow.abr is not None)
        started = max(flow.start_seconds for flow in flows)
        begins, ends = (_seconds(keys, f"measure.{end}") for end in ("from", "to"))
        begins, ends = max(begins - started, 0.0), max(ends - started, 0.0)
        return cls(together / bandwidth_cells_per_second, begins, ends)

    def utilisation(self, loop: EfciLoop, steady: npt.ArrayLike) -> Floats:
        """Used share of the bottleneck during the measuring window. Our own approximation.

        The queue is empty until the rates, which grow by the slowest mode of phase 3, fill the link
        for the first time; from then on the link is used as in steady state.

        Args:
            loop: Loops, any shape.
            steady: Utilisation of each in steady state.
        """
        steady = np.asarray(steady)
        if self.ends_seconds <= self.begins_seconds:
            return steady
        growth = loop.with_(growth="delayed").lam
        filled = np.log(1 / min(self.share, 1.0)) / growth

        def used(until: float) -> Floats:
            rising = np.minimum(until, filled)
            return np.asarray(
                self.share * np.expm1(growth * rising) / growth + steady * (until - rising)
            )

        lasts = self.ends_seconds - self.begins_seconds
        return np.asarray((used(self.ends_seconds) - used(self.begins_seconds)) / lasts)


def _seconds(keys: Keys, path: str) -> float:
    key = keys.find(path)
    return number(str(key.value), key)
