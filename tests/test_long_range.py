"""The estimate of the Hurst parameter, on series whose parameter is known."""

import numpy as np
import numpy.typing as npt
import pytest
from cellrate.language.functions import BANDWIDTH, hurst


def noise(h: float, n: int, seed: int) -> npt.NDArray[np.float64]:
    """Fractional Gaussian noise, exact: its covariance is a part of a circulant one."""
    lag = np.concatenate([np.arange(n + 1), np.arange(n - 1, 0, -1)]).astype(float)
    power = np.abs(lag + 1) ** (2 * h) - 2 * lag ** (2 * h) + np.abs(lag - 1) ** (2 * h)
    eigenvalues = np.fft.fft(power / 2).real
    rng = np.random.default_rng(seed)
    z = rng.normal(size=2 * n) + 1j * rng.normal(size=2 * n)
    found = np.fft.fft(np.sqrt(eigenvalues / (2 * n)) * z).real[:n]
    return np.asarray(found)


@pytest.mark.parametrize("h", [0.5, 0.7, 0.8, 0.9])
@pytest.mark.parametrize("shape", [lambda x: x, np.exp], ids=["normal", "lognormal"])
def test_the_parameter_is_found(h: float, shape: np.ufunc) -> None:
    n, series = 4096, 20
    found = [hurst(shape(noise(h, n, seed))) for seed in range(series)]
    # Three standard errors of the mean, and what exponentials lose by their own noise.
    error = 3 / (2 * np.sqrt(n**BANDWIDTH * series))
    assert abs(np.mean(found) - h) < error + (0.06 if shape is np.exp else 0)


def test_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 128 values, not 127"):
        hurst(np.arange(127.0))
    with pytest.raises(ValueError, match="values that differ"):
        hurst(np.ones(128))
