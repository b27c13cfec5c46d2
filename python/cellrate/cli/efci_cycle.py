"""`cellrate theory efci-cycle`: the limit cycle and the transient, as numbers and as a picture."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from cellrate.cli import quantities
from cellrate.cli.formula_command import command_of
from cellrate.cli.options import whole
from cellrate.common import whole_file
from cellrate.common.problems import BadInput, system_message
from cellrate.common.whole_file import make_directory
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.efci import periodic_trajectory, trajectory
from cellrate.theory.efci.formulae import EFCI_CYCLE
from cellrate.theory.efci.parameters import loop_of

OUT = Annotated[
    Path | None,
    Parameter(help="Directory for cycle.csv and the picture, cycle.png and cycle.svg."),
]
CYCLES = Annotated[
    int | None,
    whole(1, "With --out: this many cycles from an empty queue, instead of the limit cycle."),
]
START = Annotated[
    str | None,
    Parameter(help="With --cycles: ACR of every source at the start, its ICR; BW / N if absent."),
]


def write(
    values: Mapping[str, Any],
    *,
    out: Path | None,
    cycles: int | None,
    start_acr: str | None,
) -> str | None:
    """Writes queue and ACR over time as a table and a picture.

    Returns:
        A sentence that lists the files; nothing without `out`.

    Raises:
        BadInput: An option lacks another one that it needs, or the directory cannot be written.
    """
    for name, given, needed in (("cycles", cycles, out), ("start-acr", start_acr, cycles)):
        if given is not None and needed is None:
            raise BadInput(f"--{name} needs --{'out' if name == 'cycles' else 'cycles'}")
    if out is None:
        return None
    from cellrate.advice.fluid_picture import draw, table
    from cellrate.simulation import figures

    loop = loop_of(**values)
    acr = None
    if start_acr is not None:
        acr = quantities.quantity(start_acr, "cells/s", "--start-acr")
    try:
        curve = periodic_trajectory(loop) if cycles is None else trajectory(loop, cycles, acr)
    except AssumptionError as error:
        raise BadInput(f"efci-cycle: {error}") from error
    try:
        make_directory(out)
        data = out / "cycle.csv"
        whole_file.write_text(data, table(curve))
        written = [data, *figures.save(draw(loop, curve), out / "cycle")]
    except OSError as error:
        raise BadInput(f"--out: {system_message(error)}") from error
    return "written: " + ", ".join(map(str, written))


efci_cycle = command_of(
    EFCI_CYCLE,
    [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, hint in (("out", OUT), ("cycles", CYCLES), ("start_acr", START))
    ],
    write,
)
