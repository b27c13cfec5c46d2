"""Fluid models of DCQCN and TIMELY against the figure data of their paper.

The margins are those that the authors of "ECN or Delay" (CoNEXT 2016) keep beside their figures
(github.com/jitupadhye-zz/rdma, `conext2016/figures/pm_*.txt`). Their tool reads a frequency grid,
so a margin is met within 0.1 degrees.
"""

from __future__ import annotations

import numpy as np
import pytest
from cellrate.theory import AssumptionError
from cellrate.theory.dcqcn import (
    dcqcn_alpha,
    dcqcn_approximate_mark_probability,
    dcqcn_critical_delay_seconds,
    dcqcn_mark_probability,
    dcqcn_phase_margin_at_root_degrees,
    dcqcn_phase_margin_degrees,
    dcqcn_queue_bytes,
)
from cellrate.theory.timely import timely_phase_margin_degrees, timely_queue_bytes

FLOWS = np.array([2.0, 10.0, 38.0, 98.0])
# C in Gbit/s, R_AI in Mbit/s, Kmax in kB, tau* in us; margins for the numbers of flows.
DCQCN = [
    (40, 40, 200, 0, [26.624, 4.7564, 25.646, 55.937]),
    (40, 40, 200, 1, [26.257, 4.5296, 25.417, 55.606]),
    (40, 40, 200, 10, [22.952, 2.4883, 23.353, 52.627]),
    (40, 40, 200, 25, [17.443, -0.91397, 19.914, 47.663]),
    (40, 40, 200, 50, [8.2626, -6.5844, 14.182, 39.388]),
    (40, 40, 200, 100, [-10.099, -17.925, 2.717, 22.84]),
    (40, 10, 200, 0, [58.388, 20.979, 14.168, 37.68]),
    (40, 10, 200, 10, [54.539, 19.306, 12.845, 35.891]),
    (40, 10, 200, 50, [39.145, 12.613, 7.5538, 28.733]),
    (40, 10, 200, 100, [19.902, 4.2463, 0.93942, 19.786]),
    (40, 10, 1000, 0, [81.571, 63.6, 40.175, 51.225]),
    (40, 10, 1000, 50, [62.877, 53.724, 33.478, 41.543]),
    (40, 10, 1000, 100, [44.183, 43.849, 26.782, 31.86]),
    (100, 40, 200, 0, [23.919, 12.363, -0.37086, 10.273]),
    (100, 40, 200, 50, [-16.686, -10.139, -16.324, -4.2732]),
    (100, 40, 200, 100, [-57.292, -32.642, -32.277, -18.82]),
]


@pytest.mark.parametrize(("gigabits", "increase", "kmax", "delay", "margins"), DCQCN)
def test_margins_of_dcqcn_are_those_of_the_figures(
    gigabits: int, increase: int, kmax: int, delay: int, margins: list[float]
) -> None:
    found = dcqcn_phase_margin_degrees(
        FLOWS,
        gigabits * 1e9,
        delay * 1e-6,
        increase_bits_per_second=increase * 1e6,
        kmax_bytes=kmax * 1e3,
        beyond_p_max=True,
    )
    assert np.abs(found - np.array(margins)).max() < 0.1


TIMELY_FLOWS = np.arange(2.0, 51.0, 4.0)
TIMELY = {
    0: [-1.9535, 12.906, 28.529, 39.916, 42.921, 38.927, 31.214, 22.013, 12.532, 3.2215, -5.726,
        -14.206, -22.263],
    50: [-7.0458, 9.8618, 25.903, 37.236, 39.944, 35.586, 27.537, 18.096, 8.3455, -1.1109, -10.167,
         -18.771, -26.915],
    100: [-12.138, 6.8178, 23.277, 34.555, 36.966, 32.245, 23.877, 14.135, 4.1775, -5.4642, -14.669,
          -23.336, -31.489],
}  # fmt: skip


