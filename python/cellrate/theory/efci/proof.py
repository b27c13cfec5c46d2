"""Proves that equation (5) of Ohsaki et al. 1995 is misprinted, by quadrature of its areas."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import quad_vec

from cellrate.theory.efci.loop import EfciLoop, Floats

TOLERANCE = 1e-10


def phase_4_area_cells(loop: EfciLoop) -> Floats:
    """Cells that queue up while the aggregate rate rises from BW, until the decrease arrives.

    This is the integral of the surplus rate AIR BW s over the time in which the queue reaches Q_H,
    plus a round trip.
    """
    slope = loop.air * loop.bw
    lasts = np.sqrt(2 * loop.high / slope) + loop.tau
    return _integral(lambda s: slope * s, lasts)


def phase_1_area_cells(loop: EfciLoop) -> Floats:
    """Cells that queue up while the aggregate rate decays from its peak to BW.

    This is the integral of (BW + AIR BW s_4) e^(-kappa s) - BW until it is 0, with s_4 for the
    length of phase 4.
    """
    slope = loop.air * loop.bw
    peak = loop.bw + slope * (np.sqrt(2 * loop.high / slope) + loop.tau)
    lasts = np.log(peak / loop.bw) / loop.kappa
    return _integral(lambda s: peak * np.exp(-loop.kappa * s) - loop.bw, lasts)


def _integral(surplus: Callable[[Floats], Floats], lasts: Floats) -> Floats:
    """Integral over 0 to `lasts`, which may be an array."""

    def scaled(x: float) -> Floats:
        return surplus(x * lasts) * lasts

    area, _ = quad_vec(scaled, 0.0, 1.0, epsrel=TOLERANCE)
    return np.asarray(area)
