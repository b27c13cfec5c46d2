"""ON-OFF sources as a fluid before a line, from one turn of a source to the next."""

from __future__ import annotations

import numpy as np

from proof.forms.arrays import Floats


def draw(
    sources: int,
    peak: float,
    periods: tuple[float, float],
    levels: Floats,
    window: tuple[float, float],
    runs: int,
    number: int,
) -> Floats:
    """Utilisation, mean queue, and shares of time above each level.

    Args:
        sources: How many.
        peak: Of one, in lines.
        periods: Mean ON and OFF, in cell times.
        levels: In cells.
        window: When measuring begins and ends, in cell times; the queue is empty at 0.
        runs: How many to draw.
        number: Seed.
    """
    random = np.random.default_rng(number)
    on, off = periods
    begin, end = window
    active = random.binomial(sources, on / (on + off), runs).astype(float)
    queue, now, seen = np.zeros(runs), np.zeros(runs), np.zeros((runs, 2 + len(levels)))
    while now.min() < end:
        turning_off, turning_on = active / on, (sources - active) / off
        rate = turning_off + turning_on
        turn = np.minimum(now + random.exponential(size=runs) / rate, end)
        if now.min() < begin:  # the interval in which measuring begins is cut there
            turn = np.where(now < begin, np.minimum(turn, begin), turn)
        drift = active * peak - 1
        length = turn - now
        after = np.maximum(queue + drift * length, 0)
        measured = now >= begin
        seen += np.where(measured[:, None], _interval(queue, drift, after, length, levels), 0)
        # An exponential interval that was cut begins anew.
        cut = (turn == begin) | (turn == end)
        sign = np.where(random.random(runs) * rate < turning_off, -1, 1)
        active += np.where(cut, 0, sign)
        queue, now = after, turn
    return seen / (end - begin)


def _interval(
    queue: Floats, drift: Floats, after: Floats, length: Floats, levels: Floats
) -> Floats:
    """Cells sent, queue integrated, and times above each level in an interval of one drift."""
    sent = (drift + 1) * length + queue - after
    empty_from = np.where(drift < 0, np.minimum(length, -queue / np.minimum(drift, -1e-12)), length)
    area = (queue + after) / 2 * empty_from
    low, high = np.minimum(queue, after), np.maximum(queue, after)
    span = np.maximum(high - low, 1e-12)
    part = np.clip((high[:, None] - levels) / span[:, None], 0, 1)
    constant = (drift == 0)[:, None]
    above = np.where(constant, queue[:, None] > levels, part) * empty_from[:, None]
    return np.column_stack([sent, area, above])
