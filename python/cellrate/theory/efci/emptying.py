"""Computes limit cycles in which the queue empties, with all four phases, on arrays of loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cellrate.theory.assumptions import require
from cellrate.theory.efci.extremes import fall_from, fall_seconds
from cellrate.theory.efci.loop import EfciLoop, Floats


class Trough(NamedTuple):
    """The part of a cycle from the crossing of Q_L until the aggregate rate exceeds BW again."""

    phase_2_seconds: Floats
    phase_3_seconds: Floats
    wasted_seconds: Floats


class Emptying(NamedTuple):
    """The part of a cycle in which the queue empties, until phase 3 begins; rates are shares of BW.

    Attributes:
        phase_2_seconds: Time from the crossing of Q_L until the queue is empty.
        falling_seconds: Time, from the emptying on, in which the rate still decays.
        falling_rate: Rate at the beginning of this time.
        rising_seconds: Time after the decay in which the rate rises by phase 2's law, at most to
            BW.
        missing: BW minus the rate at the beginning of this rise.
        rate: Rate when phase 3's law begins; 1 if BW was reached before.
    """

    phase_2_seconds: Floats
    falling_seconds: Floats
    falling_rate: Floats
    rising_seconds: Floats
    missing: Floats
    rate: Floats


def trough_after(loop: EfciLoop, maximum_cells: Floats) -> Trough:
    """Computes a cycle from the crossing of Q_L after a queue maximum: phases 2 and 3."""
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
    """Computes the part of a cycle in which the queue empties after a maximum."""
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


# Cycles after which steps of the iteration are damped, and damped more; greatest number of cycles.
FREE_CYCLES, DAMPED_CYCLES, MOST_CYCLES = 10, 100, 400
MOST_STEPS = 100
STEP_TOLERANCE = 1e-14
REST_TOLERANCE = 1e-7
LARGEST_EXPONENT = 300.0
LEAST_SHARE = 1e-12


class Inherited(NamedTuple):
    """State at the start of a cycle, when the queue begins to grow, as the previous cycle left it.

    Attributes:
        left: Time for which the law of phase 2 still acts; above 0 only where the queue was empty
            for less than a round trip.
        rate: Aggregate rate a round trip later, as a share of BW.
    """

    left: Floats
    rate: Floats


class Rise(NamedTuple):
    """The part of a cycle in which the queue rises from 0, until the decrease of ACR arrives."""

    to_high_seconds: Floats
    overload: Floats
    queue_cells: Floats


def emptying_cycle(loop: EfciLoop, *, settle: bool = True) -> dict[str, Floats]:
    """One period of a loop whose queue empties, from the moment at which the queue begins to grow.

    The state that a cycle inherits from the cycle before is iterated until it repeats itself.

    Args:
        loop: Loops whose queue empties.
        settle: True to refuse loops whose iteration does not converge.

    Raises:
        AssumptionError: AIR tau is so large that phase 3 grows beyond the range of numbers, or that
            no cycle repeats itself.
    """
    growth = loop.lam * loop.tau
    allowed = "AIR tau is too large for a cycle that repeats; growth='delayed' allows larger values"
    require(growth < LARGEST_EXPONENT, "rif * pcr * tau / nrm", growth, allowed)
    inherited = Inherited(np.zeros(loop.shape), np.exp(growth))
    cycle, left = _cycle(loop, inherited)
    carries = np.asarray((left.left > 0) & (left.rate > 0))
    if np.any(carries):
        some, start = loop.where(carries), Inherited(left.left[carries], left.rate[carries])
        settled, rests = _settled(some, start)
        if settle:
            require(rests, "rif * pcr * tau / nrm", some.air * some.tau, allowed)
        for name, values in _cycle(some, settled)[0].items():
            cycle[name][carries] = values
    return cycle


def _settled(loop: EfciLoop, inherited: Inherited) -> tuple[Inherited, npt.NDArray[np.bool_]]:
    """Iterates to a state that a cycle reproduces.

    Returns the state, and an array that is True where the iteration converged.
    """
    rests = np.zeros(loop.shape, dtype=bool)
    for number in range(MOST_CYCLES):
        _, left = _cycle(loop, inherited)
        off = np.abs(left.left - inherited.left) / loop.tau + np.abs(left.rate / inherited.rate - 1)
        rests = off <= REST_TOLERANCE
        if np.all(rests):
            break
        share = 1.0 if number < FREE_CYCLES else 0.5
        share = share if number < DAMPED_CYCLES else 5 / (10 + number - DAMPED_CYCLES)
        pairs = zip(inherited, left, strict=True)
        inherited = Inherited(*((1 - share) * old + share * new for old, new in pairs))
    return inherited, rests


def _cycle(loop: EfciLoop, inherited: Inherited) -> tuple[dict[str, Floats], Inherited]:
    rise = _rise(loop, inherited)
    u = rise.overload
    maximum = rise.queue_cells + loop.bw / loop.kappa * (u - np.log1p(u))
    trough = trough_after(loop, maximum)
    fall = fall_from(loop, maximum)
    phase_1 = loop.tau + np.log1p(u) / loop.kappa + fall.to_low_seconds
    period = phase_1 + trough.phase_2_seconds + trough.phase_3_seconds + rise.to_high_seconds
    share = loop.bw / loop.n
    values = {
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
    left = np.array(np.maximum(loop.tau - trough.phase_3_seconds, 0.0))
    return values, Inherited(left, np.array(_rate_a_round_trip_later(loop, left, trough)))


def _rate_a_round_trip_later(loop: EfciLoop, left: Floats, trough: Trough) -> Floats:
    """Rate of all sources over BW, one round trip after this rate equals BW in phase 3."""
    if loop.growth == "immediate":
        return (1 + loop.air * left) * np.exp(loop.lam * (loop.tau - left))
    # 1 + AIR times the arrivals while the queue was empty; after a long phase 3 the slowest mode.
    came = trough.phase_3_seconds - trough.wasted_seconds
    brief = 1 + loop.air * (left + came)
    return np.where(left > 0, brief, np.exp(loop.lam * loop.tau))


def _rise(loop: EfciLoop, inherited: Inherited) -> Rise:
    """Rise of the queue in phase 4 and the round trip after it.

    The law of phase 2 still acts for `left` seconds, then the law of phase 3 until tau. Rates are
    shares of BW.
    """
    air, bw, tau = loop.air, loop.bw, loop.tau
    left, rate_tau = inherited
    rate_left, queue_left = 1 + air * left, air * bw * left**2 / 2
    steep = np.maximum(tau - left, LEAST_SHARE * tau)
    growth = np.log(np.maximum(rate_tau / rate_left, 1 + LEAST_SHARE)) / steep
    queue_tau = queue_left + bw * _surplus(rate_left, growth, steep)
    missing = np.maximum(loop.high - queue_tau, 0.0) / bw
    # (rate_tau - 1) x + air x^2 / 2 = missing, without the difference of nearly equal numbers
    root = np.sqrt((rate_tau - 1) ** 2 + 2 * air * missing)
    later = tau + 2 * missing / (rate_tau - 1 + root)
    above = np.clip(loop.high - queue_left, 0.0, None) / bw
    between = left + _surplus_seconds(rate_left, growth, steep, above)
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
    """Time at which `_surplus` reaches `surplus`, by Newton's steps down from `longest`."""
    seconds = np.array(longest + np.zeros(np.shape(surplus)))
    for _ in range(MOST_STEPS):
        slope = rate * np.exp(growth * seconds) - 1
        excess = np.maximum(_surplus(rate, growth, seconds) - surplus, 0.0)
        step = np.where(slope > 0, excess / np.where(slope > 0, slope, 1.0), 0.0)
        seconds = seconds - step
        if np.all(step <= STEP_TOLERANCE * longest):
            break
    return seconds
