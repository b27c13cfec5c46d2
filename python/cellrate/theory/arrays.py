"""Type of the closed forms' arguments and results: numbers or arrays."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

# A float or an array of floats; arguments of a formula broadcast against each other.
Numbers: TypeAlias = float | npt.NDArray[np.float64]


def plain(values: npt.ArrayLike) -> Numbers:
    """Converts values to an array of floats, or to a float if they have no dimensions."""
    array = np.asarray(values, dtype=np.float64)
    return array.item() if array.ndim == 0 else array
