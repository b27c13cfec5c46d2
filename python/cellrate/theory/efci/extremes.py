"""Maximum and minimum of the queue in a cycle that never empties the queue."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cellrate.theory.efci.loop import EfciLoop, Floats
from cellrate.theory.formula import Numbers, plain

# The two misprinted terms of equation (5), as printed.
ROOT_TERM = "RDF sqrt(2 AIR N Q_H / BW)"
LOGARITHM = "- RDF N log(1 + 2 AIR Q_H / BW)"


def rise_seconds(loop: EfciLoop, minimum_cells: Floats) -> Floats:
    """Time s_H in which the queue grows from its minimum to Q_H.

    The aggregate rate is BW at the minimum and grows by AIR BW per second (phases 2 and 4).
    """
    return np.sqrt(2 * np.maximum(loop.high - minimum_cells, 0.0) / (loop.air * loop.bw))


def overload(loop: EfciLoop, minimum_cells: Floats) -> Floats:
    """Excess u of the aggregate rate over BW, as a share of BW, when the decrease arrives."""
    return loop.air * (rise_seconds(loop, minimum_cells) + loop.tau)


def growing_cells(loop: EfciLoop, minimum_cells: Floats) -> Floats:
    """Growth of the queue from its minimum until the decrease arrives: AIR BW (s_H + tau)^2 / 2."""
    return loop.air * loop.bw / 2 * (rise_seconds(loop, minimum_cells) + loop.tau) ** 2


def braking_cells(loop: EfciLoop, minimum_cells: Floats) -> Floats:
    """Growth of the queue while ACR falls to BW / N: N RDF (u - ln(1 + u)), u as in `overload`."""
    u = overload(loop, minimum_cells)
    return loop.bw / loop.kappa * (u - np.log1p(u))


def maximum_from(loop: EfciLoop, minimum_cells: Floats) -> Floats:
    """Maximum of the queue after a minimum of `minimum_cells`, which may be negative."""
    grown = growing_cells(loop, minimum_cells) + braking_cells(loop, minimum_cells)
    return minimum_cells + grown


def maximum_queue_bound_cells(loop: EfciLoop) -> Numbers:
    """Greatest queue after an empty queue: equation (5) of Ohsaki et al. 1995, corrected.

    Q_max = Q_H + N RDF sqrt(2 AIR Q_H / BW) - N RDF ln(1 + AIR tau + sqrt(2 AIR Q_H / BW))
    + tau^2 AIR BW / 2 + tau (sqrt(2 AIR BW Q_H) + AIR RDF N)

    Q_max bounds the queue of every limit cycle with `growth` = "delayed", and of limit cycles that
    do not empty the queue. With "immediate", a cycle that empties the queue may exceed Q_max,
    because the rate still grows exponentially for a round trip after it has reached BW.
    """
    return plain(maximum_from(loop, np.zeros(loop.shape)))


def printed_maximum_queue_cells(loop: EfciLoop) -> Numbers:
    """Equation (5) of Ohsaki et al. 1995 exactly as printed, which is wrong in two terms."""
    return plain(sum(printed_terms(loop).values(), np.zeros(loop.shape)))


def corrected_terms(loop: EfciLoop) -> dict[str, Floats]:
    """The six terms of the corrected equation (5) in cells; the keys are the printed terms."""
    root = np.sqrt(2 * loop.air * loop.high / loop.bw)
    terms = _right_terms(loop)
    terms[ROOT_TERM] = loop.n * loop.rdf_cells * root
    logarithm = np.log1p(loop.air * loop.tau + root)
    terms[LOGARITHM] = -loop.n * loop.rdf_cells * logarithm
    return terms


def printed_terms(loop: EfciLoop) -> dict[str, Floats]:
    """The six terms of equation (5) as printed, in cells."""
    air, rdf, bw = loop.air, loop.rdf_cells, loop.bw
    terms = _right_terms(loop)
    terms[ROOT_TERM] = rdf * np.sqrt(2 * air * loop.n * loop.high / bw)
    logarithm = np.log1p(2 * air * loop.high / bw)
    terms[LOGARITHM] = -rdf * loop.n * logarithm
    return terms


def _right_terms(loop: EfciLoop) -> dict[str, Floats]:
    """The four terms of equation (5) that are printed correctly, in cells."""
    air, bw, tau = loop.air, loop.bw, loop.tau
    return {
        "Q_H": loop.high,
        "tau^2 AIR BW / 2": tau**2 * air * bw / 2,
        "tau sqrt(2 AIR BW Q_H)": tau * np.sqrt(2 * air * bw * loop.high),
        "tau AIR RDF N": tau * air * loop.rdf_cells * loop.n,
    }


# Greatest number of iterations; Newton's method needs far fewer.
MOST_STEPS = 200
TOLERANCE = 1e-12


class Fall(NamedTuple):
    """The part of a cycle in which the queue falls from its maximum, until the increase arrives."""

    to_low_seconds: Floats
    deficit: Floats
    queue_cells: Floats


def fall_seconds(depth: Floats) -> Floats:
    """Time y, in units of 1/kappa, in which the queue falls by `depth`, in units of BW/kappa.

    After the maximum the aggregate rate is BW e^-y, hence y - (1 - e^-y) = depth. The left side is
    convex and depth + sqrt(2 depth) is right of the root, so Newton's steps from there never
    overshoot.
    """
    depth = np.asarray(depth, dtype=np.float64)
    y = depth + np.sqrt(2 * depth)
    for _ in range(MOST_STEPS):
        slope = -np.expm1(-y)
        step = (y - slope - depth) / np.where(slope > 0, slope, 1.0)
        y = np.maximum(y - step, 0.0)
        if np.all(np.abs(step) <= TOLERANCE * (1 + y)):
            break
    return y


def fall_from(loop: EfciLoop, maximum_cells: Floats) -> Fall:
    """Fall of the queue from its maximum to Q_L (phase 1) and for a round trip after that."""
    kappa, bw, tau = loop.kappa, loop.bw, loop.tau
    depth = np.maximum(maximum_cells - loop.low, 0.0) * kappa / bw
    to_low = fall_seconds(depth) / kappa
    deficit = -np.expm1(-kappa * (to_low + tau))
    kept = np.exp(-kappa * to_low) * -np.expm1(-kappa * tau) / kappa
    queue = np.minimum(loop.low, maximum_cells) - bw * (tau - kept)
    return Fall(to_low, deficit, queue)


def next_minimum(loop: EfciLoop, minimum_cells: Floats) -> Floats:
    """Minimum of the queue one cycle after `minimum_cells` (Ohsaki et al. 1995, equation (8))."""
    fall = fall_from(loop, maximum_from(loop, minimum_cells))
    return fall.queue_cells - loop.bw * fall.deficit**2 / (2 * loop.air)


def fixed_minimum(loop: EfciLoop) -> Floats:
    """Minimum of the queue that repeats itself from cycle to cycle, in cells.

    Negative where the queue empties; the value is then only the continuation of the model.
    The map of `next_minimum` grows with the minimum and is bounded below. Newton's steps from that
    bound approach the fixed point; bisection replaces steps that leave the bracket.
    """
    low = loop.low - loop.bw * (loop.tau + 1 / (2 * loop.air)) + np.zeros(loop.shape)
    high = loop.high + np.zeros(loop.shape)
    minimum = low.copy()
    for _ in range(MOST_STEPS):
        value = next_minimum(loop, minimum) - minimum
        low, high = np.where(value > 0, minimum, low), np.where(value > 0, high, minimum)
        slope = _slope(loop, minimum) - 1
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            proposed = minimum - value / slope
        inside = (proposed >= low) & (proposed <= high)
        following = np.where(inside, proposed, (low + high) / 2)
        done = np.abs(following - minimum) <= TOLERANCE * (loop.high + np.abs(minimum))
        minimum = following
        if np.all(done):
            break
    return minimum


def _slope(loop: EfciLoop, minimum_cells: Floats) -> Floats:
    """Derivative of the map from minimum to next minimum, by the chain rule through the maximum."""
    air, bw, kappa, tau = loop.air, loop.bw, loop.kappa, loop.tau
    u = overload(loop, minimum_cells)
    rise = u / air - tau
    fall = fall_from(loop, maximum_from(loop, minimum_cells))
    kept = np.exp(-kappa * fall.to_low_seconds)
    delayed = bw * kept * np.expm1(-kappa * tau)
    refilled = bw * kappa / air * fall.deficit * (1 - fall.deficit)
    with np.errstate(divide="ignore", invalid="ignore"):
        maximum = 1 - (u + air / kappa * u / (1 + u)) / (air * rise)
        slope: Floats = maximum * (delayed - refilled) / (bw * (1 - kept))
    return slope
