"""`cellrate size-buffer`: finds the buffer that a port needs."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cellrate import _core
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
from cellrate.common import whole_file
from cellrate.common.problems import BadInput, reading
from cellrate.simulation import source
from cellrate.simulation.runner import run_many


def size_buffer(
    file: ScenarioFile,
    /,
    *,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    loss: Annotated[
        float | None, Parameter(help="Largest mean cell loss ratio; no loss at all by default.")
    ] = None,
    delay: Annotated[
        str | None,
        Parameter(help='Longest queueing delay, as in "5 ms", instead of a loss target.'),
    ] = None,
    port: Annotated[
        str | None,
        Parameter(help="Output port, as in A->B; the port with the longest queue by default."),
    ] = None,
    seeds: Annotated[int, seed_count("Number of seeds.")] = 20,
    first_seed: FirstSeed = 1,
    credit_cells: Annotated[
        int | None,
        whole(
            1,
            "Also compute the buffer under credit-based flow control, with a credit cell for this "
            "many cells.",
        ),
    ] = None,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for the page and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Annotated[bool, Parameter(negative="", help="Simulate all runs again.")] = False,
) -> None:
    """Find the least buffer that loses no cells, or meets a loss or delay target.

    Shows formulas beside measurements, each formula with the assumptions that fail. Runs are
    measured from 0 s on. A page with a picture of the queue is written to OUT. Finished runs are
    kept in OUT/results, so that an interrupted search goes on where it stopped.
    """
    with reading(file):
        text, name = source.read(file)
    from cellrate.advice import sizing
    from cellrate.advice.sizing.as_json import as_json
    from cellrate.advice.sizing.report import report
    from cellrate.common.document.web_page import web_page

    store = kept_results(out, fresh=fresh)
    try:
        question = sizing.Question(
            text,
            name,
            tuple(settings),
            port=port,
            loss_ratio=0.0 if loss is None else loss,
            delay_seconds=None if delay is None else _seconds(delay),
            seeds=seeds_from(first_seed, seeds),
            credit_cells=credit_cells,
        )
        with ProgressBar("measuring queues") as progress:
            runner = functools.partial(run_many, workers=workers, store=store, progress=progress)
            answer = sizing.size_buffer(question, runner)
    except sizing.SizingError as error:
        raise BadInput(str(error)) from error
    stem = source.stem(name)
    [place] = own_paths(out, stem, ["-buffer.html"], ["size-buffer", question])
    document = report(answer)
    whole_file.write_text(place, web_page(document))
    hand_over(json=json, as_json=lambda: as_json(answer), report=lambda: document, written=[place])
    for problem in store.problems() if store is not None else ():
        sys.stderr.write(f"warning: kept result: {problem}\n")


def _seconds(delay: str) -> float:
    try:
        return _core.quantity(delay, "time")
    except ValueError as error:
        raise BadInput(f"--delay: {error}") from error
