"""Frequency with which a test fails: of a right simulator, and of one with a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from cellrate.simulation.runner import available_cores

from proof.forms.arrays import Floats
from proof.forms.case import Case, bonferroni
from proof.forms.judges import Means

LEVELS = 0.05, 0.01
"""Rates that are looked at beside the stated one, which is too rare to be seen in few tests."""
NULL_SETS = 50_000
"""Sets of replications that are drawn again from those of the model."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Repetitions of one test with other seeds.

    Attributes:
        case: The test.
        p_values: Its outcome in each repetition.
        pooled: Observations of all repetitions.
        p_of_all: Outcome of the test with all of them at once.
        caught: Of how many repetitions with a fault of a size the test failed, and of how many.
        drawn: Outcomes of sets that are drawn from the model, without the simulator.
    """

    case: Case
    p_values: Floats
    pooled: Floats
    p_of_all: float
    caught: dict[float, tuple[int, int]]
    drawn: Floats

    @property
    def levels(self) -> tuple[float, ...]:
        """Levels with which P values are compared: the test's own first."""
        return (self.case.alarm, *LEVELS)

    @property
    def mean(self) -> Floats:
        """Of each quantity over all runs."""
        return np.asarray(self.pooled.mean(axis=0))

    @property
    def error(self) -> Floats:
        """Standard errors of these means."""
        return np.asarray(self.pooled.std(axis=0, ddof=1) / np.sqrt(len(self.pooled)))


def repeat(
    case: Case,
    tests: int,
    faulty: int,
    advance: Callable[[], None],
    workers: int | None = None,
) -> Seen:
    """Repeats a test with sets of seeds that nothing else uses.

    Args:
        case: The test.
        tests: How often the simulator as it is takes it.
        faulty: How often one with a fault of each size does.
        advance: Called after each of them.
        workers: Runs at a time; all cores by default.
    """
    with ThreadPoolExecutor(workers or available_cores()) as pool:
        try:
            numbers = iter(range(1, 1 + tests + faulty * len(case.powers)))
            found = np.array(list(_found(pool, case, numbers, tests, 0.0, advance)))
            caught = {
                fault: _caught(case, _found(pool, case, numbers, faulty, fault, advance), faulty)
                for fault in case.powers
            }
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    pooled = np.concatenate(found)
    p_values = bonferroni(case.p_values(case.means(found)))
    return Seen(case, p_values, pooled, case.p_value(pooled), caught, draw(case))


def draw(case: Case, number: int = 1) -> Floats:
    """Outcomes of the test upon sets that are drawn from the model, without the simulator.

    They are drawn with replacement from 400 times the runs of a set, whose own mean is off by a
    twentieth of the error of a set.

    Args:
        case: The test.
        number: Seed; that of the draws by which the test judges is 0.
    """
    runs, count = case.null(400 * case.replications, number), case.replications
    random = np.random.default_rng(number)
    blocks = [
        case.means(runs[random.integers(len(runs), size=(500, count))])
        for _ in range(NULL_SETS // 500)
    ]
    mean = np.concatenate([block.mean for block in blocks])
    deviation = np.concatenate([block.deviation for block in blocks])
    return bonferroni(case.p_values(Means(mean, deviation, count)))


def _found(
    pool: ThreadPoolExecutor,
    case: Case,
    numbers: Iterator[int],
    count: int,
    fault: float,
    advance: Callable[[], None],
) -> Iterator[Floats]:
    for _ in range(count):
        number = next(numbers)
        runs = pool.map(lambda r, n=number: case.run(n, r, fault), range(case.replications))
        yield np.array(list(runs))
        advance()


def _caught(case: Case, found: Iterator[Floats], count: int) -> tuple[int, int]:
    return sum(case.p_value(one) < case.alarm for one in found), count
