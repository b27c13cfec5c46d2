"""Inputs that the transcripts of messages use."""

# Transcripts use imports that nothing here does.
# ruff: noqa: F401

from __future__ import annotations

import dataclasses
import importlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import cellrate
import numpy as np
import polars as pl
import small_study
from cellrate import _core, theory
from cellrate.advice.formulas import formulas_of
from cellrate.advice.sizing import Question
from cellrate.advice.tuning.fluid_model import model_of
from cellrate.language.expressions import evaluate
from cellrate.language.of_a_run import value
from cellrate.language.runs import run_of
from cellrate.papers.collection import papers_root, select
from cellrate.papers.reading import read_paper
from cellrate.papers.stored import ASSUMED, said_of_seeds
from cellrate.schemes import allowing
from cellrate.schemes.examples.p import P
from cellrate.schemes.finding import find
from cellrate.simulation.goal_file import read as read_goal
from cellrate.simulation.goal_steps import steps_of
from cellrate.simulation.graphml import GraphOptions, scenario_of
from cellrate.simulation.network import Network
from cellrate.simulation.runner import Job
from cellrate.simulation.series import Series
from cellrate.studies.compare import Rules, StudyRuns, compare, contrast, side_by_side
from cellrate.studies.compare.measures import directions
from cellrate.studies.dataset import DataSet, Description, FactorColumn, RunRow, Writer
from cellrate.studies.dataset.table import Question as TableQuestion
from cellrate.studies.dataset.table import tabulate
from cellrate.studies.parameters.keys import Keys
from cellrate.studies.plots import KINDS, Chart
from cellrate.studies.plots.over_time import overlaid, phase_portrait
from cellrate.studies.study import Study, output_analysis, parse_study
from cellrate.theory import efci, queueing
from message_bytes import *  # noqa: F403
from message_inference import (
    asked,
    inferred_with,
    inferring_with,
    readings_wanted,
    readings_with,
)
from scipy import stats
from test_import_goal import CHAIN
from test_import_graph import SMALL as GRAPHML
from test_input_files import many_rows
from test_language_runs import ROW, HandMade

HERE = Path(__file__).parent
SCENARIOS = HERE / "scenarios"
GAIN = """
from dataclasses import dataclass
from enum import Enum
import beside
from beside import IMPORTED as taken
LEAST = 2 * 10
MOST = 1
if LEAST: MOST = 2
class Mode(Enum): FAST = 1
def share(port): return port.rate * beside.CONST / taken
@dataclass
class Own:
    gain: float = 0.5
    def on_backward_rm(self, port, rm):
        rm.er = max(LEAST, MOST, Mode.FAST.value, self.gain * share(port))
"""
STUDY = 'template = "n-source"\nset = ["run.duration=20 ms", "measure.from=0 s"]\n'


def names() -> dict[str, Any]:
    """All of it."""
    return dict(globals())


