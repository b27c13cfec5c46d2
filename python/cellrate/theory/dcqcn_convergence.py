"""Time in which the rates of DCQCN's flows become equal, by the discrete model of AIMD cycles.

Zhu, Ghobadi, Misra and Padhye 2016 (CoNEXT), section 3.4 and appendix B. In each cycle all flows
are cut once by alpha / 2 and then gain R_AI in each interval, so differences shrink by alpha / 2.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from cellrate.theory.assumptions import require, require_positive, require_share
from cellrate.theory.dcqcn import SOURCE
from cellrate.theory.formula import Formula, Numbers, plain


def dcqcn_convergence_seconds(
    flows: Numbers,
    link_bits_per_second: Numbers,
    increase_bits_per_second: Numbers = 40e6,
    kmax_bytes: Numbers = 200e3,
    alpha_interval_seconds: Numbers = 55e-6,
    gain: Numbers = 1 / 256,
    difference: Numbers = 0.1,
    alpha_exponent: Numbers = -1.0,
) -> Numbers:
    """Bound on the time until the difference of two flows falls from C to a share of C / N.

    Alpha is taken at its least value, and marks begin at Kmax, so flows converge sooner.

    Args:
        flows: N, flows with data without end that cross the port.
        link_bits_per_second: C, rate of the link.
        increase_bits_per_second: R_AI, what a flow gains in an interval.
        kmax_bytes: Kmax, the queue at which marks begin.
        alpha_interval_seconds: tau', the interval of rate increases and of the decay of alpha.
        gain: g, the weight of an event in alpha.
        difference: Difference of two flows that counts as converged, over the fair share.
        alpha_exponent: Number added to the intervals of a cycle, which gives the intervals in which
            alpha decays: -1 in section 3.4, where the cut takes one interval, and 0 in appendix B.

    Raises:
        AssumptionError: A value is outside the model.
    """
    require_positive(
        flows=flows,
        link_bits_per_second=link_bits_per_second,
        increase_bits_per_second=increase_bits_per_second,
        kmax_bytes=kmax_bytes,
        alpha_interval_seconds=alpha_interval_seconds,
        difference=difference,
    )
    require_share(gain=gain)
    exponent = np.asarray(alpha_exponent, float)
    require((exponent == 0) | (exponent == -1), "alpha_exponent", alpha_exponent, "must be 0 or -1")
    with np.errstate(all="ignore"):
        seconds = np.vectorize(_seconds, otypes=[float])(
            flows,
            link_bits_per_second,
            increase_bits_per_second,
            8 * np.asarray(kmax_bytes, float),
            alpha_interval_seconds,
            gain,
            difference,
            alpha_exponent,
        )
    return plain(seconds)


def _seconds(
    flows: float,
    link: float,
    increase: float,
    kmax: float,
    interval: float,
    gain: float,
    difference: float,
    exponent: float,
) -> float:
    """Time of one set of parameters, in bits and seconds; symbols are the paper's."""
    gained = flows * increase
    to_mark = (np.sqrt(1 + 8 * kmax / (gained * interval)) - 1) / 2  # t, in intervals

    def cycle(alpha: float) -> float:
        """Intervals of a cycle."""
        return float(2 + (to_mark + link / gained) * alpha / 2)

    def excess(alpha: float) -> float:
        decays = (cycle(alpha) + exponent) * np.log1p(-gain)
        return float(np.exp(decays) * ((1 - gain) * alpha + gain) - alpha)

    # Alpha grows at 0, where the excess is above 0, and falls at 1.
    if not excess(0.0) > 0 > excess(1.0):
        return float("nan")
    alpha = brentq(excess, 0.0, 1.0, xtol=1e-15)
    cycles = np.log(flows / difference) / -np.log1p(-alpha / 2)
    return float(max(cycles, 0.0) * cycle(alpha) * interval)


FORMULA = Formula(
    name="dcqcn-convergence",
    about="time in which the rates of DCQCN's flows become equal",
    equation="(1 - alpha / 2)^(x / (tau' dT)) = difference / N,"
    " alpha = (1 - g)^(dT - 1) ((1 - g) alpha + g),"
    " dT = 2 + (t / 2 + C / (2 N R_AI)) alpha, t = (sqrt(1 + 8 Kmax / (N R_AI tau')) - 1) / 2",
    source=f"{SOURCE}, section 3.4 and appendix B",
    results={"seconds": dcqcn_convergence_seconds},
)
