"""`cellrate tune`: finds the best parameters of a scenario."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

from cellrate.advice.tuning.objective import DEFAULT
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
from cellrate.common.problems import reading
from cellrate.common.whole_number import MOST_SEED, MOST_TRIES
from cellrate.simulation import source
from cellrate.simulation.runner import Job, run_many

Vary: TypeAlias = Annotated[
    list[str],
    Parameter(
        name="--vary",
        show_default=False,
        negative="",
        help="Parameter to vary: PATH, PATH=LOW..HIGH[:linear|log|powers-of-two] or PATH=A,B,C; "
        "repeatable.",
    ),
]
Include: TypeAlias = Annotated[
    list[str],
    Parameter(
        name="--include",
        show_default=False,
        negative="",
        help="Setting to compare with, as in --include abr.rif=1/128,abr.rdf=1/2; repeatable.",
    ),
]


def tune(
    file: ScenarioFile,
    /,
    *,
    vary: Vary = [],  # noqa: B006  cyclopts never changes it
    include: Include = [],  # noqa: B006
    settings: Settings = [],  # noqa: B006
    objective: Annotated[
        str, Parameter(help="Criteria in order of priority; =X after one sets its tolerance.")
    ] = DEFAULT,
    seeds: Annotated[int, seed_count("Seeds with which the best sets are run.")] = 5,
    first_seed: FirstSeed = 1,
    budget: Annotated[
        int | None,
        whole(
            1,
            "Most simulations; by default enough for 11 sets of a model or 40 of a search.",
            most=MOST_TRIES,
            shown=False,
        ),
    ] = None,
    search_seed: Annotated[
        int, whole(0, "Seed of the search's random numbers.", most=MOST_SEED)
    ] = 1,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for the page and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Annotated[bool, Parameter(negative="", help="Simulate all runs again.")] = False,
) -> None:
    """Find the best parameters of a scenario: a model or a search proposes, simulations decide.

    Where the fluid model of EFCI holds, it ranks every RIF and RDF that the standard can signal,
    and the most promising pairs are simulated. Elsewhere, or with --vary, parameters are searched
    by simulation: the named ones, or else those that the control scheme and the discard policy
    declare. Criteria are loss, utilisation, queue, queue-max, throughput, goodput, packets-lost,
    timeouts and fairness.

    OUT receives NAME-tuned.html and NAME-tuned.toml. Finished runs are kept in OUT/results: the
    same command goes on where it was interrupted, and a larger --budget where it ended.
    """
    with reading(file):
        text, name = source.read(file)
    seeds_from(first_seed, seeds)
    from cellrate.advice import tuning

    options = tuning.TuneOptions(
        tuple(vary), tuple(include), objective, seeds, first_seed, budget, search_seed
    )
    store = kept_results(out, fresh=fresh)
    with ProgressBar("tuning") as progress:
        runner = functools.partial(run_many, workers=workers, store=store, progress=progress)
        answer = tuning.tune(
            Job(text, name, tuple(settings)),
            options,
            runner,
            lambda job: store is not None and store.contains(job.key()),
        )
    for problem in store.problems() if store is not None else ():
        sys.stderr.write(f"warning: kept result: {problem}\n")
    stem = source.stem(name)
    paths = own_paths(out, stem, ["-tuned.html", "-tuned.toml"], ["tune", text, settings, options])
    hand_over(
        json=json,
        as_json=lambda: tuning.as_json(answer),
        report=lambda: tuning.report(answer),
        written=tuning.write(answer, paths),
    )
