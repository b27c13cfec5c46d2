"""Credit-based flow control of links over Ethernet: its rate, its buffers, deadlocks, captures."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import cellrate
import pytest
from test_ethernet import frames_of
from test_ethernet_pfc import RING, VICTIM

# A switch between two hosts; at 100 Gbit/s an octet takes 0.08 ns.
ONE = """
link_layer = "ethernet"
run.duration = "2 ms"
measure.from = "1 ms"
[cbfc]
credits = 17
unit = "1518 bytes"
[topology]
template = "graph"
node = [
    { kind = "host", name = "a" },
    { kind = "host", name = "b" },
    { kind = "switch", name = "s" },
]
link = [
    { from = "a", to = "s", rate = "100 Gbit/s", delay = "1 us" },
    { from = "s", to = "b", rate = "100 Gbit/s", delay = "1 us" },
]
[[flow]]
name = "one"
from = "a"
to = "b"
source = { kind = "persistent" }
"""


def test_the_rate_that_explain_gives_is_that_of_the_run() -> None:
    """17 frames of 123.04 ns in the loop of the first link.

    The loop: 122.08 ns to the last bit, 123.04 ns at the switch, 5.76 ns of the credit frame, and
    2,000 ns of propagation. Into the host there is no service behind the link.
    """
    said = cellrate.explain(ONE).topics()["credit"]
    rates = {one.values["link"]: one.values["credit_bits_per_second"] for one in said}
    first, second = 17 * 123.04 / 2250.88, 17 * 123.04 / 2127.84
    assert rates == {"a->s": pytest.approx(first * 1e11), "s->b": pytest.approx(second * 1e11)}
    run = cellrate.run(ONE)
    used = dict(zip(run.ports["name"], run.ports["utilisation"], strict=True))
    assert used["s->b"] == pytest.approx(first, rel=1e-3)
    # Each frame returns one credit in 84 bytes.
    assert used["s->a"] == pytest.approx(first * 84 / 1538, rel=1e-3)
    [control] = [port["control"] for port in run.summary["ports"] if port["name"] == "s->b"]
    assert control["scheme"] == "cbfc"
    # With the credits that follow from the link nothing binds, and the line is full.
    full: dict[str, object] = {"cbfc": {}}
    assert "credit" not in cellrate.explain(ONE, overrides=full).topics()
    assert max(cellrate.run(ONE, overrides=full).ports["utilisation"]) == pytest.approx(1.0)


@pytest.mark.parametrize(("batch", "frames"), [(1, 1), (24, 1), (25, 2), (100, 5)])
def test_the_share_of_credit_frames_that_explain_gives_is_that_of_the_run(
    batch: int, frames: int
) -> None:
    """A full frame of 1,518 bytes takes 24 credits of 64 bytes."""
    text = ONE.replace('credits = 17\nunit = "1518 bytes"', f"batch = {batch}")
    [said] = [
        one
        for one in cellrate.explain(text).topics()["frames"]
        if "credit_share_of_data" in one.values
    ]
    assert said.values["credit_share_of_data"] == pytest.approx(84 / (frames * 1538))
    assert "acknowledgements" not in said.text
    run = cellrate.run(text)
    used = dict(zip(run.ports["name"], run.ports["utilisation"], strict=True))
    assert used["s->b"] == pytest.approx(1.0, rel=1e-3)
    # Nothing else crosses this line: datagrams have no acknowledgements.
    assert used["s->a"] == pytest.approx(84 / (frames * 1538), rel=1e-2)


def loop_ns(frame: int) -> float:
    """Time until the credits of a frame return on the first link.

    To the last bit of the frame, at the switch, of a credit frame, and of propagation both ways.
    """
    return 0.08 * (frame + 8) + 0.08 * (frame + 20) + 5.76 + 2000


@pytest.mark.parametrize(
    ("unit", "count", "frame"), [(1400, 17, 1400), (600, 34, 1200), (600, 35, 1201)]
)
def test_datagrams_of_one_length_reach_the_bound(unit: int, count: int, frame: int) -> None:
    settings = {
        "cbfc.unit": f"{unit} bytes",
        "cbfc.credits": count,
        "flow.one.datagram": f"{frame - 46} bytes",
    }
    held = count // -(-frame // unit)
    rate = held * 0.08 * (frame + 20) / loop_ns(frame)
    said = cellrate.explain(ONE, overrides=settings).topics()["credit"]
    [bound] = [one.values for one in said if one.values["link"] == "a->s"]
    assert bound["credit_bits_per_second"] == pytest.approx(rate * 1e11)
    run = cellrate.run(ONE, overrides=settings)
    used = dict(zip(run.ports["name"], run.ports["utilisation"], strict=True))
    # The window of 1 ms has some 446 loops, and may begin or end within one.
    assert used["s->b"] == pytest.approx(rate, rel=1 / 446)


def test_short_frames_exceed_the_rate_of_full_ones() -> None:
    """Files of one short frame of 1,400 bytes each; a full frame takes two credits."""
    settings: dict[str, object] = {
        "cbfc.unit": "1400 bytes",
        "cbfc.credits": 16,
        "flow.one.count": 1000,
        "flow.one.source": {"kind": "transfer", "size": "1342 bytes"},
        "run.duration": "100 us",
        "measure.from": "20 us",
    }
    said = cellrate.explain(ONE, overrides=settings)
    [bound] = [
        float(str(one.values["credit_bits_per_second"]))
        for one in said.topics()["credit"]
        if one.values["link"] == "a->s"
    ]
    assert bound == pytest.approx(1e11 * 16 * 113.6 / loop_ns(1400))
    full = 1e11 * 8 * 123.04 / loop_ns(1518)
    summary = cellrate.run(ONE, overrides=settings).summary
    rate = summary["totals"]["throughput_bits_per_second"] / 1342 * 1420
    assert 1.7 * full < rate < bound * 1.01
    assert rate > 0.97 * bound


def test_credits_spare_losses_and_bound_queues() -> None:
    """Without credits, the buffer loses frames; with them the queue holds those of all links."""
    text = cellrate.template("incast")
    assert cellrate.run(text).summary["totals"]["packets_dropped"] > 0
    settings = {"cbfc": {"credits": 240}}
    run = cellrate.run(text, overrides=settings)
    assert run.summary["totals"]["packets_dropped"] == 0
    topics = cellrate.explain(text, overrides=settings).topics()
    assert "CBFC sends a frame only if" in str(topics["loss"])
    [claim] = [one for said in topics["queue"] for one in said.claims]
    assert claim.value == 32 * 240 * 64
    assert 200_000 < max(run.queues["queue_max_bytes"]) <= claim.value
    other = {"cbfc": {"priorities": [3]}}
    said = str(cellrate.explain(text, overrides=other).topics()["loss"])
    assert "CBFC does not cover all priorities" in said


def test_a_ring_of_credits_is_told_before_it_stops_for_good() -> None:
    text = RING.read_text(encoding="utf-8").replace('[pfc]\nxoff = "20 packets"', "[cbfc]")
    [said] = cellrate.explain(text).topics()["deadlock"]
    links = ["s1->s2", "s2->s3", "s3->s4", "s4->s5", "s5->s1"]
    cycle: Any = said.values["deadlock_cycle"]
    assert sorted(cycle[1:]) == links
    assert "CBFC can deadlock" in said.text
    assert cellrate.run(text).flows["throughput_bits_per_second"].to_list() == [0.0] * 5


def test_credits_return_in_frames_of_their_own(tmp_path: Path) -> None:
    """The EtherType of experiments, the priorities, and a count of 16 bits for each of eight."""
    settings = {"cbfc": {"batch": 48}, "run.duration": "1 ms", "measure.from": "0 s"}
    taken = cellrate.capture(VICTIM, ["t->s"], tmp_path, overrides=settings)
    frames = [frame for path in taken.files for _, frame in frames_of(path)]
    returns = [frame for frame in frames if frame[12:14] == bytes.fromhex("88b5")]
    assert len(returns) > 10
    assert {(len(frame), frame[14:16].hex()) for frame in returns} == {(60, "0001")}
    counts = [int.from_bytes(frame[16:18], "big") for frame in returns]
    steps = {(after - count) % 2**16 for count, after in pairwise(counts)}
    # A full frame takes 24 credits of 64 bytes, so each batch has two.
    assert steps == {48}


def test_credits_of_each_acknowledgement_take_a_share_of_the_line_that_a_batch_returns() -> None:
    """The numbers of the tutorial: 32 files over one line, whose end sends acknowledgements."""
    ends = []
    for setting in ("pfc={}", "cbfc={}", "cbfc.batch=24"):
        run = cellrate.run(cellrate.template("incast"), overrides=[setting])
        ends.append(run.summary["totals"]["completion_p99_seconds"])
    assert [f"{1e3 * one:.2f}" for one in ends] == ["7.08", "7.46", "7.09"]
    # A full frame of 1,538 bytes and one of credits of 84 bytes for each acknowledgement.
    assert ends[1] / ends[0] == pytest.approx(1 + 84 / 1538, rel=2e-3)
