"""Numbers and quantities with units, as people write them on the command line."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from cellrate.cli.problems import BadInput

CELL_BITS = 424
_TIMES = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 5e-9, "km": 5e-6}
_BYTES = {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_RATES = {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}
_RATES |= {"cells/s": CELL_BITS, "cells/ms": 1e3 * CELL_BITS}
# Units that a quantity of that unit may be written in, and what each is in the quantity's own.
SCALES: dict[str, dict[str, float]] = {
    "s": _TIMES,
    "bytes": _BYTES,
    "bit/s": _RATES,
    "cells/s": {unit: scale / CELL_BITS for unit, scale in _RATES.items()},
    "cells": {"cells": 1.0},
    "bits": {"bits": 1.0},
    "RTT": {"RTT": 1.0},
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
    """A quantity, in `unit`: a number, a space and a unit.

    >>> quantity("1000 km", "s", "--delay"), quantity("8 cells/s", "cells/s", "--link")
    (0.005, 8.0)

    Raises:
        BadInput: It is none; says which units are allowed.
    """
    found = re.fullmatch(r"\s*([-+0-9.eE_/]+)\s*([a-zA-Z]+(?:/[a-z]+)?)\s*", text)
    scales = SCALES[unit]
    if found is None or found[2] not in scales:
        example = f"{text} {next(reversed(scales))}" if found is None else f"{found[1]} {unit}"
        raise BadInput(
            f"{what} {text!r}: must be a number with a unit, one of {', '.join(scales)};"
            f" as in {example!r}"
        )
    return number(found[1], f"{what} {text!r}:") * scales[found[2]]
