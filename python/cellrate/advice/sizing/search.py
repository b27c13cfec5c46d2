"""Finds the least buffer that meets a criterion, by bisection under common random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

# Relative precision of a buffer that is found by measured loss.
PRECISION = 0.02
# Larger buffers, as multiples of the least buffer, at which the criterion is checked again.
VERIFIED_AT = (1.05, 1.15, 1.35)


def least_each(holds: Callable[[Sequence[int]], Sequence[bool]], upper: Sequence[int]) -> list[int]:
    """Finds the least buffer of each seed with which a monotone criterion holds.

    Args:
        holds: Evaluates the criterion for one buffer per seed, all seeds at once.
        upper: For each seed a buffer with which the criterion holds.
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
class LeastBuffer:
    """The least buffer of a search.

    Attributes:
        cells: The buffer.
        too_small_cells: The largest buffer at which the criterion failed; 0 if none was tried.
        verified_cells: Larger buffers at which the criterion held.
    """

    cells: int
    too_small_cells: int
    verified_cells: tuple[int, ...]


def least(holds: Callable[[int], bool], lower: int, upper: int) -> LeastBuffer:
    """Finds the least buffer, within 2 %, such that a criterion holds at it and at larger buffers.

    A closed loop may lose more with a larger buffer, so the criterion is checked again at larger
    buffers. If the criterion fails at one of them, the search continues above this buffer.

    Args:
        holds: Evaluates the criterion for a buffer.
        lower: Smaller buffers are not tried.
        upper: A buffer with which the criterion holds.
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
            return LeastBuffer(high, max(low, 0) if low >= lower else 0, tuple(larger))
        below = failing[-1]
