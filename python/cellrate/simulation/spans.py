"""Checks that a span of time that a user names lies within the run."""

from __future__ import annotations

import math
import tomllib

from cellrate import _core
from cellrate.common.problems import BadInput

OPTIONS = "--from", "--to"
PARAMETERS = "from_seconds", "to_seconds"


def refuse_outside(
    scenario: _core.Scenario, span: tuple[float, float], names: tuple[str, str]
) -> None:
    """Refuses a span that does not lie within the run.

    Args:
        scenario: The scenario.
        span: Start and end in seconds; an end of infinity stands for the end of the run.
        names: Names of start and end in messages.

    Raises:
        BadInput: The span starts at the end of the run or later, or ends after the run.
    """
    start, end = span
    duration = _core.quantity(tomllib.loads(scenario.resolved())["run"]["duration"], "time")
    if start >= duration:
        raise BadInput(
            f"{names[0]} {start:.10g} s: the run ends at {duration:.10g} s, and a span must begin "
            "before"
        )
    if end > duration and not math.isinf(end):
        raise BadInput(
            f"{names[1]} {end:.10g} s: the run ends at {duration:.10g} s, and a span must end by "
            "then"
        )
