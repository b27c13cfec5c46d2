"""Phases 2 and 3 of a cycle whose queue empties, and the capacity that is lost in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cellrate.theory.assumptions import require
from cellrate.theory.efci.loop import EfciLoop, Floats
from cellrate.theory.efci.minimum import fall_from, fall_seconds


class Trough(NamedTuple):
    """Time from the crossing of Q_L until the aggregate rate exceeds BW again."""

    phase_2_seconds: Floats
    phase_3_seconds: Floats
    wasted_seconds: Floats


class Emptying(NamedTuple):
    """Emptying of the queue, and the rate from then until phase 3's law acts; shares of BW.

    Attributes:
        phase_2_seconds: Time from the crossing of Q_L until the queue is empty.
        falling_seconds: Time after that in which the rate still decays.
        falling_rate: Rate at the beginning of that time.
        rising_seconds: Time in which the rate then rises by phase 2's law, at most to BW.
        missing: Difference of BW and the rate when that rise begins.
        rate: Rate when phase 3's law begins; 1 if BW was reached before.
    """

    phase_2_seconds: Floats
    falling_seconds: Floats
    falling_rate: Floats
    rising_seconds: Floats
    missing: Floats
    rate: Floats


def trough_after(loop: EfciLoop, maximum_cells: Floats) -> Trough:
    """Phases 2 and 3 after a maximum of the queue."""
    emptying = _emptying(loop, maximum_cells)
    falling, rising, rate = emptying.falling_seconds, emptying.rising_seconds, emptying.rate
    require(rate > 0, "rdf", loop.rdf, "must leave something of ACR after a round trip of decrease")
    came = emptying.falling_rate * -np.expm1(-loop.kappa * falling) / loop.kappa
    came = came + rising * (1 - emptying.missing) + loop.air * rising**2 / 2
    brief = rate >= 1
    if loop.growth == "immediate":
        growing = -np.log(rate) / loop.lam
        came = came + (1 - rate) / loop.lam
    else:
        growing = np.where(brief, 0.0, _growing_seconds(loop, emptying))
        # Arrivals while the queue was empty cause the growth of phase 3, a round trip later.
        came = np.where(brief, came, (np.exp(loop.lam * loop.tau) - rate) / loop.air)
    phase_3 = falling + rising + growing
    return Trough(emptying.phase_2_seconds, phase_3, phase_3 - came)


def _emptying(loop: EfciLoop, maximum_cells: Floats) -> Emptying:
    """Emptying of the queue after a maximum."""
    air, bw, kappa, tau = loop.air, loop.bw, loop.kappa, loop.tau
    fall = fall_from(loop, maximum_cells)
    # Difference of BW and the rate when the increase arrives.
    d = fall.deficit
    increase_at = fall.to_low_seconds + tau
    # The queue empties before the increase arrives, or else while the rate rises.
    early = fall.queue_cells <= 0
    still = np.sqrt(np.maximum(d**2 - 2 * air * np.maximum(fall.queue_cells, 0.0) / bw, 0.0))
    empty_at = np.where(
        early,
        np.minimum(fall_seconds(maximum_cells * kappa / bw) / kappa, increase_at),
        increase_at + (d - still) / air,
    )
    phase_2 = empty_at - fall.to_low_seconds
    missing = np.where(early, d, still)
    rising = np.where(early, phase_2, tau)
    reached = air * rising >= missing
    rate = np.exp(-kappa * increase_at) + air * phase_2
    return Emptying(
        phase_2,
        np.where(early, increase_at - empty_at, 0.0),
        np.exp(-kappa * empty_at),
        np.where(reached, missing / air, rising),
        missing,
        np.where(reached, 1.0, rate),
    )


def _growing_seconds(loop: EfciLoop, emptying: Emptying) -> Floats:
    """Time in which phase 3's law reaches BW, by the slowest mode of dr/ds = AIR r(s - tau).

    The share of that mode in the past of the equation, the round trip since the queue was empty,
    is [r + AIR int_0^tau e^(-lambda s) r(s) ds] / (1 + lambda tau).
    """
    lam, both = loop.lam, loop.lam + loop.kappa
    falling, rising = emptying.falling_seconds, emptying.rising_seconds
    past = emptying.falling_rate * -np.expm1(-both * falling) / both
    faded = -np.expm1(-lam * rising) / lam
    ramp = (faded - rising * np.exp(-lam * rising)) / lam
    past = past + np.exp(-lam * falling) * ((1 - emptying.missing) * faded + loop.air * ramp)
    mode = (emptying.rate + loop.air * past) / (1 + lam * loop.tau)
    return np.maximum(-np.log(mode) / lam, 0.0)
