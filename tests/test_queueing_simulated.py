"""The simulator against queueing formulas: Poisson, periodic and ON-OFF cells before one line.

Each comparison is of the mean of independent replications with its confidence interval by
Student's t. The intervals of a test are so wide that all of them hold in 99,995 of 100,000 sets of
seeds, and the seeds are fixed; they are also required to be so narrow that they tell something.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from cellrate import _core
from cellrate.runner import Job, run_many
from cellrate.series import series_of
from cellrate.theory import queueing
from scipy import stats

Floats = npt.NDArray[np.float64]
FALSE_ALARM = 5e-5

# The line sends a cell in 1 ms; access lines are so fast that they disturb no arrival process.
LINE = 1000.0
SCENARIO = """
[run]
duration = "{end} ms"
start_jitter = "{jitter} ms"
[measure]
from = "{begin} ms"
traces = ["queue"]
sample = "{sample} ms"
trace_points = 1000000
cell_delay = true
[topology]
template = "single-switch"
link_rate = "10000 Gbit/s"
bottleneck_rate = "1000 cells/s"
access = "1 us"
bottleneck = "1 us"
[[flow]]
name = "cells"
count = {sources}
service = "cbr"
source = {{ {source} }}
"""
PROPAGATION_SECONDS = 2e-6
CELL_SECONDS = 1e-3


def compare(what: str, found: Floats, expected: Floats, width: Floats) -> None:
    """Rows are replications, columns quantities."""
    count = len(found)
    z = stats.t.ppf(1 - FALSE_ALARM / 2 / found.shape[1], df=count - 1)
    half = z * found.std(axis=0, ddof=1) / math.sqrt(count)
    mean = found.mean(axis=0)
    report = f"{what}: {mean} +- {half}, expected {expected}"
    assert np.all(np.abs(mean - expected) <= half), report
    assert np.all(half <= width), report


def replications(
    count: int, observe: Callable[[_core.Outcome], Sequence[float]], **settings: float | str
) -> Floats:
    text = SCENARIO.format(**settings)
    outcomes = run_many([Job(text, "queueing.toml", (), seed) for seed in range(1, count + 1)])
    return np.array([observe(outcome) for outcome in outcomes])


def exceeding(outcome: _core.Outcome, begin: float, levels: Floats) -> Floats:
    """Share of the samples of the queue, cell in transmission included, above each level."""
    trace = next(s for s in series_of(outcome) if s.kind == "queue")
    lengths = trace.maximum[trace.time > begin]
    assert np.array_equal(lengths, trace.minimum[trace.time > begin])
    found: Floats = (lengths[:, None] > levels).mean(axis=0)
    return found


@pytest.mark.parametrize(("load", "depth"), [(0.3, 3), (0.6, 6), (0.9, 12)])
def test_poisson_cells_are_m_d_1(load: float, depth: int) -> None:
    levels = np.arange(float(depth))

    def observe(outcome: _core.Outcome) -> list[float]:
        summary = json.loads(outcome.summary())
        delays = [flow["cell_delay_mean_seconds"] for flow in summary["flows"]]
        wait = float(np.mean(delays)) - CELL_SECONDS - PROPAGATION_SECONDS
        (port,) = (port for port in summary["ports"] if port["queues"][0]["cells_arrived"])
        mean = port["queues"][0]["queue_mean_cells"]
        return [wait, mean, *exceeding(outcome, 3.0, levels)]

    rate = load * LINE
    found = replications(
        60,
        observe,
        begin=3000,
        end=40_000,
        sample=7.3,
        sources=4,
        source=f'kind = "poisson", rate = "{rate / 4} cells/s"',
        jitter=0,
    )
    wait = queueing.md1_mean_wait_seconds(rate, LINE)
    mean = queueing.md1_mean_queue_cells(rate, LINE)
    tails = np.asarray(queueing.md1_exceedance(rate, LINE, levels))
    expected = np.array([wait, mean, *tails])
    width = np.maximum(0.06 * expected, [5e-5, 0.03, *[0.015] * depth])
    compare(f"load {load}", found, expected, width)


@pytest.mark.parametrize(
    ("sources", "period_ms", "depth"), [(10, 12, 5), (45, 50, 8), (95, 100, 8)]
)
def test_periodic_cells_are_n_d_d_1(sources: int, period_ms: int, depth: int) -> None:
    levels = np.arange(float(depth))

    def observe(outcome: _core.Outcome) -> list[float]:
        summary = json.loads(outcome.summary())
        (port,) = (port for port in summary["ports"] if port["queues"][0]["cells_arrived"])
        mean = port["queues"][0]["queue_mean_cells"]
        return [mean, *exceeding(outcome, 2e-3 * period_ms, levels)]

    rate = LINE / period_ms
    # Phases are uniform over a period; after two periods every one is like the last.
    found = replications(
        800,
        observe,
        begin=2 * period_ms,
        end=4 * period_ms,
        sample=round(2 * period_ms / 97, 3),
        sources=sources,
        source=f'kind = "cbr", rate = "{rate} cells/s"',
        jitter=period_ms,
    )
    mean = queueing.periodic_mean_queue_cells(sources, rate, LINE)
    tails = np.asarray(queueing.periodic_exceedance(sources, rate, LINE, levels))
    expected = np.array([mean, *tails])
    compare(f"{sources} sources", found, expected, np.maximum(0.08 * expected, 0.03))
    # Poisson cells of the same load would queue up more than the intervals allow.
    poisson = np.asarray(queueing.md1_exceedance(sources * rate, LINE, levels))
    assert np.all(poisson[3:] > 1.2 * tails[3:])


SOURCES, BURST_CELLS = 5, 100.0


@pytest.mark.parametrize("together", [False, True], ids=["exponential-on-off", "mmdp"])
@pytest.mark.parametrize(("peak", "load"), [(400.0, 0.7), (1200.0, 0.4)])
def test_exponential_on_off_cells_are_a_markov_fluid(
    together: bool, peak: float, load: float
) -> None:
    """Five sources with flows of their own, or one flow of five: bursts of a hundred cells."""
    levels = BURST_CELLS * np.array([0.1, 0.3, 0.6, 1.0, 2.0])

    def observe(outcome: _core.Outcome) -> list[float]:
        summary = json.loads(outcome.summary())
        (port,) = (port for port in summary["ports"] if port["queues"][0]["cells_arrived"])
        mean = port["queues"][0]["queue_mean_cells"]
        return [port["utilisation"], mean, *exceeding(outcome, 10.0, levels)]

    burstiness = SOURCES * peak / (load * LINE)
    on = BURST_CELLS / peak
    off = on * (burstiness - 1)
    rate = f'peak = "{peak} cells/s", mean_on = "{on} s"'
    one = f'kind = "exponential-on-off", {rate}, mean_off = "{off} s"'
    all_of_them = f'kind = "mmdp", sources = {SOURCES}, {rate}, burstiness = {burstiness}'
    found = replications(
        48,
        observe,
        begin=10_000,
        end=600_000,
        sample=97,
        sources=1 if together else SOURCES,
        source=all_of_them if together else one,
        jitter=0,
    )
    sources = SOURCES, peak, on, off, LINE
    expected = np.array(
        [
            load,
            queueing.fluid_mean_queue_cells(*sources),
            *np.asarray(queueing.fluid_exceedance(*sources, levels)),
        ]
    )
    # Single cells add less than one to the queue.
    compare(f"{peak} cells/s", found, expected, np.maximum(0.15 * expected, 0.012))
