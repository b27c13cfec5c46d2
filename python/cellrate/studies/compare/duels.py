"""Duels of control schemes, and scores of the schemes.

A duel compares two schemes in one experiment and one measure, with equal seeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.stats import false_discovery_control

from cellrate.language.measured import Better
from cellrate.studies.compare.contrast import Contrast, Interval, contrast

Verdict: TypeAlias = Literal["better", "worse", "alike"]
Floats: TypeAlias = npt.NDArray[np.float64]

RATE = 0.05
"""Greatest expected share, among the differences that are called real, of those due to chance."""
POINTS = {"better": 1.0, "alike": 0.5, "worse": 0.0}
"""Points for each outcome of a duel (a comparison of two schemes in one measure)."""


@dataclass(frozen=True)
class Measure:
    """A measure of a run, with the least difference that matters and the texts of reports.

    Attributes:
        name: Name of the measure, with its unit, which is also the column of tables.
        title: Name of the measure in reports.
        unit: Unit of the measure in reports; empty for shares.
        better: Whether more or less is better.
        apart: Greatest difference that does not matter, in the unit of the measure.
        ratio: Differences up to this share of the smaller value do not matter either.
        about: Definition of the measure.
        head: Heading of the measure's column in a table of means.
        rank_head: Heading of the measure's column in a ranking.
        short: Name of the measure in a picture.
        hint: Advice that usually helps a scheme that loses by this measure.
        trace: Trace that shows the measure over time.
        judged: True if schemes are compared by this measure; reports only show the others.
    """

    name: str
    title: str
    unit: str
    better: Better
    apart: float
    ratio: float
    about: str
    head: str = ""
    rank_head: str = ""
    short: str = ""
    hint: str = ""
    trace: str = ""
    judged: bool = True

    def matters(self, first: float, second: float) -> bool:
        """True if two values differ by more than `apart` and `ratio` allow."""
        near = max(self.apart, self.ratio * min(abs(first), abs(second)))
        return abs(first - second) > near


@dataclass(frozen=True)
class Record:
    """A run of a control scheme in an experiment, with its measures.

    Attributes:
        scheme: Name of the scheme.
        experiment: Name of the experiment.
        seed: The seed.
        digest: Hash of all events of the run; empty if it failed.
        values: The measures; None where the experiment has no such value, and in a run that failed.
        error: Error message of a run that failed; empty otherwise.
    """

    scheme: str
    experiment: str
    seed: int
    digest: str
    values: Mapping[str, float | None]
    error: str = ""


@dataclass(frozen=True)
class Duel:
    """Comparison of a scheme with another scheme in one experiment and one measure.

    Attributes:
        scheme: The scheme.
        opponent: The other scheme.
        experiment: Name of the experiment.
        measure: The measure.
        mean: Mean of the scheme over the seeds; infinite if no run of any seed settles, NaN if a
            run failed.
        opponent_mean: Mean of the opponent over the seeds.
        difference: Mean of the scheme minus mean of the opponent, with its test; None if a run of
            either failed.
        interval: Interval of the difference, corrected for the number of real differences; None
            without a spread.
        verdict: "better" or "worse" for the scheme if the difference is real (not due to chance)
            and matters (see `Measure.matters`); otherwise "alike".
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
    """The values of all schemes by experiment and measure, in the order of the seeds.

    Args:
        records: The runs.
        horizons: Measured time after the last start of a flow, in seconds, by experiment. This time
            counts as the settling time of a run that never settles.
    """

    def __init__(self, records: Sequence[Record], horizons: Mapping[str, float]) -> None:
        self._horizons = horizons
        self._found: dict[tuple[str, str, str], tuple[Floats | None, float]] = {}
        self._records: dict[tuple[str, str], list[Record]] = {}
        for record in sorted(records, key=lambda record: record.seed):
            self._records.setdefault((record.scheme, record.experiment), []).append(record)

    def failed(self, scheme: str, experiment: str) -> bool:
        """True if a run of the scheme failed in the experiment."""
        return any(record.error for record in self._records.get((scheme, experiment), ()))

    def of(self, scheme: str, experiment: str, measure: Measure) -> Floats | None:
        """Values with all seeds; None if the experiment has no such value, or a run failed."""
        return self._with_mean(scheme, experiment, measure)[0]

    def mean(self, scheme: str, experiment: str, measure: Measure) -> float:
        """Mean over the seeds; NaN if a run failed, infinite if no run settles."""
        return self._with_mean(scheme, experiment, measure)[1]

    def _with_mean(
        self, scheme: str, experiment: str, measure: Measure
    ) -> tuple[Floats | None, float]:
        """Values as of `of`, and their mean as of `mean`; computed once for all opponents."""
        place = (scheme, experiment, measure.name)
        if place not in self._found:
            records = self._records.get((scheme, experiment), ())
            known = [record.values.get(measure.name) for record in records]
            if not known or None in known:
                self._found[place] = None, math.nan
            else:
                values = np.array(known, dtype=np.float64)
                never = np.isinf(values)
                values = np.where(never, self._horizons[experiment], values)
                self._found[place] = values, math.inf if never.all() else float(values.mean())
        return self._found[place]


