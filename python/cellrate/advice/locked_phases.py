"""Detects runs in which TCP sources run in step, and words the doubt about their results.

Such runs have the warning `phases-locked`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

LOCKED = "phases-locked"
"""Code of the warning that TCP sources ran in step."""


def has_locked(summary: Mapping[str, Any]) -> bool:
    """True if TCP sources ran in step in a run, so that some of them took the link."""
    return any(warning["code"] == LOCKED for warning in summary["warnings"])


def doubt(locked: int, count: int, subject: str) -> Iterator[str]:
    """A sentence that doubts a result from runs in step; no sentence without such runs.

    Args:
        locked: Number of runs in step.
        count: Number of all runs.
        subject: The result that is doubted.
    """
    if locked:
        runs = "the run" if count == 1 else f"{locked} of {count} runs"
        yield (
            f"In {runs} the TCP sources run in step, so some sources take the link and others get "
            f"almost nothing. Do not rely on {subject}. Let the rates or the lengths of access "
            "links differ by 1 %, and repeat the command."
        )
