"""`choose` keeps what the scenario promises: MCR and PCR, its own policy, its own class."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest
from cellrate.advice.choosing import Answer, Effort, Goals, choose
from cellrate.schemes import allowing
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
    # EPD of the choice has its default threshold, which fits every buffer.
    epd = 'switch.discard={policy="epd", threshold="299 cells"}'
    usual = asked(SMALL, Goals(loss=0.5, abilities=("none",)), *settings[:2], epd)
    shown = [one.overrides for one in usual.options if one.policy == "epd"]
    assert shown
    assert not any("299" in one for one in chain.from_iterable(shown))
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
