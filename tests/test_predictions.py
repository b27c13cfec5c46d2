"""Bounds that graphs seen give for graphs not seen, and those stated for control schemes."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest

from proof.forms.fairness import FAMILIES, PROMISES, SETS
from proof.forms.graphs import DEVELOPMENT, FRESH, drawn
from proof.forms.predictions import CHANCE, FRESH_GRAPHS, Bound, Errors

HERE = Path(__file__).parent
RESULTS = HERE.parent / "proof" / "results" / "closed-forms.json"


def errors(graphs: int, beyond_1: int, beyond_5: int, worst: float) -> Errors:
    return Errors(graphs, beyond_1, beyond_5, worst, 0)


def more_than(most: int, missed: int, seen: int) -> Fraction:
    """Probability that more than `most` of the fresh graphs miss, by counting orders.

    With a uniform prior all places of the graphs that miss are alike but for their number: the
    share that misses is a uniform number among those of all graphs (Bayes's billiard table).
    """
    alike = comb(seen + FRESH_GRAPHS + 1, FRESH_GRAPHS)
    counts = range(most + 1, FRESH_GRAPHS + 1)
    return Fraction(
        sum(
            comb(missed + count, count) * comb(seen - missed + FRESH_GRAPHS - count, seen - missed)
            for count in counts
        ),
        alike,
    )


@pytest.mark.parametrize("missed", [0, 1, 7, 60, 300])
def test_as_many_graphs_may_miss_as_chance_allows(missed: int) -> None:
    most = Bound.after(errors(300, missed, 0, 30.0)).beyond_1_percent
    assert more_than(-1, missed, 300) == 1
    assert more_than(most, missed, 300) <= CHANCE
    assert most == 0 or more_than(most - 1, missed, 300) > CHANCE


def test_the_largest_error_is_half_as_much_again_up_to_a_whole_percent() -> None:
    for seen, allowed in (0.53, 1), (0.67, 2), (2.0, 3), (2.01, 4), (18.28, 28):
        assert Bound.after(errors(300, 0, 0, seen)).worst_percent == allowed
    # Where none may be off by more than 1 %, or 5 %, there is nothing to count.
    assert Bound.after(errors(300, 0, 0, 0.5)) == Bound(0, 0, 1)
    assert Bound.after(errors(300, 2, 0, 3.0)).beyond_5_percent == 0


def test_errors_are_counted() -> None:
    assert Errors.of([0.004, 0.3, 0.011, 0.05]) == Errors(4, 3, 1, 30.0, 1)


def test_what_breaks_a_bound_is_said() -> None:
    bound = Bound(beyond_1_percent=8, beyond_5_percent=2, worst_percent=20)
    assert str(bound) == "8 of 100 beyond 1 %, 2 of 100 beyond 5 %, none beyond 20 %"
    assert bound.broken_by(errors(100, 8, 2, 20.0)) == []
    assert bound.broken_by(errors(300, 24, 6, 20.0)) == []
    assert bound.broken_by(errors(10, 9, 3, 20.01)) == [
        "9 of 10 graphs are off by more than 1 %",
        "3 of 10 graphs are off by more than 5 %",
        "graph 0 is off by 20.01 %",
    ]


def test_the_fresh_graphs_are_others() -> None:
    for family in FAMILIES:
        seen = [drawn(family, number) for number in range(SETS[DEVELOPMENT])]
        assert all(drawn(family, number, FRESH) not in seen for number in range(FRESH_GRAPHS))


def found() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(RESULTS.read_text("utf-8"))["fairness"]
    return rows


def test_stated_bounds_are_those_of_the_development_set() -> None:
    stated = [promise.bound(family) for promise in PROMISES for family in FAMILIES]
    assert [Bound.after(Errors(**row["development"])) for row in found()] == stated
    assert [Bound(**row["bound"]) for row in found()] == stated


def test_the_campaign_ran_whole_and_its_breaks_are_told() -> None:
    for row in found():
        fresh = Errors(**row["fresh"])
        assert {of: row[of]["graphs"] for of in SETS} == SETS
        assert row["broken_by_fresh"] == Bound(**row["bound"]).broken_by(fresh)


def test_the_explanation_has_the_bounds_and_what_was_found() -> None:
    page = (HERE.parent / "docs" / "explanation" / "schemes.md").read_text("utf-8")
    for row in found():
        told = " | ".join(
            "{beyond_1_percent}, {beyond_5_percent}, {worst_percent:.2f} %".format(**row[of])
            for of in SETS
        )
        assert f"| {row['scheme']}, {row['family']} | {row['in_words']} | {told} |" in page
