"""Numbers and quantities with units, as people write them on the command line."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from cellrate import _core
from cellrate.problems import BadInput
from cellrate.theory.cell_conversions import CELL_BITS

# Kind of quantity in scenario files for each unit of a formula's parameters, and what one of the
# kind is in that unit.
KINDS = {
    "s": ("delay", 1.0),
    "bytes": ("bytes", 1.0),
    "cells": ("buffer", 1.0),
    "bit/s": ("rate", 1.0),
    "cells/s": ("rate", 1.0 / CELL_BITS),
}


def number(text: str, what: str) -> float:
    """A plain number: an integer, a decimal or a fraction such as 1/64.

    >>> number("1/64", "--rif")
    0.015625

    Raises:
        BadInput: It is none, or too large for a float.
    """
    try:
        value = float(Fraction(text)) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise BadInput(f"{what} {text!r}: must be a number, such as 30, 0.9 or 1/64")
    return value


def quantity(text: str, unit: str, what: str) -> float:
    """A quantity as scenario files have it, in `unit`; a count of anything else with it or without.

    >>> quantity("1000 km", "s", "--delay"), quantity("8 cells/s", "cells/s", "--link")
    (0.005, 8.0)
    >>> quantity("2 RTT", "RTT", "--convergence"), quantity("2", "RTT", "--convergence")
    (2.0, 2.0)

    Raises:
        BadInput: It is none; says which units are allowed.
    """
    if unit not in KINDS:
        return number(text.strip().removesuffix(unit).rstrip(), what)
    kind, scale = KINDS[unit]
    # A scenario has no rate of nothing; a formula may well have one.
    nothing = re.fullmatch(r"\s*0+(?:\.0*)?(\s.*)", text)
    try:
        value = _core.quantity(f"1{nothing[1]}" if nothing else text, kind)
    except ValueError as error:
        raise BadInput(f"{what}: {error}") from error
    return 0.0 if nothing else value * scale
