"""Standings: the share of its duels that a scheme wins, by measure and in all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from cellrate.battery.duels import Duel
from cellrate.battery.measures import JUDGED

POINTS = {"better": 1.0, "alike": 0.5, "worse": 0.0}
"""Points of a duel."""


@dataclass(frozen=True)
class Standing:
    """The standing of a scheme among all others.

    Attributes:
        scheme: The scheme.
        score: Mean of its scores by measure: 1 if it wins every duel, 0 if none, 0.5 if it is like
            the others.
        error: Standard error of the score, if the experiments were a draw from many like them
            (jackknife over the experiments).
        by_measure: Score by the name of each measure: mean over the experiments of the mean over
            the opponents of the points of a duel, where one that nobody wins has half a point.
        by_experiment: Score in each experiment, mean over the measures that it has.
    """

    scheme: str
    score: float
    error: float
    by_measure: dict[str, float]
    by_experiment: dict[str, float]


def standing(scheme: str, found: Sequence[Duel]) -> Standing:
    """The standing of a scheme from its duels."""
    points: dict[str, dict[str, list[float]]] = {}
    for one in found:
        of_measure = points.setdefault(one.measure.name, {})
        of_measure.setdefault(one.experiment, []).append(POINTS[one.verdict])
    means = {
        name: {experiment: fmean(own) for experiment, own in of_measure.items()}
        for name, of_measure in points.items()
    }
    experiments = list(dict.fromkeys(one.experiment for one in found))
    return Standing(
        scheme,
        _score(means, ()),
        _jackknife([_score(means, (left_out,)) for left_out in experiments]),
        {
            name: fmean(means[name].values())
            for name in (one.name for one in JUDGED)
            if name in means
        },
        {
            experiment: fmean(own[experiment] for own in means.values() if experiment in own)
            for experiment in experiments
        },
    )


def ranked(found: Iterable[Standing]) -> tuple[Standing, ...]:
    """Standings, the best first; equal ones by name."""
    return tuple(sorted(found, key=lambda one: (-one.score, one.scheme)))


def _score(means: dict[str, dict[str, float]], left_out: Sequence[str]) -> float:
    """Mean over the measures of the mean over the experiments, without those left out."""
    found = []
    for of_measure in means.values():
        kept = [value for experiment, value in of_measure.items() if experiment not in left_out]
        if kept:
            found.append(fmean(kept))
    return fmean(found) if found else math.nan


def _jackknife(scores: Sequence[float]) -> float:
    """Standard error from scores that each leave one experiment out."""
    known = [one for one in scores if not math.isnan(one)]
    if len(known) < 2:
        return math.nan
    mean = fmean(known)
    return math.sqrt((len(known) - 1) / len(known) * sum((one - mean) ** 2 for one in known))
