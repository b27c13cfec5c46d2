"""The objective of a search: fair shares, enough throughput, then the least queue."""

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


def enough(least: float, fairness: float, *, over_tcp: bool) -> Objective:
    """Ranks settings: those that are fair and carry enough by their longest queue, then the rest.

    Args:
        least: Throughput in bit/s that is enough; without TCP, utilisation.
        fairness: Jain's index that is enough; without TCP it does not count.
        over_tcp: True if flows run over TCP.
    """
    carried = "throughput" if over_tcp else "utilisation"
    fair, throughput, peak = Objective.named(f"fairness,{carried},queue-peak").criteria
    return Objective((_enough(fair, fairness), _enough(throughput, least), peak))


def _enough(criterion: Criterion, least: float) -> Enough:
    known = {one.name: getattr(criterion, one.name) for one in fields(Criterion)}
    return Enough(**known, least=least)
