"""Compares the values of one factor over a table of runs, and ranks them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from string import ascii_lowercase
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from cellrate.common.problems import BadInput, choose
from cellrate.language.ended_flows import FILES
from cellrate.language.measured import Better
from cellrate.studies.compare.answer import (
    EMPTY,
    Comparison,
    Pair,
    Place,
    Ranking,
    UnfinishedTransfers,
    Value,
    WithoutValue,
)
from cellrate.studies.compare.contrast import (
    adjusted,
    contrast,
    least_seeds,
    seeds_to_decide,
    simultaneous_level,
)

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Booleans: TypeAlias = npt.NDArray[np.bool_]
Point: TypeAlias = tuple[Value, ...]
"""Values of all factors but the compared one."""


@dataclass(frozen=True)
class Sample:
    """Runs of one alternative at one point, in the order of their seeds.

    Attributes:
        seeds: Seeds of the runs.
        values: Values by measure; NaN for a run without a value, such as a failed run.
        deterministic: True if at least two seeds were run and all runs have the same digest.
        files: Number of file transfers that do not end in each run; NaN for failed runs.
        failed: True for each run that failed.
        empty: True for each run in which a flow delivers nothing in the measuring window.
    """

    seeds: Integers
    values: Mapping[str, Floats]
    deterministic: bool
    files: Floats
    failed: Booleans
    empty: Booleans

    def unfinished(self, measure: str) -> bool:
        """True if a run with unfinished file transfers has no value of a measure of ended flows."""
        return bool((np.isnan(self.values[measure]) & (self.files > 0)).any())


Samples: TypeAlias = dict[Point, dict[Value, Sample]]


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
    values = {name: _floats(part[name]) for name in measures}
    files = _floats(part[FILES]) if FILES in part.columns else np.zeros(len(part))
    digests = part["digest"].drop_nulls() if "digest" in part.columns else pl.Series([])
    same = len(digests) >= 2 and digests.n_unique() == 1
    failed, empty = _flags(part, "status", "failed"), _flags(part, "warnings", EMPTY)
    return Sample(seeds, values, same, files, failed, empty)


def _flags(part: pl.DataFrame, column: str, word: str) -> Booleans:
    """True for each run whose column has the word among words with commas between them."""
    if column not in part.columns:
        return np.zeros(len(part), dtype=np.bool_)
    words = part[column].cast(pl.String).fill_null("").str.split(",")
    return np.asarray(words.list.contains(word).to_numpy(), dtype=np.bool_)


def _floats(column: pl.Series) -> Floats:
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def averaged(found: Samples) -> Samples:
    """Averages over all points, seed by seed; the result has one point without coordinates.

    Points without a run of some alternative are left out, and so are seeds that a point lacks.

    Raises:
        BadInput: No point has runs of all alternatives, or the points have no seed in common.
    """
    alternatives = {one: None for point in found.values() for one in point}
    whole = [point for point in found.values() if len(point) == len(alternatives)]
    if not whole:
        raise BadInput("there is nothing to average: no point has runs of every alternative")
    return {(): {one: _mean_sample([point[one] for point in whole]) for one in alternatives}}


def _mean_sample(parts: Sequence[Sample]) -> Sample:
    seeds = parts[0].seeds
    for part in parts[1:]:
        seeds = np.intersect1d(seeds, part.seeds)
    if not len(seeds):
        raise BadInput("the mean over points needs the same seeds at all points")
    kept = [np.isin(part.seeds, seeds) for part in parts]

    def mean(columns: Iterable[Floats]) -> Floats:
        found = [one[which] for one, which in zip(columns, kept, strict=True)]
        return np.asarray(np.mean(found, axis=0), dtype=np.float64)

    values = {name: mean(part.values[name] for part in parts) for name in parts[0].values}
    exact = all(part.deterministic for part in parts)

    def some(columns: Iterable[Booleans]) -> Booleans:
        found = [one[which] for one, which in zip(columns, kept, strict=True)]
        return np.asarray(np.any(found, axis=0), dtype=np.bool_)

    files = mean(part.files for part in parts)
    failed, empty = some(part.failed for part in parts), some(part.empty for part in parts)
    return Sample(seeds, values, exact, files, failed, empty)


def matched(first: Sample, second: Sample, measure: str) -> tuple[Floats, Floats, bool]:
    """Values of two samples in pairs, and True; all values of both, and False, if not paired.

    Runs are paired by seed if at least half of the seeds of the smaller sample are common to both
    samples. With fewer pairs the confidence interval would be wider than that of independent
    samples.
    """
    a, b = _finite(first, measure), _finite(second, measure)
    common = sorted(a.keys() & b.keys())
    paired = bool(common) and 2 * len(common) >= min(len(a), len(b))
    left, right = (common, common) if paired else (list(a), list(b))
    return np.array([a[seed] for seed in left]), np.array([b[seed] for seed in right]), paired


def _finite(sample: Sample, measure: str) -> dict[int, float]:
    values = sample.values[measure]
    return {
        int(seed): float(value)
        for seed, value in zip(sample.seeds, values, strict=True)
        if np.isfinite(value)
    }


def ranking(
    measure: str,
    where: Mapping[str, Value],
    having: Mapping[Value, Sample],
    pairs: Sequence[Pair],
    better: Better | None,
    *,
    of_ended: bool = False,
) -> Ranking:
    """Ranks the alternatives at one point by their means.

    The best comes first; if `better` is None, the greatest mean comes first. By a measure of ended
    flows, alternatives with unfinished file transfers come last, the fewest transfers first.
    """
    left = {
        one: float(np.nanmean(sample.files))
        for one, sample in having.items()
        if of_ended and sample.unfinished(measure)
    }
    means = {
        one: _mean(sample.values[measure]) for one, sample in having.items() if one not in left
    }
    order = [one for one, mean in means.items() if mean is not None]
    order.sort(key=lambda one: means[one] or 0.0, reverse=better != "less")
    apart = [(one, other) for one in order for other in left]
    order += sorted(left, key=lambda one: left[one])
    real = [(one.first, one.second) for one in pairs if one.real]
    letters = compact_letters(order, [*real, *apart])
    between = {frozenset((one.first, one.second)): one for one in pairs}
    places = []
    for one in order:
        pair = between[frozenset((order[0], one))] if one != order[0] else None
        if pair is not None and pair.second != one:
            pair = pair.reversed()
        values = having[one].values[measure]
        measured = int(np.isfinite(values).sum())
        places.append(Place(one, means.get(one), letters[one], pair, measured, len(values)))
    return Ranking(measure, where, better, tuple(places))


def _mean(values: np.ndarray) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else None


def compact_letters(
    order: Sequence[Value], apart: Iterable[tuple[Value, Value]]
) -> dict[Value, str]:
    """Letters of a compact letter display: two values share a letter if they do not differ.

    The first group has all values. Each pair that differs splits every group that has both values,
    and groups within another group are removed (insert and absorb; Piepho 2004).

    Args:
        order: The values, the best first; the group of the best is a.
        apart: The pairs that differ.

    >>> compact_letters(["x", "y", "z"], [("x", "z")])
    {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    groups: list[frozenset[Value]] = [frozenset(order)]
    for first, second in apart:
        split = [group for group in groups if first in group and second in group]
        parts = [part for group in split for part in (group - {first}, group - {second})]
        found = list(dict.fromkeys([*(one for one in groups if one not in split), *parts]))
        groups = [one for one in found if not any(one < other for other in found)]
    place = {one: at for at, one in enumerate(order)}
    groups.sort(key=lambda group: sorted(place[one] for one in group))
    return {
        one: "".join(_letter(at) for at, group in enumerate(groups) if one in group)
        for one in order
    }


def _letter(at: int) -> str:
    """Letter of the group with a number from 0; after z come a2, b2 and so on."""
    again, letter = divmod(at, len(ascii_lowercase))
    return ascii_lowercase[letter] + (str(again + 1) if again else "")


LEVEL = 0.95


@dataclass(frozen=True)
class Rules:
    """Options of a comparison.

    Attributes:
        factor: Column whose values are the alternatives.
        measures: Columns that are compared.
        where: Columns of the other factors; alternatives are compared at equal values of them.
        baseline: The alternative with which all others are compared; None for all pairs.
        level: Confidence level of all intervals and decisions together.
        averaged: True to compare the mean over the points of the other factors, seed by seed,
            instead of each point.
        better: For each measure whether more or less is better, if known.
        shares: Measures that are shares, from 0 to 1.
        of_ended: Measures that need the end of flows, such as completion times. A run without such
            a value whose `files_unfinished` is above 0 keeps its alternative from having a mean.
    """

    factor: str
    measures: tuple[str, ...]
    where: tuple[str, ...] = ()
    baseline: Value | None = None
    level: float = LEVEL
    averaged: bool = False
    better: Mapping[str, Better] = field(default_factory=dict)
    shares: frozenset[str] = frozenset()
    of_ended: frozenset[str] = frozenset()


def compare(runs: pl.DataFrame, rules: Rules) -> Comparison:
    """Compares alternatives over a table with a row per run.

    Runs of the same seed at the same point are pairs: they use the same random numbers, so their
    differences vary less than the runs themselves. Samples without common seeds are independent.
    Failed runs (`status`) and values that are not finite are left out and counted. If each of two
    alternatives has the same `digest` with all seeds, the difference is exact. A difference is real
    if its simultaneous interval leaves out zero; these intervals
    hold together over all pairs, points and measures (Bonferroni). Without a baseline each measure
    ranks the alternatives at each point.

    Args:
        runs: Columns `seed`, the factors and the measures, and optionally `status`, `digest`,
            `files_unfinished` and `warnings` (codes with commas between them).
        rules: Options of the comparison.

    Raises:
        BadInput: A column is missing, there is only one alternative, the baseline is not an
            alternative, or no two alternatives have a point in common.
    """
    _require_columns(runs, rules)
    runs = _without_failed(runs, rules.measures)
    alternatives = tuple(runs[rules.factor].unique(maintain_order=True).to_list())
    chosen = _chosen(alternatives, rules)
    without_values = tuple(name for name in rules.measures if not _has_values(runs, name, rules))
    measured = tuple(name for name in rules.measures if name not in without_values)
    if not measured:
        raise BadInput(f"no run has a value of {', '.join(without_values)}")
    found = samples(runs, rules.factor, rules.where, measured)
    of_ended = tuple(one for one in measured if one in rules.of_ended)
    unfinished = _unfinished(found, of_ended)
    without_value = _without_value(found, measured, of_ended)
    unmatched = sum(len(point) < len(alternatives) for point in found.values())
    if rules.averaged and rules.where:
        found = averaged(found)
    names = () if rules.averaged else rules.where
    pairs = [
        _pair(measure, dict(zip(names, point, strict=True)), first, second, having, of_ended)
        for measure in measured
        for point, having in found.items()
        for first, second in chosen
        if first in having and second in having
    ]
    if not pairs:
        raise BadInput(_nothing_in_common(found, rules))
    tests = sum(_is_test(one) for one in pairs)
    judged = tuple(_judged(one, rules.level, tests) for one in pairs)
    return Comparison(
        rules.factor,
        alternatives,
        measured,
        rules.baseline,
        rules.level,
        rules.where if rules.averaged else (),
        judged,
        tests,
        unmatched,
        without_values,
        () if rules.baseline is not None else _rankings(found, names, judged, rules),
        {name: rules.better[name] for name in measured if name in rules.better},
        rules.shares,
        unfinished=unfinished,
        of_ended=of_ended,
        without_value=without_value,
    )


def _has_values(runs: pl.DataFrame, measure: str, rules: Rules) -> bool:
    """True if a run has a finite value, or would have one if its file transfers ended."""
    waits = measure in rules.of_ended and FILES in runs.columns and (runs[FILES] > 0).any()
    return bool(waits or runs[measure].cast(pl.Float64).is_finite().any())


def _unfinished(found: Samples, of_ended: Sequence[str]) -> dict[Value, UnfinishedTransfers]:
    """Unfinished file transfers by alternative; empty if no measure lacks a value."""
    left = {}
    for one, parts in _by_alternative(found).items():
        if any(part.unfinished(measure) for part in parts for measure in of_ended):
            files = np.concatenate([part.files for part in parts])
            files = files[np.isfinite(files)]
            left[one] = UnfinishedTransfers(int((files > 0).sum()), len(files), float(files.mean()))
    return left


def _by_alternative(found: Samples) -> dict[Value, list[Sample]]:
    """Samples of all points by alternative."""
    parts: dict[Value, list[Sample]] = {}
    for having in found.values():
        for one, sample in having.items():
            parts.setdefault(one, []).append(sample)
    return parts


def _without_value(
    found: Samples, measures: Sequence[str], of_ended: Sequence[str]
) -> tuple[WithoutValue, ...]:
    """Alternatives some of whose runs have no value of a measure, without unfinished transfers."""
    lacking = []
    for measure in measures:
        for one, parts in _by_alternative(found).items():
            if measure in of_ended and any(part.unfinished(measure) for part in parts):
                continue
            without = np.concatenate([~np.isfinite(part.values[measure]) for part in parts])
            if without.any():
                failed = np.concatenate([part.failed for part in parts]) & without
                empty = np.concatenate([part.empty for part in parts]) & without
                counts = (int(which.sum()) for which in (failed, empty))
                lacking.append(
                    WithoutValue(measure, one, int(without.sum()), len(without), *counts)
                )
    return tuple(lacking)


def _rankings(
    found: Samples, names: Sequence[str], pairs: Sequence[Pair], rules: Rules
) -> tuple[Ranking, ...]:
    """A ranking for each measure and point."""
    by_place: dict[tuple[str, Point], list[Pair]] = {}
    for pair in pairs:
        point = tuple(pair.where[name] for name in names)
        by_place.setdefault((pair.measure, point), []).append(pair)
    return tuple(
        ranking(
            measure,
            one[0].where,
            found[point],
            one,
            rules.better.get(measure),
            of_ended=measure in rules.of_ended,
        )
        for (measure, point), one in by_place.items()
    )


def _without_failed(runs: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
    """Removes the values of failed runs; the runs stay in the table, so that they are counted."""
    if "status" not in runs.columns:
        return runs
    done = pl.col("status") == "done"
    return runs.with_columns(pl.when(done).then(pl.col(name)).alias(name) for name in measures)


def _require_columns(runs: pl.DataFrame, rules: Rules) -> None:
    for name in ("seed", rules.factor, *rules.where):
        choose(name, runs.columns, "column")
    for name in rules.measures:
        choose(name, runs.columns, "measure")
        if not runs[name].dtype.is_numeric() and runs[name].dtype not in {pl.Null, pl.Boolean}:
            raise BadInput(f"{name} cannot be a measure: its values are not numbers")
    if not 0.0 < rules.level < 1.0:
        raise BadInput(f"a level of {rules.level} is not between 0 and 1")


def _chosen(alternatives: Sequence[Value], rules: Rules) -> list[tuple[Value, Value]]:
    """The pairs of alternatives to compare."""
    if len(alternatives) < 2:
        values = f"only the value `{alternatives[0]}`" if alternatives else "no value"
        raise BadInput(f"`{rules.factor}` has {values}: a comparison needs two alternatives")
    if rules.baseline is None:
        return list(combinations(alternatives, 2))
    if rules.baseline not in alternatives:
        choose(
            str(rules.baseline),
            [str(one) for one in alternatives],
            f"alternative of {rules.factor}",
        )
    return [(rules.baseline, one) for one in alternatives if one != rules.baseline]


def _pair(
    measure: str,
    where: dict[str, Value],
    first: Value,
    second: Value,
    having: dict[Value, Sample],
    of_ended: Sequence[str],
) -> Pair:
    one, other = having[first], having[second]
    if measure in of_ended and (one.unfinished(measure) or other.unfinished(measure)):
        runs = len(one.seeds) + len(other.seeds)
        return Pair(measure, where, first, second, None, runs, unfinished=True)
    values, others, paired = matched(one, other, measure)
    left_out = len(one.seeds) + len(other.seeds) - len(values) - len(others)
    difference = None
    if len(values) and len(others):
        exact = one.deterministic and other.deterministic
        difference = contrast(values, others, paired=paired, deterministic=exact)
    return Pair(measure, where, first, second, difference, left_out)


def _is_test(pair: Pair) -> bool:
    """True if the pair has a statistical test; p-values are corrected for the number of tests."""
    found = pair.contrast
    return found is not None and found.p_value is not None and found.test != "exact"


def _judged(pair: Pair, level: float, tests: int) -> Pair:
    """The pair with its intervals, and the verdict whether the difference is real."""
    found = pair.contrast
    if found is None:
        return pair
    wide = simultaneous_level(level, tests)
    p_value = found.p_value
    adjusted_p = adjusted(p_value, tests) if p_value is not None and _is_test(pair) else p_value
    real = None if adjusted_p is None else adjusted_p <= 1.0 - level
    least = least_seeds(wide, paired=found.paired)
    needed = None if real else seeds_to_decide(found, wide)
    if found.test == "permutation" and needed is not None:
        least = needed
    elif needed is not None:
        needed = max(least, needed)
    seeds = min(len(found.first), len(found.second))
    too_few = not real and found.test != "exact" and seeds < least
    return dataclasses.replace(
        pair,
        interval=found.interval(level),
        simultaneous=found.interval(wide),
        adjusted_p=adjusted_p,
        ratio=found.ratio(level),
        reverse_ratio=found.reversed().ratio(level),
        real=real,
        too_few_seeds=least if too_few else None,
        seeds_to_decide=needed,
    )


def _nothing_in_common(found: Samples, rules: Rules) -> str:
    """The error message if no two alternatives have a point in common."""
    where = ", ".join(rules.where) or "the same circumstances"
    examples = []
    for point, having in list(found.items())[:2]:
        values = ", ".join(f"{n} = {v}" for n, v in zip(rules.where, point, strict=True))
        examples.append(f"{' and '.join(map(str, having))} at {values or 'all points'}")
    return (
        f"no two values of {rules.factor} that are compared have a point of {where} in common: "
        f"{'; '.join(examples)}"
    )
