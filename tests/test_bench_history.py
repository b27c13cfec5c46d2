"""The history of the bench: what is kept, and what is said of a change."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from proof import bench_history
from proof.bench_history import CELLS, FEEDBACK, HEAD, HISTORY, Refused, changes, entries, ratios

REPORT = {
    "floor": {"15": 2.0, "100": 4.0},
    "w1": {"15": 5.0, "100": 6.0},
    "floor_lan": 8.0,
    "w1_lan": 16.0,
    "w2": 9.0,
    "w2_lan": 20.0,
}
OWN = {"floor_w2": 3.0, "floor_w2_lan": 5.0}


def test_each_workload_is_divided_by_its_own_loop() -> None:
    assert list(ratios(REPORT).values()) == [2.5, 1.5, 2.0, 4.5, 10.0]
    own = ratios(REPORT | OWN)
    assert own["W2, 5 ms links", FEEDBACK] == 3.0
    assert own["W2, 5 us links", FEEDBACK] == 4.0
    assert ("W2, 5 ms links", CELLS) not in own


def test_only_the_last_entry_with_the_same_loop_is_compared() -> None:
    page = (
        f"# Speed\n\n{HEAD}"
        f"| 2026-01-01 | aaaaaaaaa | W2, 5 ms links | {CELLS} | 4.00 |\n"
        f"| 2026-01-02 | bbbbbbbbb | W2, 5 ms links | {CELLS} | 5.00 |\n"
        f"| 2026-01-02 | bbbbbbbbb | W2, 5 us links | {CELLS} | 10.10 |\n"
    )
    *_, long, lan = changes(entries(page), ratios(REPORT))
    assert long == f"W2, 5 ms links: 4.50 of {CELLS}, -10% since bbbbbbbbb (5.00, 2026-01-02)"
    assert lan.endswith("-1% since bbbbbbbbb (10.10, 2026-01-02); runs differ by 5%")
    other = changes(entries(page), ratios(REPORT | OWN))
    assert other[-1] == f"W2, 5 us links: 4.00 of {FEEDBACK}, no entry before"


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("# Speed\n", "has no table"),
        (HEAD + "| 2026-01-01 | a | W2 | 4.0 |\n", "this is no entry"),
        (HEAD + "| 2026-01-01 | a | W2 | x | fast |\n", "this is no entry"),
    ],
)
def test_a_damaged_page_is_refused(page: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        entries(page)


def test_the_committed_page_is_read_and_its_lines_are_those_that_are_written() -> None:
    page = HISTORY.read_text(encoding="utf-8")
    found = entries(page)
    assert found, "the history is empty"
    assert page.endswith("".join(map(bench_history.row, found)))


def test_entries_are_appended_only_when_asked_for_and_of_a_commit_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "speed.md"
    page.write_text(HEAD)
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x", "--allow-empty"]):
        who = "-c", "user.name=x", "-c", "user.email=x@example.org"
        subprocess.run(["git", *who, *command], cwd=tmp_path, check=True)  # noqa: S607
    monkeypatch.setattr(bench_history, "ROOT", tmp_path)
    monkeypatch.setattr(bench_history, "HISTORY", page)
    report = json.dumps(REPORT | OWN | {"bytes_per_cell": {}})
    monkeypatch.setattr("cellrate._core.bench", lambda *_: report)

    assert bench_history.main([]) == 0
    assert page.read_text() == HEAD
    assert f"W2, 5 us links: 4.00 of {FEEDBACK}, no entry before" in capsys.readouterr().out
    (tmp_path / "crates").mkdir()
    (tmp_path / "crates" / "new.rs").write_text("")
    assert bench_history.main(["--keep"]) == 1
    assert "differ from it" in capsys.readouterr().err
    assert page.read_text() == HEAD
    (tmp_path / "crates" / "new.rs").unlink()
    assert bench_history.main(["--keep"]) == 0
    assert [entry.ratio for entry in entries(page.read_text())] == [2.5, 1.5, 2.0, 3.0, 4.0]
    assert len({entry.commit for entry in entries(page.read_text())}) == 1
