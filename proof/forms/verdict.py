"""Errors that the repetitions of the tests reveal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scipy import stats

from proof.forms.calibration import Seen

CHANCE = 1e-3
"""Probability at most that a campaign complains though all its tests are as they say."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that may be wrong.

    Attributes:
        what: In words.
        probability: Of its being as bad as it is, or worse, were it right.
    """

    what: str
    probability: float


def complaints(seen: Sequence[Seen]) -> list[str]:
    """Checks that fail with less probability than their share of all chance that is allowed.

    A test may alarm, with the simulator and with draws from its model, as often as it says it does;
    it notices a fault with the power that it says it has; and all runs together are as theory says.

    Args:
        seen: The repetitions of each test.
    """
    checks = [check for one in seen for check in _checks(one)]
    return [check.what for check in checks if check.probability < CHANCE / len(checks)]


def _checks(seen: Seen) -> Iterator[Check]:
    case = seen.case
    name = f"{case.form}, {case.name}"
    for level in seen.levels:
        stated = min(1.0, case.excess * level)
        for who, outcomes in ("simulator", seen.p_values), ("model", seen.drawn):
            alarms = int((outcomes < level).sum())
            what = f"{name}: {alarms} alarms in {len(outcomes)} tests of the {who}, {stated:.2g} of"
            yield Check(f"{what} them are stated", _as_many(alarms, len(outcomes), stated))
    for fault, (caught, of) in seen.caught.items():
        power = case.powers[fault]
        what = (
            f"{name}: {caught} of {of} faults of {fault:+g} noticed, {power:g} of them are stated"
        )
        yield Check(what, float(stats.binom.cdf(caught, of, power)))
    if case.excess == 1:
        what = f"{name}: the means over all {len(seen.pooled)} runs are not those of theory"
        yield Check(f"{what}, p = {seen.p_of_all:.2g}", seen.p_of_all)


def _as_many(alarms: int, tests: int, rate: float) -> float:
    return float(stats.binom.sf(alarms - 1, tests, rate))
