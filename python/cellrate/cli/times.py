"""Times that a command line has, and durations and sizes that a command shows."""

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
    times = seconds(begin, options[0]), math.inf if end is None else seconds(end, options[1])
    if times[0] >= times[1]:
        raise BadInput(f"{options[1]} {end}: it is not after {begin}")
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
    """A span of time for people.

    >>> duration(0.25), duration(90), duration(7300)
    ('0.2 s', '1 min 30 s', '2 h 2 min')
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
