"""Fluid models of DCQCN and TIMELY against the figure data of their paper.

The numbers are those of `papers/zhu16`, which the authors of "ECN or Delay" (CoNEXT 2016) keep
beside their figures. Their tool reads a frequency grid, so a margin is met within 0.1 degrees.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from cellrate.papers.collection import select
from cellrate.papers.runs import compared
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
from cellrate.theory.dcqcn_convergence import dcqcn_convergence_seconds
from cellrate.theory.timely import timely_phase_margin_degrees, timely_queue_bytes

FLOWS = np.array([2.0, 10.0, 38.0, 98.0])
[(_, EXPERIMENTS)] = select("zhu16", None)
COLUMNS = list(
    dict.fromkeys(
        (experiment.id, each.quantity.rpartition(", ")[0])
        for experiment in EXPERIMENTS
        for each in experiment.published
        if each.at
    )
)


@pytest.mark.parametrize(("name", "column"), COLUMNS)
def test_formulae_give_the_numbers_of_the_figures(name: str, column: str) -> None:
    [experiment] = [each for each in EXPERIMENTS if each.id == name]
    told, found = np.array(compared(experiment, column)).T
    assert len(told) >= 9
    if column.startswith("margin"):
        assert np.abs(found - told).max() < 0.1
    else:
        assert np.abs(found / told - 1).max() < 1e-4


def test_all_numbers_of_the_figures_are_there() -> None:
    margins = [column for _, column in COLUMNS if column.startswith("margin")]
    assert (len(margins), len(COLUMNS)) == (21, 25)


def growth_of_timely(flows: int, slope: float) -> float:
    """Growth of a small deviation of the queue from 10 to 20 ms in the fluid model of section 4.3.

    Euler steps of the three equations, in bytes and seconds, without propagation delay.
    """
    link, increase, beta, low, least, alpha = 1.25e9, 1.25e6, 0.008, 50e-6, 20e-6, 0.875
    segment, packet, step = 16e3, 1e3, 2e-7
    share, reference = link / flows, link * low
    fixed = float(timely_queue_bytes(flows, 8 * link))
    late, between = round((fixed + packet) / link / step), round(segment / share / step)
    queue = [fixed] * (late + between + 1)
    rate, gradient = share * 1.0001, 0.0
    for _ in range(round(0.02 / step)):
        now, before = queue[-1 - late], queue[-1 - late - between]
        weight, passes = slope * gradient + 0.5, rate / segment
        change = (1 - weight) * increase - weight * beta * rate * (now - reference) / reference
        gradient += step * passes * alpha * ((now - before) / (link * least) - gradient)
        queue.append(queue[-1] + step * (flows * rate - link))
        rate += step * passes * change
    deviation = np.abs(np.array(queue) - fixed)
    middle = len(deviation) // 2
    return float(deviation[-middle // 2 :].max() / deviation[middle // 2 : middle].max())


@pytest.mark.parametrize(("flows", "slope"), [(6, 0.5), (26, 0.5), (2, 2), (26, 2)])
def test_the_sign_of_timelys_margin_says_whether_the_fluid_model_settles(
    flows: int, slope: float
) -> None:
    margin = timely_phase_margin_degrees(flows, 10e9, weight_slope=slope)
    assert (growth_of_timely(flows, slope) < 1) == (margin > 0)


def test_convergence_of_dcqcn_is_that_of_the_recursion() -> None:
    """Cycle after cycle from alpha = 1, as section 3.4 writes it, for four flows at 10 Gbit/s."""
    flows, link, increase, interval, gain = 4, 10e9, 40e6, 55e-6, 1 / 16
    to_mark = (-1 + math.sqrt(1 + 8 * 1.6e6 / (flows * increase * interval))) / 2
    alpha, cycle = 1.0, 0.0
    for _ in range(10_000):
        cycle = 2 + (to_mark / 2 + link / (2 * flows * increase)) * alpha
        alpha = (1 - gain) ** (cycle - 1) * ((1 - gain) * alpha + gain)
    cycles = math.log(0.1 / flows) / math.log(1 - alpha / 2)
    found = dcqcn_convergence_seconds(flows, link, gain=gain)
    assert found == pytest.approx(cycles * cycle * interval)
    # Flows that may differ by twice their share, which is C for two, have converged at once.
    assert dcqcn_convergence_seconds(2, link, difference=2) == 0
    with pytest.raises(AssumptionError, match="alpha_exponent"):
        dcqcn_convergence_seconds(2, link, alpha_exponent=1)


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
    with pytest.raises(AssumptionError, match="exceeds p_max"):
        dcqcn_mark_probability(15, 40e9)
