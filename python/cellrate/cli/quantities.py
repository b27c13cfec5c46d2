"""Reads numbers and quantities with units from the command line."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from cellrate import _core
from cellrate.common.problems import BadInput
from cellrate.theory.cell_conversions import CELL_BITS

# For each unit of a formula's parameters the kind of quantity in scenario files, and the factor
# from the kind's base unit to that unit.
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
        BadInput: The text is not a number, or too large for a float.
    """
    try:
        value = float(Fraction(text)) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise BadInput(f"{what} {text!r}: must be a number, such as 30, 0.9 or 1/64")
    return value


def quantity(text: str, unit: str, what: str) -> float:
    """Reads a quantity as in scenario files and converts it to `unit`.

    Units that scenario files lack, such as RTT, may be left out.

    >>> quantity("1000 km", "s", "--delay"), quantity("8 cells/s", "cells/s", "--link")
    (0.005, 8.0)
    >>> quantity("2 RTT", "RTT", "--convergence"), quantity("2", "RTT", "--convergence")
    (2.0, 2.0)

    Raises:
        BadInput: The text is not such a quantity; the message lists the allowed units.
    """
    if unit not in KINDS:
        return number(text.strip().removesuffix(unit).rstrip(), what)
    kind, scale = KINDS[unit]
    # Scenario files refuse a rate of zero, but a formula may allow it.
    zero = re.fullmatch(r"\s*0+(?:\.0*)?(\s.*)", text)
    try:
        value = _core.quantity(f"1{zero[1]}" if zero else text, kind)
    except ValueError as error:
        raise BadInput(f"{what}: {error}") from error
    return 0.0 if zero else value * scale
