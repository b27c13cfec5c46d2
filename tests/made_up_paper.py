"""A made-up paper: what it "prints" was simulated with values that its data does not assume."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from cellrate import _core
from cellrate.language.runs import run_of
from cellrate.papers import Laboratory
from cellrate.papers.paper import Paper
from cellrate.papers.reading import read_paper
from cellrate.simulation.runner import Job, Progress, run_many
from conftest import SCENARIOS

SOURCES = (2, 3, 4, 5, 6, 7, 8, 9)
LAST = 10
TRUE_THRESHOLD, TRUE_BUFFER = "200 cells", "600 cells"
SEED_OF_THE_AUTHORS = 77

HEAD = """
id = "madeup"
title = "A queue under EFCI"
authors = ["Nobody"]
published_in = "nowhere"
year = 1995
summary = "The mean queue of some sources."
"""

ASSUMPTIONS = """
[[assumption]]
id = "threshold"
parameter = "the threshold"
assumed = "500 cells"
alternatives = [
  {label = "100 cells", set = ["switch.control.threshold=100 cells"]},
  {label = "200 cells", set = ["switch.control.threshold=200 cells"]},
  {label = "205 cells", set = ["switch.control.threshold=205 cells"]},
  {label = "800 cells", set = ["switch.control.threshold=800 cells"]},
]

[[assumption]]
id = "buffer"
parameter = "the buffer of the last experiment"
assumed = "1000 cells"
alternatives = [{label = "600 cells", set = ["switch.buffer=600 cells"]}]

[[assumption]]
id = "nothing"
parameter = "what changes nothing"
assumed = "5 Mbit/s"
alternatives = [{label = "5000 kbit/s", set = ["abr.icr=5000 kbit/s"]}]
"""

EXPERIMENT = """
[[experiment]]
id = "madeup-{name}"
kind = "text"
title = "{name}"
where = "section 1"
assumptions = ["{assumption}", "nothing"]

[[experiment.variant]]
name = "run"
scenario = "efci.toml"
set = ["flow.source.count={count}"]

[[experiment.published]]
quantity = "mean queue"
kind = "measured"
printed = "{queue}"
value = {queue}
unit = "cells"
measure = "run.bottleneck.queue_mean_cells"
score = "rate"

[[experiment.claim]]
id = "close"
text = "the queue is within 8 % of the printed one"
holds_if = "abs(run.bottleneck.queue_mean_cells - {queue}) < 0.08 * {queue}"
"""


def write_paper(directory: Path) -> Path:
    """Writes the data of the paper, and returns the directory."""
    text = (SCENARIOS / "efci.toml").read_text(encoding="utf-8")
    (directory / "scenarios").mkdir(parents=True)
    (directory / "scenarios" / "efci.toml").write_text(text, encoding="utf-8")
    (directory / "paper.toml").write_text(HEAD, encoding="utf-8")
    parts = [ASSUMPTIONS]
    for count in SOURCES:
        settings = (f"switch.control.threshold={TRUE_THRESHOLD}", f"flow.source.count={count}")
        queue = mean_queue(text, settings)
        parts.append(experiment(f"of{count}", "threshold", count, queue))
    queue = mean_queue(text, (f"switch.buffer={TRUE_BUFFER}", f"flow.source.count={LAST}"))
    parts.append(experiment("last", "buffer", LAST, queue))
    (directory / "published.toml").write_text("".join(parts), encoding="utf-8")
    return directory


def experiment(name: str, assumption: str, count: int, queue: float) -> str:
    """An experiment's data."""
    return EXPERIMENT.format(name=name, assumption=assumption, count=count, queue=queue)


@cache
def mean_queue(text: str, settings: tuple[str, ...]) -> float:
    """Mean queue that the authors saw, in cells."""
    job = Job(text, "efci.toml", settings, SEED_OF_THE_AUTHORS)
    return round(float(run_of(run_many([job])[0], "").bottleneck.queue_mean_cells), 1)


def made_up(directory: Path) -> Paper:
    """The paper."""
    return read_paper(write_paper(directory))


class Recorder:
    """Runs jobs, and remembers them and their reported progress."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.batches: list[int] = []
        self.told: list[tuple[str, float, int]] = []

    def run(self, jobs: Sequence[Job], progress: Progress) -> list[_core.Outcome]:
        """Runs jobs."""
        self.jobs += jobs
        self.batches.append(len(jobs))
        return run_many(jobs, progress=progress)

    def watch(self, label: str, done: float, total: int) -> None:
        """Remembers a report of progress."""
        self.told.append((label, done, total))

    def laboratory(self, paper: Paper) -> Laboratory:
        """A laboratory whose runs are remembered."""
        return Laboratory(paper, self.run, self.watch)
