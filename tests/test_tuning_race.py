"""Objectives in their order, races over seeds, and searches that go on where they stopped."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import pytest
from cellrate import _core
from cellrate.advice.tuning.laboratory import AS_IT_IS, Setting
from cellrate.advice.tuning.measures import CRITERIA
from cellrate.advice.tuning.objective import Means, Objective, default
from cellrate.advice.tuning.options import TuneOptions
from cellrate.advice.tuning.other_runs import OTHER_STARTS
from cellrate.advice.tuning.race import affordable, cost, rungs, survivors
from cellrate.advice.tuning.search import BATCH
from cellrate.advice.tuning.tune import tune
from cellrate.simulation.runner import Job, default_store, run_many
from conftest import SCENARIOS
from hypothesis import given
from hypothesis import strategies as st

EFCI = (SCENARIOS / "efci.toml").read_text(encoding="utf-8")


def means(**values: float | None) -> Means:
    return {one.name: values.get(one.name.replace("-", "_")) for one in CRITERIA}


def test_the_next_criterion_decides_within_the_tolerance() -> None:
    objective = Objective.named("loss,utilisation=0.01,queue")
    full = means(loss=0.0, utilisation=0.99, queue=900.0)
    less = means(loss=0.0, utilisation=0.985, queue=400.0)
    idle = means(loss=0.0, utilisation=0.97, queue=10.0)
    lossy = means(loss=1e-6, utilisation=1.0, queue=1.0)
    order = objective.ranked([lossy, idle, full, less])
    assert order == [3, 2, 1, 0]
    short = objective.shortfall(idle, less)
    assert short is not None
    assert (short.criterion.name, short.value, short.best) == ("utilisation", 0.97, 0.985)
    assert objective.shortfall(lossy, less) is not None
    assert objective.shortfall(less, less) is None


@pytest.mark.parametrize("kinds", [["greedy"], ["transfer"], ["greedy", "transfer"]])
def test_a_line_that_is_almost_full_is_better_than_a_standing_queue(kinds: list[str]) -> None:
    """The queue's delay is worth a hundredth of the throughput, but not a twentieth."""
    objective = Objective.named(default(kinds))
    files = {"unfinished": 0.0, "completion": 1.0}
    full = means(loss=0.0, utilisation=1.0, queue=33_616.0, fairness=1.0, **files)
    almost = means(loss=0.0, utilisation=0.99, queue=6.9, fairness=1.0, **files)
    idle = means(loss=0.0, utilisation=0.95, queue=0.5, fairness=1.0, **files)
    assert objective.ranked([full, idle, almost]) == [2, 0, 1]


def test_what_was_not_measured_is_behind_what_was() -> None:
    objective = Objective.named("fairness,queue")
    known, unknown = means(fairness=0.2, queue=9.0), means(fairness=None, queue=1.0)
    assert objective.ranked([unknown, known]) == [1, 0]
    assert objective.ranked([unknown, {**unknown, "queue": 0.5}]) == [1, 0]


@given(st.permutations(range(6)), st.lists(st.floats(0, 1), min_size=12, max_size=12))
def test_the_order_of_asking_does_not_matter(order: Sequence[int], values: list[float]) -> None:
    objective = Objective.named("utilisation=0.3,queue=0.3")
    pairs = zip(values[:6], values[6:], strict=True)
    settings = [means(utilisation=one, queue=two) for one, two in pairs]
    shuffled = [settings[at] for at in order]
    expected = [settings[at] for at in objective.ranked(settings)]
    assert [shuffled[at] for at in objective.ranked(shuffled)] == expected


def test_what_a_race_costs() -> None:
    assert rungs(5) == (1, 3, 5)
    # 12 with one seed, 4 of them with two more, 2 of these with another two; a guest with 5
    assert cost(12, 1, 5) == 12 + 4 * 2 + 2 * 2 + 5
    assert cost(7, 0, 1) == 7
    assert [survivors(n) for n in (1, 2, 3, 6, 7, 30)] == [1, 2, 2, 2, 3, 10]


@given(st.integers(0, 200), st.integers(0, 3), st.integers(1, 20))
def test_what_is_affordable_is_the_most_that_is(budget: int, references: int, seeds: int) -> None:
    most = affordable(budget, references, seeds)
    assert cost(most + 1, references, seeds) > budget
    assert most == 0 or cost(most, references, seeds) <= budget


