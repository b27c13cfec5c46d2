"""`cellrate time-space`: draws the cells of a flow on their path, over a short span."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli.options import ScenarioFile, Seed, Settings
from cellrate.cli.own_place import own_paths
from cellrate.cli.span import span
from cellrate.common import terminal
from cellrate.common.problems import choose, reading
from cellrate.common.whole_file import make_directory
from cellrate.simulation import source


def time_space(
    file: ScenarioFile,
    /,
    *,
    start: Annotated[
        str | None,
        Parameter(
            name="--from",
            allow_leading_hyphen=True,
            help='Start of the span, as in "10 ms"; the flow\'s start.',
        ),
    ] = None,
    end: Annotated[
        str | None,
        Parameter(
            name="--to",
            allow_leading_hyphen=True,
            help='End of the span, as in "34 ms"; two round trips later.',
        ),
    ] = None,
    flow: Annotated[
        str | None, Parameter(help="Flow whose path is drawn, as tcp.1; the first by default.")
    ] = None,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    seed: Seed = None,
    output: Annotated[
        Path | None,
        Parameter(name=["--output", "-o"], help="FILE.png, .svg or .pdf; all three by default."),
    ] = None,
) -> None:
    """Draw a time-space diagram: every cell of a flow on its path through the network.

    Time goes across, the nodes of the path upwards. A sloping line is a cell on a link, a level
    line a waiting cell, a cross a lost cell. The run up to the end of the span is done cell by
    cell, which takes several times as long as cellrate run. Without -o the figure is written to
    out/NAME-time-space.
    """
    with reading(file):
        text, name = source.read(file)
    from cellrate.cli.plot import figure_files
    from cellrate.simulation.figures import FORMATS, save
    from cellrate.simulation.network import Network
    from cellrate.simulation.passages import passages, usual_end
    from cellrate.studies.plots.time_space import time_space as draw

    scenario = _core.Scenario(text, name, settings, seed)
    network = Network.of_scenario(scenario)
    names = [candidate.name for candidate in network.flows]
    chosen = names[0] if flow is None else choose(flow, names, "flow")
    drawn = network.flows[names.index(chosen)]
    begin = drawn.start_seconds if start is None else span(start, None, ("--from", "--to"))[0]
    if end is None:
        shown = begin, usual_end(drawn, begin)
    else:
        shown = span(f"{begin!r} s" if start is None else start, end, ("--from", "--to"))
    known = tuple(FORMATS)
    stem, formats = figure_files(Path(), output, known)
    cells = passages(scenario, shown)
    figure = draw(cells, drawn)
    if output is None:
        own = source.stem(name)
        endings = [f"-time-space.{one}" for one in known]
        asked = ["time-space", text, settings, seed, shown, chosen]
        stem = own_paths(Path("out"), own, endings, asked)[0].with_suffix("")
    make_directory(stem.parent)
    files = save(figure, stem, formats)
    terminal.say(f"written to {', '.join(map(str, files))}")
