"""One test of the simulator against a closed form: what is run, observed and expected."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from cellrate import _core
from cellrate.simulation.series import series_of

from proof.forms.judges import Floats, Judge, Means

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
        observe: Reads a run's values of `quantities`, in their order; further values are shown in
            pictures and not tested.
        quantities: Names of the tested quantities.
        expected: Means of the quantities by theory.
        replications: Number of runs of the test, each with a seed of its own.
        alarm: P value below which the test fails.
        judge: Computes P values.
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
        """Observations of one replication of set `number`.

        Args:
            number: Which set of seeds; the test has set 0.
            replication: Which of its runs, from 0.
            fault: Size of the fault that is put in.
        """
        own = zlib.crc32(f"{self.form}, {self.name}".encode())
        seed = (own * SETS + number) * SEEDS_PER_SET + replication
        return self.observe(_core.Scenario(self.scenario(fault), self.name, seed=seed).run())

    def p_values(self, means: Means) -> Floats:
        """Probability of each mean being as far from what is expected, were that right."""
        low, high = self.allowed or (self.expected, self.expected)
        return self.judge.p_values(means, low, high)

    def means(self, found: Floats) -> Means:
        """Means of the quantities of sets of replications."""
        return Means.of(found[:, :, : len(self.quantities)])

    def p_value(self, found: Floats) -> float:
        """P value of one set, whose rows are replications: the test fails below `alarm`."""
        return float(bonferroni(self.p_values(self.means(found[None])))[0])


def bonferroni(p_values: Floats) -> Floats:
    """P values of tests (rows) of several quantities each: the smallest times their number."""
    return np.asarray(np.minimum(1.0, p_values.min(axis=1) * p_values.shape[1]))


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
