"""`cellrate study`: runs a study file and writes its data set."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli import tables
from cellrate.cli.confirmation import confirmed
from cellrate.cli.options import Json, Settings, Workers
from cellrate.cli.places import kept_results
from cellrate.cli.progress import ProgressBar
from cellrate.common import scratch, terminal
from cellrate.common.json_text import json_text
from cellrate.common.problems import BadInput, reading
from cellrate.simulation.runner import Done, run_each
from cellrate.studies import study as studies

STUDIES = "studies"


def study(
    file: Annotated[
        str | None,
        Parameter(name="FILE", allow_leading_hyphen=True, help="Study file; - is standard input."),
    ] = None,
    /,
    *,
    experiment: Annotated[
        str | None,
        Parameter(
            name="--from",
            help="Print a study file with the runs of a paper's experiment instead, such as "
            "kalyan97-table8.2.",
        ),
    ] = None,
    plan: Annotated[
        bool, Parameter(negative="", help="Only print runs, time, memory and disk needed.")
    ] = False,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    out: Annotated[Path, Parameter(help="Directory for data sets and kept results.")] = Path("out"),
    output: Annotated[
        Path | None,
        Parameter(
            name=["--output", "-o"],
            show_default=False,
            help="Directory of the data set; OUT/studies/NAME by default.",
        ),
    ] = None,
    workers: Workers = None,
    scheduler: Annotated[
        str | None,
        Parameter(help="Run on a Dask cluster: ADDRESS of its scheduler, or local-cluster."),
    ] = None,
    yes: Annotated[
        bool,
        Parameter(
            name=["--yes", "-y"],
            negative="",
            help="Run it without a question, even if it takes more than an hour or 10 GB.",
        ),
    ] = False,
    fresh: Annotated[bool, Parameter(negative="", help="Simulate all runs again.")] = False,
    quiet: Annotated[
        bool, Parameter(negative="", help="Print only warnings and failures.")
    ] = False,
    json: Json = False,
) -> int:
    """Run every point of a study file with its replications, and write one data set.

    OUT/studies/NAME receives the data set: runs.parquet with a row per run, tables of flows, vcs,
    ports, queues and classes, traces if the study keeps them, and a dictionary of every column.
    Finished runs are kept in OUT/results, so that an interrupted or extended study only runs the
    missing points. A run that fails is reported with its command and does not stop the study.

    --from prints a study file, ready to edit, whose runs are those of a published experiment.
    """
    if (file is None) == (experiment is None):
        raise BadInput("cellrate study needs FILE, or --from and an experiment of a paper")
    if experiment is not None:
        return _printed(experiment)
    assert file is not None  # noqa: S101  of the two one is there
    with reading(file):
        asked = studies.read(file, settings)
    if plan:
        store = kept_results(out, fresh=fresh)
        _show_plan(studies.plan(asked, store, workers), asked, json=json)
        return 0
    directory = output or out / STUDIES / asked.name
    store = kept_results(out, fresh=fresh)
    with ProgressBar("looking at points") as progress:
        total = len(asked.points)
        studies.refuse_bad_points(asked, lambda done: progress(done, total))
    if not yes and not confirmed(asked, store, workers):
        terminal.say("nothing was run")
        return 1
    least = len(asked.points) * asked.replications.least
    with ExitStack() as stack:
        if store is None:
            store = _for_now(out, stack)
        runner = _runner(scheduler, workers, stack)
        progress = stack.enter_context(ProgressBar(f"study {asked.name}"))
        executor = functools.partial(
            runner, store=store, watch=lambda done: progress(min(done, least), least)
        )
        ran = studies.run_study(asked, executor, directory, progress.failed)
    for problem in store.problems():
        sys.stderr.write(f"warning: kept result: {problem}\n")
    for note in ran.notes:
        sys.stderr.write(f"warning: {note}\n")
    _show(ran, asked, quiet=quiet, json=json)
    return 1 if ran.failed else 0


def _printed(experiment: str) -> int:
    """Prints an experiment of a paper as a study file."""
    from cellrate.reproduce.as_study import study_of
    from cellrate.reproduce.errors import ReproduceError

    try:
        sys.stdout.write(study_of(experiment))
    except ReproduceError as error:
        raise BadInput(f"--from: {error}") from error
    return 0


def _for_now(out: Path, stack: ExitStack) -> _core.Store:
    """Temporary store for a study, which reads its runs again when it writes the data set."""
    kept = out / "fresh"
    scratch.clear(kept)
    place = stack.enter_context(scratch.directory(kept))
    return stack.enter_context(_core.Store(place / "results"))


def _runner(
    scheduler: str | None, workers: int | None, stack: ExitStack
) -> Callable[..., Generator[Done]]:
    """Function that runs jobs: in this process, or on a cluster."""
    if scheduler is None:
        return functools.partial(run_each, workers=workers)
    # Dask is an optional dependency, and loads slowly.
    from cellrate.simulation.cluster import Cluster

    return stack.enter_context(Cluster(scheduler, workers)).run_each


def _show(ran: studies.StudySummary, asked: studies.Study, *, quiet: bool, json: bool) -> None:
    if json:
        answer = asdict(ran) | {"directory": str(ran.directory), "points": len(asked.points)}
        sys.stdout.write(json_text(answer))
        return
    if quiet:
        return
    failed = f", {len(ran.failed)} failed" if ran.failed else ""
    terminal.say(
        f"{ran.runs} runs at {len(asked.points)} points{failed}: {ran.simulated} simulated in "
        f"{ran.seconds:.1f} s of core time, {ran.known} known"
    )
    terminal.say(f"data set in {ran.directory}")


def _show_plan(found: studies.Plan, asked: studies.Study, *, json: bool) -> None:
    if json:
        sys.stdout.write(json_text(asdict(found)))
        return
    runs = f"{found.least:,}" if found.most == found.least else f"{found.least:,} to {found.most:,}"
    rows = [f"{asked.name}: {found.points:,} points, {runs} runs, {found.known:,} of them known"]
    if found.run_seconds is not None:
        rows.append(f"about {found.run_seconds:.3g} s of core time a run")
        times = tables.duration(found.seconds)
        if found.most > found.least:
            times += f" to {tables.duration(found.most_seconds)}"
        rows.append(f"about {times} with all workers")
    rows.append(f"at most {tables.size(found.memory_bytes)} of memory for the runs at a time")
    if found.disk_bytes is not None:
        rows.append(f"about {tables.size(round(found.disk_bytes))} of results, not compressed")
    for row in rows:
        terminal.say(row)
