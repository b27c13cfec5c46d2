"""Shapers at ports over ATM, through the installed package."""

from __future__ import annotations

import cellrate
import pytest
from cellrate.advice.explain import explain
from cellrate.simulation.network import Network

# A source at its access rate of 15 Mbit/s, and another that gets what the first leaves.
PAIR = """
run.duration = "400 ms"
measure.from = "100 ms"
switch = { buffer = "20000 cells", schedule = { discipline = "wf2q-plus" } }
[topology]
template = "n-source"
link_rate = "15 Mbit/s"
bottleneck_rate = "20 Mbit/s"
access = "10 us"
bottleneck = "10 us"
egress = "10 us"
[[flow]]
name = "shaped"
service = "ubr"
source.kind = "persistent"
[[flow]]
name = "other"
service = "ubr"
source.kind = "persistent"
"""


@pytest.mark.parametrize(
    ("shaper", "rates"),
    [
        (None, (10, 10)),
        ({"pcr": "4 Mbit/s"}, (4, 15)),
        ({"pcr": "8 Mbit/s", "scr": "7 Mbit/s", "mbs": "100 cells"}, (7, 13)),
    ],
)
def test_the_port_shapes_one_channel_and_serves_the_other(
    shaper: dict[str, str] | None, rates: tuple[float, float]
) -> None:
    overrides = {"flow.shaped.port_shaper": shaper} if shaper else {}
    summary = cellrate.run(PAIR, overrides=overrides).summary
    found = [flow["arrived_throughput_bits_per_second"] * 53 / 48 for flow in summary["flows"]]
    assert found == pytest.approx([rate * 1e6 for rate in rates], rel=2e-3)


def test_explain_states_the_contract_and_assumes_no_more() -> None:
    setting = 'flow.shaped.port_shaper={pcr="4 Mbit/s"}'
    said = explain(Network.of(PAIR, "pair.toml", [setting]))
    [contract] = [one for one in said.statements if one.topic == "contract"]
    assert contract.applies
    assert "the shaper at ports releases cells at PCR, 4 Mbit/s, without end" in contract.text
    others = [one for one in said.statements if one.topic != "contract"]
    assert others
    assert all("they hold cells of `shaped`" in one.fails[-1] for one in others)
    without = explain(Network.of(PAIR, "pair.toml", []))
    assert not any("hold cells" in fail for one in without.statements for fail in one.fails)
