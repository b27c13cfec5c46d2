"""`cellrate plot`: figures of a study."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cellrate.cli.options import whole
from cellrate.cli.own_place import own_paths
from cellrate.cli.places import Study, place_of
from cellrate.common import terminal
from cellrate.common.problems import BadInput
from cellrate.common.whole_file import make_directory


def plot(
    study: Study,
    /,
    *,
    kind: Annotated[
        str, Parameter(help="lines, heat-map, ecdf, box, traces (over one another) or phase.")
    ] = "lines",
    y: Annotated[str, Parameter(help="Measure; with traces and phase KIND or KIND:ENTITY.")],
    x: Annotated[
        str | None, Parameter(help="Factor of the horizontal axis; with phase a trace.")
    ] = None,
    by: Annotated[str | None, Parameter(help="Factor of the colours, or of a map's rows.")] = None,
    columns: Annotated[str | None, Parameter(help="Factor of the panels.")] = None,
    where: Annotated[
        list[str],
        Parameter(negative="", show_default=False, help="Only runs with FACTOR=VALUE; repeatable."),
    ] = [],  # noqa: B006  cyclopts never changes it
    of: Annotated[
        str, Parameter(help="Table of the measure: runs, flows, classes, vcs, ports or queues.")
    ] = "runs",
    replication: Annotated[int, whole(0, "Replication whose traces are drawn.")] = 0,
    dark: Annotated[bool, Parameter(negative="", help="Draw on a dark ground.")] = False,
    output: Annotated[
        Path | None,
        Parameter(name=["--output", "-o"], help="FILE.png, .svg or .pdf; in STUDY by default."),
    ] = None,
) -> None:
    """Draw a figure of a study: lines, maps, distributions, traces, phase portraits.

    Lines are means over replications with their confidence intervals. A factor may be named by the
    end of its path. The runs of a study and their commands are in the report (cellrate report).
    """
    from cellrate.simulation.figures import FORMATS, save
    from cellrate.studies.dataset import DataSet
    from cellrate.studies.plots.from_study import PlotOptions, draw

    safe = "".join(
        letter if letter.isalnum() or letter in "-_." else "-" for letter in f"{kind}-{y}"
    )
    place = place_of(study)
    stem, formats = figure_files(place / "figures" / safe, output, tuple(FORMATS))
    options = PlotOptions(kind, y, x, by, columns, tuple(where), of, replication)
    drawing = draw(DataSet(place), options)
    if output is None:
        endings = [f".{one}" for one in formats]
        paths = own_paths(place / "figures", safe, endings, ["plot", asdict(options), dark])
        stem = paths[0].with_suffix("")
    make_directory(stem.parent)
    files = save(drawing.figure, stem, formats, dark=dark)
    terminal.say(f"written to {', '.join(map(str, files))}")


def figure_files(
    default: Path, output: Path | None, known: tuple[str, ...]
) -> tuple[Path, tuple[str, ...]]:
    """Path without suffix and formats of `output`; without it the default path and all formats.

    Raises:
        BadInput: The file has another suffix.
    """
    if output is None:
        return default, known
    suffix = output.suffix.removeprefix(".")
    if suffix not in known:
        raise BadInput(f"-o {output}: a figure is written as {', '.join(known)}")
    return output.with_suffix(""), (suffix,)
