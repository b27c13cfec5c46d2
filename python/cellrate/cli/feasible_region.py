"""`cellrate theory feasible-region`: feasible pairs (RIF, RDF) of the standard, and a picture."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cellrate.cli import formula_command, quantities
from cellrate.cli.options import Json
from cellrate.common import whole_file
from cellrate.common.input_file import MOST_BYTES, read_text
from cellrate.common.json_text import json_text
from cellrate.common.problems import BadInput, reading, system_message
from cellrate.common.terminal import say
from cellrate.common.whole_file import make_directory
from cellrate.theory.efci import EfciLoop
from cellrate.theory.efci.loop import Decrease, RmCells
from cellrate.theory.efci.region import FORMULA, OHSAKI_POINTS, Maximum, Point

ABOUT = {parameter.name: parameter.about for parameter in FORMULA.parameters}
COLUMNS = ("rif", "rdf", "loss_ratio", "utilisation")


def feasible_region(
    *,
    sources: Annotated[str, Parameter(help=ABOUT["sources"])],
    bandwidth: Annotated[str, Parameter(help=ABOUT["bandwidth_cells_per_second"])],
    round_trip: Annotated[str, Parameter(help=ABOUT["round_trip_seconds"])],
    high: Annotated[str, Parameter(help=ABOUT["high_cells"])],
    buffer: Annotated[str, Parameter(help=ABOUT["buffer_cells"])],
    low: Annotated[str | None, Parameter(help=ABOUT["low_cells"])] = None,
    nrm: Annotated[str | None, Parameter(help=ABOUT["nrm"] + " By default 32.")] = None,
    pcr: Annotated[str | None, Parameter(help=ABOUT["pcr_cells_per_second"])] = None,
    mcr: Annotated[str | None, Parameter(help=ABOUT["mcr_cells_per_second"])] = None,
    decrease: Annotated[Decrease, Parameter(help=ABOUT["decrease"])] = "continuous",
    rm_cells: Annotated[RmCells, Parameter(help=ABOUT["rm_cells"])] = "ignored",
    maximum: Annotated[Maximum, Parameter(help=ABOUT["maximum"])] = "bound",
    out: Annotated[
        Path | None,
        Parameter(help="Directory for region.json and the picture, region.png and region.svg."),
    ] = None,
    point: Annotated[
        list[str],
        Parameter(
            help="A pair to show, as NAME=RIF,RDF; repeatable.", negative="", show_default=False
        ),
    ] = [],  # noqa: B006  cyclopts never changes it
    ohsaki: Annotated[
        bool,
        Parameter(help="Show the pairs of Ohsaki et al. 1995.", negative="", show_default=False),
    ] = False,
    simulated: Annotated[
        Path | None,
        Parameter(help=f"CSV file of simulated pairs to show; columns {', '.join(COLUMNS)}."),
    ] = None,
    json: Json = False,
) -> None:
    """Pairs (RIF, RDF) of the standard that avoid overflow and keep the link full under EFCI.

    BL >= Q_max and Q_min > 0: conditions (5) and (6) of Ohsaki et al. 1995.
    """
    texts = {
        "sources": sources,
        "bandwidth_cells_per_second": bandwidth,
        "round_trip_seconds": round_trip,
        "high_cells": high,
        "buffer_cells": buffer,
        "low_cells": low,
        "nrm": nrm,
        "pcr_cells_per_second": pcr,
        "mcr_cells_per_second": mcr,
    }
    given: dict[str, object] = {name: text for name, text in texts.items() if text is not None}
    if (point or ohsaki or simulated) and out is None:
        raise BadInput("points are shown in the picture: --out DIRECTORY writes it")
    shown = [named_point(text) for text in point]
    shown += OHSAKI_POINTS if ohsaki else ()
    shown += [] if simulated is None else simulated_points(simulated)
    choices = {"decrease": decrease, "rm_cells": rm_cells, "maximum": maximum}
    formula_command.compute_and_show(FORMULA, {**given, **choices}, json=json)
    if out is not None:
        _write(out, given, decrease, rm_cells, shown, quiet=json)


def _write(
    out: Path,
    given: dict[str, object],
    decrease: Decrease,
    rm_cells: RmCells,
    points: list[Point],
    *,
    quiet: bool,
) -> None:
    """Writes data and picture of the region."""
    from cellrate.advice.feasible_region import Region, draw
    from cellrate.simulation import figures

    values = formula_command.read(FORMULA.parameters, given)
    buffer = values.pop("buffer_cells")
    loop = EfciLoop(**values, rdf=0.5, decrease=decrease, rm_cells=rm_cells)
    region = Region(loop, buffer)
    try:
        make_directory(out)
        data = out / "region.json"
        whole_file.write_text(data, json_text(region.as_json(points), indent=1))
        written = [data, *figures.save(draw(region, points), out / "region")]
    except OSError as error:
        raise BadInput(f"--out: {system_message(error)}") from error
    if not quiet:
        say("written: " + ", ".join(map(str, written)))


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
    rif, rdf = (_factor(part.strip(), f"--point {label.strip()}") for part in parts)
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
            raise BadInput(f"{where}: no {missing[0]}; columns are {', '.join(COLUMNS)}")
        rif, rdf = (_factor(row[column], f"{where}, {column}") for column in COLUMNS[:2])
        loss, used = (_share(row[column], f"{where}, {column}") for column in COLUMNS[2:])
        points.append(Point(rif, rdf, "", loss, used))
    if not points:
        raise BadInput(f"{path}: no sets in it; columns are {', '.join(COLUMNS)}")
    return points


def _factor(text: str, what: str) -> float:
    value = quantities.number(text, what)
    if not 0 < value <= 1:
        raise BadInput(f"{what} {text}: must be above 0 and at most 1")
    return value


def _share(text: str, what: str) -> float:
    value = quantities.number(text, what)
    if not 0 <= value <= 1 + 1e-3:  # a window may begin within a cell
        raise BadInput(f"{what} {text}: must be at least 0 and at most 1")
    return value
