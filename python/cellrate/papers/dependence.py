"""Dependence of a result on open parameters, from joint readings (random sets of their values).

The measure is omega squared of a one-way analysis of variance (Hays 1963): the share of the
variance of a result (1 if met, 0 if not) that one parameter explains. Unlike the ratio of variances
the share does not grow with the number of values. A parameter is named only if it explains more
than the best parameter in 95 % of 400 random orders of the results.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cellrate.papers.paper import READINGS_NEEDED, Paper, ReadingAxis, Subject

ORDERS = 400
CHANCE = 95.0
"""Percentile of the values in random orders that a parameter must exceed."""
MOST_NAMED = 2

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Dependence:
    """An open parameter on which a result depends."""

    axis: ReadingAxis
    share: float
    """Share of the variance that the parameter explains (omega squared)."""
    by_value: tuple[tuple[int, int], ...]
    """For each value of the parameter, two numbers of joint readings (sets of values of all open
    parameters) with this value: of those that meet the result, and of all.
    """

    def sentence(self) -> str:
        """A sentence on the values of the parameter that meet the result most and least often."""
        named = zip(self.by_value, self.axis.labels, strict=True)
        tried = [(met / of, met, of, name) for (met, of), name in named if of]
        best, worst = max(tried), min(tried)
        return (
            f"{self.axis.assumption} explains {self.share:.0%} of it: met in {best[1]} of "
            f"{best[2]} readings with “{best[3]}”, in {worst[1]} of {worst[2]} with “{worst[3]}”."
        )


@dataclass(frozen=True)
class AcrossReadings:
    """The joint readings (sets of values) that meet one result, and parameters that decide it."""

    met: tuple[bool, ...] = ()
    """For each joint reading (a set of values of all open parameters) True if the result is met or
    holds; empty without joint readings."""
    depends_on: tuple[Dependence, ...] = ()
    """Parameters that the result depends on most.

    Empty unless the result is missed or fragile.
    """

    @property
    def is_fragile(self) -> bool:
        """True if less than half of the joint readings give the printed result, and 64 were run."""
        return self._enough and 2 * sum(self.met) < len(self.met)

    @property
    def is_robust(self) -> bool:
        """True if at least half of the joint readings give the printed result, and 64 were run."""
        return self._enough and not self.is_fragile

    @property
    def _enough(self) -> bool:
        return len(self.met) >= READINGS_NEEDED

    def __str__(self) -> str:
        """Text on the joint readings that meet the result, as `41 of 64`; empty without any."""
        return f"{sum(self.met)} of {len(self.met)}" if self.met else ""


NO_READINGS = AcrossReadings()


def across_readings(paper: Paper, subject: Subject, *, stands: bool) -> AcrossReadings:
    """The joint readings of a paper that meet a result, and parameters that decide the result.

    Args:
        paper: The paper.
        subject: The result.
        stands: True for a result that is met as assumed. Parameters that decide such a result are
            computed only if it is fragile (met in less than half of the joint readings).
    """
    found = AcrossReadings(paper.readings.met(subject.experiment, subject.name))
    if stands and not found.is_fragile:
        return found
    return replace(found, depends_on=dependences(paper, subject))


def dependences(paper: Paper, subject: Subject) -> tuple[Dependence, ...]:
    """The one or two open parameters on which a result depends most; none if chance explains it.

    Only open parameters of the experiment, or of experiments whose runs it uses, are tried.
    """
    met = paper.readings.met(subject.experiment, subject.name)
    if not 0 < sum(met) < len(met):
        return ()
    experiments = (subject.experiment, *subject.uses)
    listed = {a.id for name in experiments for a in paper.experiment(name).assumptions}
    axes = [
        (axis, np.array([reading.values[number] for reading in paper.readings.readings]))
        for number, axis in enumerate(paper.readings.axes)
        if axis.assumption in listed
    ]
    result = np.array(met, dtype=float)
    orders = _orders(len(met))
    found = [(float(omega_squared(values, result[:, None])[0]), a, values) for a, values in axes]
    chance = np.max([omega_squared(values, result[orders]) for _, values in axes], axis=0)
    bound = float(np.percentile(chance, CHANCE))
    found.sort(key=lambda each: -each[0])
    return tuple(
        Dependence(axis, share, _by_value(axis, values, met))
        for share, axis, values in found[:MOST_NAMED]
        if share > bound
    )


@lru_cache
def _orders(readings: int) -> npt.NDArray[np.int64]:
    """Random orders of the joint readings, one per column, fixed for each number of these."""
    random = np.random.default_rng(1)
    return np.stack([random.permutation(readings) for _ in range(ORDERS)], axis=1)


def omega_squared(values: npt.NDArray[np.int64], results: Floats) -> Floats:
    """Share of the variance of each column of results that the groups of values explain.

    Args:
        values: Index of the parameter's value in each joint reading; shape (readings,).
        results: 0 or 1 for each reading; shape (readings, columns). No column is constant.

    Returns:
        Omega squared of each column; below 0 if the groups explain less than chance would.
    """
    groups = np.unique(values)
    member = (values[None, :] == groups[:, None]).astype(float)
    sizes = member.sum(axis=1)
    number, mean = len(values), results.mean(axis=0)
    total = ((results - mean) ** 2).sum(axis=0)
    between = ((member @ results) ** 2 / sizes[:, None]).sum(axis=0) - number * mean**2
    within = (total - between) / max(number - len(groups), 1)
    share: Floats = (between - (len(groups) - 1) * within) / (total + within)
    return share


def _by_value(
    axis: ReadingAxis, values: npt.NDArray[np.int64], met: tuple[bool, ...]
) -> tuple[tuple[int, int], ...]:
    counts = []
    for value in range(len(axis.labels)):
        chosen = [one for one, at in zip(met, values, strict=True) if at == value]
        counts.append((sum(chosen), len(chosen)))
    return tuple(counts)
