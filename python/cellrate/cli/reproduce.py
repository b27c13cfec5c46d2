"""`cellrate reproduce`: the papers' experiments again."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from cellrate.cli.options import Json, Workers
from cellrate.cli.problems import choose
from cellrate.cli.progress import ProgressBar
from cellrate.runner import default_store, run_many


def reproduce(
    paper: Annotated[str | None, Parameter(name="PAPER", help="All papers by default.")] = None,
    /,
    *experiments: Annotated[
        str, Parameter(name="EXPERIMENT", help="As in fig8.1 or table8.2; all by default.")
    ],
    seeds: Annotated[int, Parameter(validator=Number(gte=1), help="Seeds per experiment.")] = 1,
    first_seed: Annotated[int, Parameter(validator=Number(gte=0), help="The first of them.")] = 1,
    sensitivity: Annotated[
        bool, Parameter(negative="", help="Vary what the papers leave open.")
    ] = False,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for reports and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Annotated[bool, Parameter(negative="", help="Simulate what is already known.")] = False,
) -> int:
    """Rerun published experiments and show published numbers beside measured ones.

    Reports with figures are written to OUT. Finished runs are kept in OUT/results, so that an
    interrupted reproduction goes on where it stopped.
    """
    from cellrate import reproduce as reproduction

    name, ids = _chosen(paper, experiments, reproduction.experiment_ids())
    store = None if fresh else default_store(out / "results")
    with ProgressBar("reproducing") as progress:
        runner = functools.partial(run_many, workers=workers, store=store, progress=progress)
        status = reproduction.run_reproduction(
            name, ids, seeds, first_seed, sensitivity, json, out, runner
        )
    for problem in store.problems() if store is not None else ():
        sys.stderr.write(f"warning: kept result: {problem}\n")
    return status


def _chosen(
    paper: str | None, experiments: tuple[str, ...], known: list[str]
) -> tuple[str | None, list[str] | None]:
    """Paper and experiment ids out of `ohsaki95`, `ohsaki95 fig4` or `ohsaki95-fig4`.

    Raises:
        BadInput: There is no such paper or experiment.
    """
    if paper is None:
        return None, None
    papers = sorted({name.partition("-")[0] for name in known})
    if paper in known:
        paper, experiments = paper.partition("-")[0], (paper, *experiments)
    choose(paper, papers, "paper")
    of_paper = [name for name in known if name.startswith(f"{paper}-")]
    ids = [name if name in of_paper else f"{paper}-{name}" for name in experiments]
    return paper, [choose(name, of_paper, "experiment") for name in ids] or None