def edited(text: str, *changes: tuple[str, str]) -> str:
    """A text with the first of each changed to the second; each must be there."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def copied(*files: str) -> None:
    """Puts scenarios of the tests into the working directory."""
    for file in files:
        shutil.copy(SCENARIOS / file, ".")


def copied_code(file: str) -> None:
    """Puts a file of classes into the working directory."""
    shutil.copy(HERE / "schemes" / file, ".")


def named_in_file(file: str, name: str) -> None:
    """Writes a class into a scenario as its scheme."""
    text = Path(file).read_text("utf-8")
    named, count = re.subn("control = .*", f'control = {{ scheme = "{name}" }}', text)
    assert count == 1
    Path(file).write_text(named, "utf-8")


def damaged(directory: str, file: str, text: str) -> None:
    """Writes something else into a file of a data set."""
    (Path(directory) / file).write_text(text, "utf-8")


def other_table(directory: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    """Writes something else as the table of runs of a data set."""
    path = Path(directory) / "runs.parquet"
    change(pl.read_parquet(path)).write_parquet(path)


def with_attribute(given: object, name: str, value: object) -> object:
    """An object that has an attribute besides its parameters."""
    setattr(given, name, value)
    return given


def used_after_an_edit(text: str, old: str, new: str) -> object:
    """Finds a class of a module whose file has changed since its import."""
    Path("edited_late.py").write_text(text, "utf-8")
    Path("beside.py").write_text("CONST = IMPORTED = 1", "utf-8")
    with mock.patch.object(sys, "path", [str(Path.cwd()), *sys.path]):
        importlib.import_module("edited_late")
    Path("edited_late.py").write_text(text.replace(old, new), "utf-8")
    with allowing("edited_late:Own"):
        return find("control", "edited_late:Own", "x.toml")


def written_bytes(file: str, data: bytes) -> None:
    """Writes a file that need not be text."""
    Path(file).write_bytes(data)


def efci_text() -> str:
    """A scenario of five sources under EFCI."""
    return (SCENARIOS / "efci.toml").read_text("utf-8")


def study(text: str, *settings: str) -> Study:
    """A study of the template `n-source`; its own lines begin with the third."""
    return parse_study(STUDY + text, "study.toml", settings)


def factor(text: str) -> Study:
    """A study with these factors."""
    return study(f"[factors]\n{text}")


def derived(text: str) -> Study:
    """A study with this derived buffer."""
    return study(f'[derived]\n"switch.buffer" = "{text}"')


def model(*settings: str, more: str = "") -> object:
    """The fluid model of `efci_text`."""
    job = Job(efci_text() + more, "efci.toml", settings)
    return model_of(Network.of(job.text, job.path, job.overrides), Keys(job.resolved()))


def graphml(*changes: tuple[str, str]) -> str | None:
    """The scenario of a small graph with changes; nothing of the graph as it is."""
    found = scenario_of(edited(GRAPHML, *changes).encode(), "net.graphml", GraphOptions())
    return found if changes else None


def goal(*changes: tuple[str, str]) -> None:
    """Reads a small trace with changes, and makes its steps."""
    steps_of(read_goal(edited(CHAIN, *changes).encode(), "chain.goal")[1])


def trace(kind: str, times: list[float]) -> Series:
    """A trace with a value of 1 at each time."""
    ones = np.ones(len(times))
    return Series(kind, "x", "", np.array(times), ones, ones)


def not_said(formula: str, *settings: str, more: str = "") -> None:
    """Raises why a formula says nothing of the queue at the switch of `efci_text`."""
    network = Network.of(efci_text() + more, "efci.toml", settings)
    answers = formulas_of(network, network.port("A->sink"))
    raise ValueError("; ".join(one.inapplicable for one in answers if one.formula == formula))


def _row(replication: int = 0) -> RunRow:
    return RunRow(0, replication, 1, "0" * 64, "cellrate run", {}, {})


def nothing_done(directory: str) -> DataSet:
    """A study whose only run failed."""
    with Writer(directory, Description("x", "my.toml")) as writer:
        writer.add(dataclasses.replace(_row(), error="no memory"), None)
    return DataSet(directory)


def added_twice(directory: str) -> None:
    """The same replication twice."""
    with Writer(directory, Description("x", "my.toml")) as writer:
        for _ in range(2):
            writer.add(dataclasses.replace(_row(), error="no memory"), None)


def added_without_a_column(directory: str) -> None:
    """A run with the value of a factor that the study has not."""
    with Writer(directory, Description("x", "my.toml")) as writer:
        writer.add(dataclasses.replace(_row(), error="no memory", values={"buffer": 1.0}), None)


def added_nothing(directory: str) -> None:
    """A run without outcome and error."""
    with Writer(directory, Description("x", "my.toml")) as writer:
        writer.add(_row(), None)


def played(file: str, **more: str) -> str:
    """A scenario whose only source plays a file of rates."""
    keys = "".join(f", {key} = '{value}'" for key, value in more.items())
    source = f"flow.source.source={{kind = 'rate-trace', file = '{file}'{keys}}}"
    return _core.Scenario(efci_text(), "efci.toml", ["flow.source.service=vbr", source]).resolved()


def stream(data: bytes, **more: int) -> None:
    """A scenario whose only source plays a transport stream."""
    keys = "".join(f", {key} = {value}" for key, value in more.items())
    written_bytes("stream.ts", data)
    source = f"flow.source.source={{kind = 'transport-stream', file = 'stream.ts'{keys}}}"
    _core.Scenario(efci_text(), "efci.toml", ["flow.source.service=vbr", source]).resolved()


class Uneven(HandMade):
    """A run whose second trace has other times."""

    def series_data(self, index: int) -> tuple[bytes, bytes, bytes]:
        """Columns of a trace."""
        times, low, high = super().series_data(index)
        return (np.frombuffer(times) + index).tobytes(), low, high


def told(expression: str, run: HandMade | None = None) -> float:
    """A measure of a run that nobody ran."""
    return value(expression, run_of(run or HandMade(), "cellrate run a.toml"))


def copied_paper() -> Path:
    """The data of a paper, to be changed."""
    copy = Path("ohsaki95")
    shutil.copytree(papers_root() / copy.name, copy, dirs_exist_ok=True)
    return copy


def broken(old: str, new: str, file: str = "published.toml") -> object:
    """A paper, one of whose data is something else."""
    copy = copied_paper()
    text = (copy / file).read_text("utf-8")
    (copy / file).write_text(edited(text, (old, new)), "utf-8")
    return read_paper(copy)


def told_of_seeds(text: str, reading: str = ASSUMED) -> list[str]:
    """Messages on results over several seeds that are kept beside a paper's data."""
    copy = copied_paper()
    (copy / "seeds-assumed.txt").unlink(missing_ok=True)
    (copy / "seeds-inferred.txt").unlink(missing_ok=True)
    (copy / f"seeds-{reading}.txt").write_text(text, "utf-8")
    return said_of_seeds([read_paper(copy)])


def without_papers() -> Path:
    """Directory in which a package that was built without the papers looks for them."""
    with mock.patch("importlib.resources.files", return_value=Path("site-packages/cellrate")):
        return papers_root()
