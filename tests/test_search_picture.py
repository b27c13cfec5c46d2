"""The picture of a search: its order, its front, and which parameter decides."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from cellrate import _core
from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.figure import front, search_picture
from cellrate.advice.tuning.laboratory import AS_IT_IS, Laboratory, Setting
from cellrate.advice.tuning.measures import CRITERIA, Measures
from cellrate.advice.tuning.objective import Objective
from cellrate.advice.tuning.race import ranking
from cellrate.advice.tuning.search_history import deciding, importance, in_order, values_of
from cellrate.simulation.runner import Job

JOB = Job("", "some.toml")
OBJECTIVE = Objective.named("loss,utilisation,queue")
GAIN, INTERVAL = "switch.control.gain", "switch.control.interval"


def nothing_runs(_: Sequence[Job]) -> Sequence[_core.Outcome]:
    pytest.fail("everything is measured")


def tuned(points: dict[Setting, tuple[float, float]]) -> Answer:
    """A tuning in which settings had these utilisations and mean queues, in this order."""
    empty = dict.fromkeys(one.name for one in CRITERIA)
    laboratory = Laboratory(JOB, (1,), frozenset(), nothing_runs, lambda _: True)
    laboratory.trials = {
        setting: (Measures(1, {**empty, "loss": 0.0, "utilisation": used, "queue": queue}),)
        for setting, (used, queue) in points.items()
    }
    ranked, order = tuple(ranking(laboratory, OBJECTIVE)), tuple(laboratory.trials)
    return Answer(JOB, OBJECTIVE, (1,), "search", None, None, (), (), 99, ranked, order)


def setting(gain: float, interval: float) -> Setting:
    return Setting(((GAIN, repr(gain)), (INTERVAL, repr(interval))))


def test_the_parameter_that_decides_is_the_important_one() -> None:
    """The utilisation depends on the gain alone; the interval takes every value with each gain."""
    points = {
        setting(gain / 10, float(interval)): (1 - (gain / 10 - 0.3) ** 2, 10.0)
        for interval in range(1, 6)
        for gain in range(1, 9)
    }
    shares = importance(tuned(points))
    assert shares[GAIN] > 0.9
    assert sum(shares.values()) == pytest.approx(1.0)
    assert importance(tuned(dict(list(points.items())[:9]))) == {}  # nine settings are too few


def test_the_front_by_hand() -> None:
    [_, used, queue] = OBJECTIVE.criteria
    points = [(5.0, 0.9), (9.0, 0.95), (9.0, 0.93), (4.0, 0.7), (6.0, 0.9)]
    assert front(points, queue, used) == [(4.0, 0.7), (5.0, 0.9), (9.0, 0.95)]


def test_the_picture_shows_history_front_and_slices() -> None:
    points = {
        AS_IT_IS: (0.80, 1.0),
        setting(0.5, 3.0): (0.99, 50.0),
        setting(0.25, 2.0): (0.99, 20.0),
        setting(0.125, 1.0): (0.90, 5.0),
    }
    answer = tuned(points)
    assert [one.setting for one in in_order(answer)] == list(points)
    assert [one.name for one in deciding(answer)] == ["utilisation", "queue"]
    [gain, _] = values_of(answer)
    assert gain.numbers == (0.5, 0.25, 0.125)
    figure = search_picture(answer)
    assert figure is not None
    history, between, slice_of_gain, slice_of_interval = figure.axes
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["history", "front of utilisation and queue", "slice: gain", "slice: interval"]
    assert figure.get_suptitle() == "some.toml, tuned: 4 settings by utilisation"
    # The best so far: as it is, then the second, then the third, which has a shorter queue.
    [_, best] = history.get_lines()
    assert list(map(float, best.get_ydata())) == [0.8, 0.99, 0.99, 0.99]  # type: ignore[arg-type]
    assert answer.chosen.setting == setting(0.25, 2.0)
    assert [one.get_text() for one in slice_of_gain.get_xticklabels()] == ["1/8", "1/4", "1/2"]
    assert len(between.get_lines()) == 3
    assert slice_of_interval.get_xlabel() == INTERVAL


def test_settings_that_do_not_differ_have_no_picture() -> None:
    points = {AS_IT_IS: (1.0, 5.0), setting(0.5, 3.0): (1.0, 5.0)}
    assert search_picture(tuned(points)) is None
