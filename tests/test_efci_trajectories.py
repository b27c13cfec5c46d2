"""Trajectories of the fluid model against its equations, integrated; groups of sources."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.efci import (
    EfciLoop,
    integrate,
    limit_cycle,
    maximum_queue_bound_cells,
    periodic_trajectory,
    trajectory,
)
from cellrate.theory.efci.integration import History

# Both, Q_L = Q_H and below, with and without an empty queue, which may be shorter than tau.
BASE = EfciLoop(10, 353_200.0, 2e-3, 2898.0, rif=1 / 64, rdf=1 / 16)
TEN = {"rif": 1 / 256, "rdf": 1 / 2, "high_cells": 96.0, "low_cells": 96.0}
LOOPS: dict[str, dict[str, Any]] = {
    "default": {},
    "tuned": {"rif": 1 / 128, "rdf": 1 / 2},
    "per-cell": {"rif": 1 / 128, "rdf": 1 / 2, "decrease": "per-cell"},
    "hysteresis": {"low_cells": 1000.0},
    "low thresholds": TEN,
    "briefly empty": {"rdf": 1 / 4, "high_cells": 700.0, "low_cells": 700.0},
    "empties while it falls": {"rdf": 1 / 8, "high_cells": 300.0, "low_cells": 20.0},
    "fast": {"rif": 1 / 16, "high_cells": 50.0, "low_cells": 40.0, "rdf": 1 / 8},
}


@pytest.mark.parametrize("name", LOOPS)
def test_limit_cycle_trajectory_and_integration_agree(name: str) -> None:
    loop = BASE.with_(**LOOPS[name])
    cycle, integrated = limit_cycle(loop), integrate(loop, cycles=8)
    assert (cycle.utilisation < 1) == (
        name in {"hysteresis", "low thresholds", "briefly empty", "empties while it falls", "fast"}
    )
    for found in (periodic_trajectory(loop), trajectory(loop, cycles=15)):
        assert found.maximum_queue_cells == pytest.approx(cycle.maximum_queue_cells, rel=1e-5)
        assert found.minimum_queue_cells == pytest.approx(cycle.minimum_queue_cells, abs=0.05)
        assert found.period_seconds == pytest.approx(cycle.period_seconds, rel=1e-5)
        assert found.utilisation == pytest.approx(cycle.utilisation, rel=1e-6)
    assert integrated.maximum_queue_cells == pytest.approx(cycle.maximum_queue_cells, rel=1e-5)
    assert integrated.minimum_queue_cells == pytest.approx(cycle.minimum_queue_cells, abs=0.05)
    assert integrated.period_seconds == pytest.approx(cycle.period_seconds, rel=1e-5)
    assert integrated.utilisation == pytest.approx(cycle.utilisation, rel=1e-6)


@pytest.mark.parametrize(
    ("changes", "within"),
    [
        (TEN, 1e-4),
        ({**TEN, "rif": 1 / 64}, 2e-3),
        ({"rdf": 1 / 4, "high_cells": 700.0, "low_cells": 700.0}, 1e-4),
        # The queue is empty for less than a round trip.
        ({"rdf": 1 / 8, "high_cells": 1000.0, "low_cells": 1000.0}, 2e-3),
    ],
)
def test_delayed_growth_is_the_slowest_mode_of_the_delayed_equation(
    changes: dict[str, Any], within: float
) -> None:
    loop = BASE.with_(**changes, growth="delayed")
    exact = integrate(loop, cycles=5)
    assert exact.utilisation < 1
    for found in (limit_cycle(loop), periodic_trajectory(loop), trajectory(loop, cycles=10)):
        assert found.maximum_queue_cells == pytest.approx(exact.maximum_queue_cells, rel=within)
        assert found.period_seconds == pytest.approx(exact.period_seconds, rel=within)
        assert found.utilisation == pytest.approx(exact.utilisation, rel=within)
    at_once = limit_cycle(loop.with_(growth="immediate"))
    assert at_once.period_seconds != pytest.approx(exact.period_seconds, rel=5 * within)


@pytest.mark.parametrize(("rif", "rdf", "within"), [(1 / 8, 1 / 4, 8e-3), (1 / 16, 1 / 16, 0.015)])
def test_a_queue_empty_for_less_than_a_round_trip_repeats_itself(
    rif: float, rdf: float, within: float
) -> None:
    loop = BASE.with_(rif=rif, rdf=rdf, high_cells=700.0, low_cells=700.0, growth="delayed")
    cycle, exact = limit_cycle(loop), integrate(loop, cycles=5)
    assert 0 < cycle.phase_3_seconds < 0.7 * float(loop.tau)
    for found in (periodic_trajectory(loop), trajectory(loop, cycles=30)):
        assert found.maximum_queue_cells == pytest.approx(cycle.maximum_queue_cells, rel=1e-8)
        assert found.period_seconds == pytest.approx(cycle.period_seconds, rel=1e-8)
        assert found.utilisation == pytest.approx(cycle.utilisation, rel=1e-8)
    # The slowest mode alone is not all of growth that lasts so briefly.
    assert cycle.maximum_queue_cells == pytest.approx(exact.maximum_queue_cells, rel=within)
    assert cycle.period_seconds == pytest.approx(exact.period_seconds, rel=within)
    assert cycle.utilisation == pytest.approx(exact.utilisation, rel=1e-4)


@pytest.mark.parametrize("name", LOOPS)
def test_from_an_empty_queue_the_integration_reaches_the_corrected_maximum(name: str) -> None:
    loop = BASE.with_(**LOOPS[name], growth="delayed")
    first = integrate(loop, cycles=1)  # from equations (3) and (4)
    bound = maximum_queue_bound_cells(loop)
    assert first.queue_cells.max() == pytest.approx(bound, rel=1e-3)
    assert first.maximum_queue_cells == pytest.approx(bound, rel=1e-6)


def test_growth_at_once_breaks_the_bound_and_delayed_growth_does_not() -> None:
    steep = BASE.with_(rif=1 / 16, rdf=1 / 2, high_cells=20.0, low_cells=20.0)
    bound = maximum_queue_bound_cells(steep)
    assert trajectory(steep, cycles=1).maximum_queue_cells == pytest.approx(bound)
    assert limit_cycle(steep).maximum_queue_cells > 1.2 * bound
    assert limit_cycle(steep.with_(growth="delayed")).maximum_queue_cells < bound
    assert integrate(steep.with_(growth="delayed"), cycles=4).maximum_queue_cells < bound


def test_points_of_the_trajectory_obey_the_equations() -> None:
    found = trajectory(BASE, cycles=3, start_acr_cells_per_second=353_200 / 20 / 10, points=2000)
    total = found.acr_cells_per_second * 10
    for name, times, values, slopes in (
        ("queue", found.time_seconds, found.queue_cells, total - 353_200),
        (
            "acr",
            found.time_seconds,
            total,
            np.select(
                [found.phase == 1, found.phase == 3],
                [-float(BASE.kappa) * total, float(BASE.air) * total],
                float(BASE.air) * 353_200,
            ),
        ),
    ):
        steps = np.diff(times)
        inside = (steps > 0) & (np.diff(found.phase) == 0)
        if name == "queue":
            inside &= (found.queue_cells[1:] > 0) & (found.queue_cells[:-1] > 0)
        means = (slopes[1:] + slopes[:-1]) / 2
        difference = np.diff(values)[inside] - (means * steps)[inside]
        assert np.abs(difference).max() < 1e-5 * np.ptp(values), name
    assert set(found.phase.tolist()) == {1, 2, 3, 4}
    assert found.phase[0] == 3


def test_one_trajectory_is_of_one_loop_whose_acr_nothing_clips() -> None:
    with pytest.raises(ValueError, match="needs a single loop"):
        trajectory(BASE.with_(sources=[10, 20]))
    with pytest.raises(AssumptionError, match="ACR stays below PCR"):
        trajectory(BASE.with_(sources=2))
    with pytest.raises(AssumptionError, match="below high_cells"):
        trajectory(BASE, start_queue_cells=3000.0)


def test_cells_leave_with_the_shares_of_when_they_came() -> None:
    past = History(np.array([0.5, 0.5]), empty=False, keep_seconds=10.0)
    first = np.array([0.2, 0.8, 0.8])
    times = np.array([1.0, 2.0, 3.0])
    past.add(times, np.array([first, 1 - first]), times, np.array([1.0, 1.0, 1.5]))
    # 1.5 s of BW have left, half way between what came with shares of 0.2 and of 0.8.
    assert past.leaving(0, 3.0) == pytest.approx(0.5)
    past.add(np.array([4.0]), np.array([[0.8], [0.2]]), np.array([4.0]), np.array([2.25]))
    assert past.leaving(0, 4.0) == pytest.approx(0.65)
    assert past.leaving(1, 4.0) == pytest.approx(0.35)


def test_as_long_as_nothing_has_left_nothing_is_forgotten() -> None:
    past = History(np.array([0.5, 0.5]), empty=False, keep_seconds=10.0)
    first, times = np.array([0.2, 0.8]), np.array([1.0, 2.0])
    past.add(times, np.array([first, 1 - first]), times, times)
    past.add(np.array([3.0]), np.array([[0.8], [0.2]]), np.array([3.0]), np.array([1.5]))
    assert past.leaving(0, 3.0) == pytest.approx(0.5)


@pytest.mark.parametrize("changes", [{"rdf": 1 / 4}, {**TEN, "growth": "delayed"}])
def test_groups_with_equal_delays_are_one_group(changes: dict[str, Any]) -> None:
    one = BASE.with_(**changes)
    whole = integrate(one, cycles=3)
    parts = integrate([one.with_(sources=4), one.with_(sources=6)], cycles=3)
    assert parts.maximum_queue_cells == pytest.approx(whole.maximum_queue_cells, rel=1e-6)
    assert parts.minimum_queue_cells == pytest.approx(whole.minimum_queue_cells, abs=1e-3)
    assert parts.period_seconds == pytest.approx(whole.period_seconds, rel=1e-5)
    assert parts.utilisation == pytest.approx(whole.utilisation, rel=1e-5)
    each = float(whole.throughput_cells_per_second[0])
    assert parts.throughput_cells_per_second == pytest.approx([each, each], rel=1e-5)


def test_groups_with_unequal_starts_become_alike() -> None:
    one = BASE.with_(rdf=1 / 4)
    found = integrate([one.with_(sources=4), one.with_(sources=6)], 15, start_shares=[0.9, 0.1])
    early = found.acr_cells_per_second[:, 0]
    assert early[0] > 10 * early[1]
    throughput = found.throughput_cells_per_second
    assert throughput == pytest.approx(np.full(2, 35_320.0), rel=1e-4)


def test_unequal_delays_share_unequally() -> None:
    near, far = (BASE.with_(sources=5, rdf=1 / 4, round_trip_seconds=x) for x in (1e-3, 3e-3))
    found = integrate([near, far], cycles=3)
    equal = integrate(BASE.with_(rdf=1 / 4), cycles=6)
    shares = found.throughput_cells_per_second
    assert 5 * shares.sum() == pytest.approx(353_200 * found.utilisation, rel=1e-5)
    assert shares[1] > 1.2 * shares[0]
    assert found.maximum_queue_cells > 1.01 * equal.maximum_queue_cells
    with pytest.raises(AssumptionError, match="which share a queue"):
        integrate([near, far.with_(high_cells=3000.0)])
