"""`cellrate reproduce` as a whole, on experiments whose runs are short."""

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cellrate.papers import Options, ReproduceError, run_reproduction
from cellrate.papers.collection import all_papers
from cellrate.papers.figure_data import column
from cellrate.papers.runs import job_of, run_ids
from cellrate.papers.stored import read_golden
from cellrate.simulation.runner import Job, run_many

PAPERS = all_papers()
QUICK = ["ohsaki95-fig8b", "ohsaki95-text-cells"]


class Recorder:
    """Runs jobs and remembers them."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def __call__(self, jobs: Any) -> Any:  # noqa: ANN401 - as `run_many`
        """Runs jobs."""
        self.jobs += jobs
        return run_many(jobs)


def reproduce(out: Path, names: list[str], *, seeds: int = 1, **options: Any) -> int:  # noqa: ANN401
    """Reproduces with one seed, as tables, by `run_many`, unless told otherwise."""
    runner = options.pop("runner", run_many)
    return run_reproduction(Options(out, experiments=names, seeds=seeds, **options), runner)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Two seeds of the quick experiments as JSON by id, and the page."""
    out = tmp_path_factory.mktemp("out")
    texts: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout.write", texts.append)
        status = reproduce(out, QUICK, seeds=2, json=True, evidence=out / "evidence")
    return {
        "status": status,
        "objects": {each["id"]: each for each in json.loads("".join(texts))},
        "page": (out / "ohsaki95-fig8b-text-cells.html").read_text("utf-8"),
        "evidence": (out / "evidence" / "ohsaki95.md").read_text("utf-8"),
        "out": out,
    }


def test_json_has_an_object_per_experiment(printed: dict[str, Any]) -> None:
    assert printed["status"] == 0
    assert list(printed["objects"]) == QUICK
    for each in printed["objects"].values():
        assert {"id", "seeds", "published", "claims", "assumptions", "errata", "command"} <= set(
            each
        )
        assert each["seeds"] == [1, 2]


def test_json_of_a_claim_and_its_runs(printed: dict[str, Any]) -> None:
    found = printed["objects"]["ohsaki95-fig8b"]
    (claim,) = found["claims"]
    assert claim["of"] == 2
    assert 0 <= claim["holds"] <= 2
    assert "spread" in claim["predicate"]
    assert found["command"] == "cellrate reproduce ohsaki95 fig8b --seeds 2"
    assert any(a["parameter"] == "greatest TCP window" for a in found["assumptions"])


def test_json_of_values(printed: dict[str, Any]) -> None:
    values = {v["quantity"]: v for v in printed["objects"]["ohsaki95-text-cells"]["published"]}
    cells = values["cells per packet"]
    assert (cells["kind"], cells["printed"], cells["measured_mean"]) == ("arithmetic", "90", 91.0)
    assert (cells["ci95_low"], cells["ci95_high"]) == (91.0, 91.0)
    assert cells["relative_difference"] == pytest.approx(1 / 90)
    assert values["MCR"]["measured_mean"] is None


def test_the_page_is_self_contained(printed: dict[str, Any]) -> None:
    page = printed["page"]
    assert "<svg" in page
    assert not re.search(r'(src|href)="\w+:', re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL))
    assert page.count("<script>") == 1
    assert "cellrate run papers/ohsaki95/scenarios/abr.toml" in page
    assert page.count("<html") == page.count("</html>") == 1


def test_the_front_page_leads_to_everything(tmp_path: Path) -> None:
    reproduce(tmp_path, ["ohsaki95-fig7b", "kalyan97-text-cells"])
    pages = {p.name: p.read_text("utf-8") for p in tmp_path.glob("*.html")}
    assert set(pages) == {
        "index.html",
        "errata.html",
        "ohsaki95-fig7b.html",
        "kalyan97-text-cells.html",
    }
    index = pages["index.html"]
    # The counts come first, then what stands of each paper, then the sections.
    stands = index.index("<strong>kalyan97. </strong>")
    assert index.index("<table") < stands < index.index("<h2 ")
    for name in pages.keys() - {"index.html", "errata.html"}:
        page = pages[name]
        assert page.index("<table") < page.index("<h2 ")
        # A row for all, and one for the only experiment, with a link to it.
        first = page[page.index("<tbody>") : page.index("</tbody>")]
        experiment = name.removesuffix(".html")
        assert re.findall(r"<tr><td>(?:<a href=\"#([^\"]*)\")?", first) == ["", experiment]
    links = re.findall(r'<a href="([^"]*)"', index)
    pictured = re.findall(r'<a href="([^"]*-figure-[^"]*)"><svg .*?<polyline', pages["index.html"])
    assert pictured == [link for link in links if "-figure-" in link]
    assert any(link.startswith("ohsaki95-fig7b.html#ohsaki95-fig7b-figure-") for link in links)
    for link in links:
        name, _, anchor = link.partition("#")
        if name == "errata.html":  # only papers with errata have a heading there
            continue
        assert not anchor or f'id="{anchor}"' in pages[name], link


