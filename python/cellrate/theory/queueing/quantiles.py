"""Least buffer that the queue exceeds with at most a given probability."""

from __future__ import annotations

from collections.abc import Callable

from cellrate.theory.assumptions import require


def least_buffer(exceedance: Callable[[int], float], probability: float, most_cells: int) -> int:
    """Least whole q of at least 0 with P(N > q) <= probability, by doubling and bisection.

    Raises:
        AssumptionError: The probability is not between 0 and 1, or the buffer would exceed
            `most_cells`.
    """
    require(0 < probability < 1, "probability", probability, "must be above 0 and below 1")
    if exceedance(0) <= probability:
        return 0
    below, above = 0, 1
    allowed = f"must be that of a buffer of {most_cells} cells at most"
    while above < most_cells and exceedance(above) > probability:
        below, above = above, min(2 * above, most_cells)
    require(exceedance(above) <= probability, "probability", probability, allowed)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if exceedance(middle) > probability else (below, middle)
    return above
