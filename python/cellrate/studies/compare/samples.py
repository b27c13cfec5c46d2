"""Groups a table of runs by point and alternative, and matches runs of equal seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from cellrate.common.problems import BadInput
from cellrate.studies.compare.answer import Value

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Point: TypeAlias = tuple[Value, ...]
"""Values of all factors but the compared one."""


@dataclass(frozen=True)
class Sample:
    """Runs of one alternative at one point, in the order of their seeds.

    Attributes:
        seeds: Seeds of the runs.
        values: Values by measure; NaN where a run has none, for instance because it failed.
        deterministic: True if there are at least two seeds and all gave the same run.
    """

    seeds: Integers
    values: Mapping[str, Floats]
    deterministic: bool


Samples: TypeAlias = dict[Point, dict[Value, Sample]]


@dataclass(frozen=True)
class Matched:
    """Values of two samples that can be compared.

    Attributes:
        first: Values of the first sample.
        second: Values of the second sample.
        paired: True if the values are pairs of the same seed.
        left_out: Number of runs of both that have no value or no partner.
    """

    first: Floats
    second: Floats
    paired: bool
    left_out: int


def samples(
    runs: pl.DataFrame, factor: str, where: Sequence[str], measures: Sequence[str]
) -> Samples:
    """Groups the runs by point and alternative.

    Raises:
        BadInput: Two runs agree in seed, alternative and point.
    """
    found: Samples = {}
    keys = [*where, factor]
    for key, part in runs.partition_by(keys, as_dict=True, maintain_order=True).items():
        *point, alternative = key
        found.setdefault(tuple(point), {})[alternative] = _sample(part, key, keys, measures)
    return found


def _sample(part: pl.DataFrame, key: Point, keys: Sequence[str], measures: Sequence[str]) -> Sample:
    part = part.sort("seed")
    seeds = part["seed"].to_numpy()
    if (np.diff(seeds) == 0).any():
        place = ", ".join(f"{name} = {value}" for name, value in zip(keys, key, strict=True))
        raise BadInput(f"several runs with the same seed have {place}: name all factors that vary")
    values = {
        name: part[name].cast(pl.Float64).fill_null(float("nan")).to_numpy() for name in measures
    }
    digests = part["digest"].drop_nulls() if "digest" in part.columns else pl.Series([])
    same = len(digests) >= 2 and digests.n_unique() == 1
    return Sample(seeds, values, same)


def averaged(found: Samples) -> Samples:
    """Averages over all points, seed by seed; the result has one point without coordinates.

    Points that lack an alternative do not count, nor do seeds that are missing at a point.

    Raises:
        BadInput: No point is common to all alternatives, or the points have no seed in common, so
            that their mean has no seeds.
    """
    alternatives = {one: None for point in found.values() for one in point}
    whole = [point for point in found.values() if len(point) == len(alternatives)]
    if not whole:
        raise BadInput("there is nothing to average: no point has runs of every alternative")
    return {(): {one: _mean([point[one] for point in whole]) for one in alternatives}}


def _mean(parts: Sequence[Sample]) -> Sample:
    seeds = parts[0].seeds
    for part in parts[1:]:
        seeds = np.intersect1d(seeds, part.seeds)
    if not len(seeds):
        raise BadInput("the mean over points needs the same seeds at all of them")
    values = {
        name: np.mean([part.values[name][np.isin(part.seeds, seeds)] for part in parts], axis=0)
        for name in parts[0].values
    }
    return Sample(seeds, values, all(part.deterministic for part in parts))


def matched(first: Sample, second: Sample, measure: str) -> Matched:
    """Returns pairs of the same seed, or all values if too few seeds are common.

    Runs are paired if at least half of the seeds of the smaller sample are common to both. With
    fewer pairs the confidence interval would be wider than that of independent samples.
    """
    a, b = _finite(first, measure), _finite(second, measure)
    runs = len(first.seeds) + len(second.seeds)
    common = sorted(a.keys() & b.keys())
    paired = bool(common) and 2 * len(common) >= min(len(a), len(b))
    left, right = (common, common) if paired else (list(a), list(b))
    return Matched(
        np.array([a[seed] for seed in left]),
        np.array([b[seed] for seed in right]),
        paired,
        runs - len(left) - len(right),
    )


def _finite(sample: Sample, measure: str) -> dict[int, float]:
    values = sample.values[measure]
    return {
        int(seed): float(value)
        for seed, value in zip(sample.seeds, values, strict=True)
        if np.isfinite(value)
    }
