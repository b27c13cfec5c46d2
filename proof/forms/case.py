"""One test of the simulator against a closed form: what is run, observed and expected."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from cellrate import _core
from cellrate.series import series_of
from scipy import stats

Floats = npt.NDArray[np.float64]

SEEDS_PER_SET = 1000
SETS = 1_000_000
"""Cases, sets of a case and replications of a set have seeds of their own."""


@dataclass(frozen=True, slots=True)
class Case:
    """Independent replications of one scenario whose observations have known means.

    Attributes:
        form: The closed form.
        name: Which setting of it.
        scenario: Text of the scenario with a fault of this size in it; 0 is the scenario itself.
        observe: What is looked at in a run, in the order of `quantities`; it may give more, which
            is drawn and not tested.
        quantities: What is tested.
        expected: What theory says that they are on average.
        replications: How many runs the test takes, each with a seed of its own.
        false_alarm: Probability that the test fails though the simulator is right.
        deviation: Standard deviation of the only quantity in one run, where theory knows it.
    """

    form: str
    name: str
    scenario: Callable[[float], str]
    observe: Callable[[_core.Outcome], list[float]]
    quantities: tuple[str, ...]
    expected: Floats
    replications: int
    false_alarm: float
    deviation: float | None = None

    def run(self, number: int, replication: int, fault: float = 0.0) -> list[float]:
        """What one replication of set `number` shows.

        Args:
            number: Which set of seeds; the test has set 0.
            replication: Which of its runs, from 0.
            fault: Size of the fault that is put in.
        """
        own = zlib.crc32(f"{self.form}, {self.name}".encode())
        seed = (own * SETS + number) * SEEDS_PER_SET + replication
        return self.observe(_core.run(self.scenario(fault), self.name, [], seed, None))

    def p_values(self, found: Floats) -> Floats:
        """Probability of each mean being as far from what is expected, were that right.

        By Student's t; by the normal distribution where the deviation is known.

        Args:
            found: Rows are replications, columns quantities.
        """
        found = found[:, : len(self.quantities)]
        count = len(found)
        distance = np.abs(found.mean(axis=0) - self.expected)
        if self.deviation is not None:
            return np.asarray(2 * stats.norm.sf(distance * math.sqrt(count) / self.deviation))
        error = found.std(axis=0, ddof=1) / math.sqrt(count)
        return np.asarray(2 * stats.t.sf(distance / error, df=count - 1))

    def p_value(self, found: Floats) -> float:
        """The smallest of them times their number (Bonferroni): the test fails below `false_alarm`.

        Args:
            found: Rows are replications, columns quantities.
        """
        return min(1.0, float(self.p_values(found).min()) * len(self.quantities))


def exceeding(outcome: _core.Outcome, begin_seconds: float, levels: Floats) -> list[float]:
    """Share of the samples of the queue, cell in transmission included, above each level.

    Args:
        outcome: A run that traced its one queue at every sampling instant.
        begin_seconds: Samples up to here are left out.
        levels: In cells.
    """
    trace = next(series for series in series_of(outcome) if series.kind == "queue")
    lengths = trace.maximum[trace.time > begin_seconds]
    if not np.array_equal(lengths, trace.minimum[trace.time > begin_seconds]):
        raise ValueError("the trace was thinned, so its points are no samples")
    shares: list[float] = (lengths[:, None] > levels).mean(axis=0).tolist()
    return shares
