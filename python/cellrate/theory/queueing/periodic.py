"""N*D/D/1: queue of periodic sources with one rate and random phases before a line."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from cellrate.theory.assumptions import (
    require,
    require_not_negative,
    require_positive,
    require_whole,
)
from cellrate.theory.formula import Formula, Numbers, plain
from cellrate.theory.queueing.md1 import least_buffer


def periodic_exceedance(
    sources: Numbers,
    rate_cells_per_second: Numbers,
    link_cells_per_second: Numbers,
    queue_cells: Numbers,
) -> Numbers:
    """P(work > queue) at any time, with the unfinished work of the line in cell times.

    For a whole number this is P(N > queue), N including the cell in transmission. Let T be the cell
    times between two cells of a source, and x the queue. The result is a sum over n from x to N.
    Each term is the probability that n cells arrive within n - x cell times, times
    (T - N + x) / (T - n + x) (ballot theorem). Eckberg 1979; Roberts and Virtamo 1991, The
    superposition of periodic cell arrival streams.

    Args:
        sources: Number of sources; their phases are independent and uniform.
        rate_cells_per_second: Rate of each source.
        link_cells_per_second: Rate of the line.
        queue_cells: Work in cell times.

    Raises:
        AssumptionError: A number is out of range, or the sources' total rate is not below the
            link rate.
    """
    count, period = _sources(sources, rate_cells_per_second, link_cells_per_second)
    require_not_negative(queue_cells=queue_cells)
    counts, periods, queues = np.broadcast_arrays(count, period, np.asarray(queue_cells, float))
    found = [
        _tail(int(n), float(t), float(x))
        for n, t, x in zip(counts.flat, periods.flat, queues.flat, strict=True)
    ]
    return plain(np.reshape(found, counts.shape))


def periodic_mean_queue_cells(
    sources: Numbers, rate_cells_per_second: Numbers, link_cells_per_second: Numbers
) -> Numbers:
    """Mean number of cells, including the cell in transmission: the sum of P(N > q)."""
    count, period = _sources(sources, rate_cells_per_second, link_cells_per_second)
    counts, periods = np.broadcast_arrays(count, period)
    found = [
        sum(_tail(int(n), float(t), float(x)) for x in range(int(n)))
        for n, t in zip(counts.flat, periods.flat, strict=True)
    ]
    return plain(np.reshape(found, counts.shape))


def periodic_buffer_cells(
    sources: int,
    rate_cells_per_second: float,
    link_cells_per_second: float,
    *,
    probability: float = 1e-9,
) -> int:
    """Least number of cells that the queue exceeds with no more than a probability.

    Args:
        sources: Number of sources.
        rate_cells_per_second: Rate of each source.
        link_cells_per_second: Rate of the line.
        probability: Share of the time in which the queue may be longer.

    Raises:
        AssumptionError: A number is out of range, the sources' total rate is not below the link
            rate, or the probability is not between 0 and 1.
    """
    count, period = _sources(sources, rate_cells_per_second, link_cells_per_second)
    return least_buffer(
        lambda cells: _tail(int(count), float(period), cells), probability, int(count)
    )


def _sources(
    sources: Numbers, rate_cells_per_second: Numbers, link_cells_per_second: Numbers
) -> tuple[np.ndarray, np.ndarray]:
    """Number of sources, and their period in cell times."""
    require_whole(1, sources=sources)
    require_positive(
        rate_cells_per_second=rate_cells_per_second,
        link_cells_per_second=link_cells_per_second,
    )
    count = np.asarray(sources, dtype=float)
    period = np.asarray(link_cells_per_second) / np.asarray(rate_cells_per_second)
    below = "the sources' total rate must be below the link rate"
    require(count < period, "sources", sources, below)
    return count, period


def _tail(n: int, period: float, x: float) -> float:
    if x >= n:
        return 0.0
    m = np.arange(np.floor(x) + 1, n + 1)
    share = (m - x) / period
    choose = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1)
    logs = choose + xlogy(m, share) + xlog1py(n - m, -share)
    return float(np.exp(logs) @ ((period - n + x) / (period - m + x)))


FORMULA = Formula(
    name="n-d-d-1",
    about="queue of periodic sources with random phases before a line",
    equation="P(N > q) = sum_n C(N,n) ((n-q)/T)^n (1-(n-q)/T)^(N-n) (T-N+q)/(T-n+q), n > q",
    source="Eckberg 1979; Roberts and Virtamo 1991",
    results={
        "mean_queue_cells": periodic_mean_queue_cells,
        "exceedance_probability": periodic_exceedance,
        "buffer_cells": periodic_buffer_cells,
    },
)
