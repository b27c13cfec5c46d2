"""`cellrate table`: means and intervals worked by hand, in every format, from Python and typed."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
from cellrate import Outcome, run, template
from cellrate import study as study_of
from cellrate.cli.app import run_command
from cellrate.common import estimates
from cellrate.common.problems import BadInput
from cellrate.schemes import allowing
from cellrate.studies.dataset import (
    DataSet,
    Description,
    FactorColumn,
    MeasureColumn,
    RunRow,
    Writer,
    table_writer,
)
from cellrate.studies.dataset.table import Question, tabulate, written
from cellrate.studies.dataset.table.formats import _heads
from conftest import Command
from studied import results, write

# Student's t for two degrees of freedom: 0.975-quantile, 0.95-quantile.
T_95, T_90 = 4.302652729911275, 2.919985580353726
FACTORS = (
    FactorColumn("switch.control.scheme", "switch.control.scheme", "choice"),
    FactorColumn("load", None, "number"),
)
DERIVED = (FactorColumn("double"),)
DESCRIPTION = Description(
    "by_hand & 100 %", "n-source", FACTORS, DERIVED, (MeasureColumn("rate_a|b", "throughput_mbit"),)
)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    scenario = template("n-source")
    return run(scenario, overrides={"run.duration": "20 ms", "measure.from": "0 s"}).outcome


def made(place: Path, outcome: Outcome, values: Sequence[tuple[str, float, float | None]]) -> Path:
    """A data set of runs with these values of scheme, load and measure; None fails."""
    points: dict[tuple[str, float], int] = {}
    counts: dict[int, int] = {}
    with Writer(place, DESCRIPTION) as writer:
        for scheme, load, value in values:
            point = points.setdefault((scheme, load), len(points))
            replication = counts[point] = counts.get(point, -1) + 1
            row = RunRow(
                point,
                replication,
                replication + 1,
                "0" * 64,
                "cellrate run",
                {"switch.control.scheme": scheme, "load": load, "double": 2 * load},
                {"rate_a|b": value},
                None if value is not None else "no memory",
            )
            writer.add(row, None if value is None else outcome)
    return place


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory, outcome: Outcome) -> Path:
    values = [
        *(("erica", 0.5, value) for value in (1.0, 2.0, 3.0)),
        *(("erica", 1.5, value) for value in (5.0, 4.0, 9.0)),
        *(("efci", 0.5, value) for value in (7.0, 7.0, 7.0)),
        ("efci", 1.5, 8.0),
    ]
    return made(tmp_path_factory.mktemp("table") / "study", outcome, values)


def cell(study: Path, question: Question, *keys: str | float) -> tuple[float, float | None, int]:
    """Mean, half width and replications of the cell with these keys in a table without columns."""
    found = tabulate(DataSet(study), question)
    one = found.cells[keys, (), found.measures[0].name]
    half = None if one.low is None or one.high is None else (one.high - one.low) / 2
    return one.mean, half, one.replications


def test_mean_and_interval_are_those_of_students_t(study: Path) -> None:
    both = Question(rows=("scheme", "load"))
    assert cell(study, both, "erica", 0.5) == pytest.approx((2.0, T_95 / 3**0.5, 3))
    assert cell(study, both, "efci", 0.5) == (7.0, 0.0, 3)
    assert cell(study, both, "efci", 1.5) == (8.0, None, 1)
    at_90 = dataclasses.replace(both, level=0.9)
    assert cell(study, at_90, "erica", 0.5) == pytest.approx((2.0, T_90 / 3**0.5, 3))
    one = tabulate(DataSet(study), both).cells[("erica", 1.5), (), "rate_a|b"]
    expected = estimates.estimate([5.0, 4.0, 9.0])
    assert (one.mean, one.low, one.high) == pytest.approx(
        (expected.mean, expected.low, expected.high)
    )


def test_what_is_in_no_row_or_column_is_averaged_replication_by_replication(study: Path) -> None:
    # (1 + 5) / 2, (2 + 4) / 2, (3 + 9) / 2: 3, 3 and 6, whose standard deviation is the root of 3.
    by_scheme = Question(rows=("switch.control.scheme",))
    assert cell(study, by_scheme, "erica") == pytest.approx((4.0, T_95, 3))
    # One load has a single replication of EFCI: only that one counts.
    assert cell(study, by_scheme, "efci") == (7.5, None, 1)
    notes = " ".join(tabulate(DataSet(study), by_scheme).notes)
    assert "Means over the values of load." in notes
    assert "those that all have" in notes
    only = Question(rows=("scheme",), where={"load": 1.5})
    found = tabulate(DataSet(study), only)
    assert found.notes == ()
    # A factor that is fixed wherever a derived parameter is, is not averaged over.
    by_derived = tabulate(DataSet(study), Question(rows=("double",)))
    assert by_derived.notes[0] == "Means over the values of switch.control.scheme."
    assert found.cells[("erica",), (), "rate_a|b"].mean == 6.0


def test_failed_runs_do_not_count_and_are_said(tmp_path: Path, outcome: Outcome) -> None:
    values = [("efci", 1.0, 1.0), ("efci", 1.0, None), ("efci", 1.0, 3.0)]
    place = made(tmp_path / "failed", outcome, values)
    assert cell(place, Question(rows=("scheme",)), "efci")[::2] == (2.0, 2)
    assert tabulate(DataSet(place), Question()).notes == ("1 of 3 runs failed and do not count.",)
    nothing = made(tmp_path / "nothing", outcome, [("efci", 1.0, None)])
    with pytest.raises(BadInput, match="no run of the study has succeeded"):
        tabulate(DataSet(nothing), Question())


def test_entities_of_a_run_are_averaged_first(tmp_path: Path) -> None:
    data = DataSet(write(tmp_path / "losses", results()))
    question = Question(
        rows=("group",), columns=("buffer",), measures=("goodput_bits_per_second",), table="flows"
    )
    found = tabulate(data, question)
    assert [head.unit for head in (*found.columns, *found.measures)] == ["cells", "bit/s"]
    frame = data.frame("flows").filter(pl.col("group") == "tcp", pl.col("buffer") == 50.0)
    runs = frame.group_by("run", "replication").agg(pl.col("goodput_bits_per_second").mean())
    means = runs.group_by("replication").agg(pl.col("goodput_bits_per_second").mean())
    expected = estimates.estimate(means["goodput_bits_per_second"].to_list())
    one = found.cells[("tcp",), (50.0,), "goodput_bits_per_second"]
    assert (one.mean, one.low) == pytest.approx((expected.mean, expected.low))
    classes = tabulate(
        data, Question(rows=("classes",), measures=("cells_dropped",), table="queues")
    )
    assert any("abr" in str(key[0]).split() for key in classes.row_keys)


def test_rows_that_only_some_points_have_are_told(tmp_path: Path) -> None:
    """The third flow is only at the point with three."""
    text = 'template = "single-switch"\nset = ["run.duration=20 ms", "measure.from=10 ms"]'
    asked = tmp_path / "counts.toml"
    asked.write_text(f'{text}\n[factors]\n"flow.tcp.count" = [2, 3]\n', encoding="utf-8")
    data = study_of(asked, tmp_path / "data")
    question = Question(rows=("name",), measures=("segments_sent",), table="flows")
    assert "means over 1 to 2 points" in " ".join(tabulate(data, question).notes)
    fixed = dataclasses.replace(question, where={"flow.tcp.count": 3.0})
    assert tabulate(data, fixed).notes == ()


COUNTING = """
from dataclasses import dataclass

