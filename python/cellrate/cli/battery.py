"""`cellrate battery`: judges control schemes on a fixed set of experiments."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cellrate.cli.answering import hand_over
from cellrate.cli.options import Json, Settings, Workers
from cellrate.cli.own_place import own_paths
from cellrate.cli.places import kept_results
from cellrate.cli.progress import ProgressBar
from cellrate.common.problems import BadInput


def battery(
    *schemes: Annotated[
        str,
        Parameter(
            name="SCHEME",
            help="Control scheme: FILE.py:CLASS, PACKAGE.MODULE:CLASS, or a name of "
            "`cellrate list schemes`, or fcvc. None for the ranking of those built in.",
        ),
    ],
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    experiment: Annotated[
        list[str],
        Parameter(negative="", show_default=False, help="Only these experiments; repeatable."),
    ] = [],  # noqa: B006
    scenario: Annotated[
        str | None,
        Parameter(
            help="Print the scenario of an experiment, and nothing else.", show_default=False
        ),
    ] = None,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for files and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Annotated[bool, Parameter(negative="", help="Simulate all runs again.")] = False,
) -> int:
    """Judge control schemes in a fixed set of experiments, against every built-in scheme.

    Each scheme runs with ten seeds in every experiment: few and many greedy sources, TCP over short
    and long round trips, several bottlenecks, sources that come and go, VBR background, the Web,
    small buffers, delays that differ by a hundred, lost cells. Results of the built-in schemes come
    with the program. --set applies to each SCHEME, and makes a built-in one another contender.

    OUT receives NAME-battery.html, with a small picture for every number, and NAME-battery.parquet,
    with every run. Finished runs are kept in OUT/results.
    """
    from cellrate.battery.experiments import chosen

    if scenario is not None:
        if schemes or settings or experiment:
            raise BadInput("--scenario prints a scenario: no SCHEME, no --set and no --experiment")
        sys.stdout.write(chosen([scenario])[0].written())
        return 0
    if settings and not schemes:
        raise BadInput("--set has no SCHEME to which it applies")
    from cellrate import battery as judges
    from cellrate.simulation.runner import run_each

    contenders = [judges.contender(one, settings) for one in schemes]
    asked = chosen(experiment)
    store = kept_results(out, fresh=fresh)
    with ProgressBar("running") as progress:
        total = sum(not one.built_in for one in contenders) * len(asked) * len(judges.SEEDS)
        run = functools.partial(
            run_each, workers=workers, store=store, watch=lambda done: progress(done, total)
        )
        answer = judges.judge(contenders, asked, run, functools.partial(run_each, workers=1))
    name = "-".join(one.partition(" ")[0] for one in answer.names) or "built-in"
    endings = ["-battery.html", "-battery.parquet"]
    paths = own_paths(out, name, endings, ["battery", schemes, settings, experiment])
    hand_over(
        json=json,
        as_json=lambda: judges.as_json(answer),
        report=lambda: judges.report(answer),
        written=judges.write(answer, paths),
    )
    return 1 if any(answer.errors(one) for one in answer.names) else 0
