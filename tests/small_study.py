"""A small study's data set: two schemes at three buffers, four seeds, one run that failed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from cellrate import Job, run_many
from cellrate.language.of_a_run import value
from cellrate.language.runs import run_of
from cellrate.studies.dataset import Description, FactorColumn, MeasureColumn, RunRow, Writer

SCENARIO = """
[run]
duration = "40 ms"
start_jitter = "1 ms"
[measure]
traces = ["queue", "acr"]
[topology]
template = "single-switch"
link_rate = "155.52 Mbit/s"
access = "0.1 ms"
bottleneck = "0.1 ms"
[switch.control]
scheme = "erica"
[tcp]
granularity = "10 ms"
[[flow]]
name = "tcp"
count = 3
service = "abr"
"""
BUFFERS = (100, 200, 400)
SEEDS = (1, 2, 3, 4)
FAILED = (0, 1)
"""Point and replication of the run that failed."""
MEASURES = (
    MeasureColumn("throughput", "throughput_mbit"),
    MeasureColumn("queue", "longest_queue_cells"),
)


def write(directory: Path, name: str = "small", schemes: Sequence[str] = ("erica", "efci")) -> Path:
    """Writes the study's data set, which is made once."""
    return Path(shutil.copytree(_made(name, tuple(schemes)).name, directory, dirs_exist_ok=True))


@cache
def _made(name: str, schemes: tuple[str, ...]) -> TemporaryDirectory[str]:
    """A directory with the data set, kept to the end of this process."""
    directory = TemporaryDirectory()
    scheme = FactorColumn("switch.control.scheme", "switch.control.scheme", "choice")
    buffer = FactorColumn("switch.buffer", "switch.buffer", "Buffer", "cells")
    described = Description(
        name,
        "small.toml",
        (scheme, buffer),
        measures=MEASURES,
        replications=len(SEEDS),
        traces=("queue", "acr"),
    )
    points = [(one, size) for one in schemes for size in BUFFERS]
    places = [
        (point, replication) for point in range(len(points)) for replication in range(len(SEEDS))
    ]
    jobs = [_job(*points[point], SEEDS[replication]) for point, replication in places]
    with Writer(Path(directory.name), described) as writer:
        for (point, replication), job, outcome in zip(places, jobs, run_many(jobs), strict=True):
            failed = (point, replication) == FAILED
            run = run_of(outcome, "small")
            measured = {one.name: value(one.expression, run) for one in MEASURES}
            row = RunRow(
                point,
                replication,
                SEEDS[replication],
                job.key(),
                job.command(),
                dict(zip((scheme.name, buffer.name), points[point], strict=True)),
                {} if failed else measured,
                "too much <memory>" if failed else None,
            )
            writer.add(row, None if failed else outcome)
    return directory


def _job(scheme: str, buffer: int, seed: int) -> Job:
    settings = (f'switch.control={{scheme = "{scheme}"}}', f'switch.buffer="{buffer} cells"')
    return Job(SCENARIO, "small.toml", settings, seed)
