"""`cellrate study --from`: the study file of a published experiment makes the same runs."""

from __future__ import annotations

import ast
import contextlib
import json
import tomllib
from functools import cache
from pathlib import Path

import pytest
from cellrate import _core
from cellrate.papers.as_study import study_of
from cellrate.papers.collection import all_papers
from cellrate.papers.paper import ReproduceError
from cellrate.papers.runs import job_of, run_ids
from cellrate.simulation.runner import Job
from cellrate.studies import study as studies
from cellrate.studies.dataset import DataSet
from conftest import HERE, Command

EXPERIMENTS = [
    "kalyan97-table8.2",
    "kalyan97-table8.12",
    "ohsaki95-fig5:abr",
    "ohsaki95-fig5:epd",
    "ohsaki95-fig11:abr",
    "gerla95-fig5:fcvc",
    "marsan97-fig5L:pid",
    "fmmra-fig2:erica",
]


def simulated(job: Job) -> str:
    """The scenario of a job without the seed and the records."""
    document = json.loads(_core.toml_as_json(job.resolved()))
    for table, key in (("measure", "traces"), ("measure", "events"), ("run", "seed")):
        document[table].pop(key, None)
    return json.dumps(document, sort_keys=True)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_study_of_an_experiment_makes_its_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the scenario is found by its whole path
    file = tmp_path / "study.toml"
    file.write_text(study_of(name), encoding="utf-8")
    asked = studies.read(str(file), ())
    of_study = {simulated(asked.job(point, 0)) for point in asked.points}
    wanted, _, part = name.partition(":")
    [(paper, experiment)] = [
        (paper, one) for paper in all_papers() for one in paper.experiments if one.id == wanted
    ]
    of_paper = {
        simulated(job_of(paper, variant, point, 1))
        for _, variant, point in run_ids(experiment)
        if part in {"", variant.name, variant.scenario.removesuffix(".toml")}
    }
    assert of_study == of_paper


@pytest.mark.parametrize(
    ("name", "measures"),
    [
        ("kalyan97-table8.2", {"bottleneck.queue_max_cells", "throughput_mbit"}),
        ("kalyan97-table8.6", {"bottleneck.queue_max_cells", "throughput_mbit"}),
    ],
)
def test_a_study_measures_what_its_table_prints(name: str, measures: set[str]) -> None:
    """The figure of such a table shows one of the two."""
    [experiment] = [one for paper in all_papers() for one in paper.experiments if one.id == name]
    printed = {str(one.measure).removeprefix("it.") for one in experiment.published}
    assert measures <= printed
    assert {*tomllib.loads(study_of(name))["measures"].values()} >= measures


def test_without_a_figure_a_study_has_the_measures_of_claims(
    command: Command, tmp_path: Path
) -> None:
    """Those that a claim takes from one named run; the data set has a number for each."""
    text = study_of("kalyan97-fig8.5")
    name = "flow_tcp_1_balance_dropped_at_switch_bytes"
    measures = tomllib.loads(text)["measures"]
    assert measures == {name: "flow('tcp.1').balance.dropped_at_switch_bytes"}
    file = tmp_path / "study.toml"
    file.write_text(text, encoding="utf-8")
    shorter = ("--set", "run.duration=200 ms")
    done = command("study", file, *shorter, "--out", tmp_path / "out", "--quiet")
    assert done.returncode == 0, done.stderr
    [described] = (tmp_path / "out").rglob("study.json")
    found = DataSet(described.parent).runs[name]
    assert found.len() == 4
    assert found.null_count() == 0


@cache
def printed_studies() -> dict[str, str]:
    """All study files of published experiments, whole and by variant."""
    found = {}
    for paper in all_papers():
        for experiment in paper.experiments:
            parts = (f"{experiment.id}:{variant.name}" for variant in experiment.variants)
            for name in (experiment.id, *parts):
                # It has no runs, or none that a study can vary.
                with contextlib.suppress(ReproduceError):
                    found[name] = study_of(name)
    return found


def measures_of(name: str) -> dict[str, str]:
    measures: dict[str, str] = tomllib.loads(printed_studies()[name]).get("measures", {})
    return measures


def test_each_study_of_an_experiment_names_measures_or_says_why_not() -> None:
    lacking = []
    for name, text in printed_studies().items():
        if ":" not in name and "measures" not in tomllib.loads(text):
            lacking.append(name)
            assert "has no measure of a single run" in text
    assert "kalyan97-fig8.5" not in lacking
    assert len(lacking) < 40


class _AtUnits(ast.NodeTransformer):
    """Replaces the numbers of a run: rates by 1 Mbit/s, times by 1 ms, in units of the summary."""

    def _number(self, node: ast.AST) -> ast.AST:
        text = ast.unparse(node)
        for ending, value in (("bits_per_second", 1e6), ("throughput_mbit", 1), ("_seconds", 1e-3)):
            if ending in text:
                return ast.Constant(value)
        return self.generic_visit(node)

    visit_Attribute = visit_Call = visit_Name = _number  # noqa: N815


def test_measures_of_printed_studies_have_the_units_of_their_names() -> None:
    """Rates of 1 Mbit/s give about 1 in Mbit/s, times of 1 ms give 1 in ms, counts are cells."""
    checked = 0
    for study in printed_studies():
        for name, expression in measures_of(study).items():
            assert name.isidentifier(), (study, name)
            if name.endswith("_cells"):
                assert "_cells" in expression, (study, name, expression)
            if not name.endswith(("mbit_per_s", "_ms")):
                continue
            tree = _AtUnits().visit(ast.parse(expression, mode="eval"))
            value = eval(compile(ast.fix_missing_locations(tree), name, "eval"))  # noqa: S307
            assert 0.5 < value < 200, (study, name, expression)
            checked += 1
    assert checked > 20


def test_a_printed_study_has_the_measure_of_each_curve() -> None:
    """A formula beside a measured curve does not take the place of the curve."""
    assert measures_of("gerla95-fig5:fcvc") == {
        "goodput_mbit_per_s": "1e-06 * tcp.sum('goodput_bits_per_second')"
    }
    pid = measures_of("marsan97-fig5R:pid")
    assert "tcp.mean('goodput_bits_per_second') / 1e6" in pid.values()
    assert len(measures_of("marsan97-fig11L")) == 10


def test_the_printed_study_is_planned_and_tells_what_it_leaves_out(
    command: Command, tmp_path: Path
) -> None:
    printed = command("study", "--from", "ohsaki95-fig5", cwd=HERE.parent)
    assert printed.returncode == 0, printed.stderr
    assert "--from ohsaki95-fig5:epd, --from ohsaki95-fig5:ubr" in printed.stdout
    file = tmp_path / "mine.toml"
    file.write_text(study_of("ohsaki95-fig5"), encoding="utf-8")
    planned = command("study", file, "--plan", "--out", tmp_path / "out")
    assert planned.returncode == 0, planned.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ohsaki95-fig55", "there is no experiment `ohsaki95-fig55`"),
        ("ohsaki95-fig5:fcvc", "has no part `fcvc`; scenarios: abr, epd, ubr; variants: "),
        ("ohsaki95-text-cells", "has no simulation runs"),
        (
            "marsan97-fig5L",
            "in some runs, but a study sets it in all runs; each variant is a study",
        ),
    ],
)
def test_what_is_no_study_says_why(name: str, said: str) -> None:
    with pytest.raises(ReproduceError, match=said):
        study_of(name)
