"""`choose` and `tune` keep what a scenario promises: MCR, PCR, its own policy, its own class."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from cellrate.advice.choosing import Answer, Effort, Goals, as_json, choose
from cellrate.advice.choosing.candidates import Option, candidates, limited
from cellrate.advice.choosing.goals import judged, missed_again
from cellrate.advice.choosing.report import verdict
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.advice.tuning.laboratory import AS_IT_IS
from cellrate.advice.tuning.options import TuneOptions
from cellrate.advice.tuning.report import headline
from cellrate.advice.tuning.shares import gfr_mcrs, kept_mcrs, mcr_shares, shares_of
from cellrate.advice.tuning.tune import tune
from cellrate.schemes import allowing
from cellrate.simulation.network import Network
from cellrate.simulation.runner import Job

pytestmark = pytest.mark.usefixtures("undrawn")

SMALL = """
[run]
duration = "60 ms"
[measure]
from = "25 ms"
traces = []
[switch]
buffer = "300 cells"
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "100 km"
egress = "1 km"
[tcp]
granularity = "10 ms"
min_rto = "20 ms"
initial_rto = "50 ms"
window = "64 KiB"
[[flow]]
name = "tcp"
count = 4
service = "abr"
stagger = "2 ms"
"""
# A line of 60 Mbit/s; a segment of 1,024 bytes has 23 cells.
GUARANTEED = """
[run]
duration = "3 s"
start_jitter = "50 ms"
[measure]
from = "500 ms"
traces = []
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
bottleneck_rate = "60 Mbit/s"
access = "0.1 ms"
bottleneck = "2 ms"
egress = "0.1 ms"
[switch]
buffer = "1500 cells"
control = { scheme = "none" }
discard = { policy = "double-epd", threshold = "1300 cells", tagged_threshold = "500 cells" }
[tcp]
recovery = "sack"
mss = "1024 bytes"
window = "128 KiB"
granularity = "10 ms"
min_rto = "200 ms"
[[flow]]
name = "gold"
count = 3
service = "ubr"
[flow.gfr]
pcr = "155.52 Mbit/s"
cdvt = "20 us"
mcr = "8 Mbit/s"
mbs = "100 cells"
mfs = "23 cells"
[[flow]]
name = "best"
count = 5
service = "ubr"
[flow.gfr]
pcr = "155.52 Mbit/s"
cdvt = "20 us"
mcr = "0.5 Mbit/s"
mbs = "100 cells"
mfs = "23 cells"
"""
OWN = """
from dataclasses import dataclass

@dataclass
class Share:
    def on_backward_rm(self, port, rm):
        rm.er = 0.9 * port.rate / 4
