"""The package as its users in a notebook see it: objects that show themselves, errors, settings."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import cellrate
import numpy as np
import polars as pl
import pytest
from cellrate import ScenarioError
from cellrate.common.document import Shown
from cellrate.common.extras import LIBRARIES
from cellrate.common.problems import BadInput
from cellrate.simulation import dynamics, source
from cellrate.simulation.progress_line import ProgressLine, watching

HERE = Path(__file__).parent
TRACED = HERE / "scenarios" / "traced.toml"


@pytest.fixture(scope="module")
def result() -> cellrate.Result:
    return cellrate.run(TRACED)


class Balanced(HTMLParser):
    """Checks that elements are closed in order, and collects text outside of styles."""

    VOID = frozenset({"br", "meta", "path", "use", "rect", "image"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        """Opens an element."""
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Passes over an element that closes itself."""

    def handle_endtag(self, tag: str) -> None:
        """Closes the element that was opened last."""
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keeps words."""
        if not {"style", "svg"} & set(self.open):
            self.text.append(data)


def text_of(html: str) -> str:
    """The words of an HTML fragment, which must be whole."""
    parser = Balanced()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return " ".join(" ".join(parser.text).split())


def printed(script: str) -> str:
    """The output of a fresh interpreter."""
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_result_shows_its_flows_ports_and_warnings(result: cellrate.Result) -> None:
    html = result._repr_html_()
    text = text_of(html)
    assert result.digest in text
    for name, bits in result.flows.select("name", "goodput_bits_per_second").iter_rows():
        assert f"{name} " in text
        assert f"{bits / 1e6:.3f}" in text
    longest = max(result.queues["queue_max_cells"].to_list())
    assert f"{longest:,}" in text
    assert html.count("<svg ") == 1
    # Names of keys are set in another type, and apart.
    letters = "".join(text.split())
    messages = ["".join(one["message"].replace("`", "").split()) for one in result.warnings]
    assert [message for message in messages if message not in letters] == []
    assert result.digest in repr(result)


def test_warnings_of_a_run_are_shown() -> None:
    short = cellrate.Scenario.from_template("n-source").with_(
        {"run": {"duration": "30 ms"}, "measure": {"from": "10 ms"}}
    )
    ran = short.run()
    assert ran.warnings
    shown = text_of(ran._repr_html_())
    assert all(" ".join(one["code"].split()) in shown for one in ran.warnings)


def test_what_is_shown_takes_its_colours_from_the_page(result: cellrate.Result) -> None:
    html = result._repr_html_()
    style = html[html.index("<style>") : html.index("</style>")]
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", style.replace("<style>", ""))
    assert len(rules) > 10
    for selector, rule in rules:
        assert all(one.strip().startswith(".cellrate") for one in selector.split(",")), selector
        found = re.findall(r"(?:^|[ ;])(?:color|background):\s*([^;]+)", rule)
        allowed = {"inherit", "transparent", "var(--good)", "var(--bad)"}
        assert "figure" in selector or set(map(str.strip, found)) <= allowed, selector


def test_a_figure_shows_itself_once(result: cellrate.Result) -> None:
    figure = result.plot("queue")
    svg = figure._repr_svg_()  # type: ignore[attr-defined]
    assert svg.startswith("<svg ")
    assert "queue" in svg
    # What pyplot does not know, notebooks do not show again at the end of the cell.
    code = (
        "import sys, cellrate\n"
        f"figure = cellrate.run({str(TRACED)!r}).plot()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "from matplotlib import pyplot\n"
        "assert pyplot.get_fignums() == []\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_text_of_a_refusal_is_its_diagnostics() -> None:
    with pytest.raises(ScenarioError) as caught:
        cellrate.run(TRACED, overrides={"switch.bufer": "3 cells"})
    text = str(caught.value)
    assert text == caught.value.rendered.rstrip("\n")
    assert "did you mean `buffer`?" in text
    assert "^^^^^" in text
    assert caught.value._render_traceback_() == text.splitlines()  # type: ignore[attr-defined]
    assert str(ScenarioError("made elsewhere")) == "made elsewhere"


def test_the_reason_of_a_failed_run_is_one_line() -> None:
    job = cellrate.Job(cellrate.template("n-source"), "n", ("switch.bufer=3",))
    from cellrate.simulation.runner import run_each

    [done] = run_each([job])
    assert done.error == "unknown key `bufer` in `switch`"


def test_bad_input_is_shown_without_a_traceback() -> None:
    error = BadInput("--seeds 0: must be 1")
    assert error._render_traceback_() == ["BadInput: --seeds 0: must be 1"]


@pytest.mark.parametrize(
    ("nested", "dotted"),
    [
        ({"flow": {"tcp": {"count": 3}}}, {"flow.tcp.count": 3}),
        ({"flow": {"tcp.count": 3}, "run": {"seed": 4}}, {"flow.tcp.count": 3, "run.seed": 4}),
        (
            {"switch": {"control": {"scheme": "efci", "threshold": "9 cells"}}},
            {"switch.control": {"scheme": "efci", "threshold": "9 cells"}},
        ),
        ({"switch": {"control": {"interval": "2 ms"}}}, {"switch.control.interval": "2 ms"}),
        ({"abr": {"nrm": np.int64(16)}}, {"abr.nrm": 16}),
    ],
)
def test_nested_overrides_are_those_by_dotted_path(
    nested: dict[str, object], dotted: dict[str, object]
) -> None:
    text = cellrate.template("n-source")
    asked = [
        cellrate.Job(text, "n", tuple(source.settings(one))).resolved() for one in (nested, dotted)
    ]
    assert asked[0] == asked[1] != cellrate.Job(text, "n").resolved()


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"flow": {0: {"count": 3}}}, "a key of the overrides, flow.0: must be text, not 0"),
        ({"abr": {"rif": float("nan")}}, r"abr\.rif of the scenario = nan: must be finite"),
        ([("flow.tcp.count", 3)], r"is no override: must be a text PATH=VALUE"),
    ],
)
def test_overrides_of_wrong_types_are_refused(overrides: dict[str, object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        cellrate.run(TRACED, overrides=overrides)


def test_a_scenario_reads_and_changes(tmp_path: Path) -> None:
    scenario = cellrate.Scenario.from_template("n-source")
    assert scenario["switch.buffer"] == "infinite"
    assert scenario["flow.tcp.count"] == scenario["flow.0.count"] == 5
    assert scenario["abr.nrm"] == 32  # a default that the template does not write
    fewer = scenario.with_({"flow": {"tcp": {"count": 2}}}, seed=9)
    again = fewer.with_({"switch": {"buffer": "70 cells"}})
    assert (again["flow.tcp.count"], again.seed, again["switch.buffer"]) == (2, 9, "70 cells")
    assert (scenario["flow.tcp.count"], scenario.seed) == (5, 1)
    file = tmp_path / "mine.toml"
    file.write_text(again.resolved(), encoding="utf-8")
    mapping = tomllib.loads(again.resolved())
    same = [cellrate.Scenario(one) for one in (file, str(file), again.resolved(), mapping, again)]
    assert {one.resolved() for one in same} == {again.resolved()}
    assert (repr(fewer), fewer.name) == ("<Scenario n-source: 2 flows, 2 s, seed 9>", "n-source")


def test_a_scenario_runs_as_its_text_does(result: cellrate.Result) -> None:
    scenario = cellrate.Scenario(TRACED)
    assert scenario.run().digest == cellrate.run(scenario).digest == result.digest
    two = cellrate.run(scenario, overrides={"run.seed": 2}).digest
    assert scenario.with_(seed=2).run().digest == two


def test_a_scenario_shows_its_network() -> None:
    scenario = cellrate.Scenario.from_template("n-source").with_({"switch.buffer": "1234 cells"})
    text = text_of(scenario._repr_html_())
    assert "tcp 5 abr greedy reno 10 ms" in text
    assert "A->B 5 155.52 5 ms 1,234 erica tail-drop" in text


def test_a_key_that_is_not_there_names_those_that_are() -> None:
    scenario = cellrate.Scenario.from_template("n-source")
    with pytest.raises(KeyError, match="there is no 'bufer' in switch; there are buffer, "):
        scenario["switch.bufer"]
    with pytest.raises(KeyError, match=r"there is no 'x' in run\.seed; there are no keys"):
        scenario["run.seed.x"]


def test_validation_says_what_a_run_needs() -> None:
    found = cellrate.Scenario.from_template("n-source").validate()
    assert found.warnings == ()
    assert 1e4 < found.estimate["memory_bytes"] < 1e9
    assert "is a valid scenario A run needs at most" in text_of(found._repr_html_())


@pytest.mark.parametrize("seed", [-1, 1.5, 2**63, 2**64, "1", True])
def test_a_seed_of_a_scenario_is_a_whole_number(seed: int) -> None:
    with pytest.raises((TypeError, ValueError), match=r"seed = .*: must be a whole number from 0"):
        cellrate.Scenario(TRACED, seed=seed)


def test_dynamics_take_the_series_of_a_run(result: cellrate.Result) -> None:
    queue = result.series("queue", "A->B")
    assert dynamics.oscillation(queue).cycles == queue.oscillation().cycles > 0
    sampled = dynamics.Sampled(queue.time, queue.minimum, queue.maximum)
    assert dynamics.oscillation(sampled) == dynamics.oscillation(queue)
    assert dynamics.settling_time(queue, 0.5) == dynamics.settling_time(sampled, 0.5)
    with pytest.raises(TypeError, match="list: must be a Series, as Result"):
        dynamics.oscillation([1.0, 2.0])  # type: ignore[arg-type]


def test_progress_is_a_line_that_is_taken_away(capsys: pytest.CaptureFixture[str]) -> None:
    cellrate.run(TRACED, progress=True)
    written = capsys.readouterr().err
    assert re.search(r"\rsimulating: \d+%", written)
    assert written.endswith("\r")
    assert written.rpartition("\r")[0].rpartition("\r")[2].strip() == ""
    cellrate.run(TRACED)
    cellrate.run(TRACED, progress=False)
    assert capsys.readouterr().err == ""
    line = ProgressLine("it")
    line(1, 0)
    assert capsys.readouterr().err == "\rit: 100% done"
    wrong = pytest.raises(TypeError, match="progress = 1: must be True, False or a function")
    with wrong, watching(1, "it"):  # type: ignore[arg-type]
        pass


class Kernel:
    """IPython's part of a notebook: it shows, and updates what it has shown."""

    def __init__(self) -> None:
        self.kernel, self.cell = self, [""]

    def display(self, shown: Shown, *, display_id: bool) -> Kernel:
        """Shows something in the cell."""
        assert display_id
        self.update(shown)
        return self

    def update(self, shown: Shown) -> None:
        """Shows something else in the same place."""
        self.cell.append(shown._repr_html_())


