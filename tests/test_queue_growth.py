"""Queues that grow without end: recognised, named, and distinguished from those that do not."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from cellrate.advice.formulas.growth import growth_of
from cellrate.advice.sizing import Question, size_buffer
from cellrate.simulation.series import Series
from conftest import Command
from hypothesis import given
from hypothesis import strategies as some
from sizing_questions import BACKGROUND, ask, links, runner


def queue(shape: Callable[[np.ndarray], np.ndarray]) -> Series:
    time = np.linspace(0.0, 8.0, 801)
    noise = 40.0 * np.abs(np.sin(97.0 * time))
    values = shape(time) + noise
    return Series("queue", "A->B", "cells", time, values, values)


def test_only_what_grows_in_proportion_to_time_is_endless() -> None:
    ramp = growth_of(queue(lambda t: 1000.0 * t))
    assert ramp.endless
    assert ramp.per_second == pytest.approx(1000.0, rel=0.01)
    walk = growth_of(queue(lambda t: 1000.0 * np.sqrt(t)))
    assert (walk.suspect, walk.endless) == (True, False)
    steady = growth_of(queue(lambda t: 1000.0 + 0.0 * t))
    assert (steady.suspect, steady.endless) == (False, False)
    # It empties once a second: bursts that grow are no queue without end.
    emptied = growth_of(queue(lambda t: 1000.0 * t * (np.mod(t, 1.0) > 0.5)))
    assert not emptied.endless
    # Slow start, which has to end.
    assert not growth_of(queue(lambda t: 10.0 * 2.0**t)).endless

    # A queue that fills up and stays, as when windows bound it.
    def filled(cells: float) -> Series:
        return queue(lambda t: np.minimum(1000.0 * t, cells))

    assert not any(growth_of(filled(cells)).endless for cells in (3000.0, 5000.0, 6400.0))


@given(some.floats(0, 1e6), some.floats(50, 1e5))
def test_growth_does_not_depend_on_what_stood_before(standing: float, pace: float) -> None:
    ramp = growth_of(queue(lambda t: standing + pace * t))
    assert (ramp.suspect, ramp.endless) == (True, True)
    assert ramp.per_second == pytest.approx(pace, abs=5)
    # Neither a queue that comes to rest nor one that swings slowly is without an end.
    rests = growth_of(queue(lambda t: standing + pace * (1 - np.exp(-t / 2))))
    assert not rests.endless
    swings = growth_of(queue(lambda t: standing + pace * (1 + np.sin(1.3 * t))))
    assert not swings.endless


@pytest.mark.parametrize(
    ("period", "duty", "kilometres", "endless"),
    [
        (100, 0.95, 1000, False),
        (100, 0.8, 1000, False),
        (100, 0.7, 1000, False),
        (10, 0.95, 1000, False),
        (10, 0.8, 1000, True),
        (10, 0.7, 1000, True),
        (1, 0.95, 1000, False),
        (1, 0.8, 1000, False),
        (1, 0.7, 1000, False),
        # Table 8.8: a feedback delay of 1 and 5 ms instead of 10 ms.
        (10, 0.8, 100, False),
        (10, 0.8, 500, True),
        # Twice the delay has to be a period: 14 ms, and neither more nor less.
        (14, 0.8, 700, True),
        (12, 0.8, 700, False),
        (10, 0.8, 700, False),
    ],
)
def test_the_divergent_rows_of_tables_8_7_and_8_8(
    period: int, duty: float, kilometres: int, *, endless: bool
) -> None:
    answer = ask(
        BACKGROUND,
        *links(kilometres),
        "switch.control.target_utilisation=1.0",
        "switch.control.queue_control={}",
        f'flow.vbr.source.period="{period} ms"',
        f"flow.vbr.source.duty_cycle={duty}",
        'run.duration="1 s"',
        seeds=1,
    )
    assert (answer.endless is not None) == endless
    assert (answer.buffer_cells is None) == endless
    if answer.endless is not None:
        # 15 windows of 2048 segments of 12 cells are all data that can ever be outstanding; beside
        # each an RM cell for 31 data cells, and one at either end.
        assert answer.endless.bound == 15 * (2048 * 12 + 2048 * 12 // 31 + 2)
        assert answer.endless.per_second > 5000


def test_a_moment_tells_nothing_of_growth() -> None:
    moment = ask(BACKGROUND, 'run.duration="1 ps"', 'measure.from="0 s"', seeds=1)
    assert (moment.endless, moment.buffer_cells) == (None, 1)
    assert "too short to tell whether the queue grows" in " ".join(moment.remarks)


def test_sources_that_no_switch_controls_are_seen_to_grow() -> None:
    """ACR rises to PCR: 50 and 60 Mbit/s into 100, which only a run shows."""
    text = """
run = { duration = "200 ms" }
flow = [
  { name = "a", service = "abr", source = { kind = "persistent" }, abr = { pcr = "50 Mbit/s" } },
  { name = "b", service = "abr", source = { kind = "persistent" }, abr = { pcr = "60 Mbit/s" } },
]
[topology]
template = "n-source"
link_rate = "100 Mbit/s"
access = "1 km"
bottleneck = "1 km"
egress = "1 km"
"""
    answer = ask(text, seeds=1)
    assert answer.endless is not None
    assert answer.endless.seen is not None
    assert answer.endless.per_second == pytest.approx(10e6 / 424, rel=0.02)
    assert answer.endless.bound is None
    assert ask(text, "flow.b.abr.pcr=49 Mbit/s", seeds=1).endless is None


def test_what_must_grow_without_end_is_named_without_a_run(command: Command) -> None:
    text = """
run = { duration = "100000 s" }
[topology]
template = "single-switch"
link_rate = "100 Mbit/s"
access = "1 km"
bottleneck = "1 km"
[[flow]]
name = "cbr"
count = 3
service = "cbr"
source = { kind = "cbr", rate = "40 Mbit/s" }
"""
    done = command("size-buffer", "-", "--json", stdin=text)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    # 120 Mbit/s into 100 Mbit/s; of two sources nothing would be left over.
    assert found["grows_without_end"]["cells_per_second"] == pytest.approx(20e6 / 424)
    assert (found["grows_without_end"]["simulated"], found["buffer_cells"]) == (False, None)
    two = size_buffer(
        Question(text, "cbr.toml", ("flow.cbr.count=2", "run.duration=10 ms"), seeds=(1, 2, 3)),
        runner,
    )
    # Two periodic sources on links as fast as the bottleneck: a cell each at most, no randomness.
    assert (two.endless, two.buffer_cells, two.random) == (None, 2, False)
    assert two.covered_share is None
    assert len(two.unlimited) == 1
