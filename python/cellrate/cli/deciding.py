"""`cellrate choose`, `tune`, `size-buffer`, `battery`: commands that search by simulation."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from cellrate.cli.amounts import seconds
from cellrate.cli.answering import hand_over, hand_over_of
from cellrate.cli.from_function import made_from
from cellrate.cli.one_run import job_of
from cellrate.cli.options import Fresh, Json, ScenarioFile, Workers, seeds_from
from cellrate.cli.places import kept_results, own_paths, warn_of_damage
from cellrate.cli.progress import ProgressBar
from cellrate.common.problems import BadInput
from cellrate.functions import deciding
from cellrate.functions.runs_of import kept_in
from cellrate.simulation import source


@made_from(
    deciding.choose,
    order=(
        *("switches", "loss", "throughput", "delay", "fairness", "settling", "buffer", "victim"),
        *("overrides", "seeds", "first_seed", "tries"),
    ),
)
def choose(
    file: ScenarioFile,
    /,
    *,
    minutes: Annotated[
        float | None, Parameter(help="Greatest computing time in minutes; no limit by default.")
    ] = None,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for the page and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Fresh = False,
    **options: Any,  # noqa: ANN401  of the function
) -> None:
    """Choose a control for the switches, its parameters, and the buffer.

    Every control of `cellrate list` that the switches support replaces the control of the scenario.
    Its parameters are searched by simulation in buffers without a limit; the longest queue of the
    whole run is the least buffer without loss. Of the controls that meet the goals the one with the
    least buffer is recommended. All controls are run with their defaults first, that of the
    scenario before the others. The best controls are then run with other round trips and numbers of
    sources.

    Over Ethernet the buffers stay those of the scenario, and TCP's recovery, queue management and
    the control of `rate_control` are chosen: of those that meet the goals, the one with the
    shortest mean queue. `cellrate size-buffer` gives the buffer without loss. For flows over RoCE
    all their controls are tried, under the protection from losses that the scenario has. Controls
    that miss goals there are also tried under PFC, CBFC, go-back-N and trimming; with --victim all
    controls are.

    OUT receives NAME-choice.html and NAME-chosen.toml. Finished runs are kept in OUT/results, so
    the same command continues an interrupted search.
    """
    settings, tries = options.pop("overrides"), options.pop("tries")
    first_seed, seeds = options.pop("first_seed"), options.pop("seeds")
    job = job_of(file, settings)
    seeds_from(first_seed, seeds)
    from cellrate.advice import choosing
    from cellrate.advice.choosing.choosing import Budget
    from cellrate.simulation.runner import run_many

    link_layer = job.scenario().link_layer
    goals = choosing.goals_of(link_layer, **options)
    if minutes is not None and not 0 < minutes < math.inf:
        raise BadInput(f"--minutes {minutes:g}: must be above 0 and finite")
    effort = choosing.Effort(settings=tries, seeds=seeds, first_seed=first_seed)
    budget = Budget.of(minutes)
    store = kept_results(out, fresh=fresh)

    def within(_done: float, _total: int) -> None:
        budget.check()  # the bar shows phases

    is_over_ethernet = link_layer == "ethernet"
    chosen = choosing.choose_over_ethernet if is_over_ethernet else choosing.choose
    with ProgressBar("choosing") as progress:
        answer = chosen(
            job,
            goals,
            effort,
            lambda jobs: run_many(jobs, workers=workers, store=store, progress=within),
            kept_in(store),
            budget,
            progress.phase,
        )
    question = ["choose", job.text, settings, goals, effort]
    paths = own_paths(out, source.stem(job.path), ["-choice.html", "-chosen.toml"], question)
    hand_over_of(choosing, answer, choosing.write(answer, paths), json=json)


@made_from(
    deciding.tune,
    vary="Parameter to vary: PATH, PATH=LOW..HIGH[:linear|log|powers-of-two] or PATH=A,B,C; "
    "repeatable.",
    include="Setting to compare with, as in --include abr.rif=1/128,abr.rdf=1/2; repeatable.",
)
def tune(
    file: ScenarioFile,
    /,
    *,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for the page and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Fresh = False,
    **options: Any,  # noqa: ANN401  of the function
) -> None:
    """Find the best parameters of a scenario: a model or a search proposes, simulations decide.

    If the fluid model of EFCI applies, it ranks every RIF and RDF that the standard can signal, and
    the best pairs are simulated. Otherwise, or with --vary, parameters are searched by simulation:
    the named parameters, or else those of the control scheme and the discard policy. Criteria are
    loss, utilisation, queue, queue-max (in the measuring window), loss-of-run, queue-peak (in the
    whole run), throughput, goodput, packets-lost, timeouts, fairness, unfinished and completion.
    Where sources transfer files, the completion of the files comes before the queue.

    OUT receives NAME-tuned.html and NAME-tuned.toml. Finished runs are kept in OUT/results.
    Repeat the command to resume a search, or repeat it with a larger --budget to extend the search.
    """
    job = job_of(file)
    seeds_from(options["first_seed"], options["seeds"])
    store = kept_results(out, fresh=fresh)
    with ProgressBar("tuning") as progress:
        answer = deciding.tune(job, **options, workers=workers, store=store, progress=progress)
    warn_of_damage(store)
    from cellrate.advice import tuning

    settings = options.pop("overrides")
    options |= {"vary": tuple(options["vary"]), "include": tuple(options["include"])}
    question = ["tune", job.text, settings, tuning.TuneOptions(**options)]
    paths = own_paths(out, source.stem(job.path), ["-tuned.html", "-tuned.toml"], question)
    hand_over_of(tuning, answer, tuning.write(answer, paths), json=json)


@made_from(
    deciding.size_buffer,
    order=(
        *("overrides", "loss_ratio", "delay_seconds", "port", "seeds", "first_seed"),
        "credit_cells",
    ),
)
def size_buffer(
    file: ScenarioFile,
    /,
    *,
    loss_ratio: Annotated[
        float | None,
        Parameter(name="--loss", help="Largest mean cell loss ratio; no loss at all by default."),
    ] = None,
    delay_seconds: Annotated[
        str | None,
        Parameter(
            name="--delay", help='Longest queueing delay, as in "5 ms", instead of a loss target.'
        ),
    ] = None,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for the page and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Fresh = False,
    **options: Any,  # noqa: ANN401  of the function
) -> None:
    """Find the least buffer that loses no cells, or meets a loss or delay target.

    The answer also shows formulas, each with those of its assumptions that the scenario does not
    meet. Runs are measured from 0 s on. A page with a picture of the queue is written to OUT.
    Finished runs are kept in OUT/results, so the same command continues an interrupted search.

    Over Ethernet under PFC or CBFC the answer is the memory of each switch that loses no frame: for
    each link into the switch XOFF plus headroom, or its credits. The most that runs fill of each
    is shown, too.
    """
    job = job_of(file)
    store = kept_results(out, fresh=fresh)
    seeds_from(options["first_seed"], options["seeds"])
    options["loss_ratio"] = loss_ratio or 0.0
    if delay_seconds is not None:
        options["delay_seconds"] = seconds(delay_seconds, "--delay")
    from cellrate.advice.sizing import SizingError
    from cellrate.advice.sizing.report import as_json
    from cellrate.common import whole_file
    from cellrate.common.document.web_page import web_page

    try:
        with ProgressBar("measuring queues") as progress:
            answer = deciding.size_buffer(
                job, **options, workers=workers, store=store, progress=progress
            )
    except SizingError as error:
        raise BadInput(str(error)) from error
    question = ["size-buffer", answer.question]
    [place] = own_paths(out, source.stem(job.path), ["-buffer.html"], question)
    document = answer.document()
    whole_file.write_text(place, web_page(document))
    hand_over(json=json, as_json=lambda: as_json(answer), report=lambda: document, written=[place])
    warn_of_damage(store)


@made_from(deciding.judge_schemes, experiments="Only these experiments; repeatable.")
def battery(
    *schemes: Annotated[
        str,
        Parameter(
            name="SCHEME",
            help="Control scheme: FILE.py:CLASS, PACKAGE.MODULE:CLASS, or a name of "
            "`cellrate list schemes`, or fcvc. Without SCHEME the built-in schemes are ranked.",
        ),
    ],
    scenario: Annotated[
        str | None,
        Parameter(
            help="Print the scenario of an experiment, and nothing else.", show_default=False
        ),
    ] = None,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for files and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Fresh = False,
    **options: Any,  # noqa: ANN401  of the function
) -> int:
    """Judge control schemes in a fixed set of experiments, against every built-in scheme.

    Each scheme runs with ten seeds in every experiment: few and many greedy sources, TCP over short
    and long round trips, several bottlenecks, sources that come and go, VBR background, the Web,
    small buffers, round trips that differ by a factor of a hundred, lost cells. All experiments are
    of ATM cells. Results of the built-in schemes come with the program. --set applies to each
    SCHEME; with settings a built-in scheme is run as a new contender.

    OUT receives NAME-battery.html, with a small picture for every number, and NAME-battery.parquet,
    with every run. Finished runs are kept in OUT/results.
    """
    settings, experiments = options["overrides"], options["experiments"]
    if scenario is not None:
        if schemes or settings or experiments:
            raise BadInput(
                "--scenario only prints a scenario; leave out SCHEME, --set and --experiment"
            )
        from cellrate.battery.experiments import chosen

        sys.stdout.write(chosen([scenario])[0].written())
        return 0
    if settings and not schemes:
        raise BadInput("--set changes parameters of a SCHEME, but no SCHEME is named")
    store = kept_results(out, fresh=fresh)
    with ProgressBar("running") as progress:
        answer = deciding.judge_schemes(
            schemes, **options, workers=workers, store=store, progress=progress
        )
    from cellrate import battery as judges

    name = "-".join(scheme.partition(" ")[0] for scheme in answer.names) or "built-in"
    endings = ["-battery.html", "-battery.parquet"]
    paths = own_paths(out, name, endings, ["battery", schemes, settings, experiments])
    hand_over_of(judges, answer, judges.write(answer, paths), json=json)
    return 1 if any(answer.errors(scheme) for scheme in answer.names) else 0
