"""Fractional Gaussian noise, cut as the rates of a source are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from proof.forms.arrays import Floats


def draw(
    hurst: float,
    length: int,
    cut: float,
    estimate: Callable[[Floats], list[float]],
    runs: int,
    number: int,
) -> Floats:
    """Draws so many series, and estimates quantities from each.

    The series come from a circle of correlations, which is exact (Davies and Harte 1987).

    Args:
        hurst: Hurst parameter.
        length: Of a series.
        cut: Values are cut at so many deviations.
        estimate: Computes the quantities from a series.
        runs: Number of series.
        number: Seed.
    """
    random = np.random.default_rng(number)
    lags = np.arange(length + 1.0)
    s = 2 * hurst
    correlation = ((lags + 1) ** s - 2 * lags**s + np.abs(lags - 1) ** s) / 2
    circle = np.fft.fft(np.concatenate([correlation, correlation[-2:0:-1]])).real
    amplitude = np.sqrt(np.maximum(circle, 0) / len(circle))
    found = []
    for _ in range(runs):
        turns = random.normal(size=len(circle)) + 1j * random.normal(size=len(circle))
        series = np.fft.fft(amplitude * turns).real[:length]
        found.append(estimate(np.clip(series, -cut, cut)))
    return np.array(found)
