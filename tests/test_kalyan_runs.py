"""Settings on which the runs of Kalyanaraman 97 depend: they must make a difference."""

import json
from typing import Any

from cellrate import _core
from cellrate.papers.collection import papers_root


def totals(scenario: str, *settings: str) -> dict[str, Any]:
    path = papers_root() / "kalyan97" / "scenarios" / scenario
    quiet = ["measure.traces=[]", "measure.events=[]"]
    outcome = _core.Scenario(path.read_text("utf-8"), path.name, [*settings, *quiet]).run()
    summary: dict[str, Any] = json.loads(outcome.summary())
    return summary


def merged(summary: dict[str, Any]) -> int:
    return sum(flow["packets_merged"] for flow in summary["flows"])


def test_only_plain_tail_drop_merges_packets() -> None:
    settings = ("run.duration=1.5 s", "switch.buffer=1024 cells")
    plain = totals("on-off-vbr.toml", *settings)
    intelligent = totals("intelligent-tail-drop.toml", *settings)
    assert min(plain["totals"]["cells_dropped"], intelligent["totals"]["cells_dropped"]) > 0
    assert merged(plain) > 0
    assert merged(intelligent) == 0


def test_in_a_lan_the_queue_hangs_on_what_erica_supposes_at_first() -> None:
    lan = ("run.duration=0.2 s", "flow.tcp.count=15", "switch.control.interval_cells=500 cells")
    short = [f"topology.{link}=5 us" for link in ("access", "bottleneck", "egress")]
    settings = (*lan, *short, "switch.control.interval=10 ms")

    def longest(*more: str) -> int:
        ports = totals("file-transfer.toml", *settings, *more)["ports"]
        return max(int(queue["queue_max_cells"]) for port in ports for queue in port["queues"])

    assert longest() > 10 * longest("switch.control.initial_sources=established")
