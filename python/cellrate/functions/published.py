"""Functions that run the papers' experiments again, and infer their open parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cellrate.common.arguments import names_wrong_types
from cellrate.common.extras import saying_what_is_missing
from cellrate.common.problems import BadInput, choose
from cellrate.functions.runs_of import runner_of, seeds_from, texts
from cellrate.simulation.progress_line import watching
from cellrate.simulation.runner import Job, Progress, run_many

# Imported late, because papers' data and the expression language load slowly.
if TYPE_CHECKING:
    from cellrate import _core
    from cellrate.papers import Inference, Question
    from cellrate.papers.paper import Paper
    from cellrate.papers.reproduction import Computed
    from cellrate.simulation.progress_line import Watcher


@saying_what_is_missing
@names_wrong_types
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
        seeds: Seeds per experiment.
        first_seed: First seed.
        sensitivity: Also vary each parameter that the papers leave open.
        workers: Runs at a time; one per core by default.
        store: Store of results.
        progress: True to show the progress, or a function to call with the runs done and all runs.

    Returns:
        Measured values beside printed ones, and claims.

    Raises:
        BadInput: There is no such paper or experiment, or its data is broken.
        TypeError: A count or seed is not an integer.
        ValueError: A count or seed is out of range.
    """
    from cellrate.language.expressions import ExpressionError
    from cellrate.papers import Options, ReproduceError
    from cellrate.papers.reproduction import compute

    [chosen] = papers_named(paper)
    seeds = len(seeds_from(first_seed, seeds))
    options = Options(
        out=Path(),
        paper=chosen.id,
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


@saying_what_is_missing
@names_wrong_types
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
        parameters: Ids of the parameters that the paper leaves open; all by default.
        seeds: Seeds per value.
        first_seed: First seed.
        workers: Runs at a time; one per core by default.
        store: Store of results.
        progress: True to show the progress, or a function to call with the runs done and all runs.

    Raises:
        BadInput: There is no such paper or parameter.
        TypeError: A count or seed is not an integer.
        ValueError: A count or seed is out of range.
    """
    from cellrate.language.expressions import ExpressionError
    from cellrate.papers import Laboratory, ReproduceError
    from cellrate.papers import infer as infer_values

    [read] = papers_named(paper)
    question = question_of(read, texts(parameters), seeds_from(first_seed, seeds))
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


def papers_named(name: str | None) -> list[Paper]:
    """The paper with an id, or all papers.

    Raises:
        BadInput: There is no such paper.
    """
    from cellrate.papers import all_papers

    by_id = {paper.id: paper for paper in all_papers()}
    return list(by_id.values()) if name is None else [by_id[choose(name, [*by_id], "paper")]]


def question_of(paper: Paper, parameters: Sequence[str], seeds: Sequence[int]) -> Question:
    """The parameters of a paper to infer: the named ones, or all that have alternatives.

    Raises:
        BadInput: There is no such parameter.
    """
    from cellrate.papers import Question, assumptions_of

    known = [*assumptions_of(paper)]
    names = [choose(name, known, "open parameter with alternatives") for name in parameters]
    return Question(tuple(dict.fromkeys(names or known)), tuple(seeds), whole=not names)
