"""Results of several seeds, and distributions, that a reproduction keeps beside a paper's data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cellrate.common.numbers import estimate_text
from cellrate.papers import Options, ReproduceError, collection, run_reproduction
from cellrate.papers.collection import all_papers, papers_root
from cellrate.papers.paper import Paper
from cellrate.papers.scoring import Standing
from cellrate.papers.stored import ASSUMED, INFERRED, hanging, read_stored, said_of_seeds
from cellrate.papers.tally import tally
from cellrate.simulation.runner import run_many
from made_up_paper import TRUE_THRESHOLD, made_up

DRAWN = """
[[explanation]]
experiment = "madeup-last"
of = ["mean queue", "close"]
text = "its buffer is another one"
draw = true
"""


@pytest.fixture
def kept(root: Path) -> Iterator[Path]:
    """The results kept of the paper as assumed; what a test does to them is undone."""
    path = root / "madeup" / "seeds-assumed.txt"
    text = path.read_text("utf-8")
    yield path
    path.write_text(text, "utf-8")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory of papers that holds the made-up one, as if it were built in."""
    root = tmp_path_factory.mktemp("papers")
    (root / "words.toml").write_text((papers_root() / "words.toml").read_text("utf-8"), "utf-8")
    made_up(root / "madeup")
    (root / "madeup" / "explanations.toml").write_text(DRAWN, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collection, "papers_root", lambda: root)
        all_papers.cache_clear()
        assert said_of_seeds(all_papers()) == []
        assert reproduce(root, seeds=2, keep_seeds=True, bless=True) == 0
        yield root
    all_papers.cache_clear()


def paper() -> Paper:
    """The paper as it is now."""
    all_papers.cache_clear()
    return all_papers()[0]


def reproduce(root: Path, seeds: int = 1, names: list[str] | None = None, **options: Any) -> int:  # noqa: ANN401
    """Reproduces the paper."""
    all_papers.cache_clear()
    chosen = Options(root / "out", experiments=names, seeds=seeds, **options)
    return run_reproduction(chosen, run_many)


