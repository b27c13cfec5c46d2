"""The objective of a search: enough throughput, then the least queue."""

from __future__ import annotations

from dataclasses import dataclass, fields

from cellrate.advice.tuning.measures import Criterion
from cellrate.advice.tuning.objective import Objective


@dataclass(frozen=True)
class Enough(Criterion):
    """A criterion that a value meets if it is large enough; more does not count.

    Attributes:
        least: The value that is enough.
    """

    least: float = 0.0

    def reaches(self, value: float, best: float) -> bool:
        """True if a value is enough, or, where none is, the best."""
        return value >= min(self.least, best)


def enough(least: float, *, over_tcp: bool) -> Objective:
    """Ranks settings: those with enough throughput by their peak of the queue, then the rest.

    Args:
        least: Throughput in bit/s that is enough; without TCP, utilisation.
        over_tcp: True if flows run over TCP.
    """
    throughput, peak = Objective.named(
        f"{'throughput' if over_tcp else 'utilisation'},queue-peak"
    ).criteria
    known = {one.name: getattr(throughput, one.name) for one in fields(Criterion)}
    return Objective((Enough(**known, least=least), peak))
