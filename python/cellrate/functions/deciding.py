"""The functions `size_buffer`, `choose`, `judge_schemes`, `tune` and `compare`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cellrate import _core
from cellrate.common.arguments import names_wrong_types
from cellrate.common.extras import saying_what_is_missing
from cellrate.functions.runs_of import kept_in, note, runner_of, seeds_from, stream_of, texts, whole
from cellrate.simulation import source
from cellrate.simulation.runner import run_each
from cellrate.simulation.scenarios import job_of

# Imported late, because the modules load slowly, and the help of commands does not need them.
if TYPE_CHECKING:
    from cellrate import battery
    from cellrate.advice import choosing, sizing, tuning
    from cellrate.simulation.progress_line import Watcher
    from cellrate.simulation.scenarios import Overrides, ScenarioLike
    from cellrate.studies.compare import Comparison
    from cellrate.studies.dataset import DataSet


@saying_what_is_missing
@names_wrong_types
def size_buffer(
    scenario: ScenarioLike,
    *,
    overrides: Overrides = (),
    port: str | None = None,
    loss_ratio: float = 0.0,
    delay_seconds: float | None = None,
    seeds: int = 20,
    first_seed: int = 1,
    credit_cells: int | None = None,
    workers: int | None = None,
    store: _core.Store | None = None,
    progress: Watcher | bool | None = None,
) -> sizing.Answer | sizing.PacketAnswer | sizing.LosslessAnswer:
    """Finds the least buffer that loses no cells, or meets a target, as ``cellrate size-buffer``.

    Under PFC or CBFC over Ethernet it computes the memory of each switch, and measures how much
    runs use.

    Args:
        scenario: A path, TOML, mapping or `Scenario`, as for `run`.
        overrides: Settings, as for `run`.
        port: Output port, as in A->B; by default the port with the longest queue.
        loss_ratio: Largest mean cell loss ratio; 0 for no loss at all. The answer is the least
            buffer above which no buffer that was tried misses it.
        delay_seconds: Longest queueing delay, instead of a loss ratio.
        seeds: Number of seeds.
        first_seed: First seed.
        credit_cells: Also compute the buffer under credit-based flow control, with a credit cell
            for this many cells.
        workers: Runs at a time; one per core by default.
        store: Store of results.
        progress: True to show the progress, or a function to call with the runs done and all runs.

    Raises:
        ScenarioError: The scenario is wrong.
        SizingError: The question has no answer.
        TypeError: A count or seed is not an integer.
        ValueError: A count or seed is out of range.
    """
    from cellrate.advice import sizing

    job = job_of(scenario, overrides)
    question = sizing.Question(
        job.text,
        job.path,
        job.overrides,
        port=port,
        loss_ratio=loss_ratio,
        delay_seconds=delay_seconds,
        seeds=seeds_from(first_seed, seeds),
        credit_cells=credit_cells,
    )
    with runner_of("measuring queues", workers, store, progress) as runner:
        if question.scenario.link_layer == "ethernet":
            return sizing.size_port(question, runner)
        return sizing.size_buffer(question, runner)


@saying_what_is_missing
@names_wrong_types
def choose(
    scenario: ScenarioLike,
    *,
    overrides: Overrides = (),
    switches: str | tuple[str, ...] | list[str] = (),
    loss: float = 0.0,
    throughput: float | str = 0.95,
    delay: str | None = None,
    fairness: float | None = None,
    settling: str | None = None,
    buffer: str | None = None,
    victim: str | None = None,
    seeds: int = 3,
    first_seed: int = 1,
    tries: int = 8,
    workers: int | None = None,
    store: _core.Store | None = None,
    progress: Watcher | bool | None = None,
) -> choosing.Answer | choosing.PacketChoice:
    """Chooses a control, its parameters and the buffer, as ``cellrate choose``.

    Over Ethernet it chooses the control of TCP, explicit rates or RoCE; the buffers stay those of
    the scenario.

    Args:
        scenario: A path, TOML, mapping or `Scenario`, as for `run`.
        overrides: Settings, as for `run`.
        switches: Abilities of ATM switches, of ``none``, ``efci``, ``relative-rate``,
            ``explicit-rate``, ``credit``; all by default.
        loss: Largest share of cells, or of packets over Ethernet, that may be lost.
        throughput: Least throughput: a share of the best under the other goals, or a rate such as
            ``"100 Mbit/s"``. If all flows transfer files, a share says how far a completion time
            may be above the shortest.
        delay: Over ATM the longest wait of a cell at a bottleneck, as in ``"5 ms"``.
        fairness: Least Jain's index of the throughputs of flows that are not files, each relative
            to the flow's max-min share. 0 for any.
            By default 0.9, if any control reaches 0.9.
        settling: Over ATM the longest time until the bottleneck's utilisation settles, as in
            ``"100 ms"``.
        buffer: Greatest buffer, as in ``"2000 cells"``; over Ethernet the greatest length of a
            queue, as in ``"200 kB"``.
        victim: Flow group over Ethernet that must also reach the share ``throughput`` of the best
            speed that an alternative which meets the other goals gives to this group.
        seeds: Number of seeds for the best settings.
        first_seed: First seed.
        tries: Number of parameter settings to try for each control.
        workers: Runs at a time; one per core by default.
        store: Store of results.
        progress: True to show the progress, or a function to call with the runs done and all runs.

    Raises:
        BadInput: A goal is wrong, or no control makes a difference.
        ScenarioError: The scenario is wrong.
        TypeError: A count or seed is not an integer.
        ValueError: A count or seed is out of range.
    """
    from cellrate.advice import choosing

    job = job_of(scenario, overrides)
    link_layer = job.scenario().link_layer
    goals = choosing.goals_of(
        link_layer,
        switches=texts(switches),
        loss=loss,
        throughput=throughput,
        delay=delay,
        fairness=fairness,
        settling=settling,
        buffer=buffer,
        victim=victim,
    )
    effort = choosing.Effort(
        settings=whole("tries", tries),
        seeds=len(seeds_from(first_seed, seeds)),
        first_seed=first_seed,
    )
    with runner_of("choosing", workers, store, progress) as runner:
        if link_layer == "ethernet":
            return choosing.choose_over_ethernet(job, goals, effort, runner, kept_in(store))
        return choosing.choose(job, goals, effort, runner, kept_in(store))


@saying_what_is_missing
@names_wrong_types
def judge_schemes(
    schemes: str | type | Sequence[str | type] = (),
    *,
    overrides: Overrides = (),
    experiments: str | tuple[str, ...] | list[str] = (),
    workers: int | None = None,
    store: _core.Store | None = None,
    progress: Watcher | bool | None = None,
) -> battery.Answer:
    """Judges control schemes in a fixed set of experiments, as ``cellrate battery``.

    Args:
        schemes: Classes, or names: ``FILE.py:CLASS`` relative to the working directory,
            ``PACKAGE.MODULE:CLASS``, or a built-in scheme; without schemes the built-in schemes are
            ranked.
        overrides: Settings of each scheme, as for `run`.
        experiments: Names of experiments; all by default.
        workers: Runs at a time; one per core by default.
        store: Store of results.
        progress: True to show the progress, or a function to call with the runs done and all runs.

    Raises:
        BadInput: There is no such scheme or experiment.
        ScenarioError: No experiment allows a scheme with these settings.
        TypeError: The number of workers is not an integer.
        ValueError: The number of workers is below 1.
    """
    from cellrate import battery
    from cellrate.schemes.parameter_schema import named

    given = [schemes] if isinstance(schemes, str | type) else list(schemes)
    names = [named(scheme) if isinstance(scheme, type) else scheme for scheme in given]
    settings = source.settings(overrides)
    contenders = [battery.contender(name, settings) for name in names]
    chosen = battery.chosen(texts(experiments))
    asked = sum(not contender.built_in for contender in contenders)
    total = asked * len(chosen) * len(battery.SEEDS)
    with stream_of("running", workers, store, progress) as runner:
        again = functools.partial(run_each, workers=1)
        return battery.judge(contenders, chosen, runner(total), again)


@saying_what_is_missing
@names_wrong_types
def tune(
    scenario: ScenarioLike,
    *,
    vary: str | tuple[str, ...] | list[str] = (),
    include: str | tuple[str, ...] | list[str] = (),
    overrides: Overrides = (),
    objective: str | None = None,
    seeds: int = 5,
    first_seed: int = 1,
    budget: int | None = None,
    search_seed: int = 1,
    workers: int | None = None,
    store: _core.Store | None = None,
    progress: Watcher | bool | None = None,
) -> tuning.Answer:
    """Finds the best parameters of a scenario, as ``cellrate tune``.

    Args:
        scenario: A path, TOML, mapping or `Scenario`, as for `run`.
        vary: Parameters, as ``PATH``, ``PATH=LOW..HIGH`` or ``PATH=A,B,C``; by default the
            parameters of the fluid model or of the control scheme.
        include: Settings to compare with, as ``abr.rif=1/128,abr.rdf=1/2``.
        overrides: Settings, as for `run`.
        objective: Criteria in order of priority; =X after one sets its tolerance. By default
            loss,utilisation=0.02,queue,fairness; if all sources transfer files,
            unfinished,completion come first, without fairness, and if some do, unfinished comes
            first and completion after utilisation.
        seeds: Number of seeds for the best settings.
        first_seed: First seed.
        budget: Greatest number of simulations; by default enough for 11 settings of a model or 40
            of a search.
        search_seed: Seed of the search's random numbers.
        workers: Runs at a time; one per core by default.
        store: Store of results.
        progress: True to show the progress, or a function to call with the runs done and all runs.

    Raises:
        BadInput: An option is wrong.
        ScenarioError: The scenario, or a setting to compare with, is wrong.
        TypeError: A count or seed is not an integer.
        ValueError: A count or seed is out of range.
    """
    from cellrate.advice import tuning

    job = job_of(scenario, overrides)
    seeds = len(seeds_from(first_seed, seeds))
    if budget is not None:
        budget = whole("budget", budget)
    search_seed = whole("search_seed", search_seed)
    options = tuning.TuneOptions(
        texts(vary), texts(include), objective, seeds, first_seed, budget, search_seed
    )
    with runner_of("tuning", workers, store, progress) as runner:
        return tuning.tune(job, options, runner, kept_in(store))


@saying_what_is_missing
@names_wrong_types
def compare(
    scenario: ScenarioLike,
    vary: str | tuple[str, ...] | list[str],
    *,
    measures: str | tuple[str, ...] | list[str] = (),
    overrides: Overrides = (),
    seeds: int = 10,
    first_seed: int = 1,
    baseline: str | None = None,
    level: float = 0.95,
    better: str | tuple[str, ...] | list[str] = (),
    average: bool = False,
    workers: int | None = None,
    store: _core.Store | None = None,
    progress: Watcher | bool | None = None,
) -> Comparison:
    """Compares alternatives of a scenario: which is best, by how much, and whether by chance.

    Every alternative runs with the same seeds, as with ``cellrate compare``. A run that fails is
    left out, with a Python warning. Warnings of the runs are in ``warnings`` of the result.

    Args:
        scenario: A path, TOML, mapping or `Scenario`, as for `run`.
        vary: Alternatives, as ``control.scheme=efci,erica``; further keys are conditions.
        measures: Names of default measures, such as ``throughput``, ``loss``, ``queue`` and
            ``fairness``, expressions over a run, or ``NAME=EXPRESSION``; by default all default
            measures of the link layer.
        overrides: Settings, as for `run`.
        seeds: Seeds of each run.
        first_seed: First seed.
        baseline: Alternative to compare all others with; there is no ranking then.
        level: Joint confidence level of all differences, between 0 and 1.
        better: The better direction of a measure, as in timeouts=less; known for default
            measures, except the packets marked.
        average: Compare means over the other conditions.
        workers: Runs at a time; one per core by default.
        store: Store of results.
        progress: True to show the progress, or a function to call with the runs done and all runs.

    Raises:
        BadInput: An option is wrong, or a measure has no value in any run.
        ScenarioError: The scenario, or an alternative, is wrong.
        TypeError: A count or seed is not an integer.
        ValueError: A count, a seed or the level is out of range.
    """
    from cellrate.studies.compare.of_scenario import ScenarioOptions, compare_scenario

    _require_level(level)
    options = ScenarioOptions(
        texts(vary),
        texts(measures),
        seeds_from(first_seed, seeds),
        baseline,
        level,
        average,
        texts(better),
    )
    job = job_of(scenario, overrides)
    with stream_of("comparing", workers, store, progress) as runner:
        comparison, _ = compare_scenario(job, options, runner, note, note)
    return comparison


@saying_what_is_missing
@names_wrong_types
def compare_data(
    first: DataSet | str | Path,
    second: DataSet | str | Path | None = None,
    *,
    factor: str | None = None,
    measures: str | tuple[str, ...] | list[str] = (),
    where: str | tuple[str, ...] | list[str] = (),
    baseline: str | None = None,
    level: float = 0.95,
    better: str | tuple[str, ...] | list[str] = (),
    average: bool = False,
) -> Comparison:
    """Compares two studies, or the values of a factor of one, as ``cellrate compare`` does.

    Args:
        first: A data set, or its directory.
        second: Another data set, matched with the first on their common factors.
        factor: Factor of a single study whose values are compared.
        measures: Columns of the runs; the study's own measures by default.
        where: Only runs of a study with FACTOR=VALUE.
        baseline: Alternative to compare all others with.
        level: Joint confidence level of all differences, between 0 and 1.
        better: Whether more or less of a measure is better, as ``timeouts=less``.
        average: True to compare means over the other factors.

    Raises:
        BadInput: There is no such data, or nothing to compare.
        ValueError: The level is out of range.
    """
    from dataclasses import replace

    from cellrate.studies.compare.of_studies import StudyOptions, compare_studies

    _require_level(level)
    options = StudyOptions(
        texts(measures), factor, texts(where), baseline, level, average, texts(better)
    )
    given = [first] if second is None else [first, second]
    places = [Path(getattr(data, "directory", data)) for data in given]  # type: ignore[arg-type]
    comparison, units = compare_studies(places, options)
    return replace(comparison, units=units)


def _require_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level = {level!r}: must be above 0 and below 1")
