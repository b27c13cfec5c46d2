"""`cellrate reproduce`: runs the papers' experiments again."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from cellrate.cli.options import FirstSeed, Json, Settings, Workers, seed_count, seeds_from
from cellrate.cli.places import kept_results
from cellrate.cli.progress import ProgressBar
from cellrate.common.papers_place import experiment_names
from cellrate.common.problems import BadInput, choose
from cellrate.language.expressions import ExpressionError
from cellrate.simulation.runner import run_many, worker_count

if TYPE_CHECKING:
    from cellrate.reproduce.readings import Choice


def reproduce(
    *names: Annotated[
        str, Parameter(name="NAME", help="Paper and its experiments; all by default.")
    ],
    seeds: Annotated[int, seed_count("Seeds per experiment.")] = 1,
    first_seed: FirstSeed = 1,
    sensitivity: Annotated[
        bool, Parameter(negative="", help="Also vary each parameter that the papers leave open.")
    ] = False,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for reports and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Annotated[bool, Parameter(negative="", help="Simulate all runs again.")] = False,
    check: Annotated[
        bool, Parameter(negative="", help="Fail if seed 1 differs from the golden tables.")
    ] = False,
    bless: Annotated[
        bool, Parameter(negative="", help="Write seed 1 into the golden tables.")
    ] = False,
    evidence: Annotated[
        Path | None, Parameter(help="Directory for one Markdown page of results per paper.")
    ] = None,
    inferred: Annotated[
        bool,
        Parameter(negative="", help="Use the inferred values of open parameters that held out."),
    ] = False,
    keep_seeds: Annotated[
        bool, Parameter(negative="", help="Keep the results beside the papers' data.")
    ] = False,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    draws: Annotated[
        int,
        seed_count(
            "Measure values that single events decide over so many seeds, and keep them.", 0
        ),
    ] = 0,
) -> int:
    """Rerun published experiments and show published numbers beside measured ones.

    NAME is a paper (ohsaki95), an experiment (ohsaki95-fig5), or, after its paper, the rest of an
    experiment's name (ohsaki95 fig5 fig6). Reports with figures are written to OUT. Finished runs
    are kept in OUT/results, so that an interrupted reproduction goes on where it stopped. The
    numbers behind each figure are written to OUT/data, as CSV and Parquet.

    --set changes all runs; pages, table and JSON say so, and the paper's own pages stay.
    """
    seeds_from(first_seed, seeds)
    paper, ids = chosen(names, experiment_names())
    from cellrate import reproduce as reproduction  # slow to import

    store = kept_results(out, fresh=fresh)
    with ProgressBar("reproducing") as progress:
        runner = functools.partial(run_many, workers=workers, store=store, progress=progress)
        try:
            options = reproduction.Options(
                out=out,
                paper=paper,
                experiments=ids,
                seeds=seeds,
                first_seed=first_seed,
                sensitivity=sensitivity,
                json=json,
                check=check,
                bless=bless,
                evidence=evidence,
                inferred=_held_out() if inferred else None,
                keep_seeds=keep_seeds,
                draws=draws,
                changes=tuple(settings),
                workers=worker_count(workers),
            )
            status = reproduction.run_reproduction(options, runner)
        except (reproduction.ReproduceError, ExpressionError) as error:
            raise BadInput(str(error)) from error
    for problem in store.problems() if store is not None else ():
        sys.stderr.write(f"warning: kept result: {problem}\n")
    return status


def _held_out() -> dict[str, tuple[Choice, ...]]:
    """Inferred values that held out, by paper."""
    from cellrate.inference.stored import held_out
    from cellrate.reproduce.papers import all_papers

    return {paper.id: held_out(paper) for paper in all_papers()}


def chosen(names: Sequence[str], known: Sequence[str]) -> tuple[str | None, list[str] | None]:
    """Paper and experiments that names refer to; None stands for all.

    >>> chosen(["ohsaki95", "Fig. 4"], ["ohsaki95-fig4", "ohsaki95-fig5"])
    ('ohsaki95', ['ohsaki95-fig4'])

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
    ids = [name if name in of_paper else f"{paper}-{_plain(name)}" for name in names[1:]]
    return paper, [choose(name, of_paper, "experiment") for name in ids] or None


def _plain(name: str) -> str:
    """The name of an experiment as a paper writes it: `Table 8.2`, `Fig. 5`, `Figure 5`."""
    squeezed = name.lower().replace(" ", "").replace("figure", "fig")
    return squeezed.replace("fig.", "fig")
