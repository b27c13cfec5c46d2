"""M/D/1: queue of Poisson cells before a line of constant rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from cellrate.theory.assumptions import (
    require,
    require_not_negative,
    require_positive,
    require_whole,
)
from cellrate.theory.formula import Formula, Numbers, plain


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
    allowed = f"must be larger: a buffer of {most_cells} cells is exceeded more often"
    while above < most_cells and exceedance(above) > probability:
        below, above = above, min(2 * above, most_cells)
    require(exceedance(above) <= probability, "probability", probability, allowed)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if exceedance(middle) > probability else (below, middle)
    return above


Floats = npt.NDArray[np.float64]
# The probabilities are taken as geometric from this many states after the last requested one.
SETTLED = 64
MOST_STATES = 1 << 14


def md1_mean_wait_seconds(
    arrival_cells_per_second: Numbers, link_cells_per_second: Numbers
) -> Numbers:
    """Mean wait of a cell before its transmission: rho / (2 (1 - rho)) cell times.

    Pollaczek 1930, Khinchine 1932; Kleinrock, Queueing Systems I, section 5.6.

    Args:
        arrival_cells_per_second: Mean rate of the Poisson arrivals.
        link_cells_per_second: Rate of the line.

    Raises:
        AssumptionError: A rate is not above 0, or the arrival rate is not below the link rate.
    """
    load = np.asarray(_load(arrival_cells_per_second, link_cells_per_second))
    return plain(load / (2 * (1 - load)) / np.asarray(link_cells_per_second))


def md1_mean_queue_cells(
    arrival_cells_per_second: Numbers, link_cells_per_second: Numbers
) -> Numbers:
    """Mean number of cells, including the cell in transmission: rho + rho^2 / (2 (1 - rho))."""
    load = np.asarray(_load(arrival_cells_per_second, link_cells_per_second))
    return plain(load + load * load / (2 * (1 - load)))


def md1_exceedance(
    arrival_cells_per_second: Numbers, link_cells_per_second: Numbers, queue_cells: Numbers
) -> Numbers:
    """P(N > queue) at any time, N including the cell in transmission.

    The probabilities are those of the Markov chain embedded at departures, which hold at any time,
    by the recursion of Ramaswami 1988. All its terms are positive; Erlang's closed sum alternates.

    Args:
        arrival_cells_per_second: Mean rate of the Poisson arrivals.
        link_cells_per_second: Rate of the line.
        queue_cells: Number of cells, whole.

    Raises:
        AssumptionError: A rate is not above 0, the arrival rate is not below the link rate, or the
            queue is not a whole number of cells.
    """
    load = _load(arrival_cells_per_second, link_cells_per_second)
    require_whole(0, queue_cells=queue_cells)
    few = np.asarray(queue_cells) < MOST_STATES
    require(few, "queue_cells", queue_cells, f"must be below {MOST_STATES}")
    loads, queues = np.broadcast_arrays(load, np.asarray(queue_cells, dtype=int))
    probabilities = np.empty(loads.shape)
    for value in np.unique(loads):
        at = loads == value
        tails = _tails(float(value), 1 << int(queues[at].max()).bit_length())
        probabilities[at] = tails[queues[at]]
    return plain(probabilities)


def md1_wait_exceedance(
    arrival_cells_per_second: Numbers, link_cells_per_second: Numbers, wait_seconds: Numbers
) -> Numbers:
    """P(wait > t) of a cell before its transmission.

    Franx, A simple solution for the M/D/c waiting time distribution, 2001. Let k D be the least
    multiple of the cell time D above t. Take the queue at a random time, and add the Poisson
    arrivals of a further time k D - t. P(wait <= t) is the probability that at most k - 1 cells
    wait then. The function sums the complement, so that small probabilities keep their precision.

    Args:
        arrival_cells_per_second: Mean rate of the Poisson arrivals.
        link_cells_per_second: Rate of the line.
        wait_seconds: Time t.

    Raises:
        AssumptionError: A rate is not above 0, the arrival rate is not below the link rate, or the
            time is below 0.
    """
    load = _load(arrival_cells_per_second, link_cells_per_second)
    require_not_negative(wait_seconds=wait_seconds)
    waits = np.asarray(wait_seconds) * np.asarray(link_cells_per_second)
    short = waits < MOST_STATES - 1
    require(short, "wait_seconds", wait_seconds, f"must be below {MOST_STATES - 1} cell times")
    loads, waits = np.broadcast_arrays(load, waits)
    found = [_wait_tail(float(a), float(b)) for a, b in zip(loads.flat, waits.flat, strict=True)]
    return plain(np.reshape(found, loads.shape))


def _wait_tail(load: float, wait: float) -> float:
    """Probability of a longer wait than `wait`, in cell times."""
    k = int(wait) + 1
    mean = load * (k - wait)
    more = np.arange(k)
    arrivals = np.exp(special.xlogy(more, mean) - mean - special.gammaln(more + 1))
    # More than k - 1 - j cells waiting means more than k - j cells in the system.
    waiting = _tails(load, 1 << k.bit_length())[k - more]
    return float(arrivals @ waiting + special.pdtrc(k - 1, mean))


def md1_buffer_cells(
    arrival_cells_per_second: float,
    link_cells_per_second: float,
    *,
    probability: float = 1e-9,
) -> int:
    """Least number of cells that the queue exceeds with no more than a probability.

    Args:
        arrival_cells_per_second: Mean rate of the Poisson arrivals.
        link_cells_per_second: Rate of the line.
        probability: Share of the time in which the queue may be longer.

    Raises:
        AssumptionError: A rate is not above 0, the arrival rate is not below the link rate, or the
            probability is not between 0 and 1.
    """

    def exceedance(cells: int) -> float:
        return float(md1_exceedance(arrival_cells_per_second, link_cells_per_second, cells))

    return least_buffer(exceedance, probability, MOST_STATES // 2)


def _load(arrival_cells_per_second: Numbers, link_cells_per_second: Numbers) -> Numbers:
    require_positive(
        arrival_cells_per_second=arrival_cells_per_second,
        link_cells_per_second=link_cells_per_second,
    )
    load = np.asarray(arrival_cells_per_second) / np.asarray(link_cells_per_second)
    below = "must be below the link rate, or the queue grows without end"
    require(load < 1, "arrival_cells_per_second", arrival_cells_per_second, below)
    return plain(load)


@lru_cache(maxsize=64)
def _tails(load: float, count: int) -> Floats:
    """Probabilities P(N > n) of more than n cells in the system, for n < count."""
    states = count + SETTLED
    # P(A >= k), A the arrivals during one transmission.
    at_least = np.append(1.0, special.pdtrc(np.arange(states + 1), load))
    none = np.exp(-load)
    p = np.zeros(states + 1)
    p[0] = 1 - load
    for n in range(1, states + 1):
        # The flow up from states below n equals the flow down from n.
        up = p[0] * at_least[n] + p[1:n] @ at_least[n:1:-1]
        p[n] = up / none
    rest = p[-1] / (_decay(load) - 1)
    tails: Floats = rest + np.cumsum(p[:0:-1])[::-1][:count]
    tails.setflags(write=False)  # the caller must not change the cached array
    return tails


def _decay(load: float) -> float:
    """Factor by which the probability of each further cell falls: z > 1, exp(load (z - 1)) = z."""
    idle = 1 - load
    if idle < 1e-5:  # the roots 1 and z are too close to separate: a series
        return 1 + 2 * idle + 8 / 3 * idle**2
    most = 10 - 2 * math.log(load)
    return float(optimize.brentq(lambda y: y - load - math.log(y / load), 1.0, most)) / load


FORMULA = Formula(
    name="m-d-1",
    about="queue and wait of Poisson cells before a line",
    equation="E[W] = rho D / (2 (1 - rho)), E[N] = rho + rho^2 / (2 (1 - rho)), P(N > q)",
    source="Pollaczek 1930, Khinchine 1932; distribution by Ramaswami's recursion (1988)",
    results={
        "mean_wait_seconds": md1_mean_wait_seconds,
        "mean_queue_cells": md1_mean_queue_cells,
        "exceedance_probability": md1_exceedance,
        "buffer_cells": md1_buffer_cells,
    },
)
