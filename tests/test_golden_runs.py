"""The quick part of `make test-results`: the cheapest run of each mechanism gives what is kept.

Of each scenario file of the papers, and of each control scheme, discard policy, recovery, source
and other name that some scenario chooses, the run with the fewest cells is done again. What takes
more than `CELLS` even so is left to `make test-results`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from cellrate.papers import Options, run_reproduction
from cellrate.papers.collection import all_papers
from cellrate.papers.paper import Experiment, Paper
from cellrate.papers.runs import Outcomes, RunId, job_of, run_ids
from cellrate.papers.stored import read_golden, run_lines
from cellrate.simulation.runner import Job, run_many
from schema_keys import names_chosen

CELLS = 22_000_000
"""Some seconds of a core."""

NUMBER = re.compile(r"(?<![\w-])[\d.]+")

LEFT = {
    "papers/kalyan97/scenarios/video-satellite.toml",
    "papers/ohsaki95/scenarios/parking-lot.toml",
}
"""Scenario files all of whose runs take more."""

WHOLE = (
    "fmmra-fig5",
    "gerla95-text-prca-rate",
    "kalyan97-fig8.11",
    "marsan97-table2",
    "ohsaki95-fig7a",
    "uet-alone",
    "zhu16-packets",
)
"""Of each paper an experiment whose values and claims are quickly computed, too."""


@dataclass(frozen=True, slots=True)
class Golden:
    """A run with a line in a golden table."""

    paper: Paper
    experiment: Experiment
    run: RunId
    job: Job
    cells: int


def golden_runs() -> Iterator[Golden]:
    """Every run of every experiment."""
    for paper in all_papers():
        lines = [line.split(" ") for line in read_golden(paper) if line.startswith("run ")]
        for experiment in paper.experiments:
            sent = [int(line[4]) for line in lines if line[1] == experiment.id]
            for (run, variant, point), cells in zip(run_ids(experiment), sent, strict=True):
                yield Golden(paper, experiment, run, job_of(paper, variant, point, 1), cells)


def mechanisms(job: Job) -> set[str]:
    """The scenario's file, and every name that the scenario chooses."""
    return {job.path, *names_chosen(tomllib.loads(job.resolved()))}


@cache
def quickest() -> dict[str, Golden]:
    """The run with the fewest cells for each mechanism."""
    found: dict[str, Golden] = {}
    seen = set()
    for golden in sorted(golden_runs(), key=lambda golden: golden.cells):
        # Runs that differ by numbers alone choose the same names.
        alike = golden.job.path, NUMBER.sub("0", "\n".join(golden.job.overrides))
        if alike not in seen:
            seen.add(alike)
            for mechanism in mechanisms(golden.job):
                found.setdefault(mechanism, golden)
    return found


SCENARIOS = [
    f"papers/{paper.id}/scenarios/{name}" for paper in all_papers() for name in paper.scenarios
]


# Their cheapest runs take more than ten seconds.
LONG = {"papers/kalyan97/scenarios/video-vsvd.toml", "papers/uet/scenarios/permutation.toml"}


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.long] * (path in LONG)) for path in SCENARIOS],
)
def test_each_mechanism_gives_the_committed_results(path: str) -> None:
    chosen = {
        (golden.experiment.id, golden.run): golden
        for golden in quickest().values()
        if golden.job.path == path and golden.cells <= CELLS
    }
    assert chosen or path in LEFT
    outcomes = Outcomes()
    outcomes.add([golden.job for golden in chosen.values()], run_many)
    for golden in chosen.values():
        [line] = run_lines(golden.paper, golden.experiment, outcomes, [golden.run])
        assert line in read_golden(golden.paper)


@pytest.mark.parametrize("experiment", WHOLE)
def test_a_whole_experiment_gives_the_committed_results(experiment: str, tmp_path: Path) -> None:
    options = Options(tmp_path, experiments=[experiment], json=True, check=True)
    assert run_reproduction(options, run_many) == 0


def test_what_is_left_to_the_golden_check_is_known() -> None:
    left = {mechanism for mechanism, golden in quickest().items() if golden.cells > CELLS}
    assert left == LEFT
    assert {golden.job.path for golden in quickest().values()} == set(SCENARIOS)
