"""Figures, comparison and report of a study's data set, from the command line."""

from __future__ import annotations

import html
import json
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import small_study
from cellrate.cli.app import BAD_INPUT, run_command
from cellrate.common.document.web_page import web_page
from cellrate.studies.dataset import DataSet
from cellrate.studies.plots import Chart, lines
from cellrate.studies.plots.from_study import PlotOptions, draw, trace_of
from cellrate.studies.report import report


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_study.write(tmp_path_factory.mktemp("studies") / "small")


@pytest.fixture(scope="module")
def page(study: Path) -> str:
    """The study's report."""
    return web_page(report(DataSet(study)))


@pytest.mark.parametrize(
    "options",
    [
        ["--y", "throughput", "--x", "buffer", "--by", "scheme"],
        ["--kind", "heat-map", "--y", "queue", "--x", "buffer", "--by", "scheme"],
        ["--kind", "ecdf", "--y", "queue", "--by", "scheme", "--where", "buffer=100"],
        ["--kind", "box", "--y", "queue_max_cells", "--of", "queues", "--x", "scheme"],
        ["--kind", "traces", "--y", "queue", "--where", "buffer=200"],
        ["--kind", "phase", "--y", "queue", "--x", "acr:tcp.1/*", "--where", "buffer=200"],
    ],
)
def test_every_kind_of_figure_is_drawn(study: Path, tmp_path: Path, options: list[str]) -> None:
    file = tmp_path / "figure.svg"
    assert run_command(["plot", str(study), *options, "-o", str(file)]) == 0
    assert file.read_text(encoding="utf-8").count("<path") > 20


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--y", "throughput"], "--x FACTOR; there are switch.control.scheme, switch.buffer"),
        (["--y", "thruput", "--x", "buffer"], "did you mean 'throughput'"),
        (["--y", "queue", "--x", "buffer", "--where", "scheme=fmmra"], "allowed: erica, efci"),
        (["--y", "queue", "--x", "buffer", "--where", "buffer=7"], "no run has buffer=7"),
        (["--y", "queue", "--x", "buffer", "-o", "x.jpg"], "png, svg, pdf"),
        (["--kind", "pie", "--y", "queue"], "there is no kind of figure 'pie'"),
        (["--kind", "traces", "--y", "cwnd"], "no trace `cwnd`; traced: queue, acr"),
        (["--kind", "phase", "--y", "queue"], "portraits do not fit"),
    ],
)
def test_what_a_study_lacks_is_refused(
    study: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert run_command(["plot", str(study), *options]) == BAD_INPUT
    assert said in capsys.readouterr().err


def _study_of(rows: list[tuple[str, float, list[float]]]) -> pl.DataFrame:
    return (
        pl.DataFrame(
            [
                {"run": 0, "scheme": scheme, "buffer": buffer, "rate": rate}
                for scheme, buffer, rates in rows
                for rate in rates
            ]
        )
        .with_row_index("number")
        .drop("run")
        .rename({"number": "run"})
    )


def test_lines_begin_at_zero_and_show_intervals_of_no_width() -> None:
    runs = _study_of([("a", 1.0, [5.0, 5.0]), ("a", 2.0, [5.0, 5.0]), ("b", 1.0, [1.0, 9.0]),
                      ("b", 2.0, [4.0, 6.0])])  # fmt: skip
    figure = lines(runs, Chart("buffer", "rate", by="scheme")).figure
    [panel] = figure.axes
    assert panel.get_ylim()[0] == 0.0  # though the interval of "b" reaches far below
    caps = [one for one in panel.get_lines() if one.get_marker() == "_"]
    low_a, high_a = caps[0], caps[1]
    assert all(np.array_equal(cap.get_ydata(), [5.0, 5.0]) for cap in (low_a, high_a))
    [first, *_] = [one for one in panel.get_lines() if one.get_gid() == "means"]
    assert low_a.get_markersize() > first.get_markersize()
    texts = [one.get_text() for one in panel.texts]
    assert {"a", "b"} <= set(texts)
    assert panel.get_title(loc="left") == "means of 2 runs, with 95% confidence intervals"
    near = _study_of([("a", 1.0, [100.0, 100.5]), ("a", 2.0, [101.0, 101.2])])
    [panel] = lines(near, Chart("buffer", "rate")).figure.axes
    assert panel.get_ylim()[0] > 90
    assert next(one.get_text() for one in panel.texts).startswith("axis begins at 9")


def test_pictures_say_which_study_and_which_run(study: Path) -> None:
    data = DataSet(study)
    one = ("scheme=erica", "buffer=200")
    portrait = draw(data, PlotOptions("phase", "queue", "acr:tcp.1/*", where=one)).figure
    assert portrait.get_suptitle() == ("small: queue against acr, seed 1; scheme=erica, buffer=200")
    arrows = [text for text in portrait.axes[0].texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) > 5
    pair = draw(data, PlotOptions("phase", "queue", "acr:tcp.1/*", where=one[1:])).figure
    assert [axes.get_title(loc="left") for axes in pair.axes[:2]] == ["erica", "efci"]
    measured = draw(data, PlotOptions("lines", "throughput", "buffer", by="scheme")).figure
    assert measured.get_suptitle() == "small: throughput over switch.buffer"
    together = "over all values of switch.control.scheme"
    mixed = draw(data, PlotOptions("lines", "throughput", "buffer")).figure
    assert mixed.get_suptitle() == f"small: throughput over switch.buffer; means {together}"
    pooled = draw(data, PlotOptions("ecdf", "throughput", by="buffer")).figure
    assert pooled.get_suptitle().endswith(f"; runs {together}")
    alone = PlotOptions("lines", "throughput", "buffer", where=("scheme=erica",))
    assert "means" not in draw(data, alone).figure.get_suptitle()


def test_a_dark_figure_differs_in_its_ground_alone(study: Path, tmp_path: Path) -> None:
    options = ["plot", str(study), "--y", "throughput", "--x", "buffer"]
    assert run_command([*options, "-o", str(tmp_path / "light.svg")]) == 0
    assert run_command([*options, "--dark", "-o", str(tmp_path / "dark.svg")]) == 0
    light, dark = (
        (tmp_path / f"{name}.svg").read_text(encoding="utf-8") for name in ("light", "dark")
    )
    assert "#15181c" in dark
    assert "#15181c" not in light
    assert re.findall(r' d="([^"]*)"', light) == re.findall(r' d="([^"]*)"', dark)


def test_the_highest_of_several_traces_is_taken(study: Path) -> None:
    data = DataSet(study)
    peaks = {
        entity: data.series(5, "acr", entity).maximum.max()
        for entity in ("tcp.1/forward", "tcp.2/forward", "tcp.3/forward")
    }
    assert trace_of(data, 5, "acr:tcp.*/forward").maximum.max() == max(peaks.values())
    assert trace_of(data, 5, "acr:tcp.2/forward").entity == "tcp.2/forward"


def test_points_of_the_report_show_the_commands_of_their_runs(study: Path, page: str) -> None:
    runs = DataSet(study).runs
    circles = re.findall(
        r'<a href="#point-(\d+)"><circle cx="([\d.]+)" cy="([\d.]+)"[^>]*data-runs="([\d ]+)">'
        r"<title>(.*?)</title>",
        page,
        re.DOTALL,
    )
    # Two measures, six points each.
    assert len(circles) == 12
    markers = re.findall(r'<use [^>]*x="([\d.]+)" y="([\d.]+)"', page)
    for point, x, y, numbers, told in circles:
        rows = [runs.row(int(number), named=True) for number in numbers.split()]
        assert {row["point"] for row in rows} == {int(point)}
        assert html.unescape(told).splitlines() == [row["command"] for row in rows]
        assert f'id="point-{point}"' in page
        # They lie on the points that matplotlib drew.
        assert (
            min(max(abs(float(a) - float(x)), abs(float(b) - float(y))) for a, b in markers) < 0.1
        )
    assert len(next(one for one in circles if one[0] == "0")[3].split()) == 3  # one run failed


def test_the_report_is_whole_and_tells_failures(study: Path, page: str) -> None:
    assert "Failures (1)" in page
    assert "too much &lt;memory&gt;" in page
    assert "Which differences of switch.control.scheme are real" in page
    assert not re.search(r'(src|href)="(https?:)?//', page)
    assert page.count("<script>") == 1
    for command in DataSet(study).runs["command"]:
        assert html.escape(command) in page


@pytest.mark.usefixtures("undrawn")
def test_the_report_counts_what_the_command_counts(
    study: Path, page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = html.unescape(re.sub("<[^>]+>", "", page))
    for options, sentence in (([], "differences are real, at"), (["--average"], "differences ")):
        command = ["compare", str(study), "--factor", "scheme", "--out", str(tmp_path)]
        assert run_command([*command, *options, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)["differences"]
        real = sum(bool(one["real"]) for one in found)
        assert f"{real} of {len(found)} {sentence}" in text
    assert "1 pair × 2 measures × 3 points of switch.buffer" in text
    assert "of means over switch.buffer, seed by seed" in text


def test_a_command_of_the_report_gives_the_run_that_it_stands_for(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(small_study.SCENARIO, encoding="utf-8")
    row = DataSet(study).runs.row(7, named=True)
    program, *arguments = shlex.split(row["command"])
    assert program == "cellrate"
    assert run_command([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["digest"] == row["digest"]


@pytest.mark.usefixtures("undrawn")
def test_a_study_is_compared_along_a_factor(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--factor", "scheme", "--measure", "queue", "--out", str(tmp_path), "--json"]
    assert run_command(["compare", str(study), *options]) == 0
    found = json.loads(capsys.readouterr().out)
    places = [one["where"]["switch.buffer"] for one in found["differences"]]
    assert places == [100.0, 200.0, 400.0]
    assert [one["runs"] for one in found["differences"]] == [[3, 3], [4, 4], [4, 4]]
    assert [one["runs_left_out"] for one in found["differences"]] == [2, 0, 0]
    assert (tmp_path / "small-compared.pdf").exists()
    only = ["--where", "buffer=400", "--baseline", "efci"]
    assert run_command(["compare", str(study), *options, *only]) == 0
    [one] = json.loads(capsys.readouterr().out)["differences"]
    assert (one["first"], one["second"]) == ("efci", "erica")


@pytest.mark.usefixtures("undrawn")
def test_two_studies_are_compared(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = small_study.write(tmp_path / "other", "other", ("efci",))
    out = ["--out", str(tmp_path / "out")]
    assert run_command(["compare", str(study), str(other), "--json", *out]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["alternatives"] == ["small", "other"]
    assert len(found["differences"]) == 2 * 3
    assert {one["test"] for one in found["differences"]} == {"permutation"}
    assert not any(one["real"] for one in found["differences"])
    assert found["unmatched_points"] == 3
    alone = small_study.write(tmp_path / "alone", "alone", ("capc",))
    assert run_command(["compare", str(other), str(alone), *out]) == BAD_INPUT
    assert "common to both: switch.control.scheme is efci in other and capc in alone" in (
        capsys.readouterr().err
    )
    assert run_command(["compare", str(study), *out]) == BAD_INPUT
    assert "give --factor NAME or a second study" in capsys.readouterr().err


def test_the_report_is_written_beside_the_data(study: Path, page: str) -> None:
    """Again, and with pictures that are the same to the byte."""
    assert run_command(["report", str(study)]) == 0
    assert (study / "report.html").read_text(encoding="utf-8") == page


@pytest.mark.usefixtures("undrawn")
def test_the_file_of_a_study_stands_for_its_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "small.toml"
    file.write_text('scenario = "my.toml"', encoding="utf-8")
    assert run_command(["report", "small.toml"]) == BAD_INPUT
    assert "run `cellrate study small.toml` first" in capsys.readouterr().err
    place = small_study.write(tmp_path / "out" / "studies" / "small")
    assert run_command(["report", "small.toml"]) == 0
    assert (place / "report.html").is_file()
    drawn = ["plot", "small.toml", "--y", "throughput", "--x", "buffer", "-o", "x.svg"]
    assert run_command(drawn) == 0
    capsys.readouterr()
    answers = []
    for one in ("small.toml", str(place)):
        assert run_command(["compare", one, "--factor", "scheme", "--json"]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]
    file.write_text("[run]", encoding="utf-8")
    assert run_command(["compare", "small.toml", "--factor", "scheme"]) == BAD_INPUT
    assert "is no study file" in capsys.readouterr().err


def test_another_picture_of_a_measure_does_not_replace_the_first(
    study: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(study, mine)
    shutil.rmtree(mine / "figures", ignore_errors=True)
    asked = ["plot", str(mine), "--y", "throughput", "--x", "buffer"]
    for more in (["--by", "scheme"], [], ["--by", "scheme"]):
        assert run_command([*asked, *more]) == 0
    drawn = sorted(path.name for path in (mine / "figures").glob("*.svg"))
    assert drawn == ["lines-throughput-2.svg", "lines-throughput.svg"]
    assert len({path.read_bytes() for path in (mine / "figures").glob("*.svg")}) == 2
