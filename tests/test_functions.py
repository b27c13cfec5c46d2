"""Every command as a function: the same answers, typed, and shown by notebooks."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cellrate
import numpy as np
import polars as pl
import pytest
from cellrate.advice import sizing
from cellrate.advice.explain.report import as_json as explained
from cellrate.advice.sizing.report import as_json as sized
from cellrate.advice.tuning import as_json as tuned
from cellrate.cli.parser import app
from cellrate.common.problems import BadInput
from cellrate.studies.compare.report import as_json as compared
from conftest import Command
from test_import_graph import SMALL as GRAPHML
from test_notebook import text_of

FUNCTIONS = {
    "battery": ("judge_schemes",),
    "bench": ("bench", "bench_components"),
    "compare": ("compare", "compare_data"),
    "explain": ("explain",),
    "import-goal": ("import_goal",),
    "import-graph": ("import_graph",),
    "infer": ("infer",),
    "new": ("template",),
    "plot": ("plot",),
    "report": ("report",),
    "reproduce": ("reproduce_paper",),
    "run": ("run", "capture"),
    "size-buffer": ("size_buffer",),
    "study": ("study", "read_study"),
    "table": ("table",),
    "theory": ("theory",),
    "time-space": ("time_space",),
    "choose": ("choose",),
    "tune": ("tune",),
    "validate": ("validate",),
}
"""Names in `cellrate` of each command's functions; `theory` has one for each formula."""
WITHOUT = {
    "animate": "writes films, whose frames no notebook needs to hold",
    "completion": "prints a script for a shell",
    "lab": "serves a page until it is stopped",
    "dissector": "prints the path of a file for tshark",
    "list": "prints names for a reader; Python's errors name those that are allowed",
    "schema": "prints a file for editors",
}
"""Commands without a function, and why."""

SHORT = {
    "run": {"duration": "24 ms", "start_jitter": "2 ms"},
    "measure": {"from": "8 ms", "traces": [], "events": []},
    "topology": {"bottleneck": "50 km"},
    "flow": {"tcp": {"count": 2}},
}
STUDY = """
name = "small"
template = "n-source"
set = ["run.duration=30 ms", "measure.from=10 ms", "measure.traces=[]", "flow.tcp.count=2"]
[replications]
count = 2
[factors]
"switch.buffer" = ["50 cells", "500 cells"]
[measures]
throughput = "throughput_mbit"
"""


