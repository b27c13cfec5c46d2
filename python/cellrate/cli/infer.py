"""`cellrate infer`: infers a paper's open parameters from its results."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli.options import FirstSeed, Json, Workers, seed_count, seeds_from
from cellrate.cli.places import kept_results
from cellrate.cli.progress import ProgressBar
from cellrate.common import terminal, whole_file
from cellrate.common.json_text import json_text
from cellrate.common.problems import BadInput, choose
from cellrate.language.expressions import ExpressionError
from cellrate.simulation.runner import Job, Progress, run_many

if TYPE_CHECKING:
    from cellrate.inference import Inference, Laboratory, Question
    from cellrate.language.runs import Outcome
    from cellrate.reproduce.paper_data import Paper


def infer(
    name: Annotated[str | None, Parameter(name="PAPER", help="All papers by default.")] = None,
    /,
    *,
    parameters: Annotated[
        str | None,
        Parameter(
            show_default=False, help="Ids of assumptions, as in marking,window; all by default."
        ),
    ] = None,
    seeds: Annotated[int, seed_count("Seeds per value.")] = 3,
    first_seed: FirstSeed = 1,
    plan: Annotated[
        bool, Parameter(negative="", help="Only print the number of simulations needed.")
    ] = False,
    store: Annotated[
        bool, Parameter(negative="", help="Write the findings beside the paper's data.")
    ] = False,
    evidence: Annotated[
        Path | None, Parameter(help="Directory for one Markdown page and picture per paper.")
    ] = None,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for pages and kept results.")] = Path("out"),
    workers: Workers = None,
) -> None:
    """Infer parameters that a paper does not print from the results that it prints.

    Each open parameter takes each of its declared values in turn. The answer says which values the
    paper's numbers and claims allow, which they exclude, and whether a better value is also better
    on the half of the experiments that did not choose it. Parameters that the paper prints are
    never changed.

    OUT receives infer-PAPER.html. Finished runs are kept in OUT/results, so that an interrupted
    inference goes on where it stopped.
    """
    from cellrate.inference import as_json
    from cellrate.inference import infer as infer_values
    from cellrate.reproduce import ReproduceError

    if parameters is not None and (store or evidence is not None):
        raise BadInput(
            "--store and --evidence keep all parameters of a paper; leave out --parameters"
        )
    if parameters is not None and name is None:
        raise BadInput("--parameters are those of one paper; name it")
    kept = kept_results(out, fresh=False)
    papers = _papers(name)
    answers = []
    with ProgressBar("inferring") as bar:
        for paper in papers:
            laboratory = _laboratory(paper, workers, kept, bar)
            question = question_of(laboratory, parameters, seeds_from(first_seed, seeds))
            try:
                if plan:
                    answers.append(_planned(laboratory, question, kept, shown=not json))
                else:
                    answer = infer_values(laboratory, question)
                    answers.append(as_json(answer))
                    _write(answer, out, evidence, store=store, shown=not json)
            except (ReproduceError, ExpressionError) as error:
                raise BadInput(str(error)) from error
    if json:
        sys.stdout.write(json_text(answers))
    for problem in kept.problems() if kept is not None else ():
        sys.stderr.write(f"warning: kept result: {problem}\n")


def _papers(name: str | None) -> list[Paper]:
    from cellrate.reproduce.papers import all_papers

    by_id = {paper.id: paper for paper in all_papers()}
    return list(by_id.values()) if name is None else [by_id[choose(name, [*by_id], "paper")]]


def question_of(laboratory: Laboratory, parameters: str | None, seeds: Sequence[int]) -> Question:
    """Question about the named parameters of a paper, or about all that have alternatives.

    Raises:
        BadInput: There is no such parameter.
    """
    from cellrate.inference import Question, assumptions_of

    known = [*assumptions_of(laboratory.paper)]
    if parameters is None:
        return Question(tuple(known), tuple(seeds), whole=True)
    names = dict.fromkeys(
        choose(each.strip(), known, "open parameter with alternatives")
        for each in parameters.split(",")
    )
    return Question(tuple(names), tuple(seeds), whole=False)


def _laboratory(
    paper: Paper, workers: int | None, kept: _core.Store | None, bar: ProgressBar
) -> Laboratory:
    from cellrate.inference import Laboratory

    def run(jobs: Sequence[Job], progress: Progress) -> Sequence[Outcome]:
        return run_many(jobs, workers=workers, store=kept, progress=progress)

    def watch(label: str, done: float, total: int) -> None:
        bar.label = label
        bar(done, total)

    return Laboratory(paper, run, watch)


def _planned(
    laboratory: Laboratory, question: Question, kept: _core.Store | None, *, shown: bool
) -> dict[str, Any]:
    """JSON object of the plan, which is also shown on the screen if `shown`."""
    from cellrate.inference import plan, plan_as_json, plan_report

    stages = plan(laboratory, question, lambda key: kept is not None and kept.contains(key))
    if shown:
        terminal.show(plan_report(laboratory.paper.id, stages))
    return plan_as_json(laboratory.paper.id, stages)


def _write(
    answer: Inference, out: Path, evidence: Path | None, *, store: bool, shown: bool
) -> None:
    """Writes the requested files; shows the answer and their paths if `shown`."""
    from cellrate import inference
    from cellrate.common.document.web_page import web_page

    document = inference.report(answer)
    written = [out / f"infer-{answer.paper.id}.html"]
    whole_file.write_text(written[0], web_page(document))
    if store:
        written.append(inference.store(answer))
    if evidence is not None:
        written += inference.write_evidence(answer, evidence)
    if shown:
        terminal.show(document)
        terminal.say(f"written to {', '.join(map(str, written))}")
