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
from cellrate.advice.tuning.report import _compromises, headline, shortfall_text
from cellrate.advice.tuning.report import report as document
from cellrate.common.document.terminal_text import lines
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


def digested(found: Answer, **digests: str) -> Answer:
    """The answer with these digests of each setting's runs."""
    named = {setting(name): digest for name, digest in digests.items()}
    ranked = [
        replace(
            one,
            runs=tuple(replace(run, digest=f"{named[one.setting]} {run.seed}") for run in one.runs),
        )
        for one in found.ranked
    ]
    return replace(found, ranked=tuple(ranked))


def test_settings_with_the_same_runs_are_said_once() -> None:
    queues = {"best": [10.0] * 4, "same": [10.0] * 4, "third": [30.0] * 4, "fell": [10.0]}
    found = digested(report(**queues), best="a", same="a", third="b", fell="a")
    assert found.runner_up is not None
    assert found.runner_up.setting == setting("third")
    texts = {one.setting: shortfall_text(found, one) for one in found.ranked}
    assert texts == {
        setting("best"): ("", ""),
        setting("same"): ("same runs", "the same runs as the best setting"),
        setting("third"): ("queue", "30, the best setting 10 cells"),
        setting("fell"): ("same runs", "the same runs as the best setting"),
    }
    [said] = [sentence for sentence in headline(as_usual(found)) if "same runs" in sentence]
    assert said == (
        "2 other settings give the same runs as the best one, so nothing depends on the parameters "
        "in which the settings differ."
    )
    unlike = digested(report(**queues), best="a", same="c", third="b", fell="d")
    assert not any("same runs" in sentence for sentence in headline(as_usual(unlike)))


def as_usual(found: Answer) -> Answer:
    """The answer with the scenario as it is in the place of the setting `third`."""
    ranked = [
        replace(one, setting=AS_IT_IS) if one.setting == setting("third") else one
        for one in found.ranked
    ]
    return replace(found, ranked=tuple(ranked))


def test_a_lower_rank_within_the_tolerances_of_the_best_has_a_reason() -> None:
    """0.97 is within 0.02 of the best setting's 0.98, but not of the fullest line."""
    objective = Objective.named("utilisation=0.02,queue")
    empty = dict.fromkeys(one.name for one in CRITERIA)
    laboratory = Laboratory(JOB, (1,), frozenset(), nothing_runs, lambda _: True)
    lines = {"best": (0.98, 9.0), "low": (0.97, 2.0), "full": (0.995, 50.0)}
    laboratory.trials = {
        setting(name): (Measures(1, {**empty, "utilisation": used, "queue": queue}),)
        for name, (used, queue) in lines.items()
    }
    ranked = tuple(ranking(laboratory, objective))
    assert [one.setting for one in ranked] == [setting(name) for name in ("best", "full", "low")]
    found = Answer(JOB, objective, (1,), "search", None, None, (), (), 9, ranked, ())
    low = found.of(setting("low"))
    assert low.shortfall is None
    assert shortfall_text(found, low) == (
        "utilisation",
        "0.97, the best of all settings 0.995",
    )
    near = replace(found.of(setting("full")), shortfall=None, dropped=None)
    assert shortfall_text(found, near) == ("nothing", "within all tolerances")
    # A setting that does not hold is no measure for the others.
    ranked = tuple(ranking(laboratory, objective, setting("low"), [setting("full")]))
    assert replace(found, ranked=ranked).of(setting("best")).dropped is None


def test_refused_settings_are_counted_with_the_first_reasons() -> None:
    found = report(best=[10.0] * 4, third=[30.0] * 4)
    refused = {setting(str(at)): f"reason {at % 5}" for at in range(9)}
    shown = lines(document(as_usual(replace(found, refused=refused))), 200)
    spoken = "\n".join(line.plain for line in shown)
    assert (
        "9 settings: reason 0; reason 1; reason 2; and others. The page and --json have all."
        in spoken
    )
    assert "reason 3" not in spoken


@pytest.mark.parametrize(
    ("dropped", "said"),
    [
        (37.2, "No other setting that was run has more throughput."),
        (37.32, "No other setting that was run has 0.1 % more throughput."),
        (
            38.0,
            "interval fell has 1.9 % more: throughput 38 instead of 37.3 Mbit/s, 1 seed.",
        ),
    ],
)
def test_most_throughput_counts_settings_with_fewer_seeds(dropped: float, said: str) -> None:
    empty = dict.fromkeys(one.name for one in CRITERIA)
    objective = Objective.named("loss,throughput=0.02")
    laboratory = Laboratory(JOB, (1, 2), frozenset(), nothing_runs, lambda _: True)
    rates = {"best": (37.3, 39.0), "other": (37.0, 38.9), "fell": (dropped,)}
    laboratory.trials = {
        setting(name): tuple(
            Measures(seed, {**empty, "loss": 0.0, "throughput": 1e6 * rate})
            for seed, rate in enumerate(values, 1)
        )
        for name, values in rates.items()
    }
    ranked = tuple(ranking(laboratory, objective))
    found = Answer(JOB, objective, (1, 2), "model", None, None, (), (), 9, ranked, ())
    assert _compromises(replace(found, most_throughput=found.chosen))[-1] == said
