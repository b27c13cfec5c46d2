"""`tune` recommends a setting only if it holds: in a longer run, and with drawn starts of flows."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import cellrate
import pytest
from cellrate.advice.tuning import Answer, TuneOptions, as_json, tune
from cellrate.advice.tuning.holding import Checks
from cellrate.advice.tuning.laboratory import AS_IT_IS, Laboratory, Setting
from cellrate.advice.tuning.measures import CRITERIA, Measures
from cellrate.advice.tuning.objective import Objective
from cellrate.advice.tuning.other_runs import OTHER_STARTS
from cellrate.advice.tuning.race import ranking
from cellrate.advice.tuning.report import headline, shortfall_text
from cellrate.simulation.runner import Job

# Two sources send at PCR, since the switch gives no feedback.
TWO = """
[run]
duration = "20 ms"
[measure]
from = "10 ms"
[topology]
template = "single-switch"
link_rate = "100 Mbit/s"
access = "1 us"
bottleneck = "1 us"
[abr]
pcr = "40 Mbit/s"
icr = "40 Mbit/s"
rif = 1.0
[[flow]]
name = "two"
count = 2
service = "abr"
source = { kind = "persistent" }
"""
RATES = ("abr.pcr=40 Mbit/s,45 Mbit/s,60 Mbit/s",)


def tuned(*settings: str, seeds: int = 3) -> Answer:
    base = Job(TWO, "two.toml", settings)
    return tune(base, TuneOptions(vary=RATES, seeds=seeds))


def test_a_queue_that_grows_without_end_is_not_the_best() -> None:
    # 2 * 60 Mbit/s into 100 Mbit/s: 20e6 / 424 cells/s, so 707 cells at 15 ms and 3,538 at 75 ms.
    answer = tuned()
    found = as_json(answer)
    fallen, held = found["checks"]
    assert fallen["settings"] == {"abr.pcr": "60 Mbit/s"}
    per_second = 20e6 / 424
    assert fallen["queue_cells"] == pytest.approx(per_second * 0.015, rel=0.02)
    assert fallen["queue_cells_in_longer_run"] == pytest.approx(per_second * 0.075, rel=0.02)
    assert fallen["queue_grows"]
    assert not fallen["holds"]
    # 2 * 45 Mbit/s are 0.9 of the link; of 32 cells one RM cell returns, over two other ports.
    assert held["settings"] == found["chosen"]["settings"] == {"abr.pcr": "45 Mbit/s"}
    used = found["chosen"]["measures"]["utilisation"]["mean"]
    assert used == pytest.approx(0.9 * (1 + 1 / 32) / 3, rel=0.01)
    first, second, *_ = found["in_words"]
    assert first.startswith("Not recommended: pcr 60 Mbit/s; its queue has no steady state")
    assert second.startswith("Best: pcr 45 Mbit/s")
    assert found["settings"][-1]["settings"] == fallen["settings"]
    # Nothing is drawn, so two seeds of each of three settings are run, and the third is a copy.
    assert found["runs"]["simulated"] == 2 * len(found["settings"]) == 6
    assert found["in_words"][-1].startswith("So two seeds of each setting were run")
    assert not any("two seeds" in sentence for sentence in headline(tuned(seeds=2)))
    assert shortfall_text(answer, answer.ranked[-1])[0] == "longer run"


def test_a_setting_whose_queue_grows_is_not_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fresh seeds may prefer a setting that no check has seen; it is checked then."""
    grows = Setting((("abr.pcr", "60 Mbit/s"),))
    module = importlib.import_module("cellrate.advice.tuning.tune")
    monkeypatch.setattr(module, "preferred", lambda _: grows)
    base, options = Job(TWO, "two.toml"), TuneOptions(vary=RATES, seeds=2, objective="queue")
    answer = tune(base, options)
    assert answer.chosen.setting == AS_IT_IS
    assert answer.of_search is None
    assert answer.fall_of(grows) is not None
    assert answer.ranked[-1].setting == grows
    # Two longer runs, and three of the scenario as it is with drawn starts.
    assert answer.check_runs == 2 + 3
    # A setting that holds is recommended.
    monkeypatch.setattr(module, "preferred", lambda _: AS_IT_IS)
    answer = tuned(seeds=2)
    assert answer.chosen.setting == AS_IT_IS
    assert answer.of_search is not None
    assert answer.of_search.chosen.setting.overrides == ("abr.pcr=45 Mbit/s",)


