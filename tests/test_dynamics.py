"""Settling times and oscillations of signals whose answer is known."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from cellrate.simulation.dynamics import Sampled, oscillation, settling_time
from cellrate.theory.efci import EfciLoop, limit_cycle, trajectory

Floats = npt.NDArray[np.float64]
TIMES = np.linspace(0.0, 1.0, 5001)


def sampled(values: Floats, times: Floats = TIMES) -> Sampled:
    return Sampled(times, values, values)


def thinned(trace: Sampled, stride: int) -> Sampled:
    """As a trace is kept that has grown too long."""
    groups = [slice(i, i + stride) for i in range(0, len(trace.times), stride)]
    return Sampled(
        trace.times[::stride],
        np.array([trace.low[group].min() for group in groups]),
        np.array([trace.high[group].max() for group in groups]),
    )


def test_an_exponential_settles_when_its_rest_is_the_tolerance() -> None:
    # 1 - exp(-t / 0.05) is within 5 % of 1 from 0.05 ln 20 = 149.8 ms on.
    rising = sampled(100 * (1 - np.exp(-TIMES / 0.05)))
    assert settling_time(rising) == pytest.approx(0.05 * math.log(20), abs=2e-4)
    assert settling_time(rising, 0.02) == pytest.approx(0.05 * math.log(50), abs=2e-4)
    # Seen from 40 ms on, and the same as far from zero below.
    assert settling_time(rising, start=0.04) == pytest.approx(0.05 * math.log(20) - 0.04, abs=2e-4)
    assert settling_time(sampled(-rising.low)) == settling_time(rising)


def test_a_ringing_settles_with_its_last_excursion() -> None:
    # 1 + exp(-t/0.1) cos(2 pi 10 t): peaks at multiples of 50 ms, of 5 % or more until 250 ms
    # (e^-2.5 = 8.2 %; e^-3 = 4.98 %), and leaves the band of the last one before 300 ms.
    ringing = sampled(1 + np.exp(-TIMES / 0.1) * np.cos(20 * np.pi * TIMES))
    found = settling_time(ringing)
    last = [t for t in TIMES if abs(np.exp(-t / 0.1) * np.cos(20 * np.pi * t)) > 0.05][-1]
    assert 0.25 < last < 0.3
    assert found == pytest.approx(last, abs=4e-4)
    assert settling_time(thinned(ringing, 8)) == pytest.approx(last, abs=3e-3)


def test_what_never_settles_takes_for_ever_and_what_is_settled_no_time() -> None:
    assert settling_time(sampled(1 + 0.1 * np.sin(200 * TIMES))) == math.inf
    assert settling_time(sampled(1 + 0.1 * np.sin(200 * TIMES)), tolerance=0.11) == 0.0
    assert settling_time(sampled(np.full_like(TIMES, 7.0))) == 0.0
    # A band around zero is zero.
    assert settling_time(sampled(TIMES - 0.9)) == math.inf


@pytest.mark.parametrize("bad", [{"tolerance": 0.0}, {"final": 0.0}, {"final": 1.5}, {"start": 2}])
def test_settling_of_nothing_or_within_nothing_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"tolerance|fewer than two"):
        settling_time(sampled(TIMES), **bad)


def triangle(phase: Floats) -> Floats:
    values: Floats = 2 * np.abs(2 * (phase % 1) - 1) - 1
    return values


SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "sine": lambda phase: np.sin(2 * np.pi * phase),
    "triangle": triangle,
    "square": lambda phase: np.where(phase % 1 < 0.5, 1.0, -1.0),
    "saw": lambda phase: 2 * (phase % 1) - 1,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("period", [0.0137, 0.03, 0.11])
def test_cycles_of_known_waves(shape: str, period: float) -> None:
    wave = sampled(300 + 40 * SHAPES[shape](TIMES / period + 0.3))
    for trace in (wave, thinned(wave, 4)):
        found = oscillation(trace)
        # The first may not be whole, nor the last; and before the first the trace has to be low.
        assert 0 <= int(1 / period) - found.cycles <= 2
        # Each end is known to one sample.
        width = trace.times[1] - trace.times[0]
        assert found.period == pytest.approx(period, abs=2 * width / found.cycles)
        assert found.amplitude == pytest.approx(40, rel=0.05)
        assert found.swing == 2 * found.amplitude


def test_ripples_and_outliers_make_no_cycles() -> None:
    noise = np.random.default_rng(5).normal(0.0, 4.0, len(TIMES))
    wave = 300 + 40 * np.sin(2 * np.pi * TIMES / 0.05) + noise
    wave[1234] = 5000.0
    found = oscillation(sampled(wave))
    assert found.cycles in {18, 19}
    assert found.period == pytest.approx(0.05, rel=0.01)
    # Without the transient: it dwarfs what follows, and hides it.
    transient = np.where(TIMES < 0.3, 4000.0, wave)
    assert oscillation(sampled(transient)).cycles == 0
    assert oscillation(sampled(transient), start=0.35).period == pytest.approx(0.05, rel=0.01)


def test_what_does_not_come_back_has_no_period() -> None:
    for still in (np.full_like(TIMES, 7.0), TIMES, -TIMES, np.where(TIMES > 0.5, 1.0, 0.0)):
        found = oscillation(sampled(np.asarray(still, dtype=np.float64)))
        assert found.cycles == 0
        with pytest.raises(ValueError, match="no whole cycle"):
            _ = found.period
        with pytest.raises(ValueError, match="no whole cycle"):
            _ = found.amplitude


def test_a_trace_whose_points_hold_whole_swings_is_refused() -> None:
    wave = thinned(sampled(np.sin(2 * np.pi * TIMES / 0.01)), 60)
    with pytest.raises(ValueError, match="set more trace_points"):
        oscillation(wave)
    with pytest.raises(ValueError, match="hysteresis"):
        oscillation(wave, hysteresis=0.5)


@pytest.mark.parametrize("changes", [{}, {"rif": 1 / 128, "rdf": 1 / 2}, {"low_cells": 1000.0}])
def test_the_limit_cycle_of_the_fluid_model(changes: dict[str, float]) -> None:
    loop = EfciLoop(10, 353_200.0, 2e-3, 2898.0, rif=1 / 64, rdf=1 / 16).with_(**changes)
    cycle, walked = limit_cycle(loop), trajectory(loop, cycles=18)
    times = np.arange(walked.time_seconds[0], walked.time_seconds[-1], 1e-4)
    queue = sampled(np.interp(times, walked.time_seconds, walked.queue_cells), times)
    found = oscillation(queue, start=6 * float(cycle.period_seconds))
    assert found.cycles >= 8
    assert found.period == pytest.approx(float(cycle.period_seconds), rel=1e-3)
    swing = float(cycle.maximum_queue_cells - cycle.minimum_queue_cells)
    assert found.swing == pytest.approx(swing, rel=0.01)
