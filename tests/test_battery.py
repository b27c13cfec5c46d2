"""The battery: experiments, measures, duels, standings, the shipped results, and the command."""

from __future__ import annotations

import json
import math
import random
import shlex
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import cellrate
import numpy as np
import polars as pl
import pytest
from cellrate import _core, battery
from cellrate.battery import answer as answering
from cellrate.battery import running
from cellrate.battery.experiments import BY_NAME, JUDGED, MEASURES, SEEDS
from cellrate.battery.measures import STEP, TRACED, FairLoad, Rates, fair_load, measured
from cellrate.battery.report import portrait
from cellrate.battery.shipped import shipped
from cellrate.simulation.runner import Done, Job, run_each
from cellrate.studies.compare.duels import Duel, Record, Values, Verdict, duels, standing
from conftest import HERE, Command

pytestmark = pytest.mark.usefixtures("undrawn")

CLASSES = HERE / "schemes" / "judged.py"
LINK_CELLS_PER_SECOND = 155.52e6 / 424
EXPERIMENTS = {one.name: one for one in battery.experiments()}


@pytest.fixture(autouse=True)
def one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measures the processor time of a scheme once, since no test looks at it."""
    monkeypatch.setattr(running, "ROUNDS", 1)


@pytest.fixture
def three_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judges by three of the seeds, where no verdict counts."""
    kept = tuple(one for one in shipped() if one.seed in SEEDS[:3])
    monkeypatch.setattr(answering, "SEEDS", SEEDS[:3])
    monkeypatch.setattr(answering, "shipped", lambda: kept)


def values(*known: tuple[str, str, Sequence[float]], measure: str = "utilisation") -> Values:
    """Values of schemes in experiments, by seed."""
    records = [
        Record(scheme, experiment, seed, "x", {measure: value})
        for scheme, experiment, own in known
        for seed, value in enumerate(own, 1)
    ]
    return Values(records, dict.fromkeys({experiment for _, experiment, _ in known}, 1.0))


def run(name: str, scheme: str, *settings: str, seed: int = 1) -> tuple[dict[str, Any], Any]:
    """A run of an experiment: its summary and its measures."""
    one = battery.contender(scheme, settings)
    [job] = one.jobs(EXPERIMENTS[name], [seed])
    outcome = replace(job, overrides=(*job.overrides, *TRACED)).scenario().run()
    return json.loads(outcome.summary()), measured(outcome, fair_load(EXPERIMENTS[name]))


# The fair rates on which everything is measured, by hand.


def test_fair_rates_of_one_link_are_equal_shares_without_rm_cells() -> None:
    data = fair_load(EXPERIMENTS["greedy-10"]).data
    expected = LINK_CELLS_PER_SECOND / 10 * 31 / 32
    assert list(data.values()) == pytest.approx([expected] * 10)


def test_fair_rates_of_sources_that_come_and_go_are_means_over_the_window() -> None:
    # The window of 1.5 s has ten sources in two thirds of it, five in the rest.
    found = fair_load(EXPERIMENTS["come-and-go"])
    stay = LINK_CELLS_PER_SECOND * (2 / 3 / 10 + 1 / 3 / 5) * 31 / 32
    guest = LINK_CELLS_PER_SECOND * (2 / 3 / 10) * 31 / 32
    assert found.data["stay.1"] == pytest.approx(stay)
    assert found.data["guest.5"] == pytest.approx(guest)
    # The last change is at 1.5 s, after which ten share.
    assert found.settles_from_seconds == 1.5
    assert found.arriving["B->dst.guest.1"] == pytest.approx(LINK_CELLS_PER_SECOND / 10)


def test_fair_rates_of_gfc_2_are_those_of_the_literature() -> None:
    # Mbit/s by group, as the ATM Forum's papers have them.
    known = {"A": 10, "B": 5, "C": 35, "D": 35, "E": 35, "F": 10, "G": 5, "H": 52.5}
    found = fair_load(EXPERIMENTS["gfc-2"])
    for group, megabits in known.items():
        assert found.data[f"{group}.1"] * 424e-6 * 32 / 31 == pytest.approx(megabits), group
    assert len(found.bottlenecks) == 5


# Measures of runs that are known without the simulator.


def test_two_greedy_sources_without_control_lose_half_of_what_they_send() -> None:
    _, found = run("greedy-2", "none")
    assert found["utilisation"] == pytest.approx(1.0, abs=1e-5)
    assert found["loss_ratio"] == pytest.approx(0.5, abs=1e-3)
    assert found["queue_max_cells"] == 20_000
    # In step, one of them loses every cell and the other none: (2 * 32/31 - 1 + 1) / 2.
    assert found["max_min_distance"] == pytest.approx(32 / 31, abs=1e-4)


