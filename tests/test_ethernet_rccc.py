"""Receiver credits over Ethernet: an incast with trimming, captures, and what explain says."""

from __future__ import annotations

from pathlib import Path

import cellrate
import pytest
from cellrate.advice.sizing import PacketAnswer
from cellrate.simulation.animation.film import FRAME_LOOKS
from cellrate.simulation.at_a_glance import at_a_glance
from cellrate.simulation.packets import queues_table
from test_ethernet import frames_of

TEMPLATE = cellrate.template("dcqcn").replace('[pfc]\nxoff = "100 kB"', "")
# Frames of 1,518 bytes: 1,456 of payload and 62 of headers.
RCCC: dict[str, object] = {
    "flow.answer.roce": {"payload": "1456 bytes", "control": {"algorithm": "rccc"}},
    "measure.traces": [],
}
TRIMMING: dict[str, object] = {
    "switch.queues": [[7], [0]],
    "switch.trim_priority": 7,
    "flow.answer.roce.resend": "selective",
}


def test_an_incast_ends_at_the_rate_of_pulls_and_trims_first_windows_only() -> None:
    """Sixteen files of 2 MB: 1,374 packets each, at 99 % of 40 Gbit/s."""

    def measured(settings: dict[str, object]) -> tuple[dict[str, float], int | None]:
        summary = cellrate.run(TEMPLATE, overrides=RCCC | settings).summary
        [port] = [port for port in summary["ports"] if port["name"] == "A->sink"]
        return summary["totals"], port["queues"][-1]["packets_trimmed"]

    little: dict[str, object] = {"switch.buffer": "60 kB"}
    totals, trimmed = measured(little | TRIMMING)
    assert totals["flows_completed"] == 16
    assert totals["packets_dropped"] == totals["timeouts"] == 0
    assert totals["segments_retransmitted"] == trimmed
    tail = 16 * 1_374 * 1_538 * 8 / 40e9 / 0.99
    assert 0.985 * tail < totals["completion_p99_seconds"] < 1.01 * tail
    lossy, none = measured(little)
    assert none is None
    assert lossy["packets_dropped"] > 0
    assert lossy["completion_p99_seconds"] > totals["completion_p99_seconds"]


def test_the_table_of_queues_counts_trimmed_packets_where_switches_trim() -> None:
    for settings, more in ((TRIMMING, ["trimmed packets"]), ({}, [])):
        outcome = cellrate.run(TEMPLATE, overrides=RCCC | settings | {"switch.buffer": "60 kB"})
        shown = at_a_glance(outcome.outcome)
        table = queues_table(shown)
        assert [one.name for one in table.columns[6:]] == ["dropped packets", *more]
        if more:
            trimmed = [port["queues"][0]["packets_trimmed"] for port in shown["ports"]]
            assert [row.cells[7] for row in table.rows] == [
                "-" if one is None else f"{one:,}" for one in trimmed
            ]
            assert any(trimmed)


def test_explain_says_why_packets_may_be_lost() -> None:
    def loss(settings: dict[str, object]) -> str:
        return str(cellrate.explain(TEMPLATE, overrides=RCCC | settings).topics()["loss"])

    assert "no buffer loses a packet: the buffer has no limit" in loss({})
    told = "the first windows of receiver credits may exceed the buffer"
    assert told in loss({"switch.buffer": "200 kB"})
    assert "the queue of trimmed packets may be full" in loss(TRIMMING | {"switch.buffer": "60 kB"})
    limited = RCCC | TRIMMING | {"switch.buffer": "60 kB"}
    said = str(cellrate.explain(TEMPLATE, overrides=limited).topics()["queue"])
    assert "twice its buffer, which headers of trimmed packets may fill" in said


def test_explain_says_that_packets_sent_again_await_no_pull() -> None:
    """Four first windows of a pipe each exceed 1 MB; go-back-N then loses without end."""
    text = """
link_layer = "ethernet"
run = { duration = "10 ms" }
measure = { from = "5 ms" }
switch = { buffer = "1 MB" }
[topology]
template = "single-switch"
link_rate = "25 Gbit/s"
access = "20 us"
bottleneck = "30 us"
[[flow]]
name = "f"
count = 4
roce = { control = { algorithm = "rccc" } }
"""
    said = str(cellrate.explain(text).topics()["loss"])
    assert "go-back-N sends again await none, so losses can go on" in said
    late = cellrate.run(text).summary["totals"]["packets_dropped"]
    selective = {"flow.f.roce.resend": "selective"}
    assert "are sent after a timeout await none" in str(
        cellrate.explain(text, overrides=selective).topics()["loss"]
    )
    # The first windows have passed long before the measuring window.
    assert late > 1000
    assert cellrate.run(text, overrides=selective).summary["totals"]["packets_dropped"] == 0


