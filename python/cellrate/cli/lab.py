"""`cellrate lab`: a page for the browser in which the engine runs."""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from cellrate.cli import process
from cellrate.cli.options import Seed, Settings, whole
from cellrate.common import terminal, whole_file
from cellrate.common.problems import BadInput, reading
from cellrate.simulation import source

if TYPE_CHECKING:
    from cellrate.lab.pages import Given

MOST_PORT = 65_535


def lab(
    scenario: Annotated[
        str | None,
        Parameter(
            name="SCENARIO",
            allow_leading_hyphen=True,
            help="Scenario file, - for standard input, or an experiment of cellrate list.",
        ),
    ] = None,
    /,
    *,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    seed: Seed = None,
    export: Annotated[
        Path | None,
        Parameter(help="Write the page with the scenario as one file, and serve nothing."),
    ] = None,
    port: Annotated[
        int, whole(0, "TCP port of the server; 0 chooses a free port.", most=MOST_PORT, shown=False)
    ] = 0,
    browser: Annotated[
        bool,
        Parameter(negative="--no-browser", show_default=False, help="Open the browser (default)."),
    ] = True,
) -> None:
    """Watch a scenario in the browser: cells, queues, rates and windows, with sliders.

    The page runs the same engine and gives the same digests. It is served to this machine alone,
    until Ctrl-C, and loads nothing from other servers. --export writes the page as one file that
    needs no server.
    """
    from cellrate.lab.pages import given

    if scenario is None and (settings or seed is not None or export is not None):
        raise BadInput("--set, --seed and --export need a scenario")
    shown: Given | None = None
    if scenario is not None:
        name, text, more = _read(scenario)
        shown = given(name, text, (*more, *settings), seed)
    if export is not None and shown is not None:
        from cellrate.lab.pages import single_page

        page = single_page(shown)
        with whole_file.replacing(export) as fresh:
            fresh.write_text(page, encoding="utf-8", newline="\n")
        terminal.say(f"written to {export}: {len(page.encode()) / 1e6:.1f} MB, opens by itself")
        return
    _serve(shown, port, open_browser=browser)


def _read(scenario: str) -> tuple[str, str, tuple[str, ...]]:
    """Name, text and overrides of a scenario file or of an experiment's first run."""
    if scenario != source.STANDARD_INPUT and not Path(scenario).exists():
        found = _first_run(scenario)
        if found is not None:
            return found
    with reading(scenario):
        text, name = source.read(scenario)
    return name, text, ()


def _first_run(name: str) -> tuple[str, str, tuple[str, ...]] | None:
    """Path, text and overrides of an experiment's first run; None if the name is unknown.

    Raises:
        BadInput: The experiment has no run.
    """
    from cellrate.papers.collection import all_papers
    from cellrate.papers.runs import job_of, run_ids

    for paper in all_papers():
        for experiment in paper.experiments:
            if experiment.id != name:
                continue
            runs = run_ids(experiment)
            if not runs:
                raise BadInput(f"{name} is computed by formulas, so the lab has no run to show")
            _, variant, point = runs[0]
            at = [variant.name, *(f"{key} = {value}" for key, value in point.items())]
            terminal.say(f"{experiment.title}: {', '.join(at)}; 1 of {len(runs)} runs")
            job = job_of(paper, variant, point, seed=1)
            return job.path, job.text, job.overrides
    return None


def _serve(shown: Given | None, port: int, *, open_browser: bool) -> None:
    from cellrate.lab.server import HOST, LabServer

    try:
        server = LabServer(shown, port)
    except OSError as error:
        raise BadInput(f"--port {port}: cannot serve at {HOST}: {error.strerror}") from error
    with server:
        terminal.say(f"the lab is at {server.address}; Ctrl-C ends it")
        if open_browser and not webbrowser.open(server.address):
            terminal.say("no browser could be opened: open the address yourself")
        with suppress(KeyboardInterrupt):
            server.serve_forever()
        process.end_at_once()
        terminal.say("the lab has ended")
