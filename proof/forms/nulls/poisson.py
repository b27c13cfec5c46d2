"""Poisson cells before a line that takes a time of 1 for each."""

from __future__ import annotations

import numpy as np

from proof.forms.arrays import Floats


def draw(
    load: float, levels: Floats, window: tuple[float, float], step: float, runs: int, number: int
) -> Floats:
    """Mean wait, mean queue, and shares of samples above each level.

    Args:
        load: Cells in a cell time.
        levels: In cells, the one in transmission included.
        window: When measuring begins and ends, in cell times; the queue is empty at 0.
        step: Between samples, in cell times.
        runs: How many to draw.
        number: Seed.
    """
    random = np.random.default_rng(number)
    begin, end = window
    work, now = np.zeros(runs), np.zeros(runs)
    cells, waits, held = np.zeros(runs), np.zeros(runs), np.zeros(runs)
    seen = np.zeros((len(levels), runs))
    while now.min() < end:
        then = now + random.exponential(1 / load, runs)
        inside = (now > begin) & (now < end)  # the cell that came now
        cells += inside
        waits += np.where(inside, work - 1, 0)
        # Work above a level between two arrivals, of 1 for each cell: its samples in the window.
        first = np.floor(np.clip(now, begin, end) / step)
        for level, count in zip(levels, seen, strict=True):
            until = np.clip(np.minimum(now + np.maximum(work - level, 0), then), begin, end)
            count += np.floor(until / step) - first
        held += np.where(inside, work, 0)
        work, now = np.maximum(work - (then - now), 0) + 1, then
    samples = np.floor(end / step) - np.floor(begin / step)
    return np.column_stack([waits / cells, held / (end - begin), *(seen / samples)])
