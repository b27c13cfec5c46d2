"""Phase margin of a loop from its transfer function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

Complex: TypeAlias = npt.NDArray[np.complex128]

# Angular frequencies in rad/s between which gain crossings are searched.
FREQUENCIES = np.geomspace(1e-3, 1e9, 24_001)


def as_complex(values: npt.ArrayLike) -> Complex:
    """Values as an array of complex numbers."""
    return np.asarray(values, dtype=np.complex128)


def phase_margin(transfer: Callable[[Complex], Complex]) -> tuple[float, float]:
    """Least phase margin in degrees, from -180 to 180, and its angular frequency in rad/s.

    The margin is the phase of `transfer(i omega)` plus 180 degrees at a frequency where the gain is
    1. Margin and frequency are NaN if the gain is 1 nowhere.

    Args:
        transfer: Open loop, of complex s; shapes are kept.
    """
    levels = np.log(np.abs(transfer(as_complex(1j * FREQUENCIES))))
    signs = np.where(np.isfinite(levels), np.sign(levels), 0)
    found = []
    for index in np.flatnonzero(signs[:-1] * signs[1:] < 0):
        low, high = FREQUENCIES[index : index + 2]
        omega = brentq(lambda w: float(np.log(np.abs(transfer(as_complex(1j * w))))), low, high)
        phase = np.degrees(np.angle(transfer(as_complex(1j * omega))))
        found.append((float(phase % 360) - 180, float(omega)))
    return min(found, default=(float("nan"), float("nan")))
