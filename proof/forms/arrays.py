"""The arrays of these tests."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
