"""The gallery's notebooks run, each gives its answer, and the pages show what they show."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import HERE
from test_notebook import text_of

DOCS = HERE.parent / "docs"
sys.path.insert(0, str(DOCS / "extensions"))

import notebook_runner as runner  # noqa: E402  found only now

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
MOST_CELLS = 12


def means(comparison: Any, measure: str) -> dict[str, float]:  # noqa: ANN401  of a notebook
    return {one.alternative: one.mean for one in comparison.rankings_of(measure)[0].places}


def faster_recoveries(names: Mapping[str, Any]) -> bool:
    throughput = means(names["comparison"], "throughput")
    return all(throughput[one] > throughput["reno"] for one in ("newreno", "sack", "cubic"))


def slower_with_distance(names: Mapping[str, Any]) -> bool:
    near, middle, far = (names["cycles"][km].period for km in (100, 400, 1000))
    return bool(near < middle < far)


def lossless_by_one_cell(names: Mapping[str, Any]) -> bool:
    enough, one_less = names["losses"].values()
    return bool(enough == 0 < one_less)


ANSWERS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "01-first-run": lambda names: len(names["shorter"].flows) == 2 < len(names["result"].flows),
    "02-compare-controls": lambda names: (
        (queue := means(names["comparison"], "queue"))["erica"] < queue["fmmra"] < queue["efci"]
    ),
    "03-size-a-buffer": lossless_by_one_cell,
    "04-oscillation": slower_with_distance,
    "05-tune": lambda names: (
        names["best"]["switch.control.target_utilisation"]
        == float(names["answer"].chosen.setting.values[0][1])
    ),
    "06-explain-and-run": lambda names: (
        list(names["ratios"].values()) == pytest.approx([0.9] * 5, rel=0.02)
    ),
    "07-tcp-recoveries": faster_recoveries,
    "08-max-min-fairness": lambda names: all(0.85 < one < 1 for one in names["ratios"].values()),
    "09-credit": lambda names: (
        names["under"].summary["totals"]["cells_dropped"] == 0
        and names["without"].summary["totals"]["cells_dropped"] > 0
    ),
    "10-reproduce-a-paper": lambda names: all(all(one.holds) for one in names["claims"]),
}


def test_there_are_ten() -> None:
    assert [one.stem for one in NOTEBOOKS] == [*ANSWERS]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda one: one.stem)
@pytest.mark.filterwarnings("default::UserWarning")
def test_a_notebook_answers_its_question(notebook: Path) -> None:
    found = runner.cells(notebook)
    assert len(found) <= MOST_CELLS
    assert found[0].kind == "markdown"
    title = found[0].source.splitlines()[0]
    assert title.startswith("# ")
    assert title.endswith("?")
    outputs, names = runner.run(notebook)
    assert ANSWERS[notebook.stem](names)
    assert any(one.markup for one in outputs)
    page = runner.page(notebook, outputs)
    for shown in outputs:
        if shown.markup.startswith("<div"):
            assert text_of(shown.markup)
        assert shown.markup in page
        assert all(line in page for line in shown.printed.splitlines())


def test_the_runner_shows_the_last_line_of_a_cell(tmp_path: Path) -> None:
    file = tmp_path / "small.ipynb"
    sources = ["x = 2\nprint(x)\nx + 1", "x = x * 5", "x", "None"]
    text = runner.content([runner.Cell("code", one) for one in sources])
    file.write_text(json.dumps(text), encoding="utf-8")
    outputs, names = runner.run(file)
    assert [(one.printed, one.text) for one in outputs] == [
        ("2\n", "3"),
        ("", ""),
        ("", "10"),
        ("", ""),
    ]
    assert names["x"] == 10
    assert "```text\n3\n```" in runner.page(file, outputs)


def test_a_cell_that_fails_says_which(tmp_path: Path) -> None:
    file = tmp_path / "wrong.ipynb"
    content = runner.content([runner.Cell("markdown", "# It"), runner.Cell("code", "1 / 0")])
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ZeroDivisionError) as caught:
        runner.run(file)
    assert any(str(one.path) == "wrong.ipynb, cell 2" for one in caught.traceback)
