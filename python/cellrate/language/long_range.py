"""Long-range dependence of a series: its Hurst parameter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

# The number of frequencies used is the length of the series to this power.
BANDWIDTH = 0.65
SHORTEST = 128


def hurst(values: Sequence[float] | npt.NDArray[np.float64]) -> float:
    """Hurst parameter of a series by the local Whittle estimator.

    Robinson 1995, Gaussian semiparametric estimation of long range dependence: the power of the m
    lowest frequencies is assumed to be a constant times frequency^(1 - 2H). Nothing is assumed
    about higher frequencies or the distribution of the values. The standard error is
    1/(2 sqrt(m)).

    Args:
        values: At least 128 values at equal distances.

    Raises:
        ValueError: There are too few values, or they are all the same.
    """
    series = np.asarray(values, dtype=np.float64)
    if series.size < SHORTEST:
        raise ValueError(f"the Hurst parameter of {series.size} values; at least {SHORTEST}")
    if np.ptp(series) == 0:
        raise ValueError("the Hurst parameter of values that are all the same")
    used = int(series.size**BANDWIDTH)
    power = np.abs(np.fft.rfft(series - series.mean())[1 : used + 1]) ** 2
    frequency = 2 * np.pi * np.arange(1, used + 1) / series.size
    mean_logarithm = np.log(frequency).mean()

    def misfit(h: float) -> float:
        exponent = 2 * h - 1
        return float(np.log(np.mean(power * frequency**exponent)) - exponent * mean_logarithm)

    return float(minimize_scalar(misfit, bounds=(0.01, 1.2), method="bounded").x)
