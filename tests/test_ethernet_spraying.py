"""Packet spraying: shares of paths, order at the receiver, captures, and what `explain` says."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import cellrate
import pytest
from cellrate import _core
from cellrate.simulation.network.ethernet_view import FrameNetwork

# Two flows from one leaf to another, over four spines as fast as a quarter of a host each.
FABRIC = """
link_layer = "ethernet"
run.duration = "10 ms"
tcp.initial_window = 40
[topology]
template = "leaf-spine"
leaves = 2
spines = 4
hosts_per_leaf = 2
host_rate = "40 Gbit/s"
spine_rate = "10 Gbit/s"
host_delay = "1 us"
spine_delay = "2 us"
[[flow]]
name = "f"
from = "h1"
to = "h3"
source = { kind = "transfer", size = "2 MB" }
[[flow]]
name = "g"
from = "h2"
to = "h4"
source = { kind = "transfer", size = "2 MB" }
"""
SPRAYED = ("random", "round-robin")


def run(multipath: str, **settings: object) -> cellrate.Result:
    return cellrate.run(FABRIC, overrides={"switch.multipath": multipath, **settings})


@pytest.mark.parametrize("multipath", SPRAYED)
def test_each_of_four_paths_carries_its_share(multipath: str) -> None:
    found = run(multipath)
    sent = {
        row["port"]: row["packets_arrived"] for row in found.queues.iter_rows(named=True)
    }  # fmt: skip
    spines = [sent[f"leaf1->spine{number}"] for number in range(1, 5)]
    all_sent = sum(flow["packets_sent"] for flow in found.summary["flows"])
    assert sum(spines) == all_sent
    # In turns to a frame; drawn within five standard deviations of a binomial number.
    within = 1.0 if multipath == "round-robin" else 5 * math.sqrt(all_sent * 3 / 16)
    assert all(abs(packets - all_sent / 4) <= within for packets in spines), spines
    for flow in found.summary["flows"]:
        assert flow["delivered_bytes"] == 2_000_000
        assert flow["balance"]["held_out_of_order_bytes"] == 0
    # Acknowledgements are sprayed, too.
    assert min(sent[f"leaf2->spine{number}"] for number in range(1, 5)) > 0
    assert run(multipath).digest == found.digest
    assert run(multipath, **{"run.seed": 2}).digest != found.digest


def test_drawn_paths_reorder_and_a_hash_does_not() -> None:
    hashed, drawn = (run(multipath).summary for multipath in ("ecmp", "random"))
    for flow in hashed["flows"]:
        assert flow["duplicate_acks"] == flow["balance"]["duplicate_bytes"] == 0
    assert hashed["totals"]["packets_dropped"] == drawn["totals"]["packets_dropped"] == 0
    for flow in drawn["flows"]:
        assert flow["duplicate_acks"] > 100
        assert flow["balance"]["duplicate_bytes"] > 0


def test_a_capture_shows_a_quarter_of_the_frames_and_changes_nothing(tmp_path: Path) -> None:
    settings = {"switch.multipath": "round-robin", "tcp.connection_setup": True}
    places = [f"leaf1->spine{number}" for number in range(1, 5)]
    taken = cellrate.capture(FABRIC, places, tmp_path, overrides=settings)
    plain = cellrate.run(FABRIC, overrides=settings)
    assert taken.result.digest == plain.digest
    frames = [len(path.read_bytes()) for path in taken.files]
    assert max(frames) < 1.1 * min(frames)


def test_a_sprayed_flow_is_bound_by_all_its_lines_together() -> None:
    settings = {
        "switch.multipath": "random",
        "switch.buffer": "1 MB",
        "flow.f.source": {"kind": "greedy"},
    }
    network = FrameNetwork.of_scenario(_core.Scenario(FABRIC, "", ['switch.multipath="random"']))
    [flow, _] = network.flows
    assert [len(hop) for hop in flow.hops] == [1, 4, 4, 1]
    assert [line.name for line in flow.forward] == ["h1->leaf1", "leaf2->h3"]
    said = cellrate.explain(FABRIC, overrides=settings)
    [told] = said.topics()["spraying"]
    assert told.values == {"flows_sprayed": 2, "most_lines": 4}
    bounds = {one.values["group"]: one.values for one in said.topics()["TCP throughput"]
              if "group" in one.values}  # fmt: skip
    # 40 Gbit/s over four spines, of which 1,460 of 1,538 bytes are payload; one frame a line more.
    least = 40e9 * 1460 / 1538
    bound = float(str(bounds["f"]["greatest_bound_bits_per_second"]))
    assert least < bound < least * 1.001
    [queue] = {one.text for one in said.topics()["loss"] if "leaf1->spine1" in one.text}
    assert "losses are possible" in queue


def test_records_of_rates_need_one_path() -> None:
    settings: dict[str, Any] = {"switch.multipath": "random", "flow.f.rate_control": {}}
    with pytest.raises(cellrate.ScenarioError, match="needs one path for each flow"):
        cellrate.run(FABRIC, overrides=settings)


def test_too_many_ways_are_refused() -> None:
    settings = {"switch.multipath": "random", "flow.f.count": 600_000}
    with pytest.raises(cellrate.ScenarioError, match="flows are sprayed over 100000") as caught:
        cellrate.run(FABRIC, overrides=settings)
    assert "fewer flows, or `ecmp`" in str(caught.value)