def test_five_seeds_are_said_beside_todays_run(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = read_stored(paper(), ASSUMED)
    assert stored is not None
    assert stored.seeds == (1, 2)
    counts = tally(stored.results(paper()))
    assert (counts.claims.all, counts.values.all) == (9, 9)
    capsys.readouterr()
    assert reproduce(root, check=True) == 0
    last = " ".join(capsys.readouterr().out.split("Today, seed 1:")[1].split())
    assert (
        f"Seeds 1 to 2, unprinted parameters fixed before seeing results: {counts.sentence()}."
        in last
    )
    front = (root / "out" / "index.html").read_text("utf-8")
    assert "Seeds 1 to 2, unprinted parameters fixed before seeing results" in front


def test_kept_results_that_are_of_other_results_are_noticed(
    root: Path, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = kept.read_text("utf-8")
    claim = next(line for line in text.splitlines() if line.startswith("claim madeup-of2 "))
    digits = claim.split(" ")[2]
    flipped = "".join("10"[int(digit)] for digit in digits[:1]) + digits[1:]
    kept.write_text(text.replace(claim, claim.replace(digits, flipped)), "utf-8")
    assert reproduce(root, check=True) == 1
    assert "is of other results" in capsys.readouterr().err
    kept.write_text(text.replace(claim + "\n", ""), "utf-8")
    with pytest.raises(ReproduceError, match="lacks madeup-of2, `close`"):
        reproduce(root, check=True)
    # The command that the message names stores all results again.
    assert reproduce(root, seeds=2, keep_seeds=True) == 0
    assert kept.read_text("utf-8") == text
    kept.write_text(text.replace(claim, "nonsense"), "utf-8")
    with pytest.raises(ReproduceError, match="line 8: 'nonsense' does not fit"):
        reproduce(root, check=True)


def test_a_claim_that_hangs_on_the_seed_is_listed(kept: Path) -> None:
    text = kept.read_text("utf-8")
    lines = [
        "claim madeup-of3 10 close" if line.startswith("claim madeup-of3 ") else line
        for line in text.splitlines()
    ]
    kept.write_text("\n".join(lines) + "\n", "utf-8")
    assert "madeup-of3 close" in hanging([paper()])


def test_draws_are_measured_kept_and_end_a_disagreement(root: Path) -> None:
    assert reproduce(root, names=["madeup-last"], draws=6) == 0
    drawn = {d.of: d for d in paper().draws}
    assert set(drawn) == {"mean queue", "close"}
    assert len(drawn["mean queue"].values) == drawn["close"].seeds == 6
    assert len(set(drawn["mean queue"].values)) > 1
    # The true buffer is far smaller, so no draw comes near what is printed.
    stored = read_stored(paper(), ASSUMED)
    assert stored is not None
    ends = {
        miss.standing
        for miss in tally(stored.results(paper())).misses
        if miss.experiment.endswith("last")
    }
    assert ends == {Standing.UNDECIDED}
    page = (root / "out" / "madeup-last.html").read_text("utf-8")
    assert "Single runs among many" in page
    assert reproduce(root, names=["madeup-of2"]) == 0
    of_another = (root / "out" / "madeup-of2.html").read_text("utf-8")
    assert "Single runs among many" not in of_another


def test_inferred_values_have_a_column_of_their_own(root: Path) -> None:
    found = paper()
    threshold = next(a for e in found.experiments for a in e.assumptions if a.id == "threshold")
    true = next(each for each in threshold.alternatives if each.label == "200 cells")
    inferred = {"madeup": [(threshold, true)]}
    assert reproduce(root, seeds=2, inferred=inferred, keep_seeds=True) == 0
    kept = {reading: read_stored(paper(), reading) for reading in (ASSUMED, INFERRED)}
    met = {
        reading: tally(each.results(paper())).values.some for reading, each in kept.items() if each
    }
    assert met[INFERRED] > met[ASSUMED]
    assert len(said_of_seeds([paper()])) == 2


def test_what_stands_for_the_assumed_or_the_whole_is_refused_for_else(root: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"names": ["madeup-last"], "keep_seeds": True}, "name no experiment"),
        ({"inferred": {}, "check": True}, "leave out --inferred"),
        ({"inferred": {}, "bless": True}, "leave out --inferred"),
        ({"inferred": {}, "draws": 2}, "leave out --inferred"),
    ]
    for options, message in cases:
        with pytest.raises(ReproduceError, match=message):
            reproduce(root, **options)


def test_joint_readings_are_made_kept_and_shown(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        assert reproduce(root, readings=16) == 0
        assert re.search(r"What disagrees:[^.]* \d+ depends", capsys.readouterr().out)
        assert len(paper().readings.readings) == 16
        page = (root / "out" / "madeup.html").read_text("utf-8")
        assert "What hangs on what is not printed" in page
        assert re.search(r"threshold</a>|threshold explains \d+% of it", page)
        front = (root / "out" / "index.html").read_text("utf-8")
        assert all(f">{name}</th>" in front for name in ("robust", "fragile", "depends"))
        assert reproduce(root, readings=16, json=True) == 0
        [*_, last] = json.loads(capsys.readouterr().out)
        assert {one["readings"] for one in last["published"] if one["met"] is not None} == {16}
    finally:
        (root / "madeup" / "readings.toml").unlink(missing_ok=True)


def test_unchanged_results_stand_beside_changed_ones(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = read_stored(paper(), ASSUMED)
    assert stored is not None
    [before] = [r.values[0].measured for r in stored.results(paper()) if "of2" in r.experiment.id]
    capsys.readouterr()
    changes = (f"switch.control.threshold={TRUE_THRESHOLD}",)
    assert reproduce(root, names=["madeup-of2"], changes=changes) == 0
    table = capsys.readouterr().out.split("madeup-of2")[1]
    assert re.search(r"quantity +printed +unchanged +changed", table)
    [row] = [line for line in table.splitlines() if "mean queue" in line]
    assert before is not None
    assert estimate_text(before) in row
    assert row.rstrip().endswith(" met")
