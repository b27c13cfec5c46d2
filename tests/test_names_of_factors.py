"""Factors and measures of a study may be called as what is computed of them is called."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from conftest import Command

pytestmark = pytest.mark.usefixtures("undrawn")

# One flow and two: the sums of their numbers are 1 and 3.
STUDY = """
template = "n-source"
set = ["run.duration=20 ms", "measure.from=0 s", "run.start_jitter=1 ms"]
[factors]
NAME = [10, 20]
[derived]
"flow.tcp.count" = "NAME / 10"
[replications]
count = 2
[measures]
deviation = "throughput_mbit"
spread = "tcp.sum('index')"
"""
NAMES = ("count", "mean", "value", "runs", "study")


@pytest.mark.parametrize("name", NAMES)
def test_a_factor_may_be_called_like_a_statistic(
    command: Command, tmp_path: Path, name: str
) -> None:
    (tmp_path / "names.toml").write_text(STUDY.replace("NAME", name), encoding="utf-8")
    assert command("study", "names.toml", "--quiet").returncode == 0
    done = command("table", "names.toml", "--measure", "spread", "--format", "csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert rows[0][0] == name
    assert [float(row[0]) for row in rows[1:]] == [10, 20]
    means = [float(row[3]) for row in rows[1:]]
    assert means == [1, 3]
    lines = command("plot", "names.toml", "--y", "spread", "--x", name, "-o", "lines.svg")
    assert lines.returncode == 0, lines.stderr
    map_ = ("--kind", "heat-map", "--x", "run", "--by", name)
    drawn = command("plot", "names.toml", "--y", "deviation", *map_, "-o", "map.svg")
    assert drawn.returncode == 0, drawn.stderr
    page = command("report", "names.toml", "-o", "page.html")
    assert page.returncode == 0, page.stderr
    compared = command("compare", "out/studies/names", "out/studies/names")
    assert compared.returncode == 0, compared.stderr
