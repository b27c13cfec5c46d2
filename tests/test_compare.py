"""Comparisons over tables of runs: pairing, decisions together, two studies, what is missing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
import pytest
from cellrate import Job, run_many, template
from cellrate.common.document import Section, Table
from cellrate.common.problems import BadInput
from cellrate.studies.compare import Comparison, Rules, StudyRuns, compare, report, side_by_side


def table(
    values: Mapping[str, Sequence[float | None]], *, seeds: Mapping[str, int] | None = None
) -> pl.DataFrame:
    """A row per run: `values` of a measure m by scheme, with seeds from 1 or the given one."""
    rows = [
        {"scheme": scheme, "seed": (seeds or {}).get(scheme, 1) + at, "m": value}
        for scheme, some in values.items()
        for at, value in enumerate(some)
    ]
    return pl.DataFrame(rows, schema={"scheme": pl.String, "seed": pl.Int64, "m": pl.Float64})


def of_m(runs: pl.DataFrame, **more: object) -> Comparison:
    return compare(runs, Rules("scheme", ("m",), **more))  # type: ignore[arg-type]


THREE = {"a": [1.0, 2.0, 3.0], "b": [2.0, 3.1, 4.0], "c": [1.5, 2.1, 3.9]}


def test_all_pairs_or_a_baseline() -> None:
    everything = of_m(table(THREE))
    assert [(one.first, one.second) for one in everything.pairs] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    beside = of_m(table(THREE), baseline="b")
    assert [(one.first, one.second) for one in beside.pairs] == [("b", "a"), ("b", "c")]
    assert (everything.tests, beside.tests) == (3, 2)


def test_decisions_are_made_together() -> None:
    """B is above a by 1, 1.1, 1: p = 0.0010 by itself, 0.0031 among three."""
    [first, *_] = of_m(table(THREE)).pairs
    assert first.contrast is not None
    assert first.contrast.p_value == pytest.approx(0.00103896, abs=1e-8)
    assert first.adjusted_p == pytest.approx(3 * 0.00103896, abs=1e-7)
    assert first.real is True
    assert first.ratio is not None
    assert first.ratio.value == pytest.approx(9.1 / 6.0)
    [strict, *_] = of_m(table(THREE), level=0.999).pairs
    assert strict.real is False
    assert first.interval is not None
    assert first.simultaneous is not None
    assert first.simultaneous[0] < first.interval[0] < first.interval[1] < first.simultaneous[1]


def test_pairs_need_the_same_seeds() -> None:
    [same] = of_m(table({"a": THREE["a"], "b": THREE["b"]})).pairs
    [other] = of_m(table({"a": THREE["a"], "b": THREE["b"]}, seeds={"b": 100})).pairs
    assert same.contrast is not None
    assert other.contrast is not None
    assert (same.contrast.paired, other.contrast.paired) == (True, False)
    assert same.real is True
    assert other.real is False


def test_seeds_are_matched_whatever_their_order() -> None:
    runs = table({"a": THREE["a"], "b": THREE["b"]})
    [found], [shuffled] = of_m(runs).pairs, of_m(runs[[5, 0, 4, 2, 1, 3]], baseline="a").pairs
    assert found.contrast is not None
    assert shuffled.contrast is not None
    assert found.contrast.p_value == shuffled.contrast.p_value


def test_missing_runs_are_left_out_and_counted() -> None:
    runs = table({"a": [1.0, 2.0, 3.0, None], "b": [2.0, float("nan"), 4.0, 5.0]})
    [found] = of_m(runs).pairs
    assert found.contrast is not None
    assert list(found.contrast.first) == [1.0, 3.0]
    assert found.left_out == 4
    failed = runs.with_columns(
        status=pl.when(pl.col("seed") == 1).then(pl.lit("failed")).otherwise(pl.lit("done"))
    )
    [fewer] = of_m(failed).pairs
    assert fewer.contrast is not None
    assert list(fewer.contrast.second) == [4.0]
    assert fewer.real is None
    assert fewer.left_out == 6


def test_too_few_common_seeds_make_no_pairs() -> None:
    runs = table({"a": [1.0, 2.0, 3.0], "b": [2.0, 3.0, 4.0]}, seeds={"b": 3})
    [found] = of_m(runs).pairs
    assert found.contrast is not None
    assert not found.contrast.paired
    assert len(found.contrast.first) == 3


def test_an_alternative_without_values_is_told() -> None:
    [found] = of_m(table({"a": [1.0, 2.0], "b": [None, None]})).pairs
    assert found.contrast is None
    assert found.real is None
    with pytest.raises(BadInput, match="no run has a value of m"):
        of_m(table({"a": [None], "b": [float("inf")]}))


def test_equal_runs_of_all_seeds_are_exact() -> None:
    runs = table({"a": [1.0, 1.0], "b": [2.0, 2.0]}).with_columns(digest=pl.col("scheme"))
    found = of_m(runs)
    assert found.pairs[0].contrast is not None
    assert (found.pairs[0].contrast.test, found.pairs[0].real, found.tests) == ("exact", True, 0)
    by_chance = of_m(runs.with_columns(digest=pl.col("seed").cast(pl.String)))
    assert by_chance.pairs[0].real is False


def with_buffers() -> pl.DataFrame:
    """B is above a by 1 at a buffer of 10 and below by 1 at 20; at 30 only a was run."""
    draw = np.random.default_rng(5)
    rows = []
    for seed in range(1, 9):
        luck = draw.normal(0.0, 3.0)
        for buffer, sign in ((10.0, 1.0), (20.0, -1.0), (30.0, 0.0)):
            rows.append({"scheme": "a", "buffer": buffer, "seed": seed, "m": luck + buffer})
            high = luck + buffer + sign + draw.normal(0.0, 0.05)
            rows.append({"scheme": "b", "buffer": buffer, "seed": seed, "m": high})
    return pl.DataFrame(rows).filter((pl.col("buffer") < 30) | (pl.col("scheme") == "a"))


def test_alternatives_are_compared_point_by_point() -> None:
    found = of_m(with_buffers(), where=("buffer",))
    assert [(one.where["buffer"], one.real) for one in found.pairs] == [(10.0, True), (20.0, True)]
    signs = [np.sign(one.contrast.difference) for one in found.pairs if one.contrast]
    assert signs == [1.0, -1.0]
    assert found.unmatched == 1


def test_columns_of_parameters_with_the_same_key_tell_them_apart() -> None:
    paths = {"scheme": "switches.edge.aqm.k", "buffer": "switches.core.aqm.k"}
    found = compare(
        with_buffers().rename(paths), Rules(paths["scheme"], ("m",), (paths["buffer"],))
    )
    [section, *_] = report.report(found, {}).parts
    assert isinstance(section, Section)
    [table] = section.parts
    assert isinstance(table, Table)
    assert [column.name for column in table.columns][:2] == [
        "switches.core.aqm.k",
        "switches.edge.aqm.k",
    ]
    assert report.name(found, found.pairs[0]) == "b - a, switches.core.aqm.k 10"


def test_the_mean_over_points_is_taken_seed_by_seed() -> None:
    [found] = of_m(with_buffers(), where=("buffer",), averaged=True).pairs
    assert found.contrast is not None
    assert len(found.contrast.first) == 8
    assert found.contrast.difference == pytest.approx(0.0, abs=0.05)
    assert found.real is False


def test_points_of_different_seeds_have_no_mean() -> None:
    runs = with_buffers().with_columns(seed=pl.col("seed") + pl.col("buffer").cast(pl.Int64))
    with pytest.raises(BadInput, match="the same seeds at all points"):
        of_m(runs, where=("buffer",), averaged=True)


def test_what_cannot_be_compared_is_refused() -> None:
    runs = with_buffers()
    with pytest.raises(BadInput, match="several runs with the same seed have scheme = a"):
        of_m(runs)
    with pytest.raises(BadInput, match="a comparison needs two alternatives"):
        of_m(runs.filter(pl.col("scheme") == "a"), where=("buffer",))
    with pytest.raises(BadInput, match="no alternative of scheme 'd'"):
        of_m(runs, where=("buffer",), baseline="d")
    with pytest.raises(BadInput, match="there is no measure 'n'"):
        compare(runs, Rules("scheme", ("n",)))
    apart = runs.filter((pl.col("buffer") < 20) == (pl.col("scheme") == "a"))
    with pytest.raises(BadInput, match="have a point of buffer in common"):
        of_m(apart, where=("buffer",))


def letters(found: Comparison) -> dict[object, str]:
    [only] = found.rankings
    return {one.alternative: one.letters for one in only.places}


def test_letters_of_alternatives_that_cannot_be_told_apart() -> None:
    """A and b differ by 0 +- 1, b and c by 5 or so; d lies between with a wide spread."""
    draw = np.random.default_rng(3)
    luck = draw.normal(0.0, 2.0, 10)
    values = {
        "b": luck + draw.normal(0.0, 0.5, 10),
        "d": luck + 2.0 + draw.normal(0.0, 6.0, 10),
        "c": luck + 5.0 + draw.normal(0.0, 0.5, 10),
        "a": luck + draw.normal(0.0, 0.5, 10) - 0.05,
    }
    found = of_m(table({name: list(map(float, row)) for name, row in values.items()}))
    apart = {frozenset((one.first, one.second)) for one in found.pairs if one.real}
    assert apart == {frozenset("ac"), frozenset("bc")}
    given = letters(found)
    assert next(iter(given)) == "c"
    for pair in found.pairs:
        shared = set(given[pair.first]) & set(given[pair.second])
        assert bool(shared) == (pair.real is False)
    assert set(given["d"]) == {"a", "b"}
    less = of_m(table({"x": [1.0, 2.0, 3.0], "y": [2.0, 3.1, 4.0]}), better={"m": "less"})
    [order] = less.rankings
    assert [one.alternative for one in order.places] == ["x", "y"]
    against = order.places[1].against_best
    assert against is not None
    assert against.simultaneous is not None
    assert against.simultaneous[0] > 0.0


def test_a_difference_from_the_best_is_turned_with_its_interval() -> None:
    found = of_m(table({"a": [1.0, 2.0, 3.0], "b": [2.0, 3.1, 4.0]}))
    [pair], [order] = found.pairs, found.rankings
    against = order.places[1].against_best
    assert against is not None
    assert against.contrast is not None
    assert (against.first, against.second) == ("b", "a")
    assert against.contrast.difference == pytest.approx(-9.1 / 3 + 2.0)
    assert pair.simultaneous is not None
    assert against.simultaneous == (-pair.simultaneous[1], -pair.simultaneous[0])
    assert against.ratio is not None
    assert against.ratio.value == pytest.approx(6.0 / 9.1)
    # A third less; the other way half as much again, and in the second table 1,500 times as much.
    assert (report.relative(against), report.relative(pair)) == ("-34.1%", "+51.7%")
    [far] = of_m(table({"a": [1.0, 2.0, 3.0], "b": [2e3, 3e3, 4e3]})).pairs
    assert report.relative(far) == "1,500 times"


def test_the_count_of_differences_says_what_it_counts() -> None:
    both = [table(THREE).with_columns(buffer=pl.lit(one)) for one in (10, 20)]
    rules = Rules("scheme", ("m",), ("buffer",))
    whole = compare(pl.concat(both), rules)
    assert len(whole.pairs) == 6
    assert report.counted_verdicts(whole) == "3 pairs × 1 measure × 2 points of buffer"
    lacking = compare(pl.concat([both[0], both[1].filter(pl.col("scheme") != "c")]), rules)
    assert len(lacking.pairs) == 4
    assert report.counted_verdicts(lacking).endswith(", without the pairs that some points lack")


def test_few_seeds_that_nearly_agree_are_no_chance() -> None:
    """110 and 63 Mbit/s with two seeds each: among 75 tests t with one degree is 955."""
    runs = table({"efci": [63.0, 63.1], "erica": [110.0, 110.3]})
    names = tuple(f"m{at}" for at in range(75))
    found = compare(
        runs.with_columns(pl.col("m").alias(one) for one in names), Rules("scheme", names)
    )
    [pair, *_] = found.pairs
    assert pair.real is False
    assert pair.too_few_seeds == 7
    assert pair.seeds_to_decide == 7
    assert of_m(runs).pairs[0].real is True


def side(name: str, runs: pl.DataFrame, *factors: str) -> StudyRuns:
    return StudyRuns(name, runs, factors, ("m",))


def test_two_studies_are_matched_on_their_common_factors() -> None:
    runs = with_buffers()
    old = runs.filter(pl.col("scheme") == "a").drop("scheme")
    new = runs.filter((pl.col("scheme") == "b") & (pl.col("buffer") < 20)).drop("scheme")
    together = side_by_side(side("old", old, "buffer"), side("new", new, "buffer"))
    found = compare(together.runs, Rules("study", together.measures, together.where))
    [only] = found.pairs
    assert (only.first, only.second, only.where, only.real) == (
        "old",
        "new",
        {"buffer": 10.0},
        True,
    )
    assert found.unmatched == 2


def test_two_studies_without_a_match_are_refused() -> None:
    runs = with_buffers().filter(pl.col("buffer") < 30)
    low, high = runs.filter(pl.col("buffer") == 10), runs.filter(pl.col("buffer") == 20)
    with pytest.raises(BadInput, match=r"common to both: buffer is 10.0 in low and 20.0 in high"):
        side_by_side(side("low", low, "buffer"), side("high", high, "buffer"))
    with pytest.raises(BadInput, match="2 values of scheme, which the other study does not vary"):
        side_by_side(side("low", low, "buffer", "scheme"), side("all", runs, "buffer"))
    with pytest.raises(BadInput, match="no measure in common"):
        side_by_side(side("low", low, "buffer"), StudyRuns("high", high, ("buffer",), ("n",)))


@pytest.mark.long
def test_false_alarms_stay_below_the_level() -> None:
    """Six alternatives without any difference, 15 pairs: one false alarm in 20 studies at most.

    600 repetitions; what is 5 % stays below 5 % + 3 sqrt(0.05 * 0.95 / 600) = 7.7 %. Without the
    correction, more than a third of the studies report a difference where there is none.
    """
    draw = np.random.default_rng(17)
    corrected = single = 0
    for _ in range(600):
        luck = draw.normal(0.0, 2.0, (1, 6))
        values = luck + draw.normal(0.0, 1.0, (6, 6))
        found = of_m(table({name: list(row) for name, row in zip("abcdef", values, strict=True)}))
        corrected += any(one.real for one in found.pairs)
        single += any(
            one.contrast.p_value <= 0.05
            for one in found.pairs
            if one.contrast and one.contrast.p_value
        )
    assert corrected / 600 < 0.077
    assert single / 600 > 1 / 3


def test_simultaneous_intervals_hold_together() -> None:
    """All ten intervals hold the true difference in 95 % of 150 repetitions, less 3 errors."""
    draw = np.random.default_rng(23)
    true = np.arange(5.0)
    held = 0
    for _ in range(150):
        values = true[:, None] + draw.normal(0.0, 2.0, (1, 6)) + draw.normal(0.0, 1.0, (5, 6))
        found = of_m(table({str(at): list(row) for at, row in enumerate(values)}))
        held += all(
            one.simultaneous is not None
            and one.simultaneous[0] <= float(one.second) - float(one.first) <= one.simultaneous[1]
            for one in found.pairs
        )
    assert held / 150 > 0.95 - 3 * np.sqrt(0.05 * 0.95 / 150)


def test_pairs_find_in_simulations_what_independent_runs_do_not() -> None:
    """Segments of 512 and 492 bytes both take 12 cells: 3.9 % of the throughput.

    TCP takes what random background leaves, so that throughput itself spreads by more.
    """
    ends_with_background = template("n-source-vbr").partition('kind = "on-off"')[0]
    random = 'kind = "exponential-on-off"\npeak = "124.416 Mbit/s"\n'
    times = 'mean_on = "2 ms"\nmean_off = "2 ms"'
    text = ends_with_background + random + times
    short = (
        'topology.bottleneck="100 km"',
        "run.duration=600ms",
        "measure.from=100ms",
        "flow.tcp.count=5",
    )

    def runs(size: int, seeds: range) -> pl.DataFrame:
        jobs = [Job(text, "random", (*short, f"tcp.mss={size}bytes"), seed) for seed in seeds]
        rows = []
        for seed, outcome in zip(seeds, run_many(jobs), strict=True):
            summary = json.loads(outcome.summary())
            throughput = summary["totals"]["tcp_throughput_bits_per_second"]
            rows.append({"mss": size, "seed": seed, "m": throughput, "digest": summary["digest"]})
        return pl.DataFrame(rows)

    large, small = runs(512, range(1, 11)), runs(492, range(1, 11))
    [pairs] = compare(pl.concat([large, small]), Rules("mss", ("m",))).pairs
    shifted = small.with_columns(seed=pl.col("seed") + 100)
    [apart] = compare(pl.concat([large, shifted]), Rules("mss", ("m",))).pairs
    assert pairs.contrast is not None
    assert pairs.contrast.gain is not None
    assert pairs.contrast.gain > 4
    assert (pairs.real, apart.real) == (True, False)
    assert pairs.ratio is not None
    assert pairs.ratio.value == pytest.approx(492 / 512, rel=1e-3)
