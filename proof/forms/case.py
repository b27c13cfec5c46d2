"""One test of the simulator against a closed form: scenario, observations and expected means."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from cellrate import _core
from cellrate.simulation.series import series_of

from proof.forms.judges import Floats, Judge, Means

SEEDS_PER_SET = 1000
SETS = 1_000_000
"""Numbers of seeds for each set, and of sets for each case; all seeds differ."""


@dataclass(frozen=True, slots=True)
class Case:
    """Independent replications of one scenario whose observations have known means.

    Attributes:
        scenario: Returns the text of the scenario with a fault of a given size; 0 for no fault.
        observe: Reads a run's values of `quantities`, in their order; further values are shown in
            pictures and not tested.
        expected: Means of the quantities by theory.
        replications: Number of runs of the test, each with a seed of its own.
        alarm: P value below which the test fails.
        powers: Least probability with which the test notices a fault, by the fault's size.
        allowed: Least and greatest means, where theory gives a limit.
        excess: Factor by which approximate P values may understate the frequency of alarms.
    """

    form: str
    name: str
    scenario: Callable[[float], str]
    observe: Callable[[_core.Outcome], list[float]]
    quantities: tuple[str, ...]
    expected: Floats
    replications: int
    alarm: float
    judge: Judge
    powers: dict[float, float]
    allowed: tuple[Floats, Floats] | None = None
    excess: float = 1.0

    def run(self, number: int, replication: int, fault: float = 0.0) -> list[float]:
        """Observations of one replication, of the test's set 0 or of another set of seeds."""
        own = zlib.crc32(f"{self.form}, {self.name}".encode())
        seed = (own * SETS + number) * SEEDS_PER_SET + replication
        return self.observe(_core.Scenario(self.scenario(fault), self.name, seed=seed).run())

    def p_values(self, means: Means) -> Floats:
        """Probability of each mean being so far from its expectation by chance alone."""
        low, high = self.allowed or (self.expected, self.expected)
        return self.judge(means, low, high)

    def means(self, found: Floats) -> Means:
        """Means of the tested quantities; `found` has the shape (sets, replications, values)."""
        return Means.of(found[:, :, : len(self.quantities)])

    def p_value(self, found: Floats) -> float:
        """P value of one set, whose rows are replications: the test fails below `alarm`."""
        return float(bonferroni(self.p_values(self.means(found[None])))[0])


def bonferroni(p_values: Floats) -> Floats:
    """P value of each test (row): its smallest P value times the number of its quantities."""
    return np.asarray(np.minimum(1.0, p_values.min(axis=1) * p_values.shape[1]))


def exceeding(outcome: _core.Outcome, begin_seconds: float, levels: Floats) -> list[float]:
    """Share of the samples of the queue, cell in transmission included, above each level.

    The run traced its one queue at every sampling instant; samples up to `begin_seconds` do not
    count.
    """
    trace = next(series for series in series_of(outcome) if series.kind == "queue")
    lengths = trace.maximum[trace.time > begin_seconds]
    if not np.array_equal(lengths, trace.minimum[trace.time > begin_seconds]):
        raise ValueError("the trace was thinned, so its points are no samples")
    shares: list[float] = (lengths[:, None] > levels).mean(axis=0).tolist()
    return shares
