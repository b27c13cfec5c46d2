"""Functions that run the papers' experiments again, and infer their open parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cellrate.common.problems import BadInput, choose
from cellrate.functions.runs_of import runner_of, seeds_from, texts
from cellrate.inference import Inference, Laboratory, Question, assumptions_of
from cellrate.inference import infer as infer_values
from cellrate.language.expressions import ExpressionError
from cellrate.reproduce import Options, ReproduceError, all_papers
from cellrate.reproduce.computing import Computed, compute
from cellrate.simulation.progress_line import watching
from cellrate.simulation.runner import Job, Progress, run_many

if TYPE_CHECKING:
    from cellrate import _core
    from cellrate.simulation.progress_line import Watcher


def reproduce_paper(
    paper: str,
    experiments: str | tuple[str, ...] | list[str] = (),
    *,
    seeds: int = 1,
    first_seed: int = 1,
    sensitivity: bool = False,
    workers: int | None = None,
    store: _core.Store | None = None,
    progress: Watcher | bool | None = None,
) -> Computed:
    """Runs a paper's experiments again, as ``cellrate reproduce``; writes no page.

    Args:
        paper: Id of the paper, as ``ohsaki95``.
        experiments: Ids of experiments, with or without the paper's prefix; all by default.
        seeds: Number of seeds.
        first_seed: The first of them.
        sensitivity: True to vary each parameter that the paper leaves open, too.
        workers: Runs at a time; one per core by default.
        store: Store of results.
        progress: True, or a function of runs done and of all.

    Returns:
        Measured values beside printed ones, and claims.

    Raises:
        BadInput: There is no such paper or experiment, or its data is broken.
        TypeError: A count or seed is not an integer.
        ValueError: A count or seed is out of range.
    """
    chosen = choose(paper, [one.id for one in all_papers()], "paper")
    seeds = len(seeds_from(first_seed, seeds))
    options = Options(
        out=Path(),
        paper=chosen,
        experiments=texts(experiments) or None,
        seeds=seeds,
        first_seed=first_seed,
        sensitivity=sensitivity,
    )
    try:
        with runner_of("reproducing", workers, store, progress) as runner:
            return compute(options, runner)
    except (ReproduceError, ExpressionError) as error:
        raise BadInput(str(error)) from None


def infer(
    paper: str,
    parameters: str | tuple[str, ...] | list[str] = (),
    *,
    seeds: int = 3,
    first_seed: int = 1,
    workers: int | None = None,
    store: _core.Store | None = None,
    progress: Watcher | bool | None = None,
) -> Inference:
    """Infers parameters that a paper does not print from its results, as ``cellrate infer``.

    Args:
        paper: Id of the paper, as ``ohsaki95``.
        parameters: Ids of assumptions with alternatives; all by default.
        seeds: Number of seeds per value.
        first_seed: The first of them.
        workers: Runs at a time; one per core by default.
        store: Store of results.
        progress: True, or a function of runs done and of all.

    Raises:
        BadInput: There is no such paper or parameter.
        TypeError: A count or seed is not an integer.
        ValueError: A count or seed is out of range.
    """
    by_id = {one.id: one for one in all_papers()}
    read = by_id[choose(paper, [*by_id], "paper")]
    known = [*assumptions_of(read)]
    names = [choose(one, known, "open parameter with alternatives") for one in texts(parameters)]
    numbers = seeds_from(first_seed, seeds)
    question = Question(tuple(names or known), numbers, whole=not names)
    with watching(progress, "inferring") as watch:

        def run(jobs: Sequence[Job], told: Progress) -> Sequence[_core.Outcome]:
            return run_many(jobs, workers=workers, store=store, progress=told)

        def seen(_label: str, done: float, total: int) -> None:
            if watch is not None:
                watch(done, total)

        try:
            return infer_values(Laboratory(read, run, seen), question)
        except (ReproduceError, ExpressionError) as error:
            raise BadInput(str(error)) from None
