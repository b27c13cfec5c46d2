"""Reads a span of simulated time from the command line; without `theory`, which loads slowly."""

from __future__ import annotations

import math

from cellrate import _core
from cellrate.common.problems import BadInput


def span(begin: str, end: str | None, options: tuple[str, str]) -> tuple[float, float]:
    """Begin and end of a span in seconds; infinity without an end.

    >>> span("10 ms", "10.2 ms", ("--from", "--to"))
    (0.01, 0.0102)

    Args:
        begin: A time as in scenario files.
        end: The end, as `begin`; None for no end.
        options: Names of both options.

    Raises:
        BadInput: A text is not a time, or the end is not after the begin.
    """
    times = _seconds(begin, options[0]), math.inf if end is None else _seconds(end, options[1])
    if times[0] >= times[1]:
        raise BadInput(f"{options[1]} {end}: it is not after {begin}")
    return times


def _seconds(text: str, option: str) -> float:
    try:
        return _core.quantity(text, "time")
    except ValueError as error:
        raise BadInput(f"{option}: {error}") from error
