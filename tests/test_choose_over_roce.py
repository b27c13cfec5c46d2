"""`cellrate choose` for flows over RoCE: controls, and protections from losses where goals ask."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import cellrate
import pytest
from cellrate import _core
from cellrate.advice.choosing import PacketChoice
from cellrate.advice.choosing.packet_alternatives import Alternative
from cellrate.advice.choosing.roce_alternatives import (
    GO_BACK,
    PAUSES,
    TRIMMING,
    OverRoce,
    over_roce,
    protected,
)
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.simulation.runner import Job
from cellrate.studies.study.file import read
from conftest import HERE, Command

CONTROLS = [one["name"] for one in json.loads(_core.registry())["roce"]]
# Eight files of 100 kB meet in a queue of 100 kB.
LOSSY = """
link_layer = "ethernet"
run.duration = "5 ms"
switch.buffer = "100 kB"
[topology]
template = "single-switch"
link_rate = "40 Gbit/s"
access = "1 us"
bottleneck = "1 us"
[[flow]]
name = "f"
count = 8
source = { kind = "transfer", size = "100 kB" }
roce.control.algorithm = "dcqcn"
"""
PFC = cellrate.template("dcqcn")


def of(text: str, *settings: str) -> tuple[Job, ResolvedScenario]:
    job = Job(text, "x.toml", settings)
    return job, ResolvedScenario.of(job.scenario())


def test_controls_come_under_the_protection_of_the_scenario_first() -> None:
    found = [*over_roce(of(PFC)[1])]
    assert [one.name for one in found][:1] == ["dcqcn, pfc (own)"]
    assert sorted(one.roce for one in found) == sorted(CONTROLS)
    assert {one.protection for one in found} == {"pfc"}
    lossy = of(LOSSY)[1]
    own, *others = over_roce(lossy)
    assert {one.protection for one in others} == {GO_BACK}
    # No queue of this scenario marks, so its own control comes with marks, too.
    assert own.overrides(lossy) == ()
    [marked] = [one for one in others if one.roce == "dcqcn"]
    [setting] = marked.overrides(lossy)
    assert setting.startswith('switch.aqm={algorithm="red"')
    for aqm, more in ((setting, 0), ('switch.aqm={algorithm="red"}', 1)):
        assert len([*over_roce(of(LOSSY, aqm)[1])]) == len(CONTROLS) + more
    missing = [OverRoce(roce="dcqcn", protection=GO_BACK, is_own=True)]
    others = [*protected(lossy, missing)]
    assert [one.name for one in others] == ["dcqcn, pfc", "dcqcn, cbfc", "dcqcn, trimming"]
    # Queues without a limit lose nothing, so no protection is left to try but credits of links.
    pauses = [OverRoce(roce="dcqcn", protection="pfc")]
    assert [one.protection for one in protected(of(PFC)[1], pauses)] == ["cbfc"]
    limited = of(PFC, 'switch.buffer="1 MB"')[1]
    assert [one.protection for one in protected(limited, pauses)] == ["cbfc", GO_BACK, TRIMMING]


@pytest.mark.parametrize(
    "level", ["DCQCN + PFC", "HPCC + PFC", "TIMELY + PFC", "ExpressPass", "receiver-driven", "NSCC"]
)
def test_controls_have_the_settings_of_the_study(level: str) -> None:
    study = read(HERE.parent / "examples" / "studies" / "credit-against-rate.toml")
    point = next(one for one in study.points if one.values[1:] == (("control", level),))
    wanted = study.job(point, 0)
    [control] = {
        one["roce"]["control"]["algorithm"]
        for one in ResolvedScenario.of(wanted.scenario()).keys.document["flow"]
    }
    protection = "pfc" if "PFC" in level else GO_BACK if level == "ExpressPass" else TRIMMING
    buffer = [one for one in wanted.overrides if one.startswith("switch.buffer")][-1]
    base = next(one for one in study.points if one.values[1:] == (("control", "tail drop"),))
    plain = study.job(base, 0)
    plain = replace(
        plain,
        overrides=(*plain.overrides, buffer, "flow.file.roce={}", "flow.mouse.roce={}"),
    )
    one = OverRoce(roce=control, protection=protection)
    found = one.job(plain, ResolvedScenario.of(plain.scenario()))
    assert found.resolved() == wanted.resolved()


@pytest.mark.parametrize("own", [*PAUSES, TRIMMING, GO_BACK])
@pytest.mark.parametrize("other", [*PAUSES, TRIMMING, GO_BACK])
def test_one_protection_takes_the_place_of_the_other(own: str, other: str) -> None:
    job, plain = of(LOSSY)
    base = OverRoce(roce="dcqcn", protection=own).job(job, plain)
    scenario = ResolvedScenario.of(base.scenario())
    assert next(over_roce(scenario)).protection == own
    changed = OverRoce(roce="dcqcn", protection=other).job(base, scenario)
    found = ResolvedScenario.of(changed.scenario())
    assert next(over_roce(found)).protection == other
    document = found.keys.document
    assert (document["flow"][0]["roce"]["resend"] == "selective") is (other == TRIMMING)
    assert [key for key in PAUSES if key in document] == [key for key in PAUSES if key == other]


@pytest.mark.parametrize(
    ("queues", "more", "headers_first", "strict", "quanta"),
    [
        ([[6], [3], []], {"quanta": ["3 kB", "6 kB"], "strict": 1}, [[7], [6], [3], []], 2, 2),
        ([[6], [7], []], {"quanta": ["3 kB", "6 kB"], "strict": 1}, [[7], [6], []], 2, 1),
        ([[7], [3], [0]], {"quanta": ["3 kB", "6 kB"], "strict": 1}, [[7], [3], [0]], 1, 2),
        ([[7, 3], [0]], {"quanta": ["3 kB", "6 kB"]}, [[7], [3], [0]], 1, 2),
    ],
)
def test_trimmed_headers_get_a_strict_queue_and_all_others_stay(
    queues: list[list[int]],
    more: dict[str, object],
    headers_first: list[list[int]],
    strict: int,
    quanta: int,
) -> None:
    shown = ", ".join(f"{key} = {json.dumps(value)}" for key, value in more.items())
    schedule = f'{{ discipline = "deficit-round-robin", {shown} }}'
    job, plain = of(LOSSY, f"switch.queues={queues}", f"switch.schedule={schedule}")
    found = OverRoce(roce="dcqcn", protection=TRIMMING).job(job, plain)
    switch = ResolvedScenario.of(found.scenario()).keys.document["switch"]
    assert switch["queues"] == headers_first
    assert switch["schedule"]["strict"] == strict
    assert switch["schedule"]["quanta"] == ["3000 bytes", "6000 bytes"][-quanta:]


def test_controls_suit_slow_lines_and_several_controls() -> None:
    job, plain = of(LOSSY, 'topology.link_rate="100 Mbit/s"', 'flow.f.roce.resend="selective"')
    assert next(over_roce(plain)).name == "dcqcn, selective (own)"
    other = OverRoce(roce="nscc", protection="pfc").job(job, plain)
    document = ResolvedScenario.of(other.scenario()).keys.document
    assert document["flow"][0]["roce"]["resend"] == GO_BACK
    scenario = ResolvedScenario.of(other.scenario())
    found = OverRoce(roce="dcqcn", protection="pfc").job(other, scenario)
    aqm = ResolvedScenario.of(found.scenario()).keys.document["switch"]["aqm"]
    assert (aqm["min"], aqm["max"]) == ("1000 bytes", "40000 bytes")
    two = LOSSY + LOSSY[LOSSY.index("[[flow]]") :].replace('"f"', '"g"').replace("dcqcn", "hpcc")
    own, *others = over_roce(of(two)[1])
    assert (own.name, own.shared(of(two)[1])) == ("several controls, go-back-n (own)", ())
    assert sorted(one.roce for one in others) == sorted(CONTROLS)
    assert others[0].shared(of(two)[1]) == ("f", "g")


def test_what_the_scenario_has_keeps_its_parameters() -> None:
    job, plain = of(PFC, 'pfc.xoff="50 kB"', "flow.answer.roce.control.g=0.01")
    own = next(over_roce(plain))
    assert own.overrides(plain) == ()
    document = ResolvedScenario.of(own.job(job, plain).scenario()).keys.document
    assert document["flow"][0]["roce"]["control"]["g"] == 0.01
    other = OverRoce(roce="hpcc", protection="pfc").job(job, plain)
    assert ResolvedScenario.of(other.scenario()).keys.document["pfc"]["xoff"] == "50000 bytes"
    assert isinstance(own, Alternative)


def test_a_lossy_incast_gets_a_control_or_a_protection(command: Command, tmp_path: Path) -> None:
    (tmp_path / "i.toml").write_text(LOSSY, encoding="utf-8")
    options = ("--seeds", "1", "--tries", "1")
    done = command("choose", "i.toml", *options, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    tried = {(one["control"], one["protection"]): one for one in found["options"]}
    own = tried["dcqcn", GO_BACK]
    assert own["loss"] > 0
    # Only controls that miss a goal are tried under another protection.
    lossless = {control for control in CONTROLS if not tried[control, GO_BACK]["loss"]}
    assert "expresspass" in lossless
    for control in CONTROLS:
        others = {protection for name, protection in tried if name == control} - {GO_BACK}
        assert others == (set() if control in lossless else {*PAUSES, TRIMMING}), control
    assert tried["dcqcn", "pfc"]["loss"] == 0
    assert found["missed"] == []
    best = found["check"]["option"]
    assert (best["loss"], best["unfinished"]) == (0, 0)
    # What it recommends runs as written, and the written scenario is the same.
    runs = [
        json.loads(command(*line, "--json").stdout)
        for line in (shlex.split(found["command"])[1:], ("run", tmp_path / "out/i-chosen.toml"))
    ]
    assert runs[0]["digest"] == runs[1]["digest"]
    assert runs[0]["totals"]["packets_dropped"] == 0


# An incast of six files passes a leaf on the way of a small file to an idle host.
VICTIM = """
link_layer = "ethernet"
run = { duration = "3 ms", start_jitter = "1 us" }
switch.buffer = "200 kB"
pfc = {}
[topology]
template = "leaf-spine"
leaves = 2
spines = 1
hosts_per_leaf = 4
host_rate = "100 Gbit/s"
spine_rate = "200 Gbit/s"
host_delay = "500 ns"
spine_delay = "500 ns"
[[flow]]
name = "file"
pattern = { kind = "incast", senders = 7, to = "h1" }
source = { kind = "transfer", size = "128 KiB" }
roce.control.algorithm = "dcqcn"
[[flow]]
name = "mouse"
from = "h5"
to = "h2"
start = "10 us"
source = { kind = "transfer", size = "16 KiB" }
roce.control.algorithm = "dcqcn"
"""


def choice(**goals: str) -> tuple[PacketChoice, dict[tuple[str, str], dict[str, Any]]]:
    """A choice for the victim's scenario, and its options with defaults."""
    found = cellrate.choose(VICTIM, seeds=1, tries=1, **goals)  # type: ignore[arg-type]
    assert isinstance(found, PacketChoice)
    options = [one for one in found.as_json()["options"] if not one["parameters"]]
    return found, {(one["control"], one["protection"]): one for one in options}


