"""How often a test fails: of a right simulator, and of one with a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from cellrate.runner import available_cores

from proof.forms.case import Case, Floats

LEVELS = 0.05, 0.01
"""Rates that are looked at beside the stated one, which is too rare to be seen."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Repetitions of one test with other seeds.

    Attributes:
        case: The test.
        p_values: Its outcome in each repetition.
        single: P values of every quantity by itself; rows are repetitions.
        pooled: Observations of all repetitions.
        caught: Of how many repetitions with a fault of a size the test failed, and of how many.
    """

    case: Case
    p_values: Floats
    single: Floats
    pooled: Floats
    caught: dict[float, tuple[int, int]]

    def alarms(self, level: float) -> int:
        """Repetitions that fail if a test fails below this level."""
        return int((self.p_values < level).sum())

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
    faults: dict[float, int],
    advance: Callable[[], None],
    workers: int | None = None,
) -> Seen:
    """Repeats a test with sets of seeds that nothing else uses.

    Args:
        case: The test.
        tests: How often the simulator as it is takes it.
        faults: How often one with a fault of each size does.
        advance: Called after each of them.
        workers: Runs at a time; all cores by default.
    """
    with ThreadPoolExecutor(workers or available_cores()) as pool:
        try:
            numbers = iter(range(1, 1 + tests + sum(faults.values())))
            found = list(_found(pool, case, numbers, tests, 0.0, advance))
            caught = {
                fault: _caught(case, _found(pool, case, numbers, count, fault, advance), count)
                for fault, count in faults.items()
            }
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    return Seen(
        case,
        np.array([case.p_value(one) for one in found]),
        np.array([case.p_values(one) for one in found]),
        np.concatenate(found),
        caught,
    )


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
    return sum(case.p_value(one) < case.false_alarm for one in found), count