@pytest.mark.parametrize("propagation", TIMELY)
def test_margins_of_timely_are_those_of_the_figures(propagation: int) -> None:
    found = timely_phase_margin_degrees(TIMELY_FLOWS, 10e9, propagation * 1e-6)
    assert np.abs(found - np.array(TIMELY[propagation])).max() < 0.1


def test_queue_of_timely_by_hand() -> None:
    # 10 Gbit/s for 50 us are 62,500 bytes; two flows add 20 / 80 of them.
    assert timely_queue_bytes(2, 10e9) == pytest.approx(78_125)
    # 72 flows and 500 us: 62,500 (1 + 720 / 80) = 625,000 bytes are 500 us.
    assert timely_queue_bytes(72, 10e9) == pytest.approx(625_000)
    with pytest.raises(AssumptionError, match="exceeds T_high"):
        timely_queue_bytes(73, 10e9)


def test_fixed_points_and_critical_delays() -> None:
    """The text calls N = 2, 10 and 64 stable at 4 us, and N = 10 alone unstable at 85 us.

    So it is in the exact model; the transfer function gives N = 2 a negative margin at 85 us.
    """
    exact = dcqcn_mark_probability(FLOWS[:2], 40e9)
    assert exact == pytest.approx([0.000777, 0.006032], rel=1e-3)
    assert dcqcn_approximate_mark_probability(2, 40e9) == pytest.approx(0.000925, rel=1e-3)
    assert dcqcn_queue_bytes(FLOWS[:2], 40e9) == pytest.approx([20_151, 122_623], rel=1e-4)
    delays = dcqcn_critical_delay_seconds(np.array([2.0, 10.0, 64.0]), 40e9, beyond_p_max=True)
    assert delays == pytest.approx([85.57e-6, 62.47e-6, 256.6e-6], rel=2e-4)
    assert dcqcn_phase_margin_degrees(2, 40e9, 85e-6) == pytest.approx(-4.61, abs=0.01)
    assert dcqcn_phase_margin_at_root_degrees(2, 40e9, 85e-6) == pytest.approx(-6.87, abs=0.01)


def test_the_fixed_point_solves_the_fluid_model() -> None:
    """Euler steps of the four equations settle there with a short delay, and start elsewhere."""
    n, tau, g, r_ai = 2, 50e-6, 1 / 256, 40e6 / 8000
    t, b, f, c = 55e-6, 10_000, 5, 40e9 / 8000
    rate, target, alpha, queue = c / n * 1.02, c / n * 1.02, 0.1, 20.0
    step, late = 1e-6, 4
    past = [(queue, rate)] * late
    for _ in range(60_000):
        old_queue, old_rate = past[-late]
        p = min(max((old_queue - 5) / 195 * 0.01, 1e-12), 0.01)
        a = 1 - (1 - p) ** (tau * old_rate)
        by_bytes = p / ((1 - p) ** -b - 1)
        by_time = p / ((1 - p) ** (-t * old_rate) - 1)
        additive = by_bytes * (1 - p) ** (f * b) + by_time * (1 - p) ** (f * t * old_rate)
        change = (target - rate) * old_rate * (by_bytes + by_time) / 2 - rate * alpha * a / tau / 2
        target += step * (r_ai * old_rate * additive - (target - rate) * a / tau)
        alpha += step * g / t * (1 - (1 - p) ** (t * old_rate) - alpha)
        queue = max(0.0, queue + step * (n * rate - c))
        rate += step * change
        past = [*past[1 - late :], (queue, rate)]
    assert 1000 * queue == pytest.approx(dcqcn_queue_bytes(2, 40e9), rel=0.01)
    assert alpha == pytest.approx(dcqcn_alpha(2, 40e9), rel=0.01)


def test_more_marks_than_a_switch_gives_are_refused() -> None:
    more = dcqcn_mark_probability(15, 40e9, beyond_p_max=True)
    assert dcqcn_mark_probability(14, 40e9) < 0.01 < more
    with pytest.raises(AssumptionError, match="a probability above p_max"):
        dcqcn_mark_probability(15, 40e9)