@dataclass
class Counting:
    STATISTICS = ("seen", "never_seen")

    def on_start(self, port):
        self.seen = 0

    def on_backward_rm(self, port, rm):
        self.seen += 1

    def statistics(self):
        return {"seen": self.seen}
"""


@pytest.mark.parametrize("part_rows", [1, 10_000])
def test_statistics_of_a_class_are_columns_of_the_ports(
    part_rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_writer, "PART_ROWS", part_rows)
    (tmp_path / "own.py").write_text(COUNTING, encoding="utf-8")
    (tmp_path / "net.toml").write_text(template("n-source"), encoding="utf-8")
    scheme = 'switch.control={scheme="own.py:Counting"}'
    settings = [scheme, "run.duration=60 ms", "measure.from=10 ms"]
    asked = tmp_path / "s.toml"
    factor = '[factors]\n"flow.tcp.count" = [4, 5]'
    asked.write_text(f'scenario = "net.toml"\nset = {settings}\n{factor}\n', encoding="utf-8")
    with allowing("own.py:Counting"):
        data = study_of(asked, tmp_path / "data")
        summary = run(tmp_path / "net.toml", overrides=settings).summary
    seen = {
        port["name"]: port["control"]["seen"]
        for port in summary["ports"]
        if "seen" in port["control"]
    }
    question = Question(("name",), ("flow.tcp.count",), ("control_seen",), "ports")
    cells = tabulate(data, question).cells
    assert {name: one.mean for ((name,), (count,), _), one in cells.items() if count == 5} == seen
    assert max(seen.values()) > 0
    assert "control_seen" in (tmp_path / "data" / "dictionary.md").read_text("utf-8")


OF_ALL_KINDS = """
from dataclasses import dataclass