"""


def asked(text: str, goals: Goals, *settings: str, path: str = "x.toml") -> Answer:
    return choose(Job(text, path, settings), goals, Effort(seeds=1, settings=1, finalists=1))


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("abr.mcr=20 Mbit/s", "only ABR keeps the MCR of tcp"),
        ("abr.pcr=30 Mbit/s", "only ABR keeps the PCR of tcp"),
        ("abr.pcr=155.52 Mbit/s", ""),
    ],
)
def test_controls_without_abr_drop_no_promised_rate(setting: str, reason: str) -> None:
    goals = Goals(abilities=("none", "explicit-rate", "credit"))
    answer = asked(SMALL, goals, "switch.control.scheme=erica", setting)
    assert {answer.refused.get(name, "") for name in ("none", "fcvc")} == {reason}
    tried = {one.candidate.name for one in answer.options}
    assert tried.isdisjoint({"none", "fcvc"}) is bool(reason)


def test_the_scenario_is_run_with_its_own_discard_policy() -> None:
    discard = 'switch.discard={policy="selective-drop", threshold="100 cells"}'
    settings = ('flow.tcp.service="ubr"', "switch.control.scheme=none", discard)
    answer = asked(SMALL, Goals(loss=0.5, abilities=("none",)), *settings)
    [own] = [one for one in answer.options if one.policy == "selective-drop"]
    assert own.buffer_cells == 300
    assert any("100 cells" in one for one in own.overrides)
    # EPD of the choice has its default threshold, which fits every buffer; that of the scenario
    # is run in the scenario's buffer.
    epd = 'switch.discard={policy="epd", threshold="299 cells"}'
    usual = asked(SMALL, Goals(loss=0.5, abilities=("none",)), *settings[:2], epd)
    shown = {one.buffer_cells: " ".join(one.overrides) for one in usual.options}
    assert {cells for cells, texts in shown.items() if "299 cells" in texts} == {300}
    assert any(one.policy == "epd" and one.buffer_cells != 300 for one in usual.options)
    alone = asked(SMALL, Goals(loss=0.5, abilities=("none",)), *settings[:2])
    assert {one.policy for one in alone.options} == {"tail-drop", "epd"}


def test_a_class_is_the_scenarios_own_control(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    path = str(tmp_path / "x.toml")
    with allowing("own.py:Share"):
        goals = Goals(abilities=("explicit-rate",))
        answer = asked(SMALL, goals, "switch.control.scheme=own.py:Share", path=path)
    [own] = [one for one in answer.rows if one.candidate.is_own]
    assert own.candidate.name == "own.py:Share"
    # Four flows with nine tenths of the line in all; 31 of 32 cells are data, 512 bytes in 12.
    assert own.throughput_bits_per_second == pytest.approx(
        0.9 * 155.52e6 * 31 / 32 * 512 / 636, rel=0.03
    )


def test_the_share_of_a_flow_is_at_least_its_mcr_of_gfr() -> None:
    """By hand: three times 8 of 60 Mbit/s are promised, and five flows share the rest."""
    network = Network.of(GUARANTEED, "x.toml", ())
    found = {name: 424 * share / 1e6 for name, share in shares_of(network).items()}
    expected = {f"gold.{at}": 8.0 for at in (1, 2, 3)} | {f"best.{at}": 7.2 for at in range(1, 6)}
    assert found == pytest.approx(expected)
    # 1,024 of 23 * 53 bytes are payload.
    mcr = 8e6 * 1024 / (23 * 53)
    assert gfr_mcrs(network) == pytest.approx({"gold": mcr, "best": mcr / 16}, rel=1e-5)
    share, _ = mcr_shares(network)
    rates = [("gold", mcr), ("gold", mcr / 2), ("best", 9e6)]
    flows = [{"group": name, "tcp_throughput_bits_per_second": one} for name, one in rates]
    assert share.of({"flows": flows}) == pytest.approx(0.75, rel=1e-5)


def option(cells: int, gold: float) -> Option:
    [none] = [one for one in candidates() if one.name == "none"]
    measures = {"throughput_bits_per_second": 5e7, "utilisation": 1.0, "loss": 0.0}
    waits = {"mean_delay_seconds": 1e-3, "longest_delay_seconds": 2e-3, "settling_seconds": 0.0}
    named = {"candidate": none, "setting": AS_IT_IS, "policy": "tail-drop", "overrides": ()}
    size = {"buffer_cells": cells, "by_seed_cells": (cells,), "seeds": 1, "fairness": 1.0}
    return Option(**measures, **waits, **named, **size, mcr_shares=(("gold", gold),))  # type: ignore[arg-type]


def test_an_option_must_keep_an_mcr_of_gfr_if_any_does() -> None:
    breaks, keeps = option(100, 0.94), option(500, 1.3)
    found = judged([breaks, keeps], Goals())
    assert found.best == keeps
    assert Goals().among([breaks, keeps]).missed(breaks) == ["gives gold 94% of its MCR"]
    assert judged([option(100, 0.96), keeps], Goals()).best == option(100, 0.96)
    # No option gives more than half of it, so 0.475 are enough.
    assert judged([option(100, 0.48), option(500, 0.5)], Goals()).best == option(100, 0.48)
    # The check has other seeds.
    again = replace(keeps, mcr_shares=(("gold", 0.9),))
    told = missed_again(again, [breaks, keeps], Goals(), lambda one: one)
    assert told == ["gives gold 90% of its MCR"]


def test_choose_says_that_contracts_rest_on_the_policy() -> None:
    answer = asked(GUARANTEED, Goals(loss=0.1, buffer_cells=1500, abilities=("none",)))
    [said] = [text for text in verdict(answer) if "own discard policy" in text]
    assert said == (
        "The scenario's own discard policy, double-epd, is tried in its own buffer, with the "
        "scenario's own control alone; all other options replace it by tail drop or EPD with its "
        "defaults, which know no GFR contract (gold, best)."
    )
    assert said in as_json(answer)["words"]
    lossless = [one for one in answer.options if not one.loss]
    # Without losses all flows share the line equally, 60 / 8 of the 8 Mbit/s.
    assert dict(lossless[0].mcr_shares)["gold"] == pytest.approx(7.5 / 8, rel=0.01)
    assert answer.recommended is not None
    assert answer.recommended.policy == "double-epd"


def test_fairness_counts_the_shares_of_the_scenario_as_it_is() -> None:
    """Over UBR four flows share equally, so ABR with a PCR of a flow is unfair."""
    flows = "flow=[{name='slow', service='ubr', abr={pcr='2 Mbit/s'}}, {name='tcp', service='ubr'}]"
    goals = Goals(fairness=0.0, abilities=("explicit-rate",))
    answer = asked(SMALL, goals, flows, "tcp.window=256 KiB")
    [fairness] = {
        round(one.fairness or 0.0, 1)
        for one in answer.options
        if one.candidate.name == "erica" and not one.setting.values
    }
    # Jain's index of 2 and about 150.
    assert fairness == 0.5


def test_own_limits_are_those_of_each_switch() -> None:
    """EPD with a threshold of its own is the scenario's policy in its own buffer alone."""
    discard = 'switch.discard={policy="epd", threshold="200 cells"}'
    scenario = ResolvedScenario.of_job(Job(SMALL, "x.toml", (discard,)))
    own = [one.partition("discard=")[2] for one in limited(scenario, 300, "epd")]
    assert 'threshold="200 cells"' in own[1]
    assert limited(scenario, 150, "epd")[1] == 'switch.discard={policy="epd"}'


def test_tune_names_a_contract_that_its_best_setting_breaks() -> None:
    """By hand: a buffer for all windows shares the line equally, 60 / 8 of the 8 Mbit/s."""
    wide = ("switch.buffer=23000 cells", "switch.discard.threshold=22999 cells")
    options = TuneOptions(
        vary=("switch.discard.tagged_threshold=500 cells,22998 cells",), seeds=2, objective="loss"
    )
    answer = tune(Job(GUARANTEED, "x.toml", wide), options)
    kept = kept_mcrs(answer.as_it_is.means)["gold"]
    assert kept > 1
    [words] = [text for text in headline(answer) if "GFR contract" in text]
    told = re.fullmatch(
        r"This setting does not keep a GFR contract: gold gets (\d+)% of its MCR in payload, and "
        rf"{kept:.0%} with the scenario as it is\.",
        words,
    )
    assert told is not None
    # The sentence has fresh seeds.
    assert int(told[1]) == pytest.approx(100 * 7.5 / 8, rel=0.02)
    assert kept_mcrs(answer.chosen.means)["gold"] == pytest.approx(7.5 / 8, rel=0.02)
