"""TIMELY over Ethernet: beside line rate, at the fixed point of the patch, and in explain."""

from __future__ import annotations

import json

import cellrate
import pytest
from cellrate.simulation.runner import run_one
from cellrate.studies.study.file import read
from cellrate.theory.timely import timely_queue_bytes
from conftest import HERE

TEMPLATE = cellrate.template("dcqcn")
WITHOUT_PFC = TEMPLATE.replace('[pfc]\nxoff = "100 kB"', "")
# Data without end from 200 ms on.
STEADY: dict[str, object] = {
    "run.duration": "300 ms",
    "run.start_jitter": "50 us",
    "measure": {"from": "200 ms", "traces": []},
    "topology.link_rate": "10 Gbit/s",
    "flow.answer.source": {"kind": "greedy"},
}
# Frames of 1,024 bytes of payload: 62 of headers, and 20 of preamble and gap.
LINE_BYTES = 1_106


def patched(flows: int) -> dict[str, object]:
    control = {"algorithm": "timely", "patched": True, "start": f"{10_000 / flows} Mbit/s"}
    return STEADY | {"flow.answer.count": flows, "flow.answer.roce.control": control}


def test_round_trips_keep_an_incast_from_pauses() -> None:
    def measured(algorithm: str) -> tuple[float, float]:
        settings: dict[str, object] = {"flow.answer.roce.control": {"algorithm": algorithm}}
        summary = cellrate.run(TEMPLATE, overrides=settings).summary
        assert summary["totals"]["flows_completed"] == 16
        assert summary["totals"]["packets_dropped"] == 0
        pauses = sum(port["control"]["pause_frames_sent"] for port in summary["ports"])
        return pauses, summary["totals"]["completion_p99_seconds"]

    pauses, ends = measured("timely")
    more_pauses, least = measured("none")
    assert pauses < more_pauses / 3
    assert least < ends < 2 * least


@pytest.mark.parametrize("flows", [2, 16])
def test_explain_gives_the_fixed_point_of_the_patch(flows: int) -> None:
    settings = patched(flows)
    said = cellrate.explain(WITHOUT_PFC, overrides=settings)
    [steady] = [one for one in said.statements if one.formula == "timely-phase-margin"]
    assert steady.applies, steady.fails
    # From the last bit of a packet on: four times 1 us, 1,094 bytes on the last line, and twice 74
    # bytes back.
    base = 4e-6 + (1_094 + 2 * 74) * 8 / 10e9
    queue = timely_queue_bytes(flows, 10e9) - base * 10e9 / 8
    assert steady.values["timely_queue_bytes"] == pytest.approx(queue)
    summary = cellrate.run(WITHOUT_PFC, overrides=settings).summary
    [port] = [port for port in summary["ports"] if port["name"] == "A->sink"]
    # The formula counts preambles and gaps, and no frame in service.
    waits = port["queues"][0]["queue_mean_bytes"] * LINE_BYTES / (LINE_BYTES - 20)
    assert queue < waits < queue + 2 * LINE_BYTES
    shares = [flow["rate_mean_bits_per_second"] for flow in summary["flows"]]
    assert max(shares) < 1.01 * min(shares)


def test_explain_says_what_the_fixed_point_assumes() -> None:
    def of(template: str, settings: dict[str, object]) -> tuple[tuple[str, ...] | None, list[str]]:
        said = cellrate.explain(template, overrides=settings)
        steady = [one for one in said.statements if one.formula == "timely-phase-margin"]
        without = [one for one in said.without_statement if one.formula == "timely-phase-margin"]
        return (steady[0].fails if steady else None, [one.reason for one in without])

    assert of(TEMPLATE, patched(2)) == (
        ("neither pauses nor credits of links hold frames back",),
        [],
    )
    little = patched(2) | {"switch.buffer": "100 kB"}
    assert of(WITHOUT_PFC, little)[0] == ("no packet is lost",)
    far = patched(2) | {"topology.access": "25 us"}
    assert of(WITHOUT_PFC, far)[0] == ("T_low is above the least round trip",)
    reason = "flows = 73: the queueing delay at the fixed point exceeds T_high"
    found = of(WITHOUT_PFC, patched(73))
    assert found[0] is None
    assert reason in found[1][0]
    original = STEADY | {"flow.answer.roce.control": {"algorithm": "timely"}}
    reason = "TIMELY has no fixed point, or infinitely many; `patched` has one"
    assert of(WITHOUT_PFC, original) == (None, [reason])


def test_the_queue_of_the_study_stands_still_up_to_some_twenty_flows() -> None:
    """The margin of the fluid model is negative at 2 flows, and positive at 30."""
    study = read(HERE.parent / "examples" / "studies" / "timely-fixed-point.toml")
    deviation = {}
    for point in study.points:
        flows = str(dict(point.values)["flows"])
        if flows in {"2", "20", "30"}:
            run = json.loads(run_one(study.job(point, 0).scenario()).summary())
            delay = run["flows"][0]
            deviation[flows] = (
                delay["packet_delay_std_seconds"] / delay["packet_delay_mean_seconds"]
            )
    assert max(deviation["2"], deviation["20"]) < 1e-4
    assert 0.01 < deviation["30"] < 0.04


def test_parts_of_a_run_change_nothing() -> None:
    fabric = cellrate.template("leaf-spine")
    settings: dict[str, object] = {"run.duration": "500 us", "measure.traces": []}
    flow = '[[flow]]\nname = "f"\npattern = { kind = "permutation" }\n'
    text = fabric[: fabric.index("[[flow]]")] + flow + 'roce.control = { algorithm = "timely" }\n'
    one = cellrate.run(text, overrides=settings)
    two = cellrate.run(text, overrides=settings, threads=2)
    assert one.summary["digest"] == two.summary["digest"]
    assert sum(row["packets_sent"] for row in one.summary["flows"]) > 1_000