def test_captures_have_pulls_trimmed_packets_and_requests(tmp_path: Path) -> None:
    """Headers alone have 44 bytes of IP, pulls and requests 48, and Ethernet's header has 14.

    58 bytes are padded to 60. A request names a packet whose headers have come.
    """
    settings: dict[str, object] = {"run.duration": "500 us", "switch.buffer": "20 kB"}
    links = ["A->sink", "sink->A"]
    overrides = RCCC | TRIMMING | settings
    taken = cellrate.capture(TEMPLATE, links, tmp_path, overrides=overrides)
    there, back = ([frame for _, frame in frames_of(Path(path))] for path in taken.files)
    opcode, queue_pair, psn = 42, slice(47, 50), slice(51, 54)
    trimmed = [frame for frame in there if frame[opcode] == 0xC4]
    pulls = [frame for frame in back if frame[opcode] == 0xC3]
    asked = [frame for frame in back if frame[opcode] == 0xC5]
    assert {len(frame) for frame in trimmed} == {60}
    assert {len(frame) for frame in pulls + asked} == {62}
    assert len(pulls) > 50
    assert len(asked) > 50

    def named(frame: bytes, way: int) -> tuple[int, bytes]:
        pair = int.from_bytes(frame[queue_pair], "big") - way
        return pair, bytes(frame[psn])

    headers = [named(frame, 0) for frame in trimmed]
    requests = [named(frame, 1) for frame in asked]
    for pair in {pair for pair, _ in requests}:
        own = [number for other, number in requests if other == pair]
        came = [number for other, number in headers if other == pair]
        assert own == came[: len(own)]


def test_films_have_looks_of_all_kinds() -> None:
    assert {"pull", "trimmed", "again", "pull-marked"} <= set(FRAME_LOOKS)


def test_parts_of_a_run_change_nothing() -> None:
    """Pulls and requests cross from thread to thread."""
    fabric = cellrate.template("leaf-spine")
    flow = '[[flow]]\nname = "f"\npattern = { kind = "incast", senders = 12, to = "h1" }\n'
    roce = 'source.kind = "greedy"\nroce = { resend = "selective", control.algorithm = "rccc" }\n'
    text = fabric[: fabric.index("[[flow]]")] + flow + roce
    settings: dict[str, object] = {
        "run.duration": "500 us",
        "measure.traces": [],
        "switch.queues": [[7], [0]],
        "switch.trim_priority": 7,
        "switch.buffer": "20 kB",
    }
    one = cellrate.run(text, overrides=settings)
    two = cellrate.run(text, overrides=settings, threads=2)
    assert one.summary["digest"] == two.summary["digest"]
    queues = [queue for port in one.summary["ports"] for queue in port["queues"]]
    assert sum(queue["packets_trimmed"] for queue in queues) > 20
    assert one.summary["totals"]["jain_index"] == pytest.approx(1, abs=0.1)


def test_a_buffer_that_trims_is_not_called_too_small_to_keep_packets() -> None:
    """60 kB trim the first windows, and drop nothing."""
    settings = RCCC | TRIMMING | {"switch.buffer": "60 kB"}
    answer = cellrate.size_buffer(TEMPLATE, overrides=settings, seeds=1)
    assert isinstance(answer, PacketAnswer)
    assert str(answer.document().title).endswith("for no packet trimmed")
    [run] = answer.own_runs
    summary = cellrate.run(TEMPLATE, overrides=settings, seed=1).summary
    queues = [queue for port in summary["ports"] for queue in port["queues"]]
    trimmed = sum(queue["packets_trimmed"] or 0 for queue in queues)
    assert run.packets_trimmed + run.packets_trimmed_elsewhere == trimmed > 0
    assert summary["totals"]["packets_dropped"] == 0
    words = " ".join(answer.words())
    assert f"own buffers drop no packet, and trim up to {trimmed:,} packets in a run" in words
    assert "no packet is trimmed or lost" in words
    assert "too few" not in words
    # The buffer of the answer trims nothing, a byte less does.
    for octets, trims in (
        (answer.buffer_bytes or 0, False),
        ((answer.buffer_bytes or 0) - 1, True),
    ):
        again = settings | {"switch.buffer": f"{octets} bytes"}
        totals = cellrate.run(TEMPLATE, overrides=again, seed=1).summary["totals"]
        assert (totals["segments_retransmitted"] > 0) is trims
    # Without trimming the same buffer loses packets, and the answer keeps its words.
    plain = cellrate.size_buffer(TEMPLATE, overrides=RCCC | {"switch.buffer": "60 kB"}, seeds=1)
    assert isinstance(plain, PacketAnswer)
    assert not plain.own_runs
    assert "too few" in " ".join(plain.words())