def test_progress_in_a_notebook_is_a_bar_that_is_taken_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = Kernel()
    ipython, shown = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython, shown.display = lambda: kernel, kernel.display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", shown)
    cellrate.run(TRACED, progress=True)
    shares = [float(one) for one in re.findall(r'value="([\d.]+)"', " ".join(kernel.cell))]
    assert shares[0] == 0.0
    assert shares == sorted(shares)
    assert "simulating" in kernel.cell[1]
    assert kernel.cell[-1] == ""
    # IPython without a notebook, as in a terminal.
    del kernel.kernel
    cellrate.run(TRACED, progress=True)
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith("\rsimulating: ")


def test_keys_of_a_scenario_complete() -> None:
    keys = cellrate.Scenario(TRACED)._ipython_key_completions_()
    assert {"switch.buffer", "flow.tcp.count", "topology"} <= set(keys)
    scenario = cellrate.Scenario(TRACED)
    for key in keys:
        scenario[key]


def test_tables_become_those_of_pandas(result: cellrate.Result) -> None:
    for name in ("flows", "ports", "queues", "vcs", "events", "trace_frame"):
        ours: pl.DataFrame = getattr(result, name)
        theirs = result.to_pandas(name)
        assert list(theirs.columns) == ours.columns
        assert len(theirs) == len(ours)
        for column in ours:
            if column.dtype == pl.String:
                expected = [value for value in column if value is not None]
                assert [one for one in theirs[column.name] if isinstance(one, str)] == expected
            elif column.dtype.is_numeric():
                assert theirs[column.name].sum() == pytest.approx(column.sum())
                assert theirs[column.name].isna().sum() == column.null_count() + (
                    column.is_nan().sum() if column.dtype.is_float() else 0
                )
    with pytest.raises(ValueError, match="there is no table 'flow'; there are flows, classes"):
        result.to_pandas("flow")


