"""A comparison as one JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cellrate.common.numbers import finite_or_none
from cellrate.studies.compare import sentences
from cellrate.studies.compare.answer import Comparison, Pair, Ranking


def as_json(comparison: Comparison, units: Mapping[str, str]) -> dict[str, Any]:
    """The output of `cellrate compare --json`; null where a value is missing."""
    return {
        "factor": comparison.factor,
        "alternatives": list(comparison.alternatives),
        "baseline": comparison.baseline,
        "level": comparison.level,
        "averaged_over": list(comparison.averaged),
        "tests": comparison.tests,
        "correction": "Bonferroni",
        "unmatched_points": comparison.unmatched,
        "measures": [
            {"name": one, "unit": units.get(one, ""), "better": comparison.better.get(one)}
            for one in comparison.measures
        ],
        "measures_without_values": list(comparison.without_values),
        "rankings": [_ranking(one) for one in comparison.rankings],
        "differences": [_pair(pair) for pair in comparison.pairs],
        "words": sentences.summary(comparison),
    }


def _ranking(one: Ranking) -> dict[str, Any]:
    return {
        "measure": one.measure,
        "where": dict(one.where),
        "better": one.better,
        "places": [
            {"alternative": place.alternative, "mean": place.mean, "letters": place.letters}
            for place in one.places
        ],
    }


def _pair(pair: Pair) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "measure": pair.measure,
        "where": dict(pair.where),
        "first": pair.first,
        "second": pair.second,
        "runs_left_out": pair.left_out,
        "real": pair.real,
        "verdict": sentences.verdict(pair),
        "seeds_to_decide": pair.seeds_to_decide,
        "too_few_seeds_least": pair.too_few_seeds,
    }
    found = pair.contrast
    if found is None:
        return entry
    ratio = pair.ratio
    return entry | {
        "runs": [len(found.first), len(found.second)],
        "paired": found.paired,
        "test": found.test,
        "means": [float(found.first.mean()), float(found.second.mean())],
        "difference": found.difference,
        "standard_error": found.standard_error,
        "interval": pair.interval,
        "simultaneous_interval": pair.simultaneous,
        "p_value": found.p_value,
        "adjusted_p_value": pair.adjusted_p,
        "ratio": None if ratio is None else ratio.value,
        "ratio_interval": None if ratio is None or ratio.low is None else [ratio.low, ratio.high],
        "runs_saved_by_pairs": finite_or_none(found.gain),
    }
