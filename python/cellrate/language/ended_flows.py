"""File transfers that do not end in a run, and the measures that such a run lacks.

Completion times and slowdowns cover only flows that have ended. A run in which only a few short
transfers end would have the shortest times. So such a run has no value of these measures, and an
alternative with such a run ranks behind all alternatives whose transfers end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cellrate.language.expressions import ExpressionError

TRANSFER = "transfer"
"""Kind of the sources that transfer one file each, and then end."""
FILES = "files_unfinished"
"""Name of a measure of a run, and of a column of runs: file transfers that do not end."""
OVER_FLOWS = re.compile(r"(?<![a-z])(?:completion|slowdown)_(?:mean|p50|p95|p99)(?:_seconds)?\b")
"""Keys of totals over the flows that have ended."""
OF_FLOWS = re.compile(r"\b(?:collective_)?completion_seconds\b|\bslowdown\b")
"""Keys that have a value only if a flow, or a group of flows that await one another, has ended."""


class Unfinished(ExpressionError):
    """A measure has no value in a run because file transfers do not end in the run."""


def unfinished(summary: Mapping[str, Any]) -> int | None:
    """Number of file transfers that do not end in a run; None without transfers.

    Transfers whose start lies after the end of the run do not count. A transfer that awaits another
    one counts, though it has not started.
    """
    files = [flow for flow in summary["flows"] if flow.get("source") == TRANSFER]
    if not files:
        return None
    end = summary["simulated_seconds"]
    due = [flow for flow in files if flow["start_seconds"] is None or flow["start_seconds"] < end]
    return sum(flow["completion_seconds"] is None for flow in due)


def is_over_ended_flows(expression: str) -> bool:
    """True if an expression, or the name of a column, is of all flows that have ended.

    >>> is_over_ended_flows("1e3 * totals.completion_p99_seconds")
    True
    >>> is_over_ended_flows("flow('victim').completion_seconds")
    False
    """
    return OVER_FLOWS.search(expression) is not None


def needs_ended_flows(expression: str) -> bool:
    """True if an expression, or the name of a column, may lack its value since flows do not end.

    >>> needs_ended_flows("flow('victim').completion_seconds"), needs_ended_flows("goodput_gbit")
    (True, False)
    """
    return is_over_ended_flows(expression) or OF_FLOWS.search(expression) is not None
