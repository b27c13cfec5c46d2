"""A span of simulated time, as people write it on the command line."""

from __future__ import annotations

import math

from cellrate import _core
from cellrate.problems import BadInput


def span(begin: str, end: str | None, options: tuple[str, str]) -> tuple[float, float]:
    """Begin and end in seconds; without an end, for ever.

    >>> span("10 ms", "10.2 ms", ("--from", "--to"))
    (0.01, 0.0102)

    Args:
        begin: A time as scenario files have it.
        end: Another one, if there is one.
        options: What both are called.

    Raises:
        BadInput: They are no times, or the end is not after the begin.
    """
    found = _seconds(begin, options[0]), math.inf if end is None else _seconds(end, options[1])
    if found[0] >= found[1]:
        raise BadInput(f"{options[1]} {end}: it is not after {begin}")
    return found


def _seconds(text: str, option: str) -> float:
    try:
        return _core.quantity(text, "time")
    except ValueError as error:
        raise BadInput(f"{option}: {error}") from error
