"""Claims that use other experiments, and errata with their proofs, on a paper made for the test."""

import json
from pathlib import Path
from typing import Any

import pytest
from cellrate.papers import Options, ReproduceError, reproduction, run_reproduction
from cellrate.papers.collection import papers_root
from cellrate.papers.paper import Paper
from cellrate.papers.reading import read_paper
from cellrate.papers.results import ErratumResult, prove
from cellrate.papers.runs import Outcomes
from cellrate.simulation.runner import run_many

HEAD = (
    'id = "p"\ntitle = "A paper"\nauthors = ["A"]\npublished_in = "X"\nyear = 1995\nsummary = "s"\n'
)

PUBLISHED = """
[[experiment]]
id = "p-fig1"
kind = "figure"
title = "few cells"
where = "Fig. 1"

[[experiment.variant]]
name = "short"
scenario = "one.toml"
vary = {time = [10, 20]}
set = ["run.duration={time} ms"]

[[experiment]]
id = "p-fig2.a"
kind = "figure"
title = "more cells"
where = "Fig. 2"
errata = ["twice"]

[[experiment.variant]]
name = "long"
scenario = "one.toml"
set = ["run.duration=40 ms"]

[[experiment.claim]]
id = "longer-is-more"
text = "a longer run sends more cells"
general = 7
uses = ["p-fig1"]
holds_if = "all(fig1.short[t].totals.cells_sent < long.totals.cells_sent for t in [10, 20])"
"""

ERRATA = """
[[erratum]]
id = "twice"
where = "Fig. 2"
printed = "three times"
right = "twice"
why = "40 is twice 20."

[[erratum.proof]]
text = "the cells of both runs"
holds_if = "1.8 < fig2_a.long.totals.cells_sent / fig1.short[20].totals.cells_sent < 2.2"
uses = ["p-fig1", "p-fig2.a"]
values = [{quantity = "ratio of durations", measure = "40 / 20"}]
"""


def write(directory: Path, errata: str = ERRATA, published: str = PUBLISHED) -> Paper:
    """A paper in `directory`, with a scenario of another one."""
    paper = directory / "p"
    (paper / "scenarios").mkdir(parents=True)
    scenario = papers_root() / "ohsaki95" / "scenarios" / "abr.toml"
    (paper / "scenarios" / "one.toml").write_text(scenario.read_text("utf-8"), "utf-8")
    (paper / "paper.toml").write_text(HEAD, "utf-8")
    (paper / "published.toml").write_text(published, "utf-8")
    (paper / "errata.toml").write_text(errata, "utf-8")
    return read_paper(paper)


def reproduce(
    paper: Paper,
    ids: list[str],
    out: Path,
    patch: pytest.MonkeyPatch,
    **options: Any,  # noqa: ANN401
) -> tuple[int, list[dict[str, Any]]]:
    """Status and JSON of some of its experiments."""
    chosen = [e for e in paper.experiments if e.id in ids]
    patch.setattr(reproduction, "select", lambda *_: [(paper, chosen)])
    texts: list[str] = []
    patch.setattr("sys.stdout.write", texts.append)
    told = Options(out, experiments=ids, **({"json": True} | options))
    status = run_reproduction(told, run_many)
    return status, json.loads("".join(texts))


def test_a_claim_uses_the_runs_of_another_experiment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, (found,) = reproduce(write(tmp_path), ["p-fig2.a"], tmp_path / "out", monkeypatch)
    assert status == 0
    (claim,) = found["claims"]
    assert (claim["general"], claim["holds"], claim["of"]) == (7, 1, 1)
    assert found["errata"][0]["right"] == "twice"


def test_a_proof_that_fails_fails_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paper = write(tmp_path, ERRATA.replace("1.8 <", "2.5 <"))
    ids = [e.id for e in paper.experiments]
    reproduce(paper, ids, tmp_path / "out", monkeypatch, bless=True)
    status, _ = reproduce(paper, ids, tmp_path / "out", monkeypatch, check=True)
    assert status == 1
    assert "the proof of an erratum does not hold: p, twice" in capsys.readouterr().err


def test_numbers_of_a_proof(tmp_path: Path) -> None:
    simple = ERRATA.replace('uses = ["p-fig1", "p-fig2.a"]\n', "").replace(
        "1.8 < fig2_a.long.totals.cells_sent / fig1.short[20].totals.cells_sent < 2.2",
        "40 / 20 == 2",
    )
    paper = write(tmp_path, simple)
    [erratum] = paper.errata
    found = ErratumResult(paper, erratum, prove(paper, erratum, Outcomes(), (1, 2)))
    assert found.holds
    ((quantity, value, _),) = found.proofs[0].values
    assert (quantity, value.mean) == ("ratio of durations", 2.0)


@pytest.mark.parametrize(
    ("errata", "published", "message"),
    [
        (ERRATA.replace("p-fig1", "p-fig9"), PUBLISHED, "erratum twice uses `p-fig9`"),
        (ERRATA, PUBLISHED.replace('"p-fig1"]', '"p-fig9"]'), "longer-is-more uses `p-fig9`"),
        (ERRATA, PUBLISHED.replace('["twice"]', '["thrice"]'), "there is no erratum `thrice`"),
        (ERRATA + ERRATA, PUBLISHED, "two errata are called `twice`"),
        (ERRATA.partition("[[erratum.proof]]")[0], PUBLISHED, "an erratum needs a proof"),
    ],
)
def test_what_does_not_exist_is_named(
    tmp_path: Path, errata: str, published: str, message: str
) -> None:
    with pytest.raises(ReproduceError, match=message):
        write(tmp_path, errata, published)
