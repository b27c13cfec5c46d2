"""`cellrate theory efci-cycle`, `feasible-region`: numbers, and a picture with its data."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from cellrate.cli import amounts
from cellrate.cli.formula_command import command_of
from cellrate.cli.options import whole
from cellrate.common import whole_file
from cellrate.common.input_file import MOST_BYTES, read_text
from cellrate.common.problems import BadInput, reading, system_message
from cellrate.common.to_json import json_text
from cellrate.common.whole_file import make_directory
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.efci import EfciLoop, periodic_trajectory, trajectory
from cellrate.theory.efci.feasible import FORMULA, OHSAKI_POINTS, Point
from cellrate.theory.efci.formulae import EFCI_CYCLE, loop_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = ("rif", "rdf", "loss_ratio", "utilisation")
CYCLE_OPTIONS = {
    "out": Annotated[
        Path | None,
        Parameter(help="Directory for cycle.csv and the picture, cycle.png and cycle.svg."),
    ],
    "cycles": Annotated[
        int | None,
        whole(
            1,
            "Number of cycles to draw from an empty queue, instead of the limit cycle; needs "
            "--out.",
        ),
    ],
    "start_acr": Annotated[
        str | None,
        Parameter(help="ACR of every source at the start; BW / N by default; needs --cycles."),
    ],
}
REGION_OPTIONS = {
    "out": Annotated[
        Path | None,
        Parameter(help="Directory for region.json and the picture, region.png and region.svg."),
    ],
    "point": Annotated[
        list[str] | None,
        Parameter(
            help="A pair to draw, as NAME=RIF,RDF; repeatable.", negative="", show_default=False
        ),
    ],
    "ohsaki": Annotated[
        bool,
        Parameter(
            help="Also draw the pairs of Ohsaki et al. 1995.", negative="", show_default=False
        ),
    ],
    "simulated": Annotated[
        Path | None,
        Parameter(help=f"CSV file of simulated pairs to draw; columns {', '.join(COLUMNS)}."),
    ],
}


def _options(known: Mapping[str, Any]) -> list[inspect.Parameter]:
    keyword = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(
            name, keyword, default=False if name == "ohsaki" else None, annotation=hint
        )
        for name, hint in known.items()
    ]


def write_cycle(
    values: Mapping[str, Any], *, out: Path | None, cycles: int | None, start_acr: str | None
) -> str | None:
    """Writes queue and ACR over time as a table and a picture.

    Returns:
        A sentence that lists the files; None without `out`.

    Raises:
        BadInput: An option needs another option that is missing, or the directory cannot be
            written.
    """
    for name, given, needed in (("cycles", cycles, out), ("start-acr", start_acr, cycles)):
        if given is not None and needed is None:
            raise BadInput(f"--{name} needs --{'out' if name == 'cycles' else 'cycles'}")
    if out is None:
        return None
    from cellrate.advice.efci_figures import trajectory_figure, trajectory_table

    loop = loop_of(**values)
    acr = None
    if start_acr is not None:
        acr = amounts.quantity(start_acr, "cells/s", "--start-acr")
    try:
        curve = periodic_trajectory(loop) if cycles is None else trajectory(loop, cycles, acr)
    except AssumptionError as error:
        raise BadInput(f"efci-cycle: {error}") from error
    return _written(out / "cycle.csv", trajectory_table(curve), trajectory_figure(loop, curve))


def write_region(
    values: Mapping[str, Any],
    *,
    out: Path | None,
    point: list[str] | None,
    ohsaki: bool,
    simulated: Path | None,
) -> str | None:
    """Writes the region as data and a picture.

    Returns:
        A sentence that lists the files; None without `out`.

    Raises:
        BadInput: Points are given without `out`, or the directory cannot be written.
    """
    if out is None:
        if point or ohsaki or simulated:
            raise BadInput("points are drawn in the picture, which needs --out DIRECTORY")
        return None
    shown = [named_point(text) for text in point or ()]
    shown += OHSAKI_POINTS if ohsaki else ()
    shown += [] if simulated is None else simulated_points(simulated)
    from cellrate.advice.efci_figures import Region, region_figure

    given = dict(values)
    buffer = given.pop("buffer_cells")
    given.pop("maximum", None)
    region = Region(EfciLoop(**given, rdf=0.5), buffer)
    text = json_text(region.as_json(shown), indent=1)
    return _written(out / "region.json", text, region_figure(region, shown))


def _written(data: Path, text: str, picture: Figure) -> str:
    """Writes data, and a picture of the same name; returns a sentence that lists the files.

    Raises:
        BadInput: The directory cannot be written.
    """
    from cellrate.simulation import figures

    try:
        make_directory(data.parent)
        whole_file.write_text(data, text)
        written = [data, *figures.save(picture, data.with_suffix(""))]
    except OSError as error:
        raise BadInput(f"--out: {system_message(error)}") from error
    return "written: " + ", ".join(map(str, written))


def named_point(text: str) -> Point:
    """Reads a pair from NAME=RIF,RDF.

    >>> named_point("tuned=1/128,1/2")
    Point(rif=0.0078125, rdf=0.5, label='tuned', loss_ratio=None, utilisation=None)

    Raises:
        BadInput: The text is not of that form, or a factor is out of range.
    """
    label, equals, factors = text.partition("=")
    parts = factors.split(",")
    if not equals or not label.strip() or len(parts) != 2:
        raise BadInput(f"--point {text!r}: must be NAME=RIF,RDF, such as tuned=1/128,1/2")
    rif, rdf = (
        _factor(part.strip(), f"--point {label.strip()}, {name}")
        for part, name in zip(parts, ("RIF", "RDF"), strict=True)
    )
    return Point(rif, rdf, label.strip())


def simulated_points(path: Path) -> list[Point]:
    """Reads simulated pairs from a CSV file.

    Raises:
        BadInput: The file cannot be read, lacks a column, or has a value that is not a number.
    """
    with reading(str(path)):
        rows = list(csv.DictReader(read_text(path, MOST_BYTES).splitlines()))
    points = []
    for number, row in enumerate(rows, start=2):
        where = f"{path}, line {number}"
        missing = [column for column in COLUMNS if not row.get(column)]
        if missing:
            raise BadInput(
                f"{where}: `{missing[0]}` has no value; columns are {', '.join(COLUMNS)}"
            )
        rif, rdf = (_factor(row[column], f"{where}, {column}") for column in COLUMNS[:2])
        loss, used = (_share(row[column], f"{where}, {column}") for column in COLUMNS[2:])
        points.append(Point(rif, rdf, "", loss, used))
    if not points:
        raise BadInput(
            f"{path}: the file has no rows after its heading; columns are {', '.join(COLUMNS)}"
        )
    return points


def _factor(text: str, what: str) -> float:
    value = amounts.number(text, what)
    if not 0 < value <= 1:
        raise BadInput(f"{what} {text}: must be above 0 and at most 1")
    return value


def _share(text: str, what: str) -> float:
    value = amounts.number(text, what)
    if not 0 <= value <= 1 + 1e-3:  # a window may begin within a cell
        raise BadInput(f"{what} {text}: must be at least 0 and at most 1")
    return value


efci_cycle = command_of(EFCI_CYCLE, _options(CYCLE_OPTIONS), write_cycle)
feasible_region = command_of(
    FORMULA,
    _options(REGION_OPTIONS),
    write_region,
    text="Pairs (RIF, RDF) of the standard that avoid overflow and keep the link full under EFCI."
    "\n\nBL >= Q_max and Q_min > 0: conditions (5) and (6) of Ohsaki et al. 1995.",
    describe=lambda known: known.about + (" By default 32." if known.name == "nrm" else ""),
)
