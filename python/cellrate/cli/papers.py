"""`cellrate reproduce`, `infer`: run papers' experiments again, and infer unprinted parameters."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli.from_function import made_from
from cellrate.cli.options import Fresh, Json, Settings, Workers, seeds_from, whole
from cellrate.cli.places import kept_results, warn_of_damage
from cellrate.cli.progress import ProgressBar
from cellrate.common import terminal, whole_file
from cellrate.common.papers_place import experiment_names
from cellrate.common.problems import BadInput, choose
from cellrate.common.to_json import json_text
from cellrate.common.whole_number import MOST_SEEDS
from cellrate.functions import published
from cellrate.language.expressions import ExpressionError
from cellrate.simulation.runner import Job, Progress, run_many, worker_count

if TYPE_CHECKING:
    from cellrate.language.runs import Outcome
    from cellrate.papers import Inference, Laboratory, Question
    from cellrate.papers.paper import Choice, Paper

MOST_READINGS = 500
"""Greatest number of joint readings (random sets of values of all open parameters) of a paper.

The package can make 512.
"""


@made_from(published.reproduce_paper)
def reproduce(
    *names: Annotated[
        str, Parameter(name="NAME", help="Paper and its experiments; all by default.")
    ],
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for reports and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Fresh = False,
    check: Annotated[
        bool,
        Parameter(
            negative="",
            help="Fail if the results of seed 1 differ from the stored (golden) tables.",
        ),
    ] = False,
    bless: Annotated[
        bool, Parameter(negative="", help="Store the results of seed 1 in the golden tables.")
    ] = False,
    evidence: Annotated[
        Path | None, Parameter(help="Directory for one Markdown page of results per paper.")
    ] = None,
    inferred: Annotated[
        bool,
        Parameter(
            negative="",
            help="Use inferred values for the open parameters whose inference passed validation.",
        ),
    ] = False,
    keep_seeds: Annotated[
        bool, Parameter(negative="", help="Store the results of all seeds beside the papers' data.")
    ] = False,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    draws: Annotated[
        int,
        whole(
            0,
            "Number of seeds for values that depend on single lost cells; the values are stored.",
            most=MOST_SEEDS,
        ),
    ] = 0,
    readings: Annotated[
        int,
        whole(
            0,
            "Number of runs with all open parameters drawn at random; stores which results are "
            "met.",
            most=MOST_READINGS,
        ),
    ] = 0,
    **options: Any,  # noqa: ANN401  of the function
) -> int:
    """Rerun published experiments and show published numbers beside measured ones.

    NAME is a paper (ohsaki95), an experiment (ohsaki95-fig5), or, after its paper, the rest of an
    experiment's name (ohsaki95 fig5 fig6). Reports with figures are written to OUT. Finished runs
    are kept in OUT/results, so the same command continues an interrupted reproduction. The
    numbers behind each figure are written to OUT/data, as CSV and Parquet.

    --set changes all runs. Pages, table and JSON then say so, and do not replace pages without
    --set.
    """
    seeds_from(options["first_seed"], options["seeds"])
    paper, ids = chosen(names, experiment_names())
    from cellrate import papers  # slow to import

    store = kept_results(out, fresh=fresh)
    with ProgressBar("reproducing") as progress:
        runner = functools.partial(run_many, workers=workers, store=store, progress=progress)
        try:
            asked = papers.Options(
                out=out,
                paper=paper,
                experiments=ids,
                json=json,
                check=check,
                bless=bless,
                evidence=evidence,
                inferred=_held_out() if inferred else None,
                keep_seeds=keep_seeds,
                draws=draws,
                readings=readings,
                changes=tuple(settings),
                workers=worker_count(workers),
                **options,
            )
            status = papers.run_reproduction(asked, runner)
        except (papers.ReproduceError, ExpressionError) as error:
            raise BadInput(str(error)) from error
    warn_of_damage(store)
    return status


def _held_out() -> dict[str, tuple[Choice, ...]]:
    """Inferred values of open parameters that passed the hold-out test, by paper."""
    from cellrate.papers.collection import all_papers
    from cellrate.papers.findings import held_out

    return {paper.id: held_out(paper) for paper in all_papers()}


def chosen(names: Sequence[str], known: Sequence[str]) -> tuple[str | None, list[str] | None]:
    """Paper and experiments that names refer to; None stands for all.

    >>> chosen(["ohsaki95", "Fig. 4"], ["ohsaki95-fig4", "ohsaki95-fig5"])
    ('ohsaki95', ['ohsaki95-fig4'])
    >>> chosen(["marsan97", "Fig. 9-PD"], ["marsan97-fig9-PD"])
    ('marsan97', ['marsan97-fig9-PD'])

    Raises:
        BadInput: There is no such paper or experiment.
    """
    if not names:
        return None, None
    papers = sorted({name.partition("-")[0] for name in known})
    if names[0] not in papers:
        return None, [choose(name, [*papers, *known], "paper or experiment") for name in names]
    paper = names[0]
    of_paper = [name for name in known if name.startswith(f"{paper}-")]
    known_as = {_plain(name): name for name in of_paper}
    known_as |= {_plain(name.removeprefix(f"{paper}-")): name for name in of_paper}
    ids = [known_as.get(plain, f"{paper}-{plain}") for plain in map(_plain, names[1:])]
    return paper, [choose(name, of_paper, "experiment") for name in ids] or None


def _plain(name: str) -> str:
    """The name of an experiment as a paper writes it: `Table 8.2`, `Fig. 5`, `Figure 5`."""
    squeezed = name.lower().replace(" ", "").replace("figure", "fig")
    return squeezed.replace("fig.", "fig")


@made_from(published.infer, order=("parameters", "seeds", "first_seed"))
def infer(
    name: Annotated[str | None, Parameter(name="PAPER", help="All papers by default.")] = None,
    /,
    *,
    parameters: Annotated[
        str | None,
        Parameter(
            show_default=False,
            help="Ids of open parameters, as in marking,window; all by default.",
        ),
    ] = None,
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
    **options: Any,  # noqa: ANN401  of the function
) -> None:
    """Infer parameters that a paper does not print from the results that it prints.

    Each open parameter takes each of its declared values in turn. The answer says which values the
    paper's numbers and claims allow and exclude. A better value is validated: it must also be
    better on the half of the experiments that was not used to choose it. Parameters that the paper
    prints are never changed.

    OUT receives infer-PAPER.html. Finished runs are kept in OUT/results, so the same command
    continues an interrupted inference.
    """
    if parameters is not None and (store or evidence is not None):
        raise BadInput(
            "--store and --evidence keep all parameters of a paper; leave out --parameters"
        )
    if parameters is not None and name is None:
        raise BadInput("--parameters are those of one paper; name it")
    kept = kept_results(out, fresh=False)
    seeds = seeds_from(options["first_seed"], options["seeds"])
    asked = [] if parameters is None else [each.strip() for each in parameters.split(",")]
    papers = published.papers_named(name)
    from cellrate.papers import ReproduceError
    from cellrate.papers import infer as infer_values
    from cellrate.papers.as_json import inference_as_json

    answers = []
    with ProgressBar("inferring") as bar:
        for paper in papers:
            laboratory = _laboratory(paper, workers, kept, bar)
            question = published.question_of(paper, asked, seeds)
            try:
                if plan:
                    answers.append(_planned(laboratory, question, kept, shown=not json))
                else:
                    answer = infer_values(laboratory, question)
                    answers.append(inference_as_json(answer))
                    _write(answer, out, evidence, store=store, shown=not json)
            except (ReproduceError, ExpressionError) as error:
                raise BadInput(str(error)) from error
    if json:
        sys.stdout.write(json_text(answers))
    warn_of_damage(kept)


def _laboratory(
    paper: Paper, workers: int | None, kept: _core.Store | None, bar: ProgressBar
) -> Laboratory:
    from cellrate.papers import Laboratory

    def run(jobs: Sequence[Job], progress: Progress) -> Sequence[Outcome]:
        return run_many(jobs, workers=workers, store=kept, progress=progress)

    def watch(label: str, done: float, total: int) -> None:
        bar.label = label
        bar(done, total)

    return Laboratory(paper, run, watch)


def _planned(
    laboratory: Laboratory, question: Question, kept: _core.Store | None, *, shown: bool
) -> dict[str, Any]:
    """JSON object of the plan; the plan is also written to the screen if `shown`."""
    from cellrate.papers.as_json import plan_as_json
    from cellrate.papers.inference import plan
    from cellrate.papers.inference_report import plan_report

    stages = plan(laboratory, question, lambda key: kept is not None and kept.contains(key))
    if shown:
        terminal.show(plan_report(laboratory.paper.id, stages))
    return plan_as_json(laboratory.paper.id, stages)


def _write(
    answer: Inference, out: Path, evidence: Path | None, *, store: bool, shown: bool
) -> None:
    """Writes the requested files; writes the answer and the paths of the files if `shown`."""
    from cellrate.common.document.web_page import web_page
    from cellrate.papers import findings, inference_report

    document = inference_report.report(answer)
    written = [out / f"infer-{answer.paper.id}.html"]
    whole_file.write_text(written[0], web_page(document))
    if store:
        written.append(findings.store(answer))
    if evidence is not None:
        written += inference_report.write_evidence(answer, evidence)
    if shown:
        terminal.show(document)
        terminal.say(f"written to {', '.join(map(str, written))}")