@dataclass
class Rec:
    gain: float = 0.5

    def on_new_ack(self, tcp):
        tcp.cwnd += self.gain * tcp.mss

@dataclass
class Pol:
    most: int = 100

    def on_pdu(self, queue):
        return queue.cells < self.most

@dataclass
class Law:
    part: float = 0.5

    def on_backward_rm(self, source, rm):
        source.acr = self.part * rm.er
"""


@pytest.mark.parametrize(
    ("factor", "settings"),
    [
        ('"tcp.recovery" = ["reno", "own.py:Rec"]', []),
        ('"tcp.recovery.gain" = [0.1, 1.0]', ['tcp.recovery={policy="own.py:Rec"}']),
        ('"switch.discard.most" = [20, 90]', ['switch.discard={policy="own.py:Pol"}']),
        ('"abr.law.part" = [0.1, 0.5]', ['abr.law={law="own.py:Law"}', "flow.tcp.service=abr"]),
    ],
)
def test_classes_of_every_kind_are_factors(
    factor: str, settings: list[str], tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(OF_ALL_KINDS, encoding="utf-8")
    (tmp_path / "net.toml").write_text(template("n-source"), encoding="utf-8")
    # With the buffer of 100 cells and TCP over UBR each factor matters.
    plain = ["switch.buffer=100 cells", 'switch.control={scheme="none"}', "flow.tcp.service=ubr"]
    if any("law" in one for one in settings):
        plain = ["switch.buffer=1000 cells"]
    all_settings = [*plain, *settings, "run.duration=60 ms", "measure.from=10 ms"]
    asked = tmp_path / "s.toml"
    asked.write_text(
        f'scenario = "net.toml"\nset = {all_settings}\n[factors]\n{factor}\n', encoding="utf-8"
    )
    with allowing("own.py:Rec", "own.py:Pol", "own.py:Law"):
        data = study_of(asked, tmp_path / "data")
    assert data.runs["status"].to_list() == ["done", "done"]
    assert data.runs["digest"].n_unique() == 2


class Cells(HTMLParser):
    """Rows of the cells of an HTML table."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """A row or a cell begins."""
        del attrs
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        """Text of a cell."""
        if self.rows and self.rows[-1] and data.strip():
            self.rows[-1][-1] += data


def test_every_format_holds_the_same_cells_and_escapes_what_it_must(study: Path) -> None:
    asked = Question(rows=("load",), columns=("scheme",))
    table = tabulate(DataSet(study), asked)
    expected = [["0.5", "2 ± 2.5", "7"], ["1.5", "6 ± 6.6", "8"]]
    text = written(table, "text")
    assert [line.split()[0] for line in text.splitlines()[-2:]] == ["0.5", "1.5"]
    assert all(one in text for row in expected for one in row)
    markdown = written(table, "md")
    lines = [line for line in markdown.splitlines() if line.startswith("| ")]
    assert [line.strip("| ").split(" | ") for line in lines[1:]] == expected
    page = written(table, "html")
    assert "by_hand &amp; 100 %" in page
    cells = Cells()
    cells.feed(page)
    heads = ["load", "switch.control.scheme = erica", "switch.control.scheme = efci"]
    assert cells.rows == [heads, *expected]
    latex = written(table, "latex")
    assert r"by\_hand \& 100 \%" in latex
    assert r"0.5 & 2 $\pm$ 2.5 & 7 \\" in latex
    assert r" & \multicolumn{2}{c}{switch.control.scheme} \\" in latex
    assert latex.count("switch.control.scheme") == 1
    [first, *_] = csv.DictReader(io.StringIO(written(table, "csv")))
    assert float(first["mean"]) == 2.0
    assert float(first["high"]) == pytest.approx(2 + T_95 / 3**0.5)
    assert (first["measure"], first["unit"], first["replications"]) == ("rate_a|b", "Mbit/s", "3")
    # The end of a name, and of two that end so the one of the totals itself.
    ratio = tabulate(DataSet(study), Question(measures=("cell_loss_ratio",)))
    assert [head.name for head in ratio.measures] == ["totals_cell_loss_ratio"]
    several = tabulate(
        DataSet(study), Question(rows=("scheme",), measures=("rate_a|b", "timeouts"))
    )
    assert "rate_a\\|b (Mbit/s) | totals_timeouts |" in written(several, "md")
    hostile = dataclasses.replace(several, notes=("<script>1 & 2</script>",))
    assert "&lt;script&gt;1 &amp; 2&lt;/script&gt;" in written(hostile, "md")


def test_the_command_prints_and_writes_and_finds_names(
    command: Command, study: Path, tmp_path: Path
) -> None:
    done = command(
        "table", study, "--rows", "load", "--columns", "scheme", "--where", "load=1/2",
        "--format", "md", "-o", tmp_path / "table.md",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "| 0.5 | 2 ± 2.5 | 7 |" in (tmp_path / "table.md").read_text(encoding="utf-8")
    # A study file stands for the data that its run has left.
    (tmp_path / "loads.toml").write_text('scenario = "my.toml"\n')
    missing = command("table", "loads.toml")
    assert missing.returncode == 2
    assert "run `cellrate study loads.toml` first" in missing.stderr
    (tmp_path / "out" / "studies").mkdir(parents=True)
    (tmp_path / "out" / "studies" / "loads").symlink_to(study)
    assert "rate_a|b" in command("table", "loads.toml").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rows", "laod"], "there is no factor 'laod', did you mean 'load'?"),
        (["--measure", "ratio"], "'ratio' fits several names; name one measure of runs of"),
        (["--measure", "trough"], "there is no measure of runs 'trough'"),
        (["--rows", "load", "--columns", "load"], "'load' is named twice"),
        (["--where", "load=1/2", "--where", "load=1.5"], "no run has load=1/2 and load=1.5"),
        (["--where", "load=7"], "no run has load = 7; there are 0.5, 1.5"),
        (["--where", "load"], "must be FACTOR=VALUE"),
        (["--level", "95"], "a confidence level of 95: must be between 0 and 1"),
        (["--format", "xml"], "there is no format 'xml'"),
        (["--of", "flow"], "there is no table 'flow', did you mean 'flows'?"),
        (["--of", "flows"], "name a measure; flows has"),
    ],
)
def test_wrong_names_and_values_are_refused_with_what_is_allowed(
    study: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["table", str(study), *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


def test_no_data_set_is_an_error(command: Command, tmp_path: Path) -> None:
    done = command("table", "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere is not the data set of a study: it does not exist" in done.stderr
    (tmp_path / "study.json").write_text(json.dumps({"format": 9, "version": "7.0"}))
    assert "is of format 9, written by cellrate 7.0" in command("table", tmp_path).stderr


def test_a_factor_of_the_columns_is_named_once_in_latex() -> None:
    heads = [["rtt"], ["control.scheme = efci"], ["control.scheme = erica"]]
    assert _heads(heads, 1) == [
        r" & \multicolumn{2}{c}{control.scheme} \\",
        r"\cmidrule(lr){2-3}",
        r"rtt & efci & erica \\",
    ]
    # Other factors, or a single column, keep their names.
    assert _heads([["rtt"], ["a = 1"], ["b = 2"]], 1) == [r"rtt & a = 1 & b = 2 \\"]
    assert _heads([["rtt"], ["a = 1"]], 1) == [r"rtt & a = 1 \\"]


def test_a_value_of_a_factor_stands_once_above_its_columns_in_latex() -> None:
    columns = [["a = 1"], ["a = 1"], ["a = 2"]]
    assert _heads([["rtt"], *columns], 1) == [
        r" & \multicolumn{3}{c}{a} \\",
        r"\cmidrule(lr){2-4}",
        r"rtt & \multicolumn{2}{c}{1} & 2 \\",
        r"\cmidrule(lr){2-3}",
    ]
    # One level below, equal values under other values of `a` stay apart.
    below = [["a = 1", "b = 7"], ["a = 1", "b = 8"], ["a = 2", "b = 8"]]
    assert _heads([["rtt", ""], *below], 1)[-1] == r" & 7 & 8 & 8 \\"