@pytest.fixture(scope="module")
def scenario() -> cellrate.Scenario:
    return cellrate.Scenario.from_template("n-source").with_(SHORT)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory, scenario: cellrate.Scenario) -> Path:
    place = tmp_path_factory.mktemp("functions") / "small.toml"
    place.write_text(scenario.resolved(), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> cellrate.DataSet:
    return cellrate.study(STUDY, tmp_path_factory.mktemp("data") / "small")


def as_printed(answer: object) -> Any:  # noqa: ANN401  any JSON
    return json.loads(json.dumps(answer))


def printed(command: Command, *arguments: str | Path) -> Any:  # noqa: ANN401  any JSON
    done = command(*map(str, arguments), "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_command_has_its_function() -> None:
    commands = {name for name in app if not name.startswith("-")}
    assert commands == FUNCTIONS.keys() | WITHOUT.keys()
    for names in FUNCTIONS.values():
        for name in names:
            found = getattr(cellrate, name)
            assert inspect.ismodule(found) if name == "theory" else callable(found), name


def test_all_names_are_there() -> None:
    assert len(set(cellrate.__all__)) == len(cellrate.__all__)
    for name in cellrate.__all__:
        assert getattr(cellrate, name) is not None
        assert name in dir(cellrate)
    with pytest.raises(AttributeError, match="module 'cellrate' has no attribute 'chose'"):
        _ = cellrate.chose


def test_explain_says_what_the_command_says(
    command: Command, file: Path, scenario: cellrate.Scenario
) -> None:
    answer = cellrate.explain(file)
    said = printed(command, "explain", file)
    assert as_printed(explained(answer)).items() <= said.items()
    assert answer.statements == cellrate.explain(scenario).statements
    text = text_of(answer._repr_html_())
    sentences = (" ".join(one.text.split()).replace("`", "") for one in answer.statements)
    assert all(one in text for one in sentences)
    assert repr(answer).startswith(f"<Explanation of {file}: {len(answer.statements)} statements")


def test_size_buffer_finds_what_the_command_finds(
    command: Command, file: Path, tmp_path: Path
) -> None:
    answer = cellrate.size_buffer(file, seeds=2)
    said = printed(command, "size-buffer", file, "--seeds", "2", "--out", tmp_path)
    assert as_printed(sized(answer)) == said
    assert isinstance(answer, sizing.Answer)
    assert answer.buffer_cells is not None
    assert f"{answer.buffer_cells:,} cells" in repr(answer)
    assert f"{answer.buffer_cells:,}" in text_of(answer._repr_html_())


def test_tune_ranks_as_the_command(command: Command, file: Path, tmp_path: Path) -> None:
    vary = "switch.control.target_utilisation=0.8,0.95"
    answer = cellrate.tune(file, vary=vary, seeds=1)
    said = printed(command, "tune", file, "--vary", vary, "--seeds", "1", "--out", tmp_path)
    assert as_printed(tuned(answer)) == said
    assert ", ".join(answer.chosen.setting.overrides) in repr(answer)
    assert "target_utilisation" in text_of(answer._repr_html_())


def test_compare_judges_as_the_command(command: Command, file: Path, tmp_path: Path) -> None:
    vary, efci = "control.scheme=efci,erica", {"switch.buffer": "100 cells"}
    with pytest.warns(UserWarning, match="efci does not know target_utilisation"):
        answer = cellrate.compare(file, vary, overrides=efci, seeds=2)
    said = printed(
        command,
        *("compare", file, "--vary", vary, "--set", "switch.buffer=100 cells"),
        *("--seeds", "2", "--out", tmp_path),
    )
    assert as_printed(compared(answer, answer.units)) == said
    html = answer._repr_html_()
    assert "<svg " in html
    assert "efci" in text_of(html)
    assert repr(answer).startswith("<Comparison of ")


def test_a_study_shows_its_plan_and_its_data(data: cellrate.DataSet, tmp_path: Path) -> None:
    asked = cellrate.read_study(STUDY)
    assert repr(asked) == "<Study small: 2 points of n-source>"
    assert "switch.buffer cells 50, 500" in text_of(asked._repr_html_())
    shown = text_of(data._repr_html_())
    assert "n-source, 4 runs at 2 points" in shown
    for _, mean in data.runs.group_by("point").agg(pl.col("throughput").mean()).rows():
        assert f"{mean:.4g}" in shown
    again = cellrate.study(asked, tmp_path / "again")
    assert again.runs["digest"].to_list() == data.runs["digest"].to_list()
    assert data.to_pandas()["seed"].tolist() == data.runs["seed"].to_list()


def test_the_data_of_a_study_is_tabulated_drawn_and_reported(data: cellrate.DataSet) -> None:
    table = cellrate.table(data, rows="switch.buffer", measures="throughput")
    means = [table.cells[row, (), "throughput"].mean for row in table.row_keys]
    by_point = data.runs.group_by("point", maintain_order=True)
    assert means == pytest.approx(by_point.agg(pl.col("throughput").mean())["throughput"].to_list())
    assert f"{means[0]:.3g}"[:3] in text_of(table._repr_html_())
    figure = cellrate.plot(data.directory, "throughput", "switch.buffer")
    assert figure._repr_svg_().startswith("<svg ")  # type: ignore[attr-defined]
    page = cellrate.report(data)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    comparison = cellrate.compare_data(data, factor="switch.buffer", measures="throughput")
    assert len(comparison.alternatives) == 2
    assert text_of(comparison._repr_html_())


def test_notes_of_a_study_are_told(tmp_path: Path) -> None:
    wrong = STUDY.replace('"throughput_mbit"', '"sum(throughput_mbit)"')
    with pytest.warns(UserWarning, match="throughput has no value in some runs"):
        cellrate.study(wrong, tmp_path / "wrong")


def test_a_paper_is_reproduced_and_shown() -> None:
    found = cellrate.reproduce_paper("gerla95", "eq1-n3")
    assert repr(found) == "<Computed: gerla95-eq1-n3>"
    text = text_of(found._repr_html_())
    assert "gerla95-eq1-n3" in text
    with pytest.raises(BadInput, match="there is no paper 'gerla96', did you mean 'gerla95'"):
        cellrate.reproduce_paper("gerla96")
    with pytest.raises(BadInput, match="nonsense"):
        cellrate.reproduce_paper("gerla95", "nonsense")


def test_a_time_space_diagram_is_drawn(scenario: cellrate.Scenario) -> None:
    figure = cellrate.time_space(scenario, 0.020, 0.0201, flow="tcp.2")
    assert figure._repr_svg_().startswith("<svg ")  # type: ignore[attr-defined]
    with pytest.raises(BadInput, match=r"there is no flow 'tcp\.3'"):
        cellrate.time_space(scenario, 0.020, 0.0201, flow="tcp.3")
    with pytest.raises(ValueError, match=r"from 0\.02 s to 0\.01 s: a span must begin"):
        cellrate.time_space(scenario, 0.02, 0.01)


def test_a_graph_becomes_a_scenario(tmp_path: Path) -> None:
    file = tmp_path / "net.graphml"
    file.write_text(GRAPHML, encoding="utf-8")
    scenario = cellrate.import_graph(file, duration="20 ms")
    assert (scenario.name, scenario["run.duration"]) == ("net", "20 ms")
    with pytest.raises(BadInput, match="there is no service 'abc', did you mean 'abr'"):
        cellrate.import_graph(file, service="abc")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s: cellrate.size_buffer(s, seeds=np.float64(2)), r"seeds = .*2\.0.*: must be"),  # type: ignore[arg-type]
        (lambda s: cellrate.size_buffer(s, seeds=0), "seeds = 0: must be a whole number"),
        (lambda s: cellrate.tune(s, first_seed=-1), "first_seed = -1: must be a whole number"),
        (lambda s: cellrate.tune(s, budget=0), "budget = 0: must be a whole number"),
        (lambda s: cellrate.tune(s, search_seed=2**64), "search_seed = 18446744073709551616"),
        (lambda s: cellrate.compare(s, "abr.nrm=16,32", seeds=True), "seeds = True: must be"),
        (lambda s: cellrate.compare(s, "abr.nrm=16,32", level=1.0), r"level = 1.0: must be above"),
        (
            lambda s: cellrate.compare(s, "abr.nrm=16,32", first_seed=2**63 - 3),
            "the last seed = 9223372036854775814: must be",
        ),
        (lambda s: cellrate.size_buffer(s, workers=0), "workers = 0: must be a whole number"),
        (lambda s: cellrate.explain(s, seed=2**63), "seed = 9223372036854775808: must be"),
    ],
)
def test_counts_and_seeds_are_whole_numbers_in_range(
    scenario: cellrate.Scenario,
    call: Callable[[cellrate.Scenario], object],
    said: str,
) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        call(scenario)


