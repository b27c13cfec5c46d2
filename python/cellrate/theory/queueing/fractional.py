"""Queue of a multiplex of long-range dependent streams, as fractional Brownian motion (Norros)."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from cellrate.theory.assumptions import (
    require,
    require_not_negative,
    require_positive,
    require_whole,
)
from cellrate.theory.formula import Formula, Numbers, plain


def fractional_time_scale_seconds(
    sources: Numbers,
    mean_cells_per_second: Numbers,
    hurst: Numbers,
    link_cells_per_second: Numbers,
    queue_cells: Numbers,
) -> Numbers:
    """Most likely time in which a queue of a length builds up: q H / ((C - N m) (1 - H)).

    Norros 1994, A storage model with self-similar input.

    Args:
        sources: Number of streams, independent with equal parameters.
        mean_cells_per_second: Mean rate of a stream.
        hurst: Hurst parameter H, from 1/2 (independent) to below 1.
        link_cells_per_second: Rate of the line.
        queue_cells: Length of the queue.

    Raises:
        AssumptionError: A number is out of range, or the streams' mean rate is not below the
            link rate.
    """
    left = _left(sources, mean_cells_per_second, hurst, link_cells_per_second)
    require_not_negative(queue_cells=queue_cells)
    h = np.asarray(hurst)
    return plain(np.asarray(queue_cells) * h / (left * (1 - h)))


def fractional_exceedance(
    sources: Numbers,
    mean_cells_per_second: Numbers,
    deviation_cells_per_second: Numbers,
    interval_seconds: Numbers,
    hurst: Numbers,
    link_cells_per_second: Numbers,
    queue_cells: Numbers,
) -> Numbers:
    """Lower bound of P(Q > queue): greatest probability of too much traffic in a fixed time.

    Norros 1994: 1 - Phi(min over t of (q + (C - N m) t) / sd(t)), where sd(t) is the standard
    deviation of the traffic in a time t; the minimum is at `fractional_time_scale_seconds`. The
    bound decays as the probability itself.

    Args:
        sources: Number of streams, independent with equal parameters.
        mean_cells_per_second: Mean rate of a stream.
        deviation_cells_per_second: Standard deviation of a stream's rate.
        interval_seconds: Time over which the rate is averaged for that deviation.
        hurst: Hurst parameter H, from 1/2 (independent) to below 1.
        link_cells_per_second: Rate of the line.
        queue_cells: Length of the queue.

    Raises:
        AssumptionError: A number is out of range, or the streams' mean rate is not below the
            link rate.
    """
    streams = sources, mean_cells_per_second, deviation_cells_per_second, interval_seconds
    exponent = _exponent(*streams, hurst, link_cells_per_second, queue_cells)
    return plain(ndtr(-np.sqrt(2 * exponent)))


def fractional_exponential_exceedance(
    sources: Numbers,
    mean_cells_per_second: Numbers,
    deviation_cells_per_second: Numbers,
    interval_seconds: Numbers,
    hurst: Numbers,
    link_cells_per_second: Numbers,
    queue_cells: Numbers,
) -> Numbers:
    """Approximation of P(Q > queue) by a Weibull distribution.

    Norros 1994: exp(-(C - N m)^(2H) q^(2-2H) / (2 k^2 V)), where k = H^H (1-H)^(1-H) and V t^(2H)
    is the variance of the traffic in a time t. This is exp(-y^2/2) with the y that
    `fractional_exceedance` uses as 1 - Phi(y). The approximation is exact for H = 1/2.
    """
    streams = sources, mean_cells_per_second, deviation_cells_per_second, interval_seconds
    return plain(np.exp(-_exponent(*streams, hurst, link_cells_per_second, queue_cells)))


def fractional_buffer_cells(
    sources: Numbers,
    mean_cells_per_second: Numbers,
    deviation_cells_per_second: Numbers,
    interval_seconds: Numbers,
    hurst: Numbers,
    link_cells_per_second: Numbers,
    *,
    probability: Numbers = 1e-9,
) -> Numbers:
    """Length that the queue exceeds with a probability, by `fractional_exponential_exceedance`.

    Args:
        sources: Number of streams, independent with equal parameters.
        mean_cells_per_second: Mean rate of a stream.
        deviation_cells_per_second: Standard deviation of a stream's rate.
        interval_seconds: Time over which the rate is averaged for that deviation.
        hurst: Hurst parameter H.
        link_cells_per_second: Rate of the line.
        probability: Share of the time in which the queue may be longer.

    Raises:
        AssumptionError: A number is out of range, the streams' mean rate is not below the link
            rate, or the probability is not between 0 and 1.
    """
    p = np.asarray(probability)
    require((p > 0) & (p < 1), "probability", probability, "must be above 0 and below 1")
    streams = sources, mean_cells_per_second, deviation_cells_per_second, interval_seconds
    exponent_of_one_cell = _exponent(*streams, hurst, link_cells_per_second, 1.0)
    power = 1 / (2 - 2 * np.asarray(hurst))
    return plain((-np.log(p) / exponent_of_one_cell) ** power)


def _exponent(
    sources: Numbers,
    mean_cells_per_second: Numbers,
    deviation_cells_per_second: Numbers,
    interval_seconds: Numbers,
    hurst: Numbers,
    link_cells_per_second: Numbers,
    queue_cells: Numbers,
) -> np.ndarray:
    left = _left(sources, mean_cells_per_second, hurst, link_cells_per_second)
    require_positive(
        deviation_cells_per_second=deviation_cells_per_second, interval_seconds=interval_seconds
    )
    require_not_negative(queue_cells=queue_cells)
    h, interval = np.asarray(hurst), np.asarray(interval_seconds)
    deviation = np.asarray(deviation_cells_per_second)
    # The traffic of one interval has the variance (deviation * interval)^2 = V interval^(2H).
    variance = np.asarray(sources) * deviation**2 * interval ** (2 - 2 * h)
    kappa = h**h * (1 - h) ** (1 - h)
    exponent: np.ndarray = (
        left ** (2 * h) * np.asarray(queue_cells) ** (2 - 2 * h) / (2 * kappa**2 * variance)
    )
    return exponent


def _left(
    sources: Numbers,
    mean_cells_per_second: Numbers,
    hurst: Numbers,
    link_cells_per_second: Numbers,
) -> np.ndarray:
    """Mean capacity of the line that the streams leave."""
    require_whole(1, sources=sources)
    require_positive(
        mean_cells_per_second=mean_cells_per_second, link_cells_per_second=link_cells_per_second
    )
    h = np.asarray(hurst)
    require((h >= 0.5) & (h < 1), "hurst", h, "must be at least 1/2 and below 1")
    left = np.asarray(link_cells_per_second) - np.asarray(sources) * mean_cells_per_second
    below = "the streams' mean rate must be below the link rate, or the queue grows without end"
    require(left > 0, "sources", sources, below)
    return np.asarray(left)


FORMULA = Formula(
    name="fractional-queue",
    about="queue of a multiplex of long-range dependent (video) streams before a line",
    equation="P(Q > q) ~ exp(-(C - N m)^(2H) q^(2-2H) / (2 k^2 V)), k = H^H (1-H)^(1-H)",
    source="Norros 1994, Queueing Systems 16",
    results={
        "lower_bound_probability": fractional_exceedance,
        "approximate_probability": fractional_exponential_exceedance,
        "buffer_cells": fractional_buffer_cells,
        "time_scale_seconds": fractional_time_scale_seconds,
    },
)
