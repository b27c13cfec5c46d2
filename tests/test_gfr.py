"""GFR: what contracts promise, and what TCP gets of its MCR behind each kind of switch."""

from __future__ import annotations

import json
from functools import cache

import pytest
from cellrate.advice.explain import explain
from cellrate.simulation.network import Network
from cellrate.simulation.runner import run_one
from cellrate.studies.study.file import read
from conftest import HERE, SCENARIOS

STUDY = HERE.parent / "examples" / "studies" / "gfr.toml"
PAGE = HERE.parent / "docs" / "explanation" / "gfr.md"
GROUPS = (4, 8, 12, 16, 20)
# Payload of a cell in a segment of 1,024 bytes, over its bits.
PAYLOAD = 1024 * 8 / (23 * 424)


@cache
def shares(switch: str, replication: int = 0) -> tuple[float, ...]:
    """Goodput of each group of the study over its MCR."""
    study = read(STUDY)
    [point] = [one for one in study.points if dict(one.values)["switch"] == switch]
    run = json.loads(run_one(study.job(point, replication).scenario()).summary())

    def of(mcr: int) -> float:
        flows = [flow for flow in run["flows"] if flow["group"] == f"m{mcr}"]
        goodput = sum(flow["goodput_bits_per_second"] for flow in flows)
        return float(goodput / (mcr * 1e6 * PAYLOAD))

    return tuple(map(of, GROUPS))


def test_tcp_takes_equal_parts_where_no_switch_knows_mcr() -> None:
    found = shares("EPD, GFR.1")
    assert found[0] > 3 * found[4]
    assert found[4] < 1.1


@pytest.mark.parametrize(
    "switch", ["double EPD, GFR.2", "DFBA, GFR.1", "queues, double EPD, GFR.2"]
)
def test_switches_that_know_tags_or_mcr_keep_the_guarantee(switch: str) -> None:
    assert min(shares(switch)) > 1.2


def test_what_knows_mcr_shares_the_rest_more_by_mcr() -> None:
    order = ("EPD, GFR.1", "double EPD, GFR.2", "DFBA, GFR.1", "queues, double EPD, GFR.2")
    spread = [shares(switch)[0] / shares(switch)[4] for switch in order]
    assert spread == sorted(spread, reverse=True)
    assert spread[3] < 1.5


@pytest.mark.long
def test_the_documentation_says_what_the_study_gives() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for point in read(STUDY).points:
        switch = dict(point.values)["switch"]
        runs = [shares(str(switch), replication) for replication in range(5)]
        means = [f"{sum(values) / 5:.2f}" for values in zip(*runs, strict=True)]
        assert f"| {switch} | {' | '.join(means)} |" in text


def test_explain_says_what_a_contract_promises() -> None:
    contract = '{ pcr = "20 Mbit/s", mcr = "1 Mbit/s", mbs = "50 cells", mfs = "12 cells"'
    for more, beyond in (
        ("}", "frames beyond it are tagged with CLP = 1"),
        (', conformance = "gfr-1" }', "frames beyond it keep their CLP"),
    ):
        sets = ["flow.tcp.service=ubr", f"flow.tcp.gfr={contract}{more}"]
        text = (SCENARIOS / "traced.toml").read_text(encoding="utf-8")
        said = explain(Network.of(text, "traced.toml", sets))
        [statement] = [one for one in said.statements if one.values.get("place") == "gfr"]
        assert "GFR promises 1 Mbit/s (MCR) to frames with CLP = 0 of at most 12 cells" in (
            statement.text
        )
        assert beyond in statement.text
        # (MBS - 1) (1/MCR - 1/PCR) over (1/MCR - 1/PCR), and the first cell.
        assert statement.values["burst_cells"] == 50
        assert "But full segments" not in statement.text
        sets[1] = sets[1].replace("12 cells", "11 cells")
        said = explain(Network.of(text, "traced.toml", sets))
        [statement] = [one for one in said.statements if one.values.get("place") == "gfr"]
        assert "But full segments have 12 cells" in statement.text
