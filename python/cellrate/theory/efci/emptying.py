"""The limit cycle whose queue empties: all four phases, on arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cellrate.theory.assumptions import require
from cellrate.theory.efci.loop import EfciLoop, Floats
from cellrate.theory.efci.minimum import fall_from, fall_seconds

MOST_CYCLES = 50
MOST_HALVINGS = 50
MOST_STEPS = 100
STEP_TOLERANCE = 1e-14
REST_TOLERANCE = 1e-8
LARGEST_EXPONENT = 300.0


class Rise(NamedTuple):
    """From an empty queue, when the aggregate rate exceeds BW, to where the decrease arrives."""

    to_high_seconds: Floats
    overload: Floats
    queue_cells: Floats


class Trough(NamedTuple):
    """From the crossing of Q_L to where the aggregate rate exceeds BW again."""

    phase_2_seconds: Floats
    phase_3_seconds: Floats
    wasted_seconds: Floats


def emptying_cycle(loop: EfciLoop) -> dict[str, Floats]:
    """One period of a loop whose queue empties, from the moment at which it begins to grow.

    All that one cycle leaves to the next is for how long the law of phase 2 still acts then, and
    that only where the queue was empty for less than a round trip. It is iterated to rest, and
    bisected where it swings instead.

    Raises:
        AssumptionError: AIR tau is so large that the growth of phase 3 exceeds all numbers; not
            with `growth` = "delayed".
    """
    growth = loop.lam * loop.tau
    allowed = "AIR * tau must be small for phase 3 to grow at once; see growth='delayed'"
    require(growth < LARGEST_EXPONENT, "rif * pcr * tau / nrm", growth, allowed)
    left = _left_by(loop, np.zeros(loop.shape))
    carries = left > 0
    if np.any(carries):
        left[carries] = _settled(loop.where(carries), left[carries])
    return _cycle(loop, left)


def _settled(loop: EfciLoop, left: Floats) -> Floats:
    """What inherits and leaves the same, from `left` on."""
    rests = np.zeros(loop.shape, dtype=bool)
    for _ in range(MOST_CYCLES):
        before, left = left, _left_by(loop, left)
        rests = np.abs(left - before) <= REST_TOLERANCE * loop.tau
        if np.all(rests):
            return left
    left[~rests] = _bisected(loop.where(~rests))
    return left


def _left_by(loop: EfciLoop, left: Floats) -> Floats:
    """What a cycle that inherits `left` leaves."""
    return np.array(np.maximum(loop.tau - _cycle(loop, left)["phase_3_seconds"], 0.0))


def _bisected(loop: EfciLoop) -> Floats:
    """What inherits and leaves the same, between 0 and tau."""
    low, high = np.zeros(loop.shape), loop.tau + np.zeros(loop.shape)
    for _ in range(MOST_HALVINGS):
        middle = (low + high) / 2
        more = _left_by(loop, middle) > middle
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return (low + high) / 2


def _cycle(loop: EfciLoop, left: Floats) -> dict[str, Floats]:
    rise = _rise(loop, left)
    u = rise.overload
    maximum = rise.queue_cells + loop.bw / loop.kappa * (u - np.log1p(u))
    trough = _trough(loop, maximum)
    fall = fall_from(loop, maximum)
    phase_1 = loop.tau + np.log1p(u) / loop.kappa + fall.to_low_seconds
    period = phase_1 + trough.phase_2_seconds + trough.phase_3_seconds + rise.to_high_seconds
    share = loop.bw / loop.n
    return {
        "maximum_queue_cells": maximum,
        "minimum_queue_cells": np.zeros(loop.shape),
        "phase_1_seconds": phase_1,
        "phase_2_seconds": trough.phase_2_seconds,
        "phase_3_seconds": trough.phase_3_seconds,
        "phase_4_seconds": rise.to_high_seconds,
        "maximum_acr_cells_per_second": share * (1 + u),
        "minimum_acr_cells_per_second": share * (1 - fall.deficit),
        "utilisation": 1 - trough.wasted_seconds / period,
    }


def _rise(loop: EfciLoop, left: Floats) -> Rise:
    """Phase 4. Behind it follow `left` seconds of phase 2's law, then phase 3's until tau.

    Rates are shares of BW.
    """
    air, bw, lam, tau = loop.air, loop.bw, loop.lam, loop.tau
    rate_left, queue_left = 1 + air * left, air * bw * left**2 / 2
    rate_tau = rate_left * np.exp(lam * (tau - left))
    queue_tau = queue_left + bw * _surplus(rate_left, lam, tau - left)
    missing = np.maximum(loop.high - queue_tau, 0.0) / bw
    # (rate_tau - 1) x + air x^2 / 2 = missing, without the difference of nearly equal numbers
    root = np.sqrt((rate_tau - 1) ** 2 + 2 * air * missing)
    later = tau + 2 * missing / (rate_tau - 1 + root)
    above = np.clip(loop.high - queue_left, 0.0, None) / bw
    between = left + _surplus_seconds(rate_left, lam, tau - left, above)
    first = np.sqrt(2 * loop.high / (air * bw))
    to_high = np.where(
        loop.high <= queue_left, first, np.where(loop.high <= queue_tau, between, later)
    )
    overload = rate_tau - 1 + air * to_high
    queue = queue_tau + bw * ((rate_tau - 1) * to_high + air * to_high**2 / 2)
    return Rise(to_high, overload, queue)


def _surplus(rate: Floats, growth: Floats, seconds: Floats) -> Floats:
    """Integral of rate e^(growth x) - 1 over `seconds`."""
    return rate * np.expm1(growth * seconds) / growth - seconds


def _surplus_seconds(rate: Floats, growth: Floats, longest: Floats, surplus: Floats) -> Floats:
    """When `_surplus` reaches `surplus`, if within `longest`: Newton's steps from the right."""
    seconds = np.array(longest + np.zeros(np.shape(surplus)))
    for _ in range(MOST_STEPS):
        slope = rate * np.exp(growth * seconds) - 1
        excess = np.maximum(_surplus(rate, growth, seconds) - surplus, 0.0)
        step = np.where(slope > 0, excess / np.where(slope > 0, slope, 1.0), 0.0)
        seconds = seconds - step
        if np.all(step <= STEP_TOLERANCE * longest):
            break
    return seconds


