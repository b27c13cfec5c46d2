"""HPCC over Ethernet: in place of DCQCN, its octets, captures, and what explain says of it."""

from __future__ import annotations

from pathlib import Path

import cellrate
import pytest
from cellrate.theory.hpcc import hpcc_line_share, hpcc_queue_bytes
from test_ethernet import frames_of

TEMPLATE = cellrate.template("dcqcn")
HPCC: dict[str, object] = {"flow.answer.roce.control": {"algorithm": "hpcc"}}
WITHOUT_PFC = TEMPLATE.replace('[pfc]\nxoff = "100 kB"', "")
# Data without end, after 10 ms. W_AI is large, so that shares are equal by then.
STEADY: dict[str, object] = {
    "run.duration": "20 ms",
    "measure": {"from": "10 ms"},
    "topology.access": "5 us",
    "topology.bottleneck": "5 us",
    "flow.answer.source": {"kind": "greedy"},
    "flow.answer.roce.control": {"algorithm": "hpcc", "w_ai": "800 bytes"},
}
# Frames of 1,024 bytes of payload: 62 of headers, 42 of telemetry, and 20 of preamble and gap.
LINE_BYTES = 1_148


def test_telemetry_keeps_an_incast_from_pauses_and_long_queues() -> None:
    def measured(settings: dict[str, object]) -> tuple[dict[str, float], float, float]:
        summary = cellrate.run(TEMPLATE, overrides=settings).summary
        pauses = sum(port["control"]["pause_frames_sent"] for port in summary["ports"])
        [port] = [port for port in summary["ports"] if port["name"] == "A->sink"]
        return summary["totals"], pauses, port["queues"][0]["queue_mean_bytes"]

    totals, pauses, queue = measured(HPCC)
    other, more_pauses, longer = measured({})
    assert totals["flows_completed"] == 16
    assert totals["packets_dropped"] == totals["segments_retransmitted"] == 0
    assert totals["completion_p99_seconds"] < 0.8 * other["completion_p99_seconds"]
    assert pauses < more_pauses
    assert queue < longer / 10
    # Files of 2 MB have 1,953 full packets, of 1,148 bytes on the line, and a short one.
    least = 16 * 1_953 * LINE_BYTES * 8 / 40e9
    assert least < totals["completion_p99_seconds"] < 1.06 * least


@pytest.mark.parametrize("flows", [2, 4, 16])
def test_explain_gives_the_steady_state(flows: int) -> None:
    settings = STEADY | {"flow.answer.count": flows}
    said = cellrate.explain(WITHOUT_PFC, overrides=settings)
    [steady] = [one for one in said.statements if one.formula == "hpcc-steady-state"]
    assert steady.applies, steady.fails
    # Four times 5 us; twice 1,136 and twice 116 bytes at 40 Gbit/s.
    trip = 20e-6 + (2 * 1_136 + 2 * 116) * 8 / 40e9
    law = {"base_round_trip_seconds": trip, "increase_bytes": 800.0}
    share = hpcc_line_share(flows, 40e9, **law)
    queue = hpcc_queue_bytes(flows, 40e9, **law)
    assert steady.values["hpcc_line_share"] == pytest.approx(share)
    assert steady.values["hpcc_queue_bytes"] == pytest.approx(queue)
    summary = cellrate.run(WITHOUT_PFC, overrides=settings).summary
    [port] = [port for port in summary["ports"] if port["name"] == "A->sink"]
    assert port["utilisation"] == pytest.approx(share, rel=0.01)
    # The formula counts preambles and gaps, but no frame in service, and no frames that meet.
    waits = port["queues"][0]["queue_mean_bytes"] * LINE_BYTES / (LINE_BYTES - 20)
    assert queue < waits < queue + 3 * LINE_BYTES
    shares = [flow["rate_mean_bits_per_second"] for flow in summary["flows"]]
    assert max(shares) < 1.05 * min(shares)


def test_explain_says_what_its_steady_state_assumes() -> None:
    said = cellrate.explain(TEMPLATE, overrides=STEADY)
    [failing] = [one for one in said.statements if one.formula == "hpcc-steady-state"]
    assert failing.fails == ("neither pauses nor credits of links hold frames back",)
    little = cellrate.explain(WITHOUT_PFC, overrides=STEADY | {"switch.buffer": "50 kB"})
    assert "the windows of HPCC may exceed the buffer" in str(little.topics()["loss"])
    # Sixteen windows of 40 Gbit/s times 20.54 us, and a frame each, are 1.66 MB.
    for buffer, fails in (("1.7 MB", ()), ("1.6 MB", ("no packet is lost",))):
        said = cellrate.explain(WITHOUT_PFC, overrides=STEADY | {"switch.buffer": buffer})
        [steady] = [one for one in said.statements if one.formula == "hpcc-steady-state"]
        assert steady.fails == fails
    base = {"algorithm": "hpcc", "t": "50 us"}
    other = cellrate.explain(WITHOUT_PFC, overrides=STEADY | {"flow.answer.roce.control": base})
    [failing] = [one for one in other.statements if one.formula == "hpcc-steady-state"]
    assert failing.fails == ("all flows have the same round trip, which is T",)


def test_captures_have_room_for_telemetry(tmp_path: Path) -> None:
    """42 bytes behind the headers of data and acknowledgements; a hop for the switch."""
    settings: dict[str, object] = {"run.duration": "500 us", "flow.answer.count": 2}
    links = ["src.answer.1->A", "A->sink", "sink->A"]
    taken = cellrate.capture(TEMPLATE, links, tmp_path, overrides=settings | HPCC)
    hops = {}
    for path, octets, behind in zip(taken.files, (1_124, 1_124, 104), (54, 54, 58), strict=True):
        frames = [frame for _, frame in frames_of(path)]
        assert len(frames) > 100
        assert {len(frame) for frame in frames} == {octets}
        # The number of hops is the last of 42 bytes.
        hops[Path(path).name] = {bytes(frame[behind : behind + 42]) for frame in frames}
    told = [bytes(41) + bytes([count]) for count in (0, 1, 1)]
    assert list(hops.values()) == [{one} for one in told]


def test_parts_of_a_run_change_nothing() -> None:
    """Telemetry crosses from thread to thread."""
    fabric = cellrate.template("leaf-spine")
    settings: dict[str, object] = {"run.duration": "500 us", "measure.traces": []}
    flow = '[[flow]]\nname = "f"\npattern = { kind = "permutation" }\n'
    text = fabric[: fabric.index("[[flow]]")] + flow + 'roce.control = { algorithm = "hpcc" }\n'
    one = cellrate.run(text, overrides=settings)
    two = cellrate.run(text, overrides=settings, threads=2)
    assert one.summary["digest"] == two.summary["digest"]
    assert sum(row["packets_sent"] for row in one.summary["flows"]) > 1_000
