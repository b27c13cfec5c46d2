"""The event log over Ethernet, held against the counters of the same run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cellrate
import polars as pl
from conftest import Command

# Seven hosts send to one, over links so long that a run on two threads pays.
INCAST = """
link_layer = "ethernet"
run.duration = "40 ms"
measure.events = ["loss", "timeout", "retransmission", "mark"]
topology.template = "leaf-spine"
topology.leaves = 2
topology.spines = 1
topology.hosts_per_leaf = 4
topology.host_rate = "10 Gbit/s"
topology.spine_rate = "40 Gbit/s"
topology.host_delay = "200 us"
topology.spine_delay = "200 us"
switch.buffer = "40 kB"
switch.aqm = { algorithm = "threshold", k = "10 packets" }
tcp.recovery.policy = "dctcp"
tcp.initial_window = 40
tcp.min_rto = "3 ms"
tcp.initial_rto = "3 ms"
tcp.granularity = "100 us"
[[flow]]
name = "answer"
pattern = { kind = "incast", senders = 7, to = "h8" }
"""

# Four sources that send at the rate of their line until the timer of RoCE expires, and datagrams.
ROCE = """
link_layer = "ethernet"
run.duration = "5 ms"
measure.events = ["loss", "timeout", "retransmission", "mark"]
topology.template = "n-source"
topology.link_rate = "10 Gbit/s"
topology.bottleneck_rate = "10 Gbit/s"
topology.access = "1 us"
topology.bottleneck = "1 us"
topology.egress = "1 us"
switch.buffer = "25 kB"
switch.aqm = { algorithm = "red", min = "5 packets", max = "15 packets", weight = 1, max_p = 0.1 }
[[flow]]
name = "roce"
count = 4
source = { kind = "transfer", size = "200 kB" }
roce = { timeout = "300 us" }
[[flow]]
name = "udp"
datagram = "1000 bytes"
source = { kind = "cbr", rate = "3 Gbit/s" }
"""
KINDS = ("loss", "mark", "retransmission", "timeout")


def counted(events: pl.DataFrame, summary: dict[str, Any]) -> dict[str, int]:
    """Number of events of each kind; checks it by port and by flow against the counters."""
    number = {
        (kind, port, flow): count
        for kind, port, flow, count in events.with_columns(
            flow=pl.col("vc").str.split("/").list.first()
        )
        .group_by("kind", "port", "flow")
        .len()
        .iter_rows()
    }

    def found(*kinds: str, **of: str) -> int:
        return sum(
            count
            for (kind, port, flow), count in number.items()
            if kind in kinds and of.items() <= {"port": port, "flow": flow}.items()
        )

    for port in summary["ports"]:
        for kind, key in (("loss", "packets_dropped"), ("mark", "packets_marked")):
            sums = sum(queue[key] for queue in port["queues"])
            assert found(kind, port=port["name"]) == sums
        early = sum(queue["packets_dropped_early"] for queue in port["queues"])
        of_port = events.filter(pl.col("port") == port["name"], pl.col("cause") == "early")
        assert of_port.height == early
    for flow in summary["flows"]:
        assert found("retransmission", flow=flow["name"]) == flow["segments_retransmitted"]
        assert found("timeout", flow=flow["name"]) == flow["timeouts"]
    causes = events.filter(pl.col("kind") == "loss")["cause"]
    assert set(causes) <= {"overflow", "early"}
    assert events.filter(pl.col("kind") != "loss")["cause"].null_count() == events.height - len(
        causes
    )
    assert events["time_seconds"].is_sorted()
    return {kind: found(kind) for kind in KINDS}


def test_an_incast_logs_what_its_counters_count(command: Command, tmp_path: Path) -> None:
    """On two threads the log is the same; without a log the run is."""
    (tmp_path / "x.toml").write_text(INCAST, encoding="utf-8")

    def run(out: str, *options: str) -> dict[str, Any]:
        done = command("run", "x.toml", "--out", out, *options)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads((tmp_path / out / "summary.json").read_text("utf-8"))
        return found

    summary = run("one", "--threads", "1")
    events = pl.read_parquet(tmp_path / "one" / "events.parquet")
    columns = ["time_seconds", "kind", "vc", "port", "cause", "sequence_bytes"]
    assert events.columns == columns
    numbers = counted(events, summary)
    assert min(numbers.values()) > 0, numbers
    # The bytes that a host sends again are whole segments from their first byte on.
    again = events.filter(pl.col("kind") == "retransmission")["sequence_bytes"]
    assert all(number % 1460 == 0 for number in again)

    assert "runs in 2 threads" in command("run", "x.toml", "--plan", "--threads", "2").stdout
    assert run("two", "--threads", "2")["digest"] == summary["digest"]
    assert events.equals(pl.read_parquet(tmp_path / "two" / "events.parquet"))

    assert run("none", "--set", "measure.events=[]")["digest"] == summary["digest"]
    assert not (tmp_path / "none" / "events.parquet").exists()


def test_the_log_of_roce_has_timeouts_and_packets_sent_again() -> None:
    found = cellrate.run(ROCE)
    numbers = counted(found.events, found.summary)
    assert numbers["mark"] == 0
    assert min(numbers["loss"], numbers["retransmission"], numbers["timeout"]) > 0
    lost = found.events.filter(pl.col("kind") == "loss")
    assert set(lost["cause"]) == {"overflow", "early"}
    # Numbers of packets count as full payloads of 1,024 bytes; a datagram has none.
    over_roce = pl.col("vc").str.starts_with("roce")
    assert lost.filter(~over_roce)["sequence_bytes"].null_count() == lost.filter(~over_roce).height
    assert all(number % 1024 == 0 for number in lost.filter(over_roce)["sequence_bytes"])


def test_the_limit_keeps_the_first_events_and_a_warning_counts_the_others() -> None:
    every = cellrate.run(ROCE)
    few = cellrate.run(ROCE, overrides={"measure.event_limit": 40})
    assert few.digest == every.digest
    assert few.events.equals(every.events.head(40))
    omitted = every.events.height - 40
    told = [one["message"] for one in few.warnings if one["code"] == "events-omitted"]
    assert told == [f"{omitted} events beyond `event_limit` were not kept"]
    losses = cellrate.run(ROCE, overrides={"measure.events": ["loss"]})
    assert losses.events.equals(every.events.filter(pl.col("kind") == "loss"))
