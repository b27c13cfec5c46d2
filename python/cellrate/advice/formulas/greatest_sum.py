"""The greatest sum of flow rates that links can carry, as a linear program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array


def greatest_sum(
    most: Sequence[float], taken: Sequence[tuple[float, int, int]], room: npt.NDArray[np.float64]
) -> float:
    """The greatest sum of rates under the capacity of links.

    Args:
        most: Greatest rate of each flow.
        taken: Capacity that a flow takes of a link per unit of its rate, by numbers of link and
            flow.
        room: Capacity of each link.
    """
    costs, places, columns = zip(*taken, strict=True)
    # The solver's tolerances are absolute, for values near 1.
    scale = max(most) or 1.0
    solved = milp(
        -np.ones(len(most)),
        bounds=Bounds(0.0, np.array(most) / scale),
        constraints=LinearConstraint(
            csr_array((costs, (places, columns)), shape=(len(room), len(most))), ub=room / scale
        ),
    )
    if not solved.success:
        raise RuntimeError(solved.message)
    return float(-solved.fun * scale)
