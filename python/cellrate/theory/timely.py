"""Fluid model of patched TIMELY: fixed point and phase margin of N equal flows at one port.

Zhu, Ghobadi, Misra and Padhye 2016 (CoNEXT), sections 4.2 and 4.3. The original has no fixed point,
or infinitely many; the patch weighs the gradient of the delay against the delay itself. The weight
rises with the gradient g. The paper's algorithm has w = 2 g + 1/2; the authors' program for the
margins has a slope of 1/2.
"""

from __future__ import annotations

import numpy as np

from cellrate.theory.assumptions import (
    require,
    require_not_negative,
    require_positive,
    require_share,
)
from cellrate.theory.dcqcn import SOURCE
from cellrate.theory.formula import Formula, Numbers, plain
from cellrate.theory.phase_margin import Complex, as_complex, phase_margin

# Weight of the gradient at the fixed point, where it is 0: w = 1/2.
WEIGHT = 0.5


def timely_queue_bytes(
    flows: Numbers,
    link_bits_per_second: Numbers,
    increase_bits_per_second: Numbers = 10e6,
    beta: Numbers = 0.008,
    low_seconds: Numbers = 50e-6,
    high_seconds: Numbers = 500e-6,
) -> Numbers:
    """Queue at the fixed point of patched TIMELY, C T_low (1 + N delta / (beta C)).

    Args:
        flows: N, flows with data without end that cross the port.
        link_bits_per_second: C, rate of the link.
        increase_bits_per_second: delta, what a rise adds to the rate.
        beta: Factor of the decrease.
        low_seconds: T_low; shorter delays raise the rate.
        high_seconds: T_high; longer delays lower the rate.

    Raises:
        AssumptionError: A value is not above 0, or the queue at the fixed point lasts longer than
            T_high, where the model does not hold.
    """
    require_positive(
        flows=flows,
        link_bits_per_second=link_bits_per_second,
        increase_bits_per_second=increase_bits_per_second,
        beta=beta,
        low_seconds=low_seconds,
        high_seconds=high_seconds,
    )
    bytes_per_second = np.asarray(link_bits_per_second, float) / 8
    rises = np.asarray(flows, float) * np.asarray(increase_bits_per_second, float) / 8
    queue = bytes_per_second * np.asarray(low_seconds) + rises * np.asarray(
        low_seconds
    ) / np.asarray(beta)
    fits = queue <= bytes_per_second * np.asarray(high_seconds)
    require(fits, "flows", flows, "the queueing delay at the fixed point exceeds T_high")
    return plain(queue)


def timely_phase_margin_degrees(
    flows: Numbers,
    link_bits_per_second: Numbers,
    propagation_seconds: Numbers = 0.0,
    increase_bits_per_second: Numbers = 10e6,
    beta: Numbers = 0.008,
    low_seconds: Numbers = 50e-6,
    high_seconds: Numbers = 500e-6,
    least_seconds: Numbers = 20e-6,
    gradient_weight: Numbers = 0.875,
    segment_bytes: Numbers = 16e3,
    packet_bytes: Numbers = 1e3,
    weight_slope: Numbers = 0.5,
) -> Numbers:
    """Phase margin of patched TIMELY's loop about its fixed point; the loop oscillates below 0.

    Args:
        flows: N, flows with data without end that cross the port.
        link_bits_per_second: C, rate of the link.
        propagation_seconds: Propagation delay of the feedback.
        increase_bits_per_second: delta, what a rise adds to the rate.
        beta: Factor of the decrease.
        low_seconds: T_low; shorter delays raise the rate.
        high_seconds: T_high; longer delays lower the rate.
        least_seconds: Least round trip, by which gradients are divided.
        gradient_weight: alpha, weight of a new sample of the gradient.
        segment_bytes: Bytes of a segment, for each of which the rate changes once.
        packet_bytes: Bytes of a packet on the link.
        weight_slope: Slope of the weight over the gradient; 1/2 gives the paper's figure, and 2 is
            the slope of the paper's algorithm.

    Raises:
        AssumptionError: A value is outside the model, or the queue at the fixed point lasts longer
            than T_high.
    """
    require_not_negative(propagation_seconds=propagation_seconds)
    require_positive(
        least_seconds=least_seconds,
        segment_bytes=segment_bytes,
        packet_bytes=packet_bytes,
        weight_slope=weight_slope,
    )
    require_share(gradient_weight=gradient_weight)
    queue = timely_queue_bytes(
        flows, link_bits_per_second, increase_bits_per_second, beta, low_seconds, high_seconds
    )
    with np.errstate(all="ignore"):
        margins = np.vectorize(_margin, otypes=[float])(
            flows,
            np.asarray(link_bits_per_second, float) / 8,
            propagation_seconds,
            np.asarray(increase_bits_per_second, float) / 8,
            beta,
            low_seconds,
            queue,
            least_seconds,
            gradient_weight,
            segment_bytes,
            packet_bytes,
            weight_slope,
        )
    return plain(margins)


def _margin(
    flows: float,
    link: float,
    propagation: float,
    increase: float,
    beta: float,
    low: float,
    queue: float,
    least: float,
    weight: float,
    segment: float,
    packet: float,
    slope: float,
) -> float:
    """Margin of one loop, in bytes and seconds; names and transfer function are the authors'."""
    rate, reference = link / flows, link * low
    delay, between = queue / link + packet / link + propagation, segment / rate

    def transfer(s: Complex) -> Complex:
        smoothed = s * least * (segment * s + weight * rate)
        gradient = 2 * rate * increase * weight * slope / smoothed
        by_delay = rate**2 * WEIGHT * beta * flows / (reference * s)
        late = gradient * np.exp(-s * (delay + between))
        rises = (gradient + by_delay) * np.exp(-s * delay) - late
        return as_complex(rises / (segment * s + (3 * WEIGHT - 1) * increase))

    return phase_margin(transfer)[0]


FORMULA = Formula(
    name="timely-phase-margin",
    about="fixed point of patched TIMELY and phase margin of its loop",
    equation="q = C T_low (1 + N delta / (beta C)), margin = 180 degrees + phase of L(i omega)"
    " where |L| = 1",
    source=f"{SOURCE}, section 4.3",
    results={"queue_bytes": timely_queue_bytes, "margin_degrees": timely_phase_margin_degrees},
)