def test_a_quarter_of_the_link_is_a_quarter_of_every_measure() -> None:
    _, found = run("greedy-10", f"{CLASSES}:Quarter")
    assert found["utilisation"] == pytest.approx(0.25, abs=0.001)
    assert found["max_min_distance"] == pytest.approx(0.75, abs=0.002)
    assert found["queue_max_cells"] <= 10
    assert found["loss_ratio"] == 0
    assert found["rate_variation"] < 0.01
    # ICR is 1.5 Mbit/s below the granted 3.9: settled in some round trips of 10 ms.
    assert found["settling_seconds"] < 0.05


def rates(distance: Sequence[float]) -> Rates:
    """Rates of one destination at these distances from its fair rate of 100, a step each."""
    times = np.arange(1, len(distance) + 1, dtype=np.float64) * 0.01
    return Rates(times, {"L": 100.0 * (1.0 - np.array(distance, dtype=np.float64))})


def test_settling_is_the_time_until_the_distance_stays_near_its_last_mean() -> None:
    one = FairLoad(frozenset(), {}, {"L": 100.0}, {}, 0.0, 0.0)
    assert rates([0.9, 0.5, 0.3, *[0.05] * 17]).settling(one) == pytest.approx(0.04)
    # A distance that stays is settled, however great.
    assert rates([0.9] * 20).settling(one) == 0
    # Nothing settles that swings by more than the band.
    assert rates([0.0, 0.3] * 10).settling(one) == math.inf


def test_variation_is_that_of_the_rates_while_they_are_steady() -> None:
    found = rates([0.9, 0.9, *[0.2, 0.4] * 9])
    steady = FairLoad(frozenset(), {}, {"L": 100.0}, {}, 0.0, 0.02)
    # Rates of 80 and 60: deviation 10, mean 70.
    assert found.variation(steady) == pytest.approx(1 / 7)
    assert rates([1.0] * 20).variation(steady) is None
    # Rates that follow what others send do not oscillate: half-way after the last change, or not.
    assert fair_load(EXPERIMENTS["come-and-go"]).steady_from_seconds == 1.75
    assert fair_load(EXPERIMENTS["greedy-10"]).steady_from_seconds == 1.0
    assert found.variation(fair_load(EXPERIMENTS["on-off"])) is None


def test_steps_are_not_in_step_with_milliseconds() -> None:
    [sample] = [one for one in TRACED if one.startswith("measure.sample")]
    microseconds = int(sample.split('"')[1].split()[0])
    assert math.gcd(microseconds, 1000) * STEP < microseconds


# Duels and standings by hand.

NOISY = [0.90, 0.91, 0.89, 0.90, 0.92, 0.90, 0.91, 0.89, 0.90, 0.91]


def verdict(own: Sequence[float], other: Sequence[float], measure: str = "utilisation") -> str:
    [one] = duels("own", ["other"], ["x"], JUDGED, values(("own", "x", own), ("other", "x", other),
                                                  measure=measure))  # fmt: skip
    return one.verdict


def test_a_duel_needs_a_difference_that_is_real_and_matters() -> None:
    lower = [one - 0.05 for one in NOISY]
    spread = [one - 0.05 + 0.2 * (-1) ** at for at, one in enumerate(NOISY)]
    assert verdict(NOISY, lower) == "better"
    assert verdict(lower, NOISY) == "worse"
    # Not real: it drowns in the spread of the pairs.
    assert verdict(NOISY, spread) == "alike"
    # Real, for every pair has it, but too small to matter.
    assert verdict(NOISY, [one - 0.005 for one in NOISY]) == "alike"
    # Less is better of a distance.
    assert verdict(NOISY, lower, "max_min_distance") == "worse"


def test_a_queue_matters_by_its_ratio() -> None:
    assert verdict([100.0 + at for at in range(10)], [120.0 + at for at in range(10)],
                   "queue_p99_cells") == "alike"  # fmt: skip
    assert verdict([100.0 + at for at in range(10)], [130.0 + at for at in range(10)],
                   "queue_p99_cells") == "better"  # fmt: skip


