"""The time that a choice may take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cellrate import _core
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job


class OutOfTime(Exception):
    """The time is over; runs that had ended are kept."""


@dataclass(frozen=True)
class Budget:
    """A time limit that ends runs.

    Attributes:
        ends: Time at which it ends, by the clock; infinity without a limit.
        clock: The clock, in seconds.
    """

    ends: float
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def of(cls, minutes: float | None, clock: Callable[[], float] = time.monotonic) -> Budget:
        """A budget that begins now; None is without a limit."""
        return cls(float("inf") if minutes is None else clock() + 60 * minutes, clock)

    def check(self) -> None:
        """Ends the work when the time is over.

        Raises:
            OutOfTime: It is over.
        """
        if self.clock() > self.ends:
            raise OutOfTime

    def limited(self, runner: Runner) -> Runner:
        """A runner that begins no batch of runs after the end."""

        def run(jobs: Sequence[Job]) -> list[_core.Outcome]:
            if jobs:
                self.check()
            return list(runner(jobs))

        return run
