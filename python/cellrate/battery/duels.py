"""Duels: two schemes in one experiment by one measure, over the same seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.stats import false_discovery_control

from cellrate.battery.measures import JUDGED, Measure
from cellrate.battery.run_record import Record
from cellrate.studies.compare.contrast import Contrast, Interval, contrast

Verdict: TypeAlias = Literal["better", "worse", "alike"]
Floats: TypeAlias = npt.NDArray[np.float64]

RATE = 0.05
"""Greatest expected share of the real differences that are due to chance."""


@dataclass(frozen=True)
class Duel:
    """A scheme against another one.

    Attributes:
        scheme: The scheme.
        opponent: The other one.
        experiment: Name of the experiment.
        measure: The measure.
        mean: Mean of the scheme over the seeds; infinite if a settling time never comes with any
            seed, NaN if its runs failed.
        opponent_mean: Mean of the other one.
        difference: Mean of the scheme less that of the other one, with its test; None if a run of
            either failed.
        interval: Interval of the difference, corrected for all that are called real; None without
            a spread.
        verdict: "better" or "worse" if the difference is real and matters.
    """

    scheme: str
    opponent: str
    experiment: str
    measure: Measure
    mean: float
    opponent_mean: float
    difference: Contrast | None
    interval: Interval | None = None
    verdict: Verdict = "alike"


class Values:
    """The values of all schemes by experiment and measure, in the order of the seeds."""

    def __init__(self, records: Sequence[Record], horizons: Mapping[str, float]) -> None:
        """Sorts the records.

        Args:
            records: The runs.
            horizons: Time that is watched after the last start, in seconds, by experiment; a
                settling time that never comes counts as this.
        """
        self._horizons = horizons
        self._records: dict[tuple[str, str], list[Record]] = {}
        for one in sorted(records, key=lambda one: one.seed):
            self._records.setdefault((one.scheme, one.experiment), []).append(one)

    def records(self, scheme: str, experiment: str) -> list[Record]:
        """The runs of a scheme in an experiment."""
        return self._records.get((scheme, experiment), [])

    def failed(self, scheme: str, experiment: str) -> bool:
        """True if a run of the scheme failed there."""
        return any(one.error for one in self.records(scheme, experiment))

    def of(self, scheme: str, experiment: str, measure: Measure) -> Floats | None:
        """Values with all seeds; None if the experiment has no such value, or a run failed."""
        found = [one.values.get(measure.name) for one in self.records(scheme, experiment)]
        if not found or any(one is None for one in found):
            return None
        values = np.array(found, dtype=np.float64)
        return np.where(np.isinf(values), self._horizons[experiment], values)

    def mean(self, scheme: str, experiment: str, measure: Measure) -> float:
        """Mean over the seeds; NaN if a run failed, infinite if nothing ever settles."""
        found = [one.values.get(measure.name) for one in self.records(scheme, experiment)]
        if found and all(one == math.inf for one in found):
            return math.inf
        values = self.of(scheme, experiment, measure)
        return math.nan if values is None else float(values.mean())

    def is_measured(self, experiment: str, measure: Measure, schemes: Sequence[str]) -> bool:
        """True if a scheme has the measure in the experiment."""
        return any(self.of(one, experiment, measure) is not None for one in schemes)


def duels(
    scheme: str, opponents: Sequence[str], experiments: Sequence[str], values: Values
) -> list[Duel]:
    """A scheme against each opponent, in each experiment, by each measure that is judged.

    Runs of the same seed are pairs. Of the differences that are called real at most a share of
    `RATE` is expected to be due to chance, however they depend on one another (Benjamini and
    Yekutieli 2001); their intervals are corrected alike (Benjamini and Yekutieli 2005). A scheme
    whose run fails loses each duel of that experiment.
    """
    found = [
        _met(scheme, other, experiment, measure, values)
        for experiment in experiments
        for measure in JUDGED
        if values.is_measured(experiment, measure, [scheme, *opponents])
        for other in opponents
    ]
    tested = [at for at, one in enumerate(found) if _p_value(one) is not None]
    p_values = [_p_value(found[at]) or 0.0 for at in tested]
    adjusted = false_discovery_control(p_values, method="by").tolist() if tested else []
    real = {at for at, p in zip(tested, adjusted, strict=True) if p <= RATE}
    level = _level(len(real), len(tested))
    return [_judged(one, at in real, level) for at, one in enumerate(found)]


def _met(scheme: str, other: str, experiment: str, measure: Measure, values: Values) -> Duel:
    first = values.of(other, experiment, measure)
    second = values.of(scheme, experiment, measure)
    return Duel(
        scheme,
        other,
        experiment,
        measure,
        values.mean(scheme, experiment, measure),
        values.mean(other, experiment, measure),
        None if first is None or second is None else contrast(first, second, paired=True),
        verdict=_by_failure(values, scheme, other, experiment),
    )


def _by_failure(values: Values, scheme: str, other: str, experiment: str) -> Verdict:
    own, others = values.failed(scheme, experiment), values.failed(other, experiment)
    if own == others:
        return "alike"
    return "worse" if own else "better"


def _p_value(one: Duel) -> float | None:
    return None if one.difference is None else one.difference.p_value


def _level(real: int, tests: int) -> float:
    """Level of the intervals of the real differences among so many tests."""
    harmonic = sum(1.0 / number for number in range(1, tests + 1))
    return 1.0 - max(real, 1) * RATE / (max(tests, 1) * max(harmonic, 1.0))


def _judged(one: Duel, is_real: bool, level: float) -> Duel:
    if one.difference is None:
        return one
    interval = one.difference.interval(level)
    first, second = one.difference.first.mean(), one.difference.second.mean()
    if not is_real or not one.measure.matters(float(first), float(second)):
        return replace(one, interval=interval)
    more = one.difference.difference > 0.0
    better: Verdict = "better" if more == (one.measure.better == "more") else "worse"
    return replace(one, interval=interval, verdict=better)