def test_a_part_of_a_paper_leaves_the_pages_of_the_whole_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page of the whole paper, the front page and the errata forget nothing."""
    kept = {name: f"{name} of all" for name in ("index", "errata", "kalyan97", "ohsaki95")}
    for name, text in kept.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
    (tmp_path / "pages.json").write_text('["kalyan97", "ohsaki95"]', encoding="utf-8")
    reproduce(tmp_path, ["kalyan97-text-cells"])
    assert "are of kalyan97, ohsaki95 and stay" in capsys.readouterr().err
    for name, text in kept.items():
        assert (tmp_path / f"{name}.html").read_text("utf-8") == text
    assert "text-cells" in (tmp_path / "kalyan97-text-cells.html").read_text("utf-8")
    # Without pages of whole papers there is nothing to forget.
    (tmp_path / "pages.json").unlink()
    reproduce(tmp_path, ["kalyan97-text-cells"])
    assert "kalyan97-text-cells.html" in (tmp_path / "index.html").read_text("utf-8")


@pytest.mark.usefixtures("undrawn")
def test_notes_name_experiments_without_a_figure_and_the_front_page_leads_to_earlier_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reproduce(tmp_path, ["kalyan97-text-cells"])
    assert capsys.readouterr().err == (
        "note: no figure belongs to kalyan97-text-cells; the page has numbers and claims\n"
    )
    reproduce(tmp_path, ["ohsaki95-fig8b"])
    assert capsys.readouterr().err == ""
    front = (tmp_path / "index.html").read_text("utf-8")
    for name in ("kalyan97-text-cells", "ohsaki95-fig8b"):
        assert f'href="{name}.html' in front
    # A page that is gone has no link.
    (tmp_path / "kalyan97-text-cells.html").unlink()
    reproduce(tmp_path, ["ohsaki95-fig8b"])
    assert "kalyan97-text-cells" not in (tmp_path / "index.html").read_text("utf-8")


def test_the_evidence_page_has_values_and_claims(printed: dict[str, Any]) -> None:
    assert "| cells per packet | 90 cells | 91 | +1.1% |" in printed["evidence"]
    assert re.search(r"\| ABR is less fair .* \| \**[012] of 2\** \|", printed["evidence"])


@pytest.mark.usefixtures("undrawn")
def test_equal_runs_are_done_once(tmp_path: Path) -> None:
    recorder = Recorder()
    reproduce(tmp_path, ["ohsaki95-fig7b", "ohsaki95-fig8b"], runner=recorder)
    assert len(recorder.jobs) == len({job.key() for job in recorder.jobs}) == 2


@pytest.mark.long
def test_sensitivity_reruns_only_what_an_assumption_concerns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder = Recorder()
    options: dict[str, Any] = {"sensitivity": True, "json": True, "evidence": tmp_path}
    reproduce(tmp_path, ["ohsaki95-fig7a"], runner=recorder, **options)
    (found,) = json.loads(capsys.readouterr().out)
    rows = found["sensitivity"]
    alternatives = {row["alternative"]: row for row in rows}
    (quantity,) = alternatives["32 KiB"]["values"]
    assert quantity == "most packets of one connection within 10 ms"
    assert "as it arrives" not in alternatives
    assert any("tcp.window=32 KiB" in job.overrides for job in recorder.jobs)
    # Two parameters may have an alternative of the same name.
    assert len(recorder.jobs) == 1 + len(rows)
    page = (tmp_path / "ohsaki95-sensitivity.md").read_text("utf-8")
    assert "| greatest TCP window: 128 KiB | most packets of one connection within 10 ms |" in page


@pytest.mark.usefixtures("undrawn")
def test_check_finds_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "golden.txt"
    monkeypatch.setattr("cellrate.papers.stored.golden_path", lambda _: table)
    names = ["ohsaki95-fig8b"]
    assert reproduce(tmp_path, names, check=True) == 1
    assert reproduce(tmp_path, names, bless=True) == 0
    assert reproduce(tmp_path, names, check=True) == 0
    table.write_text(table.read_text("utf-8").replace(" claim ", " ").replace("run ", "run  ", 1))
    assert reproduce(tmp_path, names, check=True) == 1
    assert "+ run ohsaki95-fig8b abr " in capsys.readouterr().err


def test_golden_tables_hold_seed_1(tmp_path: Path) -> None:
    with pytest.raises(ReproduceError, match="stored results of seed 1"):
        Options(tmp_path, experiments=QUICK, first_seed=2, check=True)


def test_every_run_value_and_claim_has_its_line() -> None:
    for paper in PAPERS:
        committed = [line.split(" ") for line in read_golden(paper)]
        for experiment in paper.experiments:
            of_it = [line for line in committed if line[1] == experiment.id]
            counts = {
                kind: sum(line[0] == kind for line in of_it) for kind in ("run", "value", "claim")
            }
            measured = [p for p in experiment.published if p.measure]
            assert counts["run"] == len(run_ids(experiment)), experiment.id
            assert counts["value"] == len(measured), experiment.id
            assert counts["claim"] == len(experiment.claims), experiment.id


def test_what_is_asked_for_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ReproduceError, match="there is no experiment"):
        reproduce(tmp_path, ["ohsaki95-fig99"])


def test_each_figure_has_its_numbers_beside_it(printed: dict[str, Any]) -> None:
    """As CSV and Parquet, with units in the names of columns and the run in each row."""
    stems = set(re.findall(r'href="(data/[^"]+)\.csv" download', printed["page"]))
    assert len(stems) == 1
    stem = printed["out"] / stems.pop()
    table = pl.read_csv(f"{stem}.csv")
    assert {"kind", "curve", "entity", "seed", "digest", "time_ms"} <= set(table.columns)
    stored = pl.read_parquet(f"{stem}.parquet")
    assert stored.columns == table.columns
    assert stored.height == table.height > 100
    [experiment] = [e for p in PAPERS for e in p.experiments if e.id == "ohsaki95-fig8b"]
    [ohsaki] = [paper for paper in PAPERS if paper.id == "ohsaki95"]
    job = job_of(ohsaki, experiment.variants[0], experiment.variants[0].points[0], 1)
    [outcome] = run_many([job])
    assert set(table["digest"]) == {json.loads(outcome.summary())["digest"]}
    assert column("throughput (Mbit/s)") == "throughput_mbit_per_s"


@pytest.mark.usefixtures("undrawn")
def test_changed_runs_are_marked_and_never_taken_for_the_papers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = ("tcp.recovery=reno", 'switch.control={scheme="efci", threshold="100 cells"}')
    recorder = Recorder()
    quick = ["ohsaki95-fig8b"]
    assert reproduce(tmp_path, quick, changes=settings, runner=recorder, json=True) == 0
    assert all(job.overrides[-2:] == settings for job in recorder.jobs)
    [found] = json.loads(capsys.readouterr().out)
    assert found["changed"] == list(settings)
    assert "--set tcp.recovery=reno" in found["command"]
    [page] = tmp_path.glob("*.html")
    assert page.name.startswith("ohsaki95-fig8b-changed-")
    assert "These are not the paper&#x27;s experiments" in page.read_text("utf-8")
    assert all("-changed-" in data.name for data in (tmp_path / "data").iterdir())
    assert reproduce(tmp_path, quick, changes=settings) == 0
    said = "".join(capsys.readouterr().out.split())
    assert [data.name in said for data in (tmp_path / "data").glob("*.csv")] == [True]
    for wrong in ({"check": True}, {"bless": True}, {"draws": 2}, {"keep_seeds": True}):
        with pytest.raises(ReproduceError, match="--set runs something else than the paper"):
            Options(tmp_path, experiments=quick, changes=settings, **wrong)
    with pytest.raises(ReproduceError, match="name some"):
        Options(tmp_path, changes=settings)
    with pytest.raises(ReproduceError, match="text-cells has none of its own"):
        reproduce(tmp_path, ["kalyan97-text-cells"], changes=settings)
    with pytest.raises(ReproduceError, match="has no effect; --first-seed"):
        Options(tmp_path, experiments=quick, changes=("run.seed=4",))
    # Runs that differ in what is set would be equal below the labels of different runs.
    with pytest.raises(ReproduceError, match="study --from kalyan97-table8"):
        reproduce(tmp_path, ["kalyan97-table8.2"], changes=("flow.tcp.count=7",))