def test_never_settling_is_the_longest_time() -> None:
    never = [math.inf] * 10
    assert verdict(never, [0.1 + 0.001 * at for at in range(10)], "settling_seconds") == "worse"
    assert verdict(never, never, "settling_seconds") == "alike"
    # A mean counts the whole horizon of 1 s, unless no run settles.
    for settled, mean in ([0.1], 0.91), ([math.inf], math.inf):
        known = values(("own", "x", never[1:] + settled), measure="settling_seconds")
        assert known.mean("own", "x", BY_NAME["settling_seconds"]) == pytest.approx(mean)


def test_chance_alone_is_seldom_called_real() -> None:
    # 300 duels of schemes that differ by chance alone.
    draw = random.Random(7)  # noqa: S311
    opponents = [f"o{number}" for number in range(300)]
    known = [(name, "x", [draw.gauss(0.5, 0.2) for _ in SEEDS]) for name in ("own", *opponents)]
    found = duels("own", opponents, ["x"], JUDGED, values(*known))
    assert {one.verdict for one in found} == {"alike"}


def test_the_correction_is_that_of_benjamini_and_yekutieli() -> None:
    # By hand: p sorted, times m c(m) / rank, the least of what follows.
    draw = random.Random(3)  # noqa: S311
    own = [draw.gauss(0.5, 0.02) for _ in SEEDS]
    known = [("own", "x", own)]
    known += [
        (f"o{number}", "x", [one + 0.02 * number + draw.gauss(0.0, 0.05) for one in own])
        for number in range(8)
    ]
    found = duels("own", [f"o{number}" for number in range(8)], ["x"], JUDGED, values(*known))
    p_values = [one.difference.p_value for one in found if one.difference]
    order = sorted(range(8), key=lambda at: p_values[at] or 0.0)
    total = 8 * sum(1 / rank for rank in range(1, 9))
    least, real = 1.0, set()
    for rank in range(8, 0, -1):
        at = order[rank - 1]
        least = min(least, (p_values[at] or 0.0) * total / rank)
        if least <= 0.05:
            real.add(at)
    assert 0 < len(real) < 8
    assert {at for at, one in enumerate(found) if one.verdict != "alike"} == real
    # Their intervals leave out zero, though they are wider than each alone.
    for at in real:
        one = found[at]
        assert one.interval is not None
        assert one.difference is not None
        assert one.interval[0] * one.interval[1] > 0
        alone = one.difference.interval(0.95)
        assert alone is not None
        assert one.interval[1] - one.interval[0] > alone[1] - alone[0]


def duel(experiment: str, measure: str, opponent: str, verdict: Verdict) -> Duel:
    return Duel("own", opponent, experiment, BY_NAME[measure], 0, 0, None, verdict=verdict)


def test_a_standing_is_a_mean_over_measures_experiments_and_opponents() -> None:
    found = standing(
        "own",
        [
            duel("x", "utilisation", "a", "better"),
            duel("x", "utilisation", "b", "alike"),
            duel("y", "utilisation", "a", "worse"),
            duel("y", "utilisation", "b", "worse"),
            duel("x", "loss_ratio", "a", "better"),
            duel("x", "loss_ratio", "b", "better"),
        ],
        JUDGED,
    )
    # Utilisation: (3/4 + 0) / 2; loss, which only x has: 1.
    assert found.by_measure == {"utilisation": 0.375, "loss_ratio": 1.0}
    assert found.score == pytest.approx(0.6875)
    assert found.by_experiment == {"x": 0.875, "y": 0.0}
    # Without x only utilisation is left, 0; without y it is (3/4 + 1) / 2.
    scores = [0.0, 0.875]
    mean = sum(scores) / 2
    assert found.error == pytest.approx(math.sqrt(sum((one - mean) ** 2 for one in scores) / 2))


def test_a_failed_run_loses_every_duel_of_its_experiment() -> None:
    known = [
        *(Record("own", "x", seed, "", dict.fromkeys(BY_NAME), "boom") for seed in SEEDS),
        *(Record("other", "x", seed, "d", {"utilisation": 0.1}) for seed in SEEDS),
    ]
    [one] = duels("own", ["other"], ["x"], JUDGED, Values(known, {"x": 1.0}))
    assert one.verdict == "worse"
    [one] = duels("other", ["own"], ["x"], JUDGED, Values(known, {"x": 1.0}))
    assert one.verdict == "better"


# The shipped results.


