"""Values that held out alone, taken together: those that the rest does better without go."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

One = TypeVar("One", bound=Hashable)


def eliminate(
    held: Sequence[One], score: Callable[[Sequence[tuple[One, ...]]], Sequence[int]]
) -> tuple[tuple[One, ...], tuple[One, ...]]:
    """Drops, one after the other, what the rest does better without.

    Of several the one without which most results are met goes first, of equal ones the last. Only
    leaving out is tried: nothing is said of combinations of other values.

    Args:
        held: What held out alone.
        score: Results met under some combinations, asked for together.

    Returns:
        What is kept, and what was dropped, in that order.
    """
    kept, dropped = tuple(held), []
    while kept:
        without = [tuple(one for one in kept if one != left) for left in kept]
        together, *others = score([kept, *without])
        most = max(others)
        if most <= together:
            break
        # The last of equal ones.
        number = len(others) - 1 - list(reversed(others)).index(most)
        dropped.append(kept[number])
        kept = without[number]
    return kept, tuple(dropped)
