"""Periodic cells with uniform phases before a line, one period each."""

from __future__ import annotations

import numpy as np

from proof.forms.arrays import Floats

ROWS = 5000


def draw(
    sources: int, period: float, levels: Floats, samples: int, runs: int, number: int
) -> Floats:
    """Mean queue over a period, and shares of equidistant samples above each level.

    Args:
        sources: How many.
        period: Of each, in cell times.
        levels: In cells, the one in transmission included.
        samples: How many in a period.
        runs: How many to draw.
        number: Seed.
    """
    random = np.random.default_rng(number)
    parts = [min(ROWS, runs - begun) for begun in range(0, runs, ROWS)]
    return np.concatenate(
        [_runs(np.sort(random.random((rows, sources))) * period, period, levels, samples)
         for rows in parts]
    )  # fmt: skip


def _runs(times: Floats, period: float, levels: Floats, samples: int) -> Floats:
    """Rows of times of arrival in a period."""
    sources = times.shape[1]
    gaps = np.diff(times, axis=1, append=times[:, :1] + period)
    work, after = np.zeros(len(times)), np.empty_like(times)
    # An empty queue at the start is forgotten within the first period.
    for arrival in range(2 * sources):
        now = arrival % sources
        after[:, now] = work + 1
        work = np.maximum(after[:, now] - gaps[:, now], 0)
    mean = after.sum(axis=1) / period  # Little: every cell's time in the system
    first = np.floor(times * samples / period)
    shares = [_seen(times, gaps, after - level, period / samples, first) for level in levels]
    return np.column_stack([mean, *(seen / samples for seen in shares)])


def _seen(times: Floats, gaps: Floats, above: Floats, step: float, first: Floats) -> Floats:
    """Multiples of a step at which the work is above a level; `above` is by how much on arrival."""
    end = times + np.clip(above, 0, gaps)
    return np.asarray((np.floor(end / step) - first).sum(axis=1))
