"""Means of alternatives some of whose runs have no value: how many runs they cover, and why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import cellrate
import polars as pl
import pytest
from cellrate.common.document import Section, Table
from cellrate.studies.compare import Comparison, Rules, compare, report
from conftest import Command

Row: TypeAlias = tuple[float | None, str, str]
"""Value of a run, its status, and the codes of its warnings."""
STARVES: Row = (None, "done", "phases-locked,window-empty")
FAILS: Row = (None, "failed", "")


def done(value: float) -> Row:
    return (value, "done", "window-empty-cells")


def of(runs: dict[str, Sequence[Row]]) -> Comparison:
    rows = [
        {"scheme": scheme, "seed": seed, "m": value, "status": status, "warnings": codes}
        for scheme, some in runs.items()
        for seed, (value, status, codes) in enumerate(some)
    ]
    return compare(pl.DataFrame(rows), Rules("scheme", ("m",), better={"m": "less"}))


def cells(found: Comparison) -> tuple[list[str], list[list[str]]]:
    """Titles of the columns of the ranking, and its rows."""
    [section] = [one for one in report.report(found, {}).parts if isinstance(one, Section)]
    [table] = [one for one in section.parts if isinstance(one, Table)]
    heads = [column.title for column in table.columns]
    return heads, [[str(cell) for cell in row.cells] for row in table.rows]


def test_a_mean_over_fewer_runs_says_so_in_its_row_and_the_answer_says_why() -> None:
    found = of(
        {
            "starves": [done(1.0), STARVES, STARVES, FAILS],
            "serves": [done(7.0), done(8.0), done(9.0), done(8.0)],
        }
    )
    heads, rows = cells(found)
    assert heads[:4] == ["scheme", "mean", "mean of\nruns", "group"]
    assert [row[:3] for row in rows] == [["starves", "1", "1 of 4"], ["serves", "8", "4 of 4"]]
    [first, last] = report.runs_left_out(found)
    assert first == (
        "Means of `m` leave out runs that have no value (starves: 3 of 4 runs, since 1 failed "
        "and in 2 a flow delivers no packet in the measuring window)."
    )
    assert last.startswith("An alternative may rank too high")
    places = report.as_json(found, {})["rankings"][0]["places"]
    assert [(one["runs_with_value"], one["runs"]) for one in places] == [(1, 4), (4, 4)]


def test_means_over_equally_many_runs_say_nothing() -> None:
    found = of({"a": [done(1.0), done(2.0)], "b": [done(3.0), done(5.0)]})
    assert "mean of\nruns" not in cells(found)[0]
    assert not found.without_value
    assert report.runs_left_out(found) == []


def test_without_a_known_reason_none_is_told() -> None:
    found = of({"a": [done(1.0), (None, "done", "")], "b": [done(3.0), done(5.0)]})
    told = "Means of `m` leave out runs that have no value (a: 1 of 2 runs)."
    assert report.runs_left_out(found) == [told]


def test_a_study_with_fewer_seeds_shows_them() -> None:
    found = of({"a": [done(1.0), done(2.0)], "b": [done(3.0), done(5.0), done(4.0)]})
    assert [row[2] for row in cells(found)[1]] == ["2 of 2", "3 of 3"]


@pytest.mark.usefixtures("undrawn")
def test_a_flow_that_starves_is_the_reason(command: Command, tmp_path: Path) -> None:
    """A buffer of 60 cells loses packets of all flows, and timers outlast the run."""
    (tmp_path / "my.toml").write_text(cellrate.template("single-switch"), encoding="utf-8")
    vary = ("--vary", "buffer=60 cells,2000 cells", "--measure", "delay_with_source")
    short = ("--set", "run.duration=100 ms", "--set", "measure.from=20 ms", "--seeds", "2")
    found = json.loads(command("compare", "my.toml", *vary, *short, "--json").stdout)
    [lacking] = found["runs_without_value"]
    assert (lacking["alternative"], lacking["without"], lacking["empty"]) == ("60 cells", 2, 2)
    told = "60 cells: 2 of 2 runs, since in 2 a flow delivers no packet"
    assert any(told in words for words in found["words"])