def test_a_victim_asks_for_other_protections_than_pauses() -> None:
    found, options = choice(victim="mouse")
    assert {protection for _, protection in options} == {*PAUSES, TRIMMING, GO_BACK}
    best = found.best
    assert (best.means["victim"] or 1) < options["dcqcn", "pfc"]["victim_seconds"] / 2
    assert best.means["loss"] == 0
    # The search puts NSCC with trimming first; with other seeds its files take too long.
    by_search = replace(found, checked=None, rejected=())
    assert by_search.best.removed == ("pfc",)
    assert all("has completion" in why for _, [why] in found.rejected)
    assert {one.key for one, _ in found.rejected} > {by_search.best.key}
    assert "mouse at most 5% from its best speed" in found.wanted()
    assert "First remove `pfc` from" in str(by_search.document())
    # Parameters that are searched are those of both groups.
    searched = {one for option in found.options for one in option.overrides if ".w_ai=" in one}
    assert searched
    assert {one.replace("flow.mouse", "flow.file") for one in searched} < searched


def test_controls_with_queues_beyond_the_buffer_are_tried_under_other_protections() -> None:
    found, options = choice(buffer="50 kB")
    assert "no queue longer than 50,000 bytes" in found.wanted()
    assert (found.best.means["queue-peak"] or 1e9) <= 50_000
    for control in CONTROLS:
        protections = {protection for name, protection in options if name == control}
        is_long = options[control, "pfc"]["queue_peak_bytes"] > 50_000
        assert (protections > {"pfc"}) is is_long, control
    assert options["dcqcn", "pfc"]["queue_peak_bytes"] > 50_000
    assert options["expresspass", "pfc"]["queue_peak_bytes"] < 50_000


def test_the_own_row_is_the_scenario_as_it_is() -> None:
    found, _ = choice()
    rows = {one.named.name: one for one in found.best_of_each(lambda one: one.row)}
    own, run = rows["dcqcn, pfc (own)"], cellrate.run(VICTIM, seed=1)
    assert not own.setting.values
    assert own.means["completion"] == run.summary["totals"]["completion_p99_seconds"]
    # Its control with other parameters has a row of its own.
    assert rows["dcqcn, pfc"].setting.values
