"""The quick part of `make test-results`: the cheapest run of each mechanism gives what is kept.

Of each control scheme, discard policy, recovery, source and other name that some scenario of the
papers chooses, the run with the fewest cells is done again. The other runs are left to
`make test-results`.
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

CELLS = 12_000_000
"""A second or two of a core."""

NUMBER = re.compile(r"(?<![\w-])[\d.]+")

WHOLE = ("kalyan97-fig8.11", "marsan97-table2", "uet-alone")
"""Experiments whose values and claims are quickly computed, too: of figures, tables and frames."""

SLOW = "papers/uet/scenarios/permutation.toml"
"""Routes of 8,192 hosts take a second, and what the file chooses is in `incast.toml`, too."""


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
    """Every name that the scenario chooses; over Ethernet, where most have none, the file."""
    document = tomllib.loads(job.resolved())
    over_ethernet = {job.path} if document.get("link_layer") == "ethernet" else set()
    return names_chosen(document) | over_ethernet


@cache
def quickest() -> dict[str, Golden]:
    """The run with the fewest cells for each mechanism."""
    found: dict[str, Golden] = {}
    seen = set()
    for golden in sorted(golden_runs(), key=lambda golden: golden.cells):
        # Runs that differ by numbers alone choose the same names.
        alike = golden.job.path, NUMBER.sub("0", "\n".join(golden.job.overrides))
        if alike not in seen and golden.job.path != SLOW:
            seen.add(alike)
            for mechanism in mechanisms(golden.job):
                found.setdefault(mechanism, golden)
    return found


@pytest.mark.parametrize(
    "is_quick", [True, pytest.param(False, marks=pytest.mark.long)], ids=["quick", "others"]
)
def test_each_mechanism_gives_the_committed_results(*, is_quick: bool) -> None:
    chosen = {
        (golden.experiment.id, golden.run): golden
        for golden in quickest().values()
        if (golden.cells <= CELLS) == is_quick
    }
    assert chosen
    outcomes = Outcomes()
    outcomes.add([golden.job for golden in chosen.values()], run_many)
    for golden in chosen.values():
        [line] = run_lines(golden.paper, golden.experiment, outcomes, [golden.run])
        assert line in read_golden(golden.paper)


@pytest.mark.parametrize("experiment", WHOLE)
def test_a_whole_experiment_gives_the_committed_results(experiment: str, tmp_path: Path) -> None:
    options = Options(tmp_path, experiments=[experiment], json=True, check=True)
    assert run_reproduction(options, run_many) == 0
