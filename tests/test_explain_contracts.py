"""Statements of `explain` on contracts that cannot be kept, or that change nothing."""

from __future__ import annotations

import json

import pytest
from cellrate.advice.explain import Explanation, explain
from cellrate.simulation.network import Network
from conftest import Command
from explained import find, measured

SCENARIO = """
[run]
duration = "200 ms"
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "1 km"
egress = "1 km"
[switch]
buffer = "3000 cells"
[tcp]
mss = "1460 bytes"
[[flow]]
name = "small"
count = 2
service = "ubr"
gfr = { pcr = "155.52 Mbit/s", mcr = "20 Mbit/s", mbs = "200 cells", mfs = "32 cells" }
[[flow]]
name = "large"
count = 2
service = "ubr"
gfr = { pcr = "155.52 Mbit/s", mcr = "40 Mbit/s", mbs = "200 cells", mfs = "32 cells" }
[[flow]]
name = "steady"
service = "cbr"
source = { kind = "cbr", rate = "10 Mbit/s" }
"""
"""MCRs of GFR of 120 Mbit/s and CBR of 10 Mbit/s on a link of 155.52 Mbit/s."""


def said(*overrides: str) -> Explanation:
    return explain(Network.of(SCENARIO, "scenario", overrides))


def codes(command: Command, *settings: str) -> list[str]:
    """Codes of the warnings of a short run."""
    given = [part for one in settings for part in ("--set", one)]
    shown = command("run", "-", "--json", "--set", "run.duration=20 ms", *given, stdin=SCENARIO)
    assert shown.returncode == 0, shown.stderr
    return [one["code"] for one in json.loads(shown.stdout)["warnings"]]


@pytest.mark.parametrize(
    ("setting", "booked"),
    [
        ('flow.large.gfr.mcr="90 Mbit/s"', 2 * 20 + 2 * 90 + 10),
        ('flow.steady.source.rate="40 Mbit/s"', 160),
        ('flow.large.gfr.mcr="52.7 Mbit/s"', None),
    ],
)
def test_gfr_beyond_the_link_is_not_promised(
    setting: str, booked: float | None, command: Command
) -> None:
    contracts = find(said(setting), "contract", "overbooked")
    assert [one.values["overbooked"] for one in contracts] == [booked is not None] * 2
    for contract in contracts:
        assert ("promises" in contract.text) is (booked is None)
        if booked is not None:
            assert f"come to {booked:.2f} Mbit/s there" in contract.text
    assert ("overbooked" in codes(command, setting)) is (booked is not None)


def test_a_shaper_above_the_line_delays_no_cell(command: Command) -> None:
    plain = 'flow=[{name="one", service="ubr"}]', "switch.buffer=infinite"

    def shaped(contract: str) -> tuple[str, float]:
        settings = *plain, f"flow.one.shaper={contract}"
        [statement] = find(said(*settings), "contract", "place")
        total = measured(SCENARIO, *settings)["totals"]["tcp_throughput_bits_per_second"]
        assert ("scenario" in codes(command, *settings)) is ("delays no cell" in statement.text)
        return statement.text, total

    free = measured(SCENARIO, *plain)["totals"]["tcp_throughput_bits_per_second"]
    for contract in ("{pcr='300 Mbit/s'}", "{pcr='155.52 Mbit/s'}"):
        text, total = shaped(contract)
        assert "the shaper delays no cell" in text
        assert "300" not in text
        assert total == free
    text, total = shaped("{pcr='100 Mbit/s'}")
    assert "sends cells at PCR, 100 Mbit/s" in text
    assert total < free
    # tau = 399 (1/10 - 1/300); at 155.52 Mbit/s 1 + tau / (1/10 - 1/155.52) = 413.2 cells.
    text, total = shaped("{pcr='300 Mbit/s', scr='10 Mbit/s', mbs='400 cells'}")
    assert "sends 413 cells one after another at the rate of" in text
    assert "155.52 Mbit/s" in text
    assert total < free