def test_the_shipped_results_are_whole() -> None:
    found = {(one.scheme, one.experiment, one.seed) for one in shipped()}
    assert found == {
        (one.name, experiment, seed)
        for one in battery.built_in()
        for experiment in EXPERIMENTS
        for seed in SEEDS
    }
    assert not [one for one in shipped() if one.error]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_shipped_results_are_those_of_a_run(name: str) -> None:
    # Another scheme and seed for each experiment; the cheap ones, so that it takes a moment.
    cheap = ["erica", "fmmra", "charny", "capc", "rrm-pd", "efci", "phantom", "eprca", "fcvc"]
    place = list(EXPERIMENTS).index(name)
    scheme, seed = cheap[place % len(cheap)], SEEDS[place % len(SEEDS)]
    summary, found = run(name, scheme, seed=seed)
    [kept] = [
        one for one in shipped() if (one.scheme, one.experiment, one.seed) == (scheme, name, seed)
    ]
    assert summary["digest"] == kept.digest
    assert found == kept.values


@cache
def built_in() -> battery.Answer:
    """The answer about the built-in schemes alone, from the shipped results."""
    return battery.judged((), (), battery.experiments())


def test_the_ranks_that_readme_tells() -> None:
    answer = built_in()
    assert [one.scheme for one in answer.standings[:5]] == [
        "fcvc",
        "charny",
        "capc",
        "ucsc",
        "erica",
    ]
    schemes = {one["name"] for one in json.loads(_core.registry())["schemes"]}
    assert {one.scheme for one in answer.standings} == schemes | {"fcvc"}
    nearest = max(answer.standings, key=lambda one: one.by_measure["max_min_distance"])
    assert nearest.scheme == "fmmra"
    credited = [one for one in shipped() if one.scheme == "fcvc"]
    assert not any(one.values["loss_ratio"] for one in credited)
    by_experiment = {
        name: answer.values.mean("fcvc", name, BY_NAME["utilisation"]) for name in EXPERIMENTS
    }
    low = {name: value for name, value in by_experiment.items() if value < 0.99}
    assert low == pytest.approx({"small-buffer": 0.15, "tcp-small-buffer": 0.29}, abs=0.005)
    assert answer.values.mean("fmmra", "greedy-100", BY_NAME["settling_seconds"]) == math.inf


def test_schemes_differ_and_each_measure_ranks_them() -> None:
    answer = built_in()
    scores = [one.score for one in answer.standings]
    assert scores == sorted(scores, reverse=True)
    # Whoever wins a duel has an opponent who loses it.
    assert sum(scores) / len(scores) == pytest.approx(0.5, abs=0.02)
    for measure in JUDGED:
        found = [one.by_measure[measure.name] for one in answer.standings]
        assert max(found) - min(found) > 0.2, measure.name


# Contenders.


def judged(*names: str, experiments: Sequence[str], settings: Sequence[str] = ()) -> battery.Answer:
    return cellrate.judge_schemes(names, experiments=list(experiments), overrides=settings)


@pytest.mark.usefixtures("three_seeds")
def test_a_twin_stands_where_its_built_in_scheme_stands() -> None:
    answer = judged("cellrate.schemes.examples.erica:Erica", experiments=["greedy-2"])
    own, other = (
        {(one.experiment, one.measure.name, one.opponent): one for one in answer.duels[name]}
        for name in ("Erica", "erica")
    )
    shared = own.keys() & other.keys()
    assert len(shared) > 50
    for key in shared:
        assert own[key].mean == other[key].mean
    against = [one for one in answer.duels["Erica"] if one.opponent == "erica"]
    assert {one.difference and one.difference.difference for one in against} == {0.0}
    assert {one.verdict for one in against} == {"alike"}
    assert answer.irregular == ()


def test_a_class_that_only_marks_has_the_sources_of_marks() -> None:
    [job] = battery.contender("cellrate.schemes.examples.p:P").jobs(EXPERIMENTS["greedy-2"], [2])
    [other] = battery.contender("rrm-p").jobs(EXPERIMENTS["greedy-2"], [2])
    digests = {json.loads(one.scenario().run().summary())["digest"] for one in (job, other)}
    assert len(digests) == 1
    [rates] = battery.contender(f"{CLASSES}:Quarter").jobs(EXPERIMENTS["greedy-2"], [2])
    assert "abr.rif=1" in rates.overrides


@pytest.mark.usefixtures("three_seeds")
def test_a_setting_makes_another_contender_whose_rates_above_the_link_are_told_first() -> None:
    setting = "switch.control.target_utilisation=1.2"
    answer = judged("charny", experiments=["greedy-2"], settings=[setting])
    name = f"charny ({setting})"
    first = str(battery.as_json(answer)["words"][0])
    # 1.2 of the link for two sources, of which the queue grows until a sixth is lost.
    assert "in greedy-2 the rates of the sources add up to 1.2 times the rate of the link" in first
    usual, lost = (
        answer.values.mean(one, "greedy-2", BY_NAME["loss_ratio"]) for one in ("charny", name)
    )
    assert usual == 0
    assert lost == pytest.approx(1 / 6, abs=0.01)
    plain = judged("charny", experiments=["greedy-2"])
    assert "has rank" in battery.as_json(plain)["words"][0]


