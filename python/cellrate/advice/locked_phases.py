"""Runs in which the phases of TCP sources lock: the warning `phases-locked`, and a doubt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

LOCKED = "phases-locked"
"""Code of the warning."""


def has_locked(summary: Mapping[str, Any]) -> bool:
    """True if the phases of TCP sources locked in a run, so that some of them have the link."""
    return any(warning["code"] == LOCKED for warning in summary["warnings"])


def doubt(locked: int, count: int, subject: str) -> Iterator[str]:
    """The doubt about a result that rests on locked runs; none if no run locked.

    Args:
        locked: Number of runs in which phases locked.
        count: Number of all runs.
        subject: The result that is doubted.
    """
    if locked:
        runs = "the run" if count == 1 else f"{locked} of {count} runs"
        yield (
            f"In {runs} the phases of TCP sources are locked: some take the link, the others "
            f"wait. Do not rely on {subject}. Make the rates or the lengths of access links "
            "differ by a per cent, and ask again."
        )
