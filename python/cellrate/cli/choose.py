"""`cellrate choose`: chooses a control, its parameters and the buffer for a scenario."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli.answering import hand_over
from cellrate.cli.options import (
    FirstSeed,
    Json,
    ScenarioFile,
    Settings,
    Workers,
    seed_count,
    seeds_from,
    whole,
)
from cellrate.cli.own_place import own_paths
from cellrate.cli.places import kept_results
from cellrate.cli.progress import ProgressBar
from cellrate.common.problems import BadInput, reading
from cellrate.common.whole_number import MOST_TRIES
from cellrate.simulation import source
from cellrate.simulation.runner import Job, run_many


def choose(
    file: ScenarioFile,
    /,
    *,
    switches: Annotated[
        list[str],
        Parameter(
            negative="",
            show_default=False,
            help="What the switches can do, of none, efci, relative-rate, explicit-rate, credit; "
            "all by default.",
        ),
    ] = [],  # noqa: B006  cyclopts never changes it
    loss: Annotated[float, Parameter(help="Largest share of cells that may be lost.")] = 0.0,
    throughput: Annotated[
        str,
        Parameter(
            help='Least throughput: a share of the best that the rest allows, or as "100 Mbit/s".'
        ),
    ] = "0.95",
    delay: Annotated[
        str | None, Parameter(help='Longest wait of a cell at a bottleneck, as in "5 ms".')
    ] = None,
    fairness: Annotated[
        float | None,
        Parameter(
            help="Least Jain's index of the flows' throughputs; 0 for any. Without it 0.9, if any "
            "control reaches that."
        ),
    ] = None,
    settling: Annotated[
        str | None,
        Parameter(help='Longest time until the bottleneck\'s utilisation settles, as in "100 ms".'),
    ] = None,
    buffer: Annotated[str | None, Parameter(help='Buffer at hand, as in "2000 cells".')] = None,
    settings: Settings = [],  # noqa: B006
    seeds: Annotated[int, seed_count("Seeds with which the best are run.")] = 3,
    first_seed: FirstSeed = 1,
    tries: Annotated[
        int, whole(1, "Parameter settings to try of each control.", most=MOST_TRIES)
    ] = 8,
    minutes: Annotated[
        float | None, Parameter(help="Time that it may take; no limit by default.")
    ] = None,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for the page and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Annotated[bool, Parameter(negative="", help="Simulate all runs again.")] = False,
) -> None:
    """Choose a control for the switches, its parameters, and the buffer.

    Every control of `cellrate list` that the switches can do takes the place of the scenario's own.
    Its parameters are searched by simulation, and the longest queue of a run is the least buffer
    that loses nothing. Of those that meet the goals the one with the least buffer is recommended.
    All controls are run with their defaults first, the scenario's own one before the others.
    The best controls are then run with other round trips and numbers of sources.

    OUT receives NAME-choice.html and NAME-chosen.toml. Finished runs are kept in OUT/results: the
    same command goes on where it was interrupted or where its time was over.
    """
    with reading(file):
        text, name = source.read(file)
    seeds_from(first_seed, seeds)
    from cellrate.advice import choosing
    from cellrate.advice.choosing.budget import Budget

    goals = choosing.goals_of(switches, loss, throughput, delay, fairness, settling, buffer)
    if minutes is not None and not minutes > 0:
        raise BadInput(f"--minutes {minutes:g}: it must be above 0")
    effort = choosing.Effort(settings=tries, seeds=seeds, first_seed=first_seed)
    budget = Budget.of(minutes)
    store = kept_results(out, fresh=fresh)
    with ProgressBar("choosing") as progress:

        def within(done: float, total: int) -> None:
            del done, total  # the bar shows phases
            budget.check()

        def runner(jobs: Sequence[Job]) -> list[_core.Outcome]:
            return run_many(jobs, workers=workers, store=store, progress=within)

        answer = choosing.choose(
            Job(text, name, tuple(settings)),
            goals,
            effort,
            runner,
            lambda job: store is not None and store.contains(job.key()),
            budget,
            progress.phase,
        )
    stem = source.stem(name)
    paths = own_paths(
        out, stem, ["-choice.html", "-chosen.toml"], ["choose", text, settings, goals, effort]
    )
    hand_over(
        json=json,
        as_json=lambda: choosing.as_json(answer),
        report=lambda: choosing.report(answer),
        written=choosing.write(answer, paths),
    )
