"""Report on settings that fell: over the same seeds, and whether it may be chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from cellrate import _core
from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.laboratory import AS_IT_IS, Laboratory, Setting
from cellrate.advice.tuning.measures import CRITERIA, Measures
from cellrate.advice.tuning.objective import Objective
from cellrate.advice.tuning.race import ranking
from cellrate.advice.tuning.report import headline
from cellrate.simulation.runner import Job

JOB = Job("", "none", ())
OBJECTIVE = Objective.named("loss=0,queue=0")


def nothing_runs(_: Sequence[Job]) -> Sequence[_core.Outcome]:
    pytest.fail("everything is measured")


def setting(name: str) -> Setting:
    return Setting((("switch.control.interval", name),))


def report(*lossy: str, **queues: Sequence[float]) -> Answer:
    """A tuning in which each setting had these mean queues, seed by seed; some lost cells."""
    empty = dict.fromkeys(one.name for one in CRITERIA)
    laboratory = Laboratory(JOB, (1, 2, 3, 4), frozenset(), nothing_runs, lambda _: True)
    laboratory.trials = {
        setting(name): tuple(
            Measures(seed, {**empty, "queue": value, "loss": 0.1 * (name in lossy)})
            for seed, value in enumerate(values, 1)
        )
        for name, values in queues.items()
    }
    ranked, order = tuple(ranking(laboratory, OBJECTIVE)), tuple(laboratory.trials)
    return Answer(JOB, OBJECTIVE, (1, 2, 3, 4), "search", None, None, (), (), 99, ranked, order)


def test_settings_are_held_against_the_best_over_their_own_seeds() -> None:
    # The mean of the best is 40, but over the first seed it is 10.
    found = report(best=[10.0, 50.0, 50.0, 50.0], other=[50.0, 50.0, 50.0, 50.0], fell=[20.0])
    assert [one.setting for one in found.ranked] == [setting(n) for n in ("best", "other", "fell")]
    short = found.of(setting("fell")).shortfall
    assert short is not None
    assert (short.value, short.best) == (20.0, 10.0)


def test_whether_a_fall_after_one_seed_may_be_chance() -> None:
    # Differences 0, 2, 4, 6 and 3, 3: variance 20 / (3 + 1) = 5, t(4) = 2.776, half width 6.208
    best, other, third = [10.0] * 4, [10.0, 12.0, 14.0, 16.0], [13.0, 13.0]
    # Another lost cells, so that its queue is of another kind.
    wild = [0.0, 900.0, 0.0, 900.0]
    found = report("wild", best=best, other=other, third=third, wild=wild, near=[16.2], far=[16.3])
    assert found.chosen.setting == setting("best")
    chance = {one.setting: found.may_be_chance(one) for one in found.ranked}
    assert chance[setting("near")] is True
    assert chance[setting("far")] is False
    assert chance[setting("best")] is None
    # Seed by seed 3 +- 4.1, and 3 with no spread at all
    assert chance[setting("other")] is True
    assert chance[setting("third")] is False


def test_the_runner_up_had_every_seed() -> None:
    alone = report(best=[10.0] * 4, third=[13.0, 13.0], fell=[16.0])
    assert alone.runner_up is None
    found = report(best=[10.0] * 4, second=[11.0] * 4, third=[9.0, 9.0])
    assert found.runner_up is not None
    assert found.runner_up.setting == setting("second")


def test_warnings_of_the_best_runs_come_first() -> None:
    best = setting("best")
    found = report(best=[10.0] * 4, other=[20.0] * 4)
    chosen, other = found.ranked
    other = replace(other, setting=AS_IT_IS)
    warned = tuple(replace(run, warnings={"w": f"seed {run.seed}"}) for run in chosen.runs[1:])
    with_warnings = replace(chosen, runs=(chosen.runs[0], *warned))
    found = replace(found, ranked=(with_warnings, other))
    assert found.chosen.setting == best
    first, second, *_ = headline(found)
    assert first == "Warning of the best setting, in 3 of 4 runs: seed 2."
    assert second.startswith("Best: interval best")
    # Warnings of other settings are theirs.
    other = replace(other, runs=tuple(replace(run, warnings={"w": "x"}) for run in other.runs))
    assert headline(replace(found, ranked=(chosen, other)))[0] == second


def test_nothing_is_said_without_a_spread() -> None:
    found = report(best=[10.0], other=[11.0])
    assert found.may_be_chance(found.of(setting("other"))) is None
