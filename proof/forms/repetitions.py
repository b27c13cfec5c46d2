"""The tests of the closed forms with other seeds: how often they fail, with and without a fault."""

import itertools
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from proof.forms.case import Case, bonferroni
from proof.forms.judges import Floats

LEVELS = 0.05, 0.01
"""P values below which repetitions are counted, since alarms are too rare to occur in few tests."""
CHANCE = 1e-3
"""Greatest probability that a campaign complains although all tests have their stated rates."""


@dataclass(frozen=True, slots=True)
class Repetitions:
    """Repetitions of one test with other seeds, each with its P value.

    `pooled` has the observations of all runs. `caught` has, by size of the fault, the number of
    repetitions that failed, and of all with this fault.
    """

    case: Case
    p_values: Floats
    pooled: Floats
    caught: dict[float, tuple[int, int]]

    @property
    def mean(self) -> Floats:
        """Mean of each quantity over all runs."""
        return np.asarray(self.pooled.mean(axis=0))

    def alarms(self, level: float) -> int:
        """Number of repetitions whose P value is below a level."""
        return int((self.p_values < level).sum())

    def as_json(self) -> dict[str, Any]:
        """The repetitions as a JSON object of the stored results."""
        case = self.case
        return {
            "case": case.name,
            "tests": len(self.p_values),
            "alarms": self.alarms(case.alarm),
            **{f"alarms_at_{level:g}": self.alarms(level) for level in LEVELS},
            "runs": len(self.pooled),
            "p_of_all_runs": float(f"{case.p_value(self.pooled):.2g}"),
            "caught": {f"{fault:+g}": f"{n} of {of}" for fault, (n, of) in self.caught.items()},
        }

    def checks(self) -> Iterator[tuple[float, str]]:
        """Possible faults of the test, each with the probability of the counts by chance alone."""
        case, tests = self.case, len(self.p_values)
        name = f"{case.form}, {case.name}"
        for level in (case.alarm, *LEVELS):
            alarms, stated = self.alarms(level), min(1.0, case.excess * level)
            what = f"{name}: {alarms} alarms in {tests} tests, {stated:.2g} of them are stated"
            yield float(stats.binom.sf(alarms - 1, tests, stated)), what
        for fault, (caught, of) in self.caught.items():
            power = case.powers[fault]
            what = f"{name}: {caught} of {of} faults of {fault:+g} noticed, {power:g} are stated"
            yield float(stats.binom.cdf(caught, of, power)), what
        if case.excess == 1:
            p_value = case.p_value(self.pooled)
            what = f"{name}: means over all {len(self.pooled)} runs are not theory's"
            yield p_value, f"{what}, p = {p_value:.2g}"


def complaints(repeated: Sequence[Repetitions]) -> list[str]:
    """Sentences on checks whose P values are below `CHANCE` divided by the number of checks.

    The checks are: a test alarms no more often than stated; it notices a fault with the stated
    power; and the means over all runs agree with theory.
    """
    checks = [check for repetitions in repeated for check in repetitions.checks()]
    return [what for probability, what in checks if probability < CHANCE / len(checks)]


def repeat(case: Case, tests: int, pool: ThreadPoolExecutor) -> Repetitions:
    """Repeats and prints a test with sets of seeds that nothing else uses.

    The test is repeated a fifth as often, but at least ten times, with a fault of each size.
    """
    faulty = max(min(tests, 10), tests // 5)
    numbers = itertools.count(1)

    def found(fault: float) -> Floats:
        number = next(numbers)
        runs = pool.map(lambda run: case.run(number, run, fault), range(case.replications))
        return np.array(list(runs))

    sets = np.array([found(0.0) for _ in range(tests)])
    caught = {
        fault: (sum(case.p_value(found(fault)) < case.alarm for _ in range(faulty)), faulty)
        for fault in case.powers
    }
    p_values = bonferroni(case.p_values(case.means(sets)))
    repeated = Repetitions(case, p_values, np.concatenate(sets), caught)
    print(case.form, json.dumps(repeated.as_json()), flush=True)
    return repeated