def _trough(loop: EfciLoop, maximum_cells: Floats) -> Trough:
    """End of phase 1, phases 2 and 3; time counts from the maximum of the queue."""
    air, bw, kappa, lam, tau = loop.air, loop.bw, loop.kappa, loop.lam, loop.tau
    fall = fall_from(loop, maximum_cells)
    d = fall.deficit
    increase_at = fall.to_low_seconds + tau
    # The queue empties before the increase arrives, or else while the rate rises.
    early = fall.queue_cells <= 0
    room = np.sqrt(np.maximum(d**2 - 2 * air * np.maximum(fall.queue_cells, 0.0) / bw, 0.0))
    empty_at = np.where(
        early,
        np.minimum(fall_seconds(maximum_cells * kappa / bw) / kappa, increase_at),
        increase_at + (d - room) / air,
    )
    linear = empty_at - fall.to_low_seconds
    missing = np.maximum(d - air * linear, 0.0)
    least = np.exp(-kappa * increase_at)
    rate = np.where(missing > 0, least + air * linear, 1.0)
    growing = -np.log(rate) / lam
    full_at = increase_at + np.minimum(linear, d / air) + growing
    falling = np.where(early, increase_at - empty_at, 0.0)
    kept = np.exp(-kappa * empty_at) * -np.expm1(-kappa * falling) / kappa
    wasted = (
        (falling - kept)
        + (np.where(early, d, room) ** 2 - missing**2) / (2 * air)
        + (growing - (1 - rate) / lam)
    )
    return Trough(linear, full_at - empty_at, wasted)
