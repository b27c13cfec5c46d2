"""Extremes of the queue of a switch that marks EFCI, in the fluid model of Ohsaki et al. 1995.

N persistent sources, bottleneck of `bw` cells/s, round trip `tau`. A backward RM cell adds
AIR * Nrm to ACR or takes ACR * Nrm / RDF from it; RM cells return at bw / (N Nrm) while there is a
queue. AIR = AIRF * PCR / Nrm (1/s), RDF = RDFF * Nrm (cells).
"""

from math import exp, isclose, log, sqrt

from scipy.optimize import brentq
from scipy.special import lambertw


def efci_maximum_queue_cells(
    air: float,
    rdf: float,
    sources: int,
    bw: float,
    tau: float,
    high: float,
    *,
    minimum: float = 0.0,
) -> float:
    """Maximum of the queue that starts from `minimum` with ACR = bw / N (section II.C.1).

    The paper's equation (5) has two misprints, which its derivation does not have: RDF multiplies
    N sqrt(2 AIR Q_H / bw), and the argument of the logarithm is 1 + AIR tau + sqrt(2 AIR Q_H / bw).
    As printed it gives less than Q_H, see `efci_printed_maximum_queue_cells`.
    """
    rise = sqrt(2 * max(0.0, high - minimum) / (air * bw))
    overload = air * (rise + tau)
    growing = air * bw / 2 * (rise + tau) ** 2
    falling = sources * rdf * (overload - log(1 + overload))
    return minimum + growing + falling


def efci_printed_maximum_queue_cells(
    air: float, rdf: float, sources: int, bw: float, tau: float, high: float
) -> float:
    """Equation (5) exactly as printed."""
    return (
        high
        + rdf * sqrt(2 * air * sources * high / bw)
        - rdf * sources * log(1 + 2 * air * high / bw)
        + tau**2 * air * bw / 2
        + tau * (sqrt(2 * air * bw * high) + air * rdf * sources)
    )


def efci_minimum_queue_cells(
    air: float, rdf: float, sources: int, bw: float, tau: float, high: float, low: float
) -> float:
    """Minimum of the queue in steady state: the fixed point of section II.C.2, equation (8).

    Negative if the queue empties: then the link is not fully used, and the value itself is
    only the model's continuation.
    """

    def change(minimum: float) -> float:
        return _next_minimum(minimum, air, rdf, sources, bw, tau, high, low) - minimum

    lowest = -high - 1.0
    while change(lowest) < 0:
        lowest *= 2
    return float(brentq(change, lowest, high, xtol=1e-6))


def _next_minimum(
    minimum: float,
    air: float,
    rdf: float,
    sources: int,
    bw: float,
    tau: float,
    high: float,
    low: float,
) -> float:
    """The minimum after one cycle of phases 2, 1 and 2 that began at `minimum`."""
    decay = bw / (sources * rdf)
    maximum = efci_maximum_queue_cells(air, rdf, sources, bw, tau, high, minimum=minimum)
    to_low = _time_to_fall(decay, max(0.0, maximum - low) / bw)
    deficit = 1 - exp(-decay * (to_low + tau))
    lost_in_delay = bw * (tau - (exp(-decay * to_low) - exp(-decay * (to_low + tau))) / decay)
    return min(low, maximum) - lost_in_delay - bw * deficit**2 / (2 * air)


def _time_to_fall(decay: float, depth: float) -> float:
    """Time y with y - (1 - exp(-decay y)) / decay = depth."""
    c = 1 + decay * depth
    if isclose(c, 1.0, abs_tol=1e-12):
        return 0.0
    return float((c + lambertw(-exp(-c), 0).real) / decay)
