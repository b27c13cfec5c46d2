"""ExpressPass over Ethernet: an incast, its bound, captures, and what explain says of it."""

from __future__ import annotations

import json
from pathlib import Path

import cellrate
import pytest
from cellrate import _core
from test_ethernet import frames_of

TEMPLATE = cellrate.template("dcqcn")
WITHOUT_PFC = TEMPLATE.replace('[pfc]\nxoff = "100 kB"', "")
# Frames of 1,518 bytes: 1,452 of payload, 62 of headers, and the number of the credit.
ROCE = {"payload": "1452 bytes", "control": {"algorithm": "expresspass"}}
EXPRESSPASS: dict[str, object] = {"flow.answer.roce": ROCE, "measure.traces": []}
SPAN_BYTES = 84 + 1_538


def test_credits_keep_an_incast_within_a_small_buffer() -> None:
    """Sixteen files of 2 MB: 1,378 packets each, which take 6.4 ms of credits at 40 Gbit/s."""

    def measured(settings: dict[str, object]) -> tuple[dict[str, float], float]:
        summary = cellrate.run(WITHOUT_PFC, overrides=settings).summary
        [port] = [port for port in summary["ports"] if port["name"] == "A->sink"]
        return summary["totals"], port["queues"][0]["queue_max_bytes"]

    little: dict[str, object] = {"switch.buffer": "20 kB"}
    totals, longest = measured(EXPRESSPASS | little)
    assert totals["flows_completed"] == 16
    assert totals["packets_dropped"] == totals["segments_retransmitted"] == 0
    assert totals["timeouts"] == 0
    assert longest < 10_000
    least = 16 * 1_378 * SPAN_BYTES * 8 / 40e9
    assert least < totals["completion_p99_seconds"] < 1.05 * least
    assert measured(little)[0]["packets_dropped"] > 100


def test_explain_bounds_the_share_of_data_and_the_end() -> None:
    said = cellrate.explain(WITHOUT_PFC, overrides=EXPRESSPASS)
    [credit] = said.topics()["credit"]
    assert credit.values["data_share"] == pytest.approx(1_538 / SPAN_BYTES)
    assert "credits of ExpressPass let data take at most 94.8212% of a line" in credit.text
    assert "no formula here bounds the bursts" in str(said.topics()["loss"])
    [completion] = said.topics()["completion"]
    assert "gaps and credits of the way back" in completion.text
    earliest = completion.values["earliest_end_seconds"]
    assert isinstance(earliest, float)
    # All but two credits are a span apart.
    credits_ = (16 * 1_378 - 2) * SPAN_BYTES * 8 / 40e9
    assert credits_ < earliest < credits_ + 10e-6
    summary = cellrate.run(WITHOUT_PFC, overrides=EXPRESSPASS).summary
    ends = [flow["start_seconds"] + flow["completion_seconds"] for flow in summary["flows"]]
    assert max(ends) > earliest


def test_pauses_neither_hold_credits_back_nor_come() -> None:
    summary = cellrate.run(TEMPLATE, overrides=EXPRESSPASS).summary
    controls = [port["control"] for port in summary["ports"]]
    assert sum(control["pause_frames_sent"] for control in controls) == 0
    assert sum(control.get("flow_credits_sent", 0) for control in controls) > 16 * 1_378
    assert summary["totals"]["flows_completed"] == 16


def test_the_report_counts_credits() -> None:
    """Credits that a full queue drops are neither packets of a queue nor frames of a flow lost."""
    result = cellrate.run(WITHOUT_PFC, overrides=EXPRESSPASS | {"flow.answer.count": 4})
    flows = result.summary["flows"]
    for flow in flows:
        sent, received, unused = (
            flow[f"credits_{name}"] for name in ("sent", "received", "unused")
        )
        assert received == 1_378 + unused
        assert sent > received
        assert flow["packets_dropped"] == 0
    plain = cellrate.run(WITHOUT_PFC, overrides={"run.duration": "1 ms"})
    assert plain.summary["flows"][0]["credits_sent"] is None


def test_events_name_the_limit_of_credits() -> None:
    """On a slower line behind the first switch, whose port drops credits."""
    fabric = cellrate.template("leaf-spine")
    text = fabric[: fabric.index("[[flow]]")] + (
        '[[flow]]\nname = "f"\npattern = { kind = "permutation" }\n'
        'source = { kind = "transfer", size = "200 kB" }\n'
        'roce.control = { algorithm = "expresspass" }\n'
    )
    settings: dict[str, object] = {
        "run.duration": "500 us",
        "measure.traces": [],
        "measure.events": ["loss"],
        "topology.spine_rate": "2 Gbit/s",
    }
    events = cellrate.run(text, overrides=settings).events
    assert set(events["cause"]) == {"credit-limit"}
    assert all(vc.endswith("/backward") for vc in events["vc"])


def test_captures_have_credits_and_their_numbers(tmp_path: Path) -> None:
    """A credit has 46 bytes of IP: 60 with the Ethernet header, and the check sequence is left out.

    Data repeat the number of the credit behind the base transport header.
    """
    settings: dict[str, object] = {"run.duration": "500 us", "flow.answer.count": 2}
    links = ["src.answer.1->A", "A->src.answer.1"]
    taken = cellrate.capture(WITHOUT_PFC, links, tmp_path, overrides=settings | EXPRESSPASS)
    there, back = ([frame for _, frame in frames_of(Path(path))] for path in taken.files)
    opcode, psn, behind = 42, slice(51, 54), 54
    assert there[0][opcode] == 0xC1
    assert len(there[0]) == 60
    data = [frame for frame in there if frame[opcode] in {0, 1}]
    assert {len(frame) for frame in data} == {1_514}
    credits_ = [frame for frame in back if frame[opcode] == 0xC0]
    assert {len(frame) for frame in credits_} == {60}
    assert len(credits_) > 200
    numbers = [bytes(frame[psn]) for frame in credits_]
    answered = [bytes(frame[behind + 1 : behind + 4]) for frame in data]
    assert answered == numbers[: len(answered)]
    # Data with one number each; a credit says which is expected.
    expected = [int.from_bytes(frame[behind : behind + 2], "big") for frame in credits_]
    assert expected == sorted(expected)
    assert expected[-1] > 200


def test_parts_of_a_run_change_nothing() -> None:
    """Credits cross from thread to thread."""
    fabric = cellrate.template("leaf-spine")
    settings: dict[str, object] = {"run.duration": "500 us", "measure.traces": []}
    flow = '[[flow]]\nname = "f"\npattern = { kind = "permutation" }\n'
    control = 'roce.control = { algorithm = "expresspass" }\n'
    text = fabric[: fabric.index("[[flow]]")] + flow + control
    one = cellrate.run(text, overrides=settings)
    two = cellrate.run(text, overrides=settings, threads=2)
    assert one.summary["digest"] == two.summary["digest"]
    assert sum(row["packets_sent"] for row in one.summary["flows"]) > 1_000
    # Under ECMP the way back is that of the data, not a hash of its own.
    network = json.loads(_core.Scenario(text, "test", ["measure.traces=[]"]).network())
    names = [link["name"] for link in network["links"]]
    for row in network["flows"]:
        there = [names[link].split("->") for link in row["forward"]]
        back = [names[link].split("->") for link in row["backward"]]
        assert back == [[to, begin] for begin, to in reversed(there)]
