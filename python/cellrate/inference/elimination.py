"""Drops values that held out alone but make the results worse when combined with the rest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

One = TypeVar("One", bound=Hashable)


def eliminate(
    held: Sequence[One], score: Callable[[Sequence[tuple[One, ...]]], Sequence[int]]
) -> tuple[tuple[One, ...], tuple[One, ...]]:
    """Drops values, one after another, as long as the rest meets more results without one.

    First goes the value without which most results are met, and among equals the last. Only leaving
    out is tried; nothing is learnt about combinations of other values.

    Args:
        held: Values that held out alone.
        score: Returns the number of results met under each of several combinations.

    Returns:
        The values kept, and the values dropped in the order of dropping.
    """
    kept, dropped = tuple(held), []
    while kept:
        without = [tuple(value for value in kept if value != left_out) for left_out in kept]
        together, *others = score([kept, *without])
        most = max(others)
        if most <= together:
            break
        # The last among equals.
        number = len(others) - 1 - list(reversed(others)).index(most)
        dropped.append(kept[number])
        kept = without[number]
    return kept, tuple(dropped)
