"""Words on runs that check a recommendation with seeds which its search has not used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cellrate.advice.choosing.goals import Goals

CHECKED = 16
"""Least number of seeds that check a recommendation."""
CHECKS = 4
"""Greatest number of options that are checked, one after the other, until one meets the goals."""
KEPT = 0.25
"""Share of the time limit that the search leaves to the checks."""

MORE_TRIES = "A search with more `--tries` may find a setting that meets all goals."
"""Advice where no option that was run meets all goals."""


def unused(seeds: int) -> str:
    """Text on the runs of a check, whose seeds the search has not used."""
    return f"in {seeds} runs with seeds that the search did not use"


def rejected(label: str, seeds: int, missed: Sequence[str]) -> str:
    """A sentence on an option that met the goals in its search, but not in its check."""
    return (
        f"{label} met the goals with the seeds of the search, but {unused(seeds)}: "
        f"{', '.join(missed)}."
    )


def unchecked(label: str, seeds: int) -> Iterator[str]:
    """A sentence that doubts the numbers of an option that has no check."""
    few = f"the {seeds} seeds" if seeds > 1 else "the seed"
    yield (
        f"{label} was not run with seeds that the search did not use. The search chose it by "
        f"{few} of the numbers below, so expect longer queues and other rates with other seeds."
    )


def means_only(fairness: Sequence[float], loss: Sequence[float], goals: Goals) -> Iterator[str]:
    """Sentences on goals that the mean over seeds meets, and some seeds miss.

    Args:
        fairness: The fairness with each seed.
        loss: The loss ratio with each seed.
        goals: The goals in force.
    """
    unfair = [one for one in fairness if one < goals.fairness]
    if unfair and fmean(fairness) >= goals.fairness:
        has = "has" if len(unfair) == 1 else "have"
        yield (
            f"The mean meets the goal of fairness, but {len(unfair)} of {len(fairness)} seeds "
            f"{has} less than {goals.fairness:g}, the least {min(unfair):.3f}."
        )
    lossy = [one for one in loss if one > goals.loss]
    if lossy and fmean(loss) <= goals.loss:
        loses = "loses" if len(lossy) == 1 else "lose"
        yield (
            f"The mean meets the goal of loss, but {len(lossy)} of {len(loss)} seeds {loses} more "
            f"than {goals.loss:g}, the most {max(lossy):.2g}."
        )


def none_meets(kind: str) -> str:
    """Words for "nothing that was run meets all goals"; `kind` names what was run."""
    return f"No {kind} that was run meets all goals"


def missing(missed: Sequence[str], seeds: int | None = None) -> str:
    """The note below a table's row on the goals that its option misses; empty if it misses none.

    Args:
        missed: Texts on the goals.
        seeds: Number of seeds of the check in which the option missed them; None for the search.
    """
    where = "" if seeds is None else f" {unused(seeds)}"
    return f"does not meet the goals{where}: {', '.join(missed)}" if missed else ""


def unequal(kind: str, fairness: float) -> str:
    """The sentence that no `kind` reaches the default fairness beside the other goals."""
    return (
        f"No {kind} that was run has a fairness of {fairness:g} and meets the other goals, so "
        f"flows get unequal shares with the {kind} below."
    )
