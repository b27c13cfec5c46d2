"""Times at which `cellrate size-buffer` looks closer at the queue."""

from __future__ import annotations

import numpy as np
import pytest
from cellrate.advice.sizing.figure import round_the_maximum
from cellrate.simulation.series import Series


def queue(cells: list[float]) -> Series:
    """A queue that is looked at every 10 ms."""
    values = np.array(cells)
    return Series("queue", "A->B", "cells", np.arange(len(values)) / 100, values / 2, values)


def test_a_brief_maximum_is_looked_at_closely() -> None:
    cells = [0.0] * 1000
    cells[500:520] = [60.0] * 20
    cells[510] = 100.0
    # 499 and 520 are the first below one half; twice their distance, 42 points, to both sides
    assert round_the_maximum(queue(cells)) == pytest.approx((4.57, 5.62))


def test_a_spike_at_the_beginning_or_the_end_is_in_sight() -> None:
    assert round_the_maximum(queue([9.0] + [0.0] * 999)) == pytest.approx((0.0, 0.11))
    assert round_the_maximum(queue([0.0] * 999 + [9.0])) == pytest.approx((9.88, 9.99))


@pytest.mark.parametrize(
    "cells", [[], [7.0], [5.0] * 1000, [0.0] * 1000, list(range(1000)), [0.0, 9.0] * 5]
)
def test_what_the_whole_run_shows_is_not_shown_twice(cells: list[float]) -> None:
    assert round_the_maximum(queue(cells)) is None