@pytest.mark.usefixtures("three_seeds")
def test_failures_are_told_and_lose(command: Command) -> None:
    asked = ("--experiment", "greedy-2", "--experiment", "greedy-10", "--json")
    done = command("battery", f"{CLASSES}:TwoOnly", *asked)
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    assert told["errors"]["TwoOnly"].keys() == {"greedy-10"}, told["errors"]
    assert "on_backward_rm at" in told["errors"]["TwoOnly"]["greedy-10"]
    assert "too many channels" in told["errors"]["TwoOnly"]["greedy-10"]
    own = next(one for one in told["standings"] if one["scheme"] == "TwoOnly")
    assert own["by_experiment"]["greedy-10"] == 0.0
    assert own["by_experiment"]["greedy-2"] > 0.0


@pytest.mark.usefixtures("three_seeds")
def test_a_scheme_that_draws_is_told(command: Command) -> None:
    done = command("battery", f"{CLASSES}:Dice", "--experiment", "greedy-2")
    assert done.returncode == 0, done.stderr
    assert "the class reads a clock, draws random numbers" in " ".join(done.stdout.split())


@pytest.mark.drawn
@pytest.mark.usefixtures("three_seeds")
def test_the_files_and_the_commands_of_an_answer(command: Command, tmp_path: Path) -> None:
    asked = ("battery", f"{CLASSES}:Quarter", "--experiment", "greedy-10")
    done = command(*asked)
    assert done.returncode == 0, done.stderr
    runs = pl.read_parquet(tmp_path / "out" / "Quarter-battery.parquet")
    assert set(runs["scheme"]) == {"Quarter", *(one.name for one in battery.built_in())}
    assert set(runs.filter(pl.col("scheme") == "Quarter")["seed"]) == set(SEEDS[:3])
    assert {one.name for one in MEASURES} <= set(runs.columns)
    page = (tmp_path / "out" / "Quarter-battery.html").read_text("utf-8")
    assert page.count("<svg") == 2
    # The same command again finds all runs kept. The commands behind a weakness show its numbers.
    told = json.loads(command(*asked, "--json").stdout)
    [trial] = [one for one in told["what_to_try"] if "utilisation: 0.25" in one["text"]]
    scenario, own, other = trial["commands"]
    words, _, file = scenario.partition(" > ")
    (tmp_path / file).write_text(command(*shlex.split(words)[1:]).stdout, encoding="utf-8")
    utilisations = []
    for line in (own, other):
        arguments = [one for one in shlex.split(line)[1:] if one != "--plot"]
        finished = command(*arguments, "--json")
        assert finished.returncode == 0, finished.stderr
        ports = {one["name"]: one for one in json.loads(finished.stdout)["ports"]}
        utilisations.append(ports["A->B"]["utilisation"])
    assert utilisations[0] == pytest.approx(0.25, abs=0.001)
    assert utilisations[1] > 0.9


def test_the_scenario_of_an_experiment_is_a_file_of_its_own(
    command: Command, tmp_path: Path
) -> None:
    for name in ("come-and-go", "gfc-1", "mpeg2"):
        text = command("battery", "--scenario", name).stdout
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
        job = Job(text, "x.toml", seed=3)
        assert job.key() == EXPERIMENTS[name].job((), 3).key()
        assert command("validate", f"{name}.toml").returncode == 0


def test_where_the_first_seed_fails_the_others_are_not_run() -> None:
    asked: list[Job] = []

    def runner(jobs: Iterable[Job]) -> Generator[Done]:
        asked.extend(jobs)
        return run_each(jobs, workers=1)

    one = battery.contender(f"{CLASSES}:TwoOnly")
    planned = running.plan([one], [EXPERIMENTS["greedy-10"]], SEEDS)
    found = running.run(planned, runner)
    assert len(asked) == 1
    assert [record.seed for record in found if record.error] == sorted(SEEDS)


def test_a_scheme_that_fails_everywhere_has_no_best_measure() -> None:
    lost = [duel("x", name, "a", "worse") for name in ("utilisation", "loss_ratio")]
    assert (
        portrait(standing("own", lost, JUDGED)) == "The share of duels won is 0.00 by each measure."
    )
