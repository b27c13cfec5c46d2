"""A small study, run once: two loads, two recoveries, three replications."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from cellrate import Outcome, template
from cellrate.simulation.runner import Job, run_many
from cellrate.studies.dataset import Description, FactorColumn, MeasureColumn, RunRow, Writer

RECOVERIES = ("reno", "sack")
BUFFERS = (50.0, 100.0)
REPLICATIONS = 3
SETTINGS = ("run.duration=120 ms", "measure.from=20 ms", "run.start_jitter=5 ms")

DESCRIPTION = Description(
    name="losses",
    scenario="n-source-vbr",
    factors=(
        FactorColumn("tcp.recovery", "tcp.recovery", "choice"),
        FactorColumn("buffer", "switch.buffer", "Buffer", "cells"),
    ),
    measures=(MeasureColumn("throughput", "throughput_mbit"),),
    replications=REPLICATIONS,
    traces=("queue",),
)

Results = Sequence[tuple[RunRow, Outcome]]


def results() -> Results:
    """Every run of the study, in order."""
    jobs, rows = zip(*_jobs(), strict=True)
    outcomes = run_many(jobs)
    return [(_measured(row, outcome), outcome) for row, outcome in zip(rows, outcomes, strict=True)]


def write(directory: Path, runs: Results, description: Description = DESCRIPTION) -> Path:
    """Writes the data set of the runs."""
    with Writer(directory, description) as writer:
        for row, outcome in runs:
            writer.add(row, outcome)
    return directory


def _jobs() -> Iterator[tuple[Job, RunRow]]:
    points = [(recovery, buffer) for recovery in RECOVERIES for buffer in BUFFERS]
    for point, (recovery, buffer) in enumerate(points):
        for replication in range(REPLICATIONS):
            varied = (f'tcp.recovery="{recovery}"', f'switch.buffer="{buffer:.0f} cells"')
            settings = (*SETTINGS, 'measure.traces=["queue", "cwnd"]', *varied)
            job = Job(template("n-source-vbr"), "n-source", settings, replication + 1)
            values: dict[str, str | float | bool] = {"tcp.recovery": recovery, "buffer": buffer}
            command = f"cellrate run n-source.toml --seed {replication + 1}"
            yield job, RunRow(point, replication, replication + 1, job.key(), command, values)


def _measured(row: RunRow, outcome: Outcome) -> RunRow:
    totals = json.loads(outcome.summary())["totals"]
    throughput = {"throughput": totals["tcp_throughput_bits_per_second"] / 1e6}
    return RunRow(
        row.point, row.replication, row.seed, row.key, row.command, row.values, throughput
    )