def test_an_interrupted_search_goes_on_where_it_stopped(tmp_path: Path) -> None:
    store = default_store(tmp_path)
    base = Job(EFCI, "efci.toml", ("run.duration=20 ms",))
    options = TuneOptions(vary=("abr.icr=1..100 Mbit/s",), seeds=1, budget=13)
    batches: list[int] = []

    def run(jobs: Sequence[Job], *, patience: int) -> Sequence[_core.Outcome]:
        if len(batches) == patience:
            raise KeyboardInterrupt
        batches.append(sum(job.seed == 1 for job in jobs))  # the check has other seeds
        return run_many(jobs, store=store)

    def known(job: Job) -> bool:
        return store.contains(job.key())

    with pytest.raises(KeyboardInterrupt):
        tune(base, options, functools.partial(run, patience=1), known)
    done = sum(batches)
    assert 0 < done < 13
    report = tune(base, options, functools.partial(run, patience=99), known)
    assert (report.known, report.simulated) == (done, 13 - done)
    assert max(batches) <= BATCH + 1
    more = tune(
        base,
        TuneOptions(options.vary, seeds=1, budget=19),
        functools.partial(run, patience=99),
        known,
    )
    assert more.known >= done


def test_two_names_of_one_scenario_are_one_setting(tmp_path: Path) -> None:
    store = default_store(tmp_path)
    base = Job(EFCI, "efci.toml", ("run.duration=20 ms", "abr.nrm=8"))
    options = TuneOptions(vary=("abr.nrm=8,16",), include=("nrm=16",), seeds=1)
    report = tune(base, options, functools.partial(run_many, store=store), lambda _: False)
    assert {one.setting for one in report.ranked} == {AS_IT_IS, Setting((("abr.nrm", "16"),))}
    assert report.simulated == 2


def test_what_is_compared_with_takes_no_place_in_the_race() -> None:
    base = Job(EFCI, "efci.toml", ("run.duration=40 ms",))
    # 64 and, as it is, 32 are better than all that compete.
    options = TuneOptions(vary=("abr.nrm=4,8,16,32,64",), include=("nrm=64",), seeds=3)
    report = tune(base, options, run_many)
    seeds = {one.setting.label: len(one.runs) for one in report.ranked}
    assert [one.setting.label for one in report.ranked[:2]] == ["nrm 64", "as it is"]
    assert sorted(seeds.values()) == [1, 3, 3, 3, 3]
    assert report.simulated == cost(3, 2, 3) == 13


def test_measures_of_several_bottlenecks() -> None:
    ports = [
        {"utilisation": 0.5, "queues": [{"queue_mean_cells": 7.0, "queue_max_cells": 9}]},
        {
            "utilisation": 1.0,
            "queues": [
                {"queue_mean_cells": 2.0, "queue_max_cells": 4},
                {"queue_mean_cells": 1.0, "queue_max_cells": 30},
            ],
        },
    ]
    found = {one.name: one.of for one in CRITERIA}
    assert found["utilisation"]({"ports": ports}) == 0.75
    assert found["queue"]({"ports": ports}) == 7.0
    assert found["queue-max"]({"ports": ports}) == 30.0


def test_the_fullest_link_is_the_other_way_out() -> None:
    base = Job(EFCI, "efci.toml", ("run.duration=100 ms", "switch.buffer=520 cells"))
    report = tune(base, TuneOptions(seeds=1), run_many)
    most = report.most_throughput
    assert report.infeasible
    assert most is not None
    assert most.setting != report.chosen.setting
    used = [one.means["utilisation"] or 0.0 for one in report.ranked]
    lost = [one.means["loss"] or 0.0 for one in report.ranked]
    assert (most.means["utilisation"] or 0.0) >= max(used) - 0.001
    assert report.chosen.means["loss"] == min(lost)
    assert report.simulated <= report.budget


def test_seeds_that_change_nothing_are_not_run_again() -> None:
    """Persistent sources without jitter: two seeds show it, and the other three are left out."""
    short = "run.duration=60 ms", "measure.from=20 ms", "run.start_jitter=0 s"
    made: list[Job] = []

    def runner(jobs: Sequence[Job]) -> list[_core.Outcome]:
        made.extend(jobs)
        return run_many(jobs)

    options = TuneOptions(vary=("abr.rif=1/64,1/16",), seeds=5)
    answer = tune(Job(EFCI, "efci.toml", short), options, runner)
    others = set(OTHER_STARTS.overrides)
    assert {job.seed for job in made if not others & set(job.overrides)} == {1, 2}
    assert {len(one.runs) for one in answer.ranked} == {5}
    assert {run.seed for run in answer.ranked[0].runs} == {1, 2, 3, 4, 5}
    assert len({run.digest for run in answer.ranked[0].runs}) == 1
    # Equal runs prove nothing where something is drawn, such as losses that happen not to come.
    for drawn in ("run.start_jitter=5 ms", "link_errors.cell_loss_ratio=1e-12"):
        made.clear()
        answer = tune(Job(EFCI, "efci.toml", (*short, drawn)), options, runner)
        fresh = answer.fresh.seeds if answer.fresh else ()
        assert bool(fresh) == ("jitter" in drawn)
        assert {job.seed for job in made} == {1, 2, 3, 4, 5, *fresh}
