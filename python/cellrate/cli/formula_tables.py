"""Shows formulas and their results as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cellrate.common.document import Table, columns, rows
from cellrate.common.terminal import say, show_parts
from cellrate.theory.formula import UNITS, Formula, unit_of

UNIT_NAMES = {
    "s": "ps, ns, us, ms, s, or m, km of fibre",
    "bytes": "bytes, kB, MB, GB, KiB, MiB, GiB",
    "bit/s": "bit/s, kbit/s, Mbit/s, Gbit/s, cells/s, cells/ms",
    "cells/s": "cells/s, cells/ms, bit/s, kbit/s, Mbit/s, Gbit/s",
    "cells": "cells",
    "bits": "bits",
    "RTT": "RTT",
}
# Numbers are shown in the largest unit that leaves at least 1 before the point.
LARGER = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")),
    "bit/s": ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")),
    "cells/s": ((1e3, "cells/ms"),),
}


def show_catalogue(formulas: Sequence[Formula]) -> None:
    """Shows every formula with its equation and source."""
    found = rows((one.name, one.about, one.equation, one.source) for one in formulas)
    show_parts((Table(columns("formula", "gives", "equation", "source"), found),))
    say("cellrate theory NAME --help shows the parameters of a formula.")


def show_results(formula: Formula, values: Mapping[str, Any], results: Mapping[str, Any]) -> None:
    """Shows results with their units, the equation and its source, and the values of all inputs."""
    say(f"{formula.name}: {formula.about}")
    say(f"  {formula.equation}")
    say(f"  {formula.source}")
    for parameter in formula.parameters:
        value = values.get(parameter.name, parameter.default)
        note = "" if parameter.name in values else "  (by default)"
        if value is not None:
            say(f"  {parameter.flag[2:]} = {amount(value, parameter.unit)}{note}")
    for name, result in results.items():
        say(f"{_words(name)}: {amount(result, unit_of(name))}")


def amount(value: object, unit: str | None) -> str:
    """A value with its unit, for people.

    >>> amount(0.015, "s"), amount(103320000.0, "bit/s"), amount(11003.8, "cells")
    ('15 ms', '103.32 Mbit/s', '11,003.8 cells')
    """
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {amount(part, unit)}" for key, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(amount(part, unit) for part in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return "none" if value is None else str(value)
    for scale, name in LARGER.get(unit or "", ()):
        if abs(value) >= scale:
            return f"{_digits(value / scale)} {name}"
    return _digits(value) if unit is None else f"{_digits(value)} {unit}"


def _digits(value: float) -> str:
    """Six digits, or all of an integer."""
    return f"{value:,.0f}" if 1e6 <= abs(value) < 1e15 else f"{value:,.6g}"


def _words(name: str) -> str:
    suffix = next((s for s in UNITS if name.endswith(f"_{s}")), None)
    return (name.removesuffix(f"_{suffix}") if suffix else name).replace("_", " ")
