"""`cellrate run`: one scenario, once."""

from __future__ import annotations

import json as jsonlib
import sys
import tomllib
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cellrate import _core, output, source, terminal
from cellrate.api import Result
from cellrate.cli import tables
from cellrate.cli.options import Json, ScenarioFile, Seed, Settings
from cellrate.cli.progress import ProgressBar
from cellrate.problems import BadInput, reading, warn
from cellrate.runner import Job, run_many

# What --plot traces in a scenario that traces nothing.
PLOTTED = 'measure.traces=["queue", "acr", "cwnd", "utilisation"]'


def run(
    file: ScenarioFile,
    /,
    *,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    seed: Seed = None,
    json: Json = False,
    out: Annotated[Path | None, Parameter(help="Directory for traces, events, summary.")] = None,
    plot: Annotated[bool, Parameter(negative="", help="Draw the traces as well.")] = False,
) -> None:
    """Run a scenario and show what it measured.

    With --out, DIR receives summary.json, resolved.toml (the scenario with every default written
    out) and, if the scenario asks for them, traces.parquet and events.parquet. --plot adds
    figures/; without --out, DIR is then out/ and the scenario's name.
    """
    with reading(file):
        text, name = source.read(file)
    directory = _directory(name, out, plot=plot)
    job = Job(text, name, tuple(settings), seed)
    if plot:
        job = _traced(job)
    with ProgressBar("simulating") as progress:
        [outcome] = run_many([job], workers=1, progress=progress)
    result = Result(outcome)
    warn(result.warnings)
    if directory is not None:
        result.save(directory, figures=plot)
    if json:
        sys.stdout.write(jsonlib.dumps(result.summary) + "\n")
    else:
        tables.show_result(result, name)
        if directory is not None:
            terminal.say(f"written to {directory}")


def _directory(name: str, out: Path | None, *, plot: bool) -> Path | None:
    """Where files go, if anywhere; found out before the run, not after it.

    Raises:
        BadInput: Files of somebody else are in the way.
    """
    directory = out
    if out is None and plot:
        directory = Path("out") / Path(name.strip("<>")).stem
    if directory is not None:
        try:
            output.refuse_foreign(directory)
        except FileExistsError as error:
            raise BadInput(str(error)) from error
    return directory


def _traced(job: Job) -> Job:
    """The job, with traces if its scenario asks for none."""
    resolved = _core.resolve(job.text, job.path, list(job.overrides), job.seed)
    if tomllib.loads(resolved)["measure"]["traces"]:
        return job
    return Job(job.text, job.path, (*job.overrides, PLOTTED), job.seed)
