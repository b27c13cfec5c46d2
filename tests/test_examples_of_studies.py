"""The notebook and the Snakefile do what they show."""

from __future__ import annotations

import ast
import json
import re
import shlex
import sys
import types
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cellrate.simulation.runner import run_one
from cellrate.studies.study.file import read
from conftest import HERE, Command

NOTEBOOK = HERE.parent / "docs" / "tutorial" / "study_notebook.py"
SNAKEFILE = HERE.parent / "examples" / "studies" / "Snakefile"


def cells() -> list[ast.FunctionDef]:
    tree = ast.parse(NOTEBOOK.read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def run_cells(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Names that the cells define, run one after the other; a stand-in for marimo shows texts."""
    monkeypatch.setitem(sys.modules, "marimo", types.SimpleNamespace(md=str))
    names: dict[str, Any] = {}
    for cell in cells():
        body = [node for node in cell.body if not isinstance(node, ast.Return)]
        wanted = {argument.arg for argument in cell.args.args}
        assert wanted <= names.keys(), f"a cell needs {wanted - names.keys()}"
        scope = {name: names[name] for name in wanted}
        exec(compile(ast.Module(body, []), NOTEBOOK, "exec"), scope)  # noqa: S102  our own notebook
        [returned] = [node for node in cell.body if isinstance(node, ast.Return)]
        given = {node.id for node in ast.walk(returned) if isinstance(node, ast.Name)}
        assert not given & names.keys(), "a name is defined by one cell only"
        names |= {name: scope[name] for name in given}
    return names


def test_pauses_make_a_victim_and_credits_make_none() -> None:
    """The mouse of the example, whose last link is idle, beside an incast of 30."""
    study = read(HERE.parent / "examples" / "studies" / "credit-against-rate.toml")
    mouse, dropped = {}, {}
    for point in study.points:
        values = dict(point.values)
        if values["case"] == "incast of 30":
            summary = run_one(study.job(point, 0).scenario()).summary()
            run = json.loads(summary)
            [small] = [flow for flow in run["flows"] if flow["group"] == "mouse"]
            mouse[values["control"]] = 1e6 * small["completion_seconds"]
            dropped[values["control"]] = run["totals"]["packets_dropped"]
    # Alone two round trips, since the window begins with ten of 12 segments. Each takes eight times
    # 500 ns, 0.37 us of a full frame on two links of 100 and two of 200 Gbit/s, and 0.02 us back.
    assert mouse["tail drop"] == pytest.approx(8.8, abs=0.2)
    assert mouse["credits"] == pytest.approx(mouse["tail drop"], rel=0.05)
    assert mouse["PFC"] > 5 * mouse["credits"]
    assert mouse["CBFC"] > 5 * mouse["credits"]
    assert mouse["DCQCN + PFC"] > 5 * mouse["credits"]
    assert 2 * mouse["credits"] < mouse["HPCC + PFC"] < mouse["DCQCN + PFC"] / 2
    # A round trip more for the request.
    assert mouse["tail drop"] + 1 < mouse["ExpressPass"] < mouse["tail drop"] + 4
    # No request, no pauses, and a window of a round trip that never waits for growth.
    assert mouse["receiver-driven"] < mouse["tail drop"] - 1
    assert mouse["TIMELY + PFC"] > 5 * mouse["credits"]
    assert mouse["PFC + DCTCP"] < mouse["PFC"]
    assert [name for name, lost in dropped.items() if lost] == ["tail drop", "ERICA"]


def test_marks_beat_down_the_flow_with_more_links_and_explicit_rates_do_not() -> None:
    """Goodput of the long flow beside that of a short one, at four links of 100 Gbit/s."""
    study = read(HERE.parent / "examples" / "studies" / "1995-packets.toml")
    by_marks, explicit = ("DCTCP", "HPCC + PFC", "DCQCN + PFC"), ("ERICA", "FMMRA", "credits")
    share = {}
    for point in study.points:
        values = dict(point.values)
        if values["case"] == "four links" and values["control"] in (*by_marks, *explicit):
            job = study.job(point, 0)
            short = replace(
                job, overrides=(*job.overrides, "run.duration=10 ms", "measure.from=5 ms")
            )
            run = json.loads(run_one(short.scenario()).summary())
            rates = {flow["group"]: flow["goodput_bits_per_second"] for flow in run["flows"]}
            share[values["control"]] = rates["long"] / rates["short4"]
    for control in by_marks:
        assert share[control] < 0.6, control
    for control in explicit:
        assert 0.8 < share[control] < 1.05, control


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    names = run_cells(monkeypatch)
    assert names["ran"].runs == 32
    assert names["ran"].failed == []
    assert names["data"].runs["throughput"].min() > 0
    assert names["drawing"].marks
    assert len(names["comparison"].pairs) == 4


def test_the_snakefile_is_about_commands_that_run(command: Command, tmp_path: Path) -> None:
    text = SNAKEFILE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 16
    study, table = re.findall(r'shell: "(.*)"', text)
    (tmp_path / "loads.toml").write_text(
        'template = "n-source"\nset = ["run.duration=20 ms", "measure.from=0 s"]\n'
        '[factors]\n"flow.tcp.count" = [2, 3]\n[measures]\nthroughput = "throughput_mbit"\n'
    )
    for shell in (study, table):
        line = shell.replace("{{", "{").replace("}}", "}").replace("{wildcards.scheme}", "efci")
        line = line.replace("{input}", "loads.toml").replace("{output}", "efci.csv")
        name, *arguments = shlex.split(line.replace('\\"', '"'))
        assert name == "cellrate"
        done = command(*arguments)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "", "quiet means quiet"
    assert pl.read_parquet(tmp_path / "studies" / "efci" / "runs.parquet").height == 2
    assert pl.read_csv(tmp_path / "efci.csv").height == 2
