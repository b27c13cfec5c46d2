"""Reads quantities from a command line, and formats quantities for the output of a command.

`theory` is imported only when a formula needs it, since it loads slowly.
"""

from __future__ import annotations

import math
import re

from cellrate import _core
from cellrate.common.problems import BadInput

CELL_BITS = 424
# By unit of a formula parameter: the kind of quantity in scenario files, and the factor from its
# base unit to the unit of the parameter.
KINDS = {
    "s": ("delay", 1.0),
    "bytes": ("bytes", 1.0),
    "cells": ("buffer", 1.0),
    "bit/s": ("rate", 1.0),
    "cells/s": ("rate", 1.0 / CELL_BITS),
}


def span(begin: str, end: str | None, options: tuple[str, str]) -> tuple[float, float]:
    """Start and end of a span in seconds; infinity without an end.

    >>> span("10 ms", "10.2 ms", ("--from", "--to"))
    (0.01, 0.0102)

    Args:
        begin: A time as in scenario files.
        end: The end, as `begin`; None for no end.
        options: Names of the options for start and end.

    Raises:
        BadInput: A text is not a time, or the end is not after the start.
    """
    times = seconds(begin, options[0]), math.inf if end is None else seconds(end, options[1])
    if times[0] >= times[1]:
        raise BadInput(f"{options[1]} {end} is not after {options[0]} {begin}")
    return times


def seconds(text: str, option: str) -> float:
    """A time as in scenario files, in seconds.

    Raises:
        BadInput: The text is not a time.
    """
    try:
        return _core.quantity(text, "time")
    except ValueError as error:
        raise BadInput(f"{option}: {error}") from error


def duration(seconds: float) -> str:
    """A span of time as text for a terminal.

    >>> duration(0.25), duration(90), duration(7300)
    ('0.2 s', '1 min 30 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def size(count: float) -> str:
    """A number of bytes as text, in a unit that fits its size."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.0f} TB"


def number(text: str, what: str) -> float:
    """A plain number: an integer, a decimal or a fraction such as 1/64.

    >>> number("1/64", "--rif")
    0.015625

    Raises:
        BadInput: The text is not a number, or too large for a float.
    """
    from fractions import Fraction  # runs and checks do not need it

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
    # Scenario files refuse a rate of 0, but a formula may allow 0.
    zero = re.fullmatch(r"\s*0+(?:\.0*)?(\s.*)", text)
    try:
        value = _core.quantity(f"1{zero[1]}" if zero else text, kind)
    except ValueError as error:
        raise BadInput(f"{what}: {error}") from error
    return 0.0 if zero else value * scale
