"""The fluid model against the simulator, cell by cell."""

from __future__ import annotations

import numpy as np
import pytest
from cellrate.theory.efci import limit_cycle

from proof.measured.fluid_model.cases import Case, TwoGroups
from proof.measured.fluid_model.measured import (
    Measured,
    crossings,
    deviations,
    far_share,
    often,
    simulate,
)

# N Nrm / BW is at most tau: every source has an RM cell in each round trip, as the model assumes.
ASSUMED = [
    Case(5, 2e-3, 1 / 64, 1 / 4),
    Case(10, 2e-3, 1 / 128, 1 / 2, 2898, 2898),
    Case(10, 2e-3, 1 / 256, 1 / 16),
    Case(10, 2e-3, 1 / 256, 1 / 2, 97, 97),
    Case(10, 2e-3, 1 / 64, 1 / 16, 2000, 800),
    Case(5, 8e-3, 1 / 256, 1 / 2),
]
RARE = Case(30, 0.5e-3, 1 / 64, 1 / 4)
# After four cycles the integration is within 0.1 % of the twenty-fifth.
APART = TwoGroups(10, 1e-3, 1 / 256, 1 / 2, far_seconds=6e-3, integrated_cycles=4)
CYCLES = 24


@pytest.fixture(scope="module")
def measured() -> list[Measured]:
    return simulate([*ASSUMED, RARE], CYCLES)


@pytest.mark.parametrize("number", range(len(ASSUMED)))
def test_the_model_holds_where_its_assumptions_do(measured: list[Measured], number: int) -> None:
    case, found = ASSUMED[number], measured[number]
    assert often(case)
    assert found.cycles >= CYCLES / 2 - 3
    maximum, period, utilisation = deviations(case, found)
    assert abs(maximum) < 0.02
    assert abs(period) < 0.03
    assert abs(utilisation) < 0.01
    lowest = case.cycle.minimum_queue_cells
    assert found.minimum_queue_cells == pytest.approx(lowest, abs=0.03 * case.high_cells)


def test_what_is_ours_in_the_model_is_needed(measured: list[Measured]) -> None:
    low, far = measured[3], measured[5]
    continuous = limit_cycle(ASSUMED[3].loop.with_(decrease="continuous"))
    assert continuous.utilisation - low.utilisation > 0.05
    at_once = limit_cycle(ASSUMED[5].loop.with_(growth="immediate"))
    assert far.period_seconds > 1.1 * at_once.period_seconds


def test_rare_rm_cells_make_the_queue_overshoot(measured: list[Measured]) -> None:
    assert not often(RARE)
    mean, _, _ = deviations(RARE, measured[-1])
    assert abs(mean) < 0.1
    assert measured[-1].highest_queue_cells > 1.05 * RARE.cycle.maximum_queue_cells
    propagation = limit_cycle(RARE.propagation_loop).maximum_queue_cells
    assert measured[-1].maximum_queue_cells > 1.03 * propagation


def test_groups_with_unequal_delays_share_as_the_extension_says() -> None:
    [found] = simulate([APART], CYCLES)
    model = APART.integrated
    assert found.maximum_queue_cells == pytest.approx(model.maximum_queue_cells, rel=0.02)
    assert found.period_seconds == pytest.approx(model.period_seconds, rel=0.03)
    assert found.utilisation == pytest.approx(model.utilisation, abs=0.01)
    near, far = model.throughput_cells_per_second
    assert far / near > 3
    assert far_share(found) == pytest.approx(far / near, rel=0.15)


def test_crossings_need_a_fall_between_them() -> None:
    queue = np.array([0.0, 5, 4.4, 4.6, 1, 0, 7, 9])
    assert crossings(queue, 4.5).tolist() == [1, 6]