@pytest.mark.parametrize(
    ("call", "note"),
    [
        (lambda s: cellrate.choose(s, store=3.7), "store = 3.7: must be _core.Store | None"),  # type: ignore[arg-type]
        (lambda _: cellrate.reproduce_paper(None), "paper = None: must be str"),  # type: ignore[arg-type]
        (lambda _: cellrate.table("x", where=5), "where = 5: must be Mapping[str, float | str]"),  # type: ignore[arg-type]
        (lambda s: cellrate.compare(s, [1]), "vary = [1]: must be str | tuple[str, ...]"),  # type: ignore[list-item]
        (lambda s: cellrate.compare(s, "abr.nrm=16,32", level="1"), "level = '1': must be float"),  # type: ignore[arg-type]
    ],
)
def test_arguments_of_a_wrong_type_are_named(
    scenario: cellrate.Scenario, call: Callable[[cellrate.Scenario], object], note: str
) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError)) as raised:
        call(scenario)
    assert any(one.startswith(note) for one in raised.value.__notes__)


def test_errors_beside_arguments_of_right_types_have_no_note(scenario: cellrate.Scenario) -> None:
    def fails(_done: float, _all: float) -> None:
        raise TypeError("mine")

    with pytest.raises(TypeError, match="mine") as raised:
        cellrate.run(scenario, overrides=("run.duration=9 s",), seed=np.int64(1), progress=fails)  # type: ignore[arg-type]
    assert not hasattr(raised.value, "__notes__")