def test_a_table_becomes_one_of_pandas_without_pyarrow() -> None:
    script = (
        "import sys\nsys.modules['pyarrow'] = None\nimport cellrate\n"
        f"result = cellrate.run({str(TRACED)!r})\n"
        "for name in ('flows', 'trace_frame', 'events'):\n"
        "    assert getattr(result, name).to_pandas().equals(result.to_pandas(name)), name\n"
        "try:\n    result.flows.to_pandas(use_pyarrow_extension_array=True)\n"
        "except (ModuleNotFoundError, AttributeError):\n    print('refused')\n"
    )
    assert printed(script) == "refused"


@pytest.mark.parametrize(
    ("blocked", "code", "said"),
    [
        ("polars", "result.flows", "a data frame needs polars, {}'cellrate[cli]'"),
        ("polars", "result.to_pandas()", "a data frame needs polars, {}'cellrate[cli]'"),
        ("pandas", "result.to_pandas()", "to_pandas needs pandas, {}'cellrate[pandas]'"),
        ("cycler", "result.plot()", "a figure needs cycler, {}'cellrate[cli]'"),
        ("matplotlib", "result.plot()", "a figure needs matplotlib, {}'cellrate[cli]'"),
        ("scipy", "cellrate.explain(scenario)", "cellrate.explain needs scipy, {}'cellrate[cli]'"),
        ("polars", "cellrate.DataSet('x')", "cellrate.DataSet needs polars, {}'cellrate[cli]'"),
        ("scipy", "scenario.document()", "the table of a scenario needs scipy, {}'cellrate[cli]'"),
    ],
)
def test_missing_libraries_say_which_command_installs_them(
    blocked: str, code: str, said: str
) -> None:
    message = said.format("which is not installed: pip install ")
    script = (
        f"import sys\nsys.modules[{blocked!r}] = None\n"
        f"import cellrate\nscenario = cellrate.Scenario({str(TRACED)!r})\nresult = scenario.run()\n"
        f"try:\n    {code}\nexcept ImportError as error:\n    print(type(error).__name__, error)\n"
    )
    assert printed(script) == f"MissingExtra {message}"


def test_without_any_extra_a_scenario_runs(result: cellrate.Result) -> None:
    blocked = [name for names in LIBRARIES.values() for name in names]
    script = (
        f"import sys\nsys.modules.update(dict.fromkeys({blocked!r}))\n"
        f"import cellrate\nresult = cellrate.run({str(TRACED)!r})\nprint(result.digest)\n"
    )
    assert printed(script) == result.digest


def test_the_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["optional-dependencies"].keys() == LIBRARIES.keys()
    for extra, requirements in project["optional-dependencies"].items():
        names = {re.split(r"[<>=!~\[ ]", one)[0].replace("-", "_") for one in requirements}
        assert names <= set(LIBRARIES[extra])