def duels(
    scheme: str,
    opponents: Sequence[str],
    experiments: Sequence[str],
    measures: Sequence[Measure],
    values: Values,
) -> list[Duel]:
    """Duels of a scheme with each opponent, in each experiment, by each measure.

    Runs of the same seed are pairs. Of the differences called real at most a share of `RATE` is
    expected to be due to chance, for any dependence between them (Benjamini and Yekutieli 2001).
    The intervals are corrected accordingly (Benjamini and Yekutieli 2005). A scheme whose run fails
    loses each duel of that experiment.
    """
    found = [
        _met(scheme, other, experiment, measure, values)
        for experiment in experiments
        for measure in measures
        if any(values.of(one, experiment, measure) is not None for one in (scheme, *opponents))
        for other in opponents
    ]
    p_values = {
        at: duel.difference.p_value
        for at, duel in enumerate(found)
        if duel.difference is not None and duel.difference.p_value is not None
    }
    tests = len(p_values)
    adjusted: Iterable[float] = ()
    if p_values:
        adjusted = false_discovery_control(list(p_values.values()), method="by").tolist()
    real = {at for at, p in zip(p_values, adjusted, strict=True) if p <= RATE}
    harmonic = sum(1.0 / number for number in range(1, tests + 1))
    level = 1.0 - max(len(real), 1) * RATE / (max(tests, 1) * max(harmonic, 1.0))
    return [_judged(duel, at in real, level) for at, duel in enumerate(found)]


def _met(scheme: str, other: str, experiment: str, measure: Measure, values: Values) -> Duel:
    first = values.of(other, experiment, measure)
    second = values.of(scheme, experiment, measure)
    own_failed, other_failed = (values.failed(one, experiment) for one in (scheme, other))
    verdict: Verdict = "worse" if own_failed else "better"
    return Duel(
        scheme,
        other,
        experiment,
        measure,
        values.mean(scheme, experiment, measure),
        values.mean(other, experiment, measure),
        None if first is None or second is None else contrast(first, second, paired=True),
        verdict=verdict if own_failed != other_failed else "alike",
    )


def _judged(duel: Duel, is_real: bool, level: float) -> Duel:
    found = duel.difference
    if found is None:
        return duel
    duel = replace(duel, interval=found.interval(level))
    if not is_real or not duel.measure.matters(
        float(found.first.mean()), float(found.second.mean())
    ):
        return duel
    more = found.difference > 0.0
    return replace(duel, verdict="better" if more == (duel.measure.better == "more") else "worse")


@dataclass(frozen=True)
class Standing:
    """Scores of a scheme from its duels with all others.

    Attributes:
        scheme: The scheme.
        score: Mean of the scheme's scores by measure: 1 if it wins every duel, 0 if it loses every
            duel.
        error: Standard error of the score over experiments (jackknife), as if the experiments were
            drawn at random from many experiments of this kind.
        by_measure: Score by the name of each measure: share of duels won, as mean over the
            opponents and then over the experiments. A duel without a winner counts half.
        by_experiment: Score in each experiment, mean over the measures of the experiment.
    """

    scheme: str
    score: float
    error: float
    by_measure: dict[str, float]
    by_experiment: dict[str, float]


def by_place(found: Iterable[Duel]) -> dict[tuple[str, str], list[Duel]]:
    """Duels by experiment and name of the measure."""
    places: dict[tuple[str, str], list[Duel]] = {}
    for duel in found:
        places.setdefault((duel.experiment, duel.measure.name), []).append(duel)
    return places


def points(found: Iterable[Duel]) -> float:
    """Share of duels won; a duel without a winner counts half."""
    return fmean(POINTS[duel.verdict] for duel in found)


def standing(scheme: str, found: Sequence[Duel], measures: Sequence[Measure]) -> Standing:
    """Scores of a scheme from its duels by some measures."""
    places = {place: points(own) for place, own in by_place(found).items()}
    experiments = list(dict.fromkeys(experiment for experiment, _ in places))

    def score(measure: str, left_out: str = "") -> list[float]:
        return [
            value
            for (place, name), value in places.items()
            if name == measure and place != left_out
        ]

    def total(left_out: str = "") -> float:
        """Mean over the measures of the mean over the experiments without `left_out`."""
        scores = [score(measure.name, left_out) for measure in measures]
        means = [fmean(values) for values in scores if values]
        return fmean(means) if means else math.nan

    return Standing(
        scheme,
        total(),
        _jackknife([total(experiment) for experiment in experiments]),
        {measure.name: fmean(own) for measure in measures if (own := score(measure.name))},
        {
            experiment: fmean(value for (place, _), value in places.items() if place == experiment)
            for experiment in experiments
        },
    )


def _jackknife(scores: Sequence[float]) -> float:
    """Standard error from scores of which each leaves one experiment out (jackknife)."""
    known = [score for score in scores if not math.isnan(score)]
    if len(known) < 2:
        return math.nan
    mean = fmean(known)
    return math.sqrt((len(known) - 1) / len(known) * sum((score - mean) ** 2 for score in known))
