"""`cellrate tune` where sources transfer files, and where the best setting leads by chance."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import cellrate
import pytest
from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.fresh_seeds import preferred
from cellrate.advice.tuning.laboratory import AS_IT_IS, Laboratory, Setting
from cellrate.advice.tuning.measures import CRITERIA, TOO_SHORT, Measures
from cellrate.advice.tuning.objective import Objective
from cellrate.advice.tuning.race import ranking
from cellrate.advice.tuning.report import as_json, headline
from cellrate.advice.tuning.report import tuned as tuned_scenario
from cellrate.simulation.runner import Job
from conftest import Command

pytestmark = pytest.mark.usefixtures("undrawn")

NEW = cellrate.template("n-source")
RATE = "flow.answer.roce.control.r_ai"


def tuned(command: Command, path: Path, *more: str) -> dict[str, Any]:
    """DCQCN with two additive increases; the small one leaves the line idle for longer."""
    red = ("--set", "switch.aqm.max=20 kB", "--vary", f"{RATE}=5 Mbit/s,40 Mbit/s")
    done = command("tune", path, *red, "--seeds", "2", *more, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout, parse_constant=pytest.fail)
    return found


@pytest.fixture
def files(tmp_path: Path) -> Path:
    path = tmp_path / "files.toml"
    path.write_text(cellrate.template("dcqcn"), encoding="utf-8")
    return path


def mean(one: dict[str, Any], measure: str) -> float:
    return float(one["measures"][measure]["mean"])


def test_files_are_tuned_for_their_completion(command: Command, files: Path) -> None:
    """The starved line has the shorter queue, and carries as much over the whole run."""
    found = tuned(command, files)
    slow = next(one for one in found["settings"] if one["settings"].get(RATE) == "5 Mbit/s")
    best = found["chosen"]
    assert mean(best, "utilisation") == pytest.approx(mean(slow, "utilisation"), abs=0.001)
    assert mean(slow, "queue_packets") < 0.98 * mean(best, "queue_packets")
    assert mean(slow, "completion_seconds") > 1.5 * mean(best, "completion_seconds")
    assert slow["falls_behind"]["criterion"] == "completion"
    names = [one["criterion"] for one in found["objective"]]
    assert names == ["unfinished", "completion", "loss", "utilisation", "queue"]
    # An objective that begins with the queue still gets the queue.
    asked = tuned(command, files, "--objective", "loss,utilisation,queue")
    assert asked["chosen"]["settings"] == slow["settings"]


def test_files_that_do_not_end_rank_last(command: Command, files: Path) -> None:
    # The small increase needs 19 ms.
    found = tuned(command, files, "--set", "run.duration=12 ms", "--objective", "completion")
    slow = next(one for one in found["settings"] if one["settings"].get(RATE) == "5 Mbit/s")
    assert mean(slow, "unfinished") > 0
    assert mean(found["chosen"], "unfinished") == 0
    assert slow["falls_behind"]["criterion"] == "unfinished"
    assert "all files end, completion" in " ".join(found["in_words"])
    short = tuned(command, files, "--set", "run.duration=2 ms", "--objective", "completion")
    assert short["in_words"][0] == TOO_SHORT
    assert TOO_SHORT not in found["in_words"]
    endless = 'flow.answer.source={kind="greedy"}'
    none = tuned(command, files, "--set", endless, "--objective", "completion,queue")
    assert (
        "No run measures completion, so completion does not affect the ranking." in none["in_words"]
    )
    assert TOO_SHORT not in none["in_words"]


def test_few_quick_files_do_not_hide_those_that_do_not_end() -> None:
    objective = Objective.named("completion", "ethernet").files_ending_first()
    few, all_of_them = (
        {"unfinished": 3.0, "completion": 0.001},
        {"unfinished": 0.0, "completion": 0.01},
    )
    assert objective.ranked([few, all_of_them]) == [1, 0]


def test_completion_beside_endless_sources_comes_after_the_utilisation(
    command: Command, files: Path
) -> None:
    with files.open("a", encoding="utf-8") as file:
        file.write('[[flow]]\nname = "endless"\nroce = { control = { algorithm = "dcqcn" } }\n')
    names = [
        one["criterion"] for one in tuned(command, files, "--set", "run.duration=5 ms")["objective"]
    ]
    assert names == ["unfinished", "loss", "utilisation", "completion", "queue", "fairness"]


def led(*queues: float, utilisation: tuple[float, ...]) -> Answer:
    """A setting with a full line and a queue of 28,479 cells, beside the scenario as it is."""
    objective, seeds = Objective.named("utilisation,queue"), tuple(range(len(queues)))
    empty = dict.fromkeys(one.name for one in CRITERIA)
    laboratory = Laboratory(Job("", "x.toml"), seeds, frozenset(), lambda _: [], lambda _: True)
    wide = Setting((("switch.control.gain", "0.5"),))
    laboratory.trials = {
        wide: tuple(
            Measures(seed, {**empty, "utilisation": 1.0, "queue": 28479.0 + seed}) for seed in seeds
        ),
        AS_IT_IS: tuple(
            Measures(seed, {**empty, "utilisation": used, "queue": queue})
            for seed, used, queue in zip(seeds, utilisation, queues, strict=True)
        ),
    }
    ranked, order = tuple(ranking(laboratory, objective)), tuple(laboratory.trials)
    found = Answer(
        Job("", "x.toml"), objective, seeds, "search", None, None, (), (), 9, ranked, order
    )
    first = preferred(found)
    return replace(
        found,
        ranked=tuple(ranking(laboratory, objective, first)),
        of_search=None if first == found.chosen.setting else found,
    )


def test_a_lead_by_chance_names_the_setting_that_is_better_after_it() -> None:
    by_chance = led(3960.0, 3968.0, 3976.0, utilisation=(1.0, 0.9955, 1.0))
    [best, advice, *_] = headline(by_chance)
    assert best.startswith("Best: as it is: utilisation 0.9985, queue 3,968 cells")
    assert advice.startswith("gain 1/2 is not clearly better in utilisation (difference +0.0015")
    assert "has queue 28,480 instead of 3,968 cells" in advice
    assert as_json(by_chance)["commands"] == (
        "cellrate run x.toml",
        "cellrate run x.toml --set switch.control.gain=0.5",
    )
    assert tomllib.loads(tuned_scenario(replace(by_chance, base=Job(NEW, "x.toml")))) == (
        tomllib.loads(Job(NEW, "x.toml").resolved())
    )
    # The lead is no chance, or the other setting is not better in the next criterion.
    sure = led(3960.0, 3968.0, 3976.0, utilisation=(0.9985, 0.9984, 0.9986))
    assert headline(sure)[0].startswith("Best: gain 1/2")
    longer = led(30960.0, 30968.0, 30976.0, utilisation=(1.0, 0.9955, 1.0))
    assert headline(longer)[0].startswith("Best: gain 1/2")
    spread = led(3960.0, 50000.0, 3976.0, utilisation=(1.0, 0.9955, 1.0))
    assert headline(spread)[0].startswith("Best: gain 1/2")
