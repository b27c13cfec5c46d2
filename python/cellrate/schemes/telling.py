"""The text of an error that a class raised during a run."""

from __future__ import annotations

import traceback

from cellrate._core import SchemeError


def told(error: SchemeError) -> str:
    """Hook and simulated time, the error, and the lines of its own traceback."""
    cause = error.__cause__
    if cause is None:
        return str(error)
    lines = traceback.format_tb(cause.__traceback__)
    return f"{error}\n{''.join(lines).rstrip()}"
