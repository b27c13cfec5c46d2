"""The least buffer with which something holds, by bisection under common random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

# Of a buffer whose loss is measured, not proven, this share is fine enough.
PRECISION = 0.02
# Larger buffers, as multiples of the least one, at which the criterion is tried again.
VERIFIED_AT = (1.05, 1.15, 1.35)


def least_each(holds: Callable[[Sequence[int]], Sequence[bool]], upper: Sequence[int]) -> list[int]:
    """For each seed the least buffer with which a monotone criterion holds.

    Args:
        holds: Whether it holds, one buffer per seed; all seeds are tried at once.
        upper: A buffer per seed with which it holds.
    """
    below, above = [0] * len(upper), list(upper)
    while any(high - low > 1 for low, high in zip(below, above, strict=True)):
        tried = [
            max(1, (low + high) // 2) if high - low > 1 else high
            for low, high in zip(below, above, strict=True)
        ]
        for index, fits in enumerate(holds(tried)):
            if tried[index] == above[index]:
                continue
            if fits:
                above[index] = tried[index]
            else:
                below[index] = tried[index]
    return above


@dataclass(frozen=True, slots=True)
class Least:
    """The least buffer of a search.

    Attributes:
        cells: The buffer.
        too_small_cells: The largest buffer at which the criterion was seen to fail; 0 if none.
        verified_cells: Larger buffers at which it was seen to hold.
    """

    cells: int
    too_small_cells: int
    verified_cells: tuple[int, ...]


def least(holds: Callable[[int], bool], lower: int, upper: int) -> Least:
    """The least buffer, within 2 %, from which on a criterion holds wherever it is tried.

    A closed loop need not lose less with a larger buffer, so the criterion is tried again at
    larger buffers; where it fails the search goes on above.

    Args:
        holds: Whether it holds with a buffer.
        lower: A buffer below which nothing is looked for.
        upper: A buffer with which it holds.
    """
    below = lower - 1
    while True:
        low, high = below, upper
        while high - low > max(1, PRECISION * high):
            middle = (low + high) // 2
            if holds(middle):
                high = middle
            else:
                low = middle
        larger = sorted({min(upper, round(high * factor)) for factor in VERIFIED_AT} - {high})
        failing = [cells for cells in larger if not holds(cells)]
        if not failing:
            return Least(high, max(low, 0) if low >= lower else 0, tuple(larger))
        below = failing[-1]