def test_without_a_steady_setting_none_is_called_the_best() -> None:
    answer = tune(Job(TWO, "two.toml", ("abr.pcr=60 Mbit/s",)),
                  TuneOptions(vary=("abr.pcr=60 Mbit/s,70 Mbit/s",), seeds=1))  # fmt: skip
    sentences = headline(answer)
    assert sentences[0] == "No setting that was checked holds in other runs."
    assert not any(sentence.startswith("Best:") for sentence in sentences)
    assert answer.chosen.setting == AS_IT_IS


def test_drawn_starts_are_those_of_the_flags(tmp_path: Path) -> None:
    path = tmp_path / "two.toml"
    path.write_text(TWO, encoding="utf-8")
    found = as_json(tuned())
    drawn = found["as_it_is_with_drawn_starts"]
    overrides = drawn["overrides"]
    runs = [cellrate.run(path, overrides=overrides, seed=seed) for seed in drawn["seeds"]]
    used = [port["utilisation"] for run in runs for port in run.summary["ports"]]
    assert drawn["measures"]["utilisation"]["mean"] == pytest.approx(fmean(used))
    # A scenario that draws starts has seeds that differ.
    found = as_json(tuned("run.start_jitter=1 ms"))
    assert found["as_it_is_with_drawn_starts"] is None
    assert found["checks"][-1]["with_drawn_starts"] is None


EMPTY = dict.fromkeys(one.name for one in CRITERIA)
FAST, SLOW = (Setting((("abr.mcr", rate),)) for rate in ("2 Mbit/s", "1 Mbit/s"))


def measured(utilisation: float) -> tuple[Measures, ...]:
    values = {**EMPTY, "utilisation": utilisation, "queue": 1.0}
    return tuple(Measures(seed, values) for seed in (1, 2, 3))


class InStep(Laboratory):
    """The fast setting fills the link only with the starts as they are."""

    def changed(
        self, setting: Setting, overrides: tuple[str, ...], _: Sequence[int]
    ) -> tuple[Measures, ...]:
        """Measures with drawn starts, or of the longer run."""
        drawn = {AS_IT_IS: 0.9, FAST: 0.77, SLOW: 0.95}
        return measured(drawn[setting] if overrides == OTHER_STARTS.overrides else 1.0)


def in_step(**used: float) -> Answer:
    """A tuning in which the settings `fast`, `slow` and `usual` had these utilisations."""
    objective, base, seeds = Objective.named("utilisation,queue"), Job(TWO, "two.toml"), (1, 2, 3)
    settings = {"fast": FAST, "slow": SLOW, "usual": AS_IT_IS}
    laboratory = InStep(base, seeds, frozenset(), lambda _: [], lambda _: True)
    laboratory.trials = {settings[name]: measured(value) for name, value in used.items()}
    checks = Checks(laboratory, objective)
    checks.until_one_holds()
    ranked = tuple(ranking(laboratory, objective, checks.held, checks.fallen))
    return Answer(
        base, objective, seeds, "search", None, None, (), (), 9, ranked,
        tuple(laboratory.trials), checks=tuple(checks.done), usual=checks.usual,
    )  # fmt: skip


def test_a_setting_that_is_worse_with_drawn_starts_is_not_the_best() -> None:
    answer = in_step(fast=1.0, slow=0.96, usual=0.9)
    assert [one.setting for one in answer.ranked] == [SLOW, AS_IT_IS, FAST]
    first, second, third, *_ = headline(answer)
    assert first == (
        "Not recommended: mcr 2 Mbit/s; with starts drawn within 20 ms its utilisation is 0.77, "
        "and 0.9 with the scenario as it is."
    )
    assert second.startswith("Best: mcr 1 Mbit/s")
    assert third.startswith("With starts drawn within 20 ms (--set ")
    assert (
        "utilisation 0.95, queue 1 cells, 3 seeds; the scenario as it is: utilisation 0.9" in third
    )
    assert shortfall_text(answer, answer.of(FAST))[0] == "other starts"


def test_if_no_other_setting_holds_the_scenario_stays_as_it_is() -> None:
    answer = in_step(fast=1.0, usual=0.9)
    assert answer.chosen.setting == AS_IT_IS
    first, second, *_ = headline(answer)
    assert first.startswith("Not recommended: mcr 2 Mbit/s")
    assert second.startswith("Best: as it is: utilisation 0.9")
    assert answer.runner_up is None
