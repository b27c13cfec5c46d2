"""The picture of `cellrate size-buffer`: its detail, its levels, and why a queue stays high."""

from __future__ import annotations

import cellrate
import numpy as np
import pytest
from cellrate.advice.sizing import Answer
from cellrate.advice.sizing.figure import queue_figure, round_the_maximum
from cellrate.simulation.series import Series

SCENARIO = """
[run]
duration = "300 ms"
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "100 km"
egress = "1 km"
[tcp]
window = "64 KiB"
[[flow]]
name = "tcp"
count = 4
service = "SERVICE"
"""


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


def said(scheme: str, service: str) -> tuple[Answer, str, list[str]]:
    """The answer for a control, the title of its picture, and the texts in its first panel."""
    settings = [f'switch.control={{scheme="{scheme}"}}']
    answer = cellrate.size_buffer(SCENARIO.replace("SERVICE", service), overrides=settings, seeds=2)
    assert isinstance(answer, Answer)
    assert answer.queue is not None
    figure = queue_figure(answer, answer.queue)
    return answer, figure.get_suptitle(), [one.get_text() for one in figure.axes[0].texts]


def test_a_queue_that_the_windows_bound_says_so() -> None:
    answer, title, texts = said("none", "ubr")
    assert title.endswith(f"no control: queue of A->B; {answer.buffer_cells:,} cells lose nothing")
    # 4 windows of 65,536 bytes: 128 segments of 512 bytes each, 12 cells a segment.
    [note] = [one for one in texts if one.startswith("bound by the windows")]
    assert "of the 6,144 cells" in note
    assert f"measured {answer.buffer_cells:,}" in texts
    assert "window-sum 6,144" in texts


def test_an_oscillating_queue_has_no_plateau_and_whole_cells() -> None:
    answer, title, texts = said("efci", "abr")
    assert "EFCI: queue of A->B" in title
    assert not any("bound by the windows" in one for one in texts)
    assert answer.buffer_cells is not None
    assert f"measured {answer.buffer_cells:,}" in texts
    assert not any("." in one for one in texts)
