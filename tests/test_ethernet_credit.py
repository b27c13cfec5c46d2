"""Credit control over Ethernet: no losses, the closed form, captures, explanations, refusals."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import cellrate
import pytest
from conftest import Command
from test_ethernet import frames_of

# One host sends datagrams of 1,538 bytes on the line over 10 Gbit/s: 1,230.4 ns each.
ONE = """
link_layer = "ethernet"
run.duration = "20 ms"
measure.from = "5 ms"
topology.template = "single-switch"
topology.link_rate = "10 Gbit/s"
topology.access = "10 us"
topology.bottleneck = "10 us"
fcvc = { n2 = "2 packets", n3 = "4 packets" }
[[flow]]
name = "data"
source = { kind = "persistent" }
"""


def test_a_flow_gets_the_closed_form_of_its_reserve() -> None:
    """N3 is a multiple of N2: (N2 + N3) / (RTT + N2), at the first hop, with a service in RTT."""
    frame = 1_538 * 0.8e-9
    trip = 20e-6 + frame + (72 - 12) * 0.8e-9
    expected = 6 * 1_472 * 8 / (trip + 2 * frame)
    found = cellrate.run(ONE).flows["throughput_bits_per_second"].to_list()
    assert found == pytest.approx([expected], rel=1e-3)
    # By default a flow fills its link.
    full = cellrate.run(ONE, overrides={"fcvc": {}}).flows["throughput_bits_per_second"]
    assert full.to_list() == pytest.approx([1_472 * 8 / frame], rel=1e-3)


def test_an_incast_loses_nothing_under_credit(command: Command) -> None:
    text = command("new", "incast").stdout
    plain = cellrate.run(text).summary["totals"]
    settings = {"fcvc": {}, "switch.buffer": "4 MB"}
    outcome = cellrate.run(text, overrides=settings)
    credited = outcome.summary["totals"]
    assert plain["packets_dropped"] > 0 == credited["packets_dropped"]
    assert credited["completion_p99_seconds"] < plain["completion_p99_seconds"]
    assert "no buffer loses a packet" in str(
        cellrate.explain(text, overrides=settings).topics()["loss"]
    )
    controls = [port["control"] for port in outcome.summary["ports"]]
    assert {control["scheme"] for control in controls} == {"fcvc"}
    assert max(control["credited_channels"] for control in controls) == 32
    assert sum(control["credit_frames_sent"] for control in controls) > 0


def test_credit_is_a_frame_of_udp(tmp_path: Path) -> None:
    """A credit every two frames, with the channel and a limit that grows by their octets."""
    short = {"run.duration": "1 ms", "measure.from": "0 s"}
    taken = cellrate.capture(ONE, ["A->src.data.1"], tmp_path, overrides=short)
    frames = [frame for path in taken.files for _, frame in frames_of(path)]
    limits = [int.from_bytes(frame[46:50]) for frame in frames]
    assert {(len(frame), frame[23], frame[34:38]) for frame in frames} == {
        (60, 17, (49_153).to_bytes(2) * 2)
    }
    steps = {(late - early) % 2**28 for early, late in pairwise(limits)}
    assert steps == {2 * 1_538}
    assert {frame[42:46] for frame in frames} == {bytes(4)}


def test_explain_knows_the_bound_and_no_run_breaks_it() -> None:
    text = ONE.replace("persistent", "greedy")
    said = cellrate.explain(text, overrides={"tcp.window": "1 MB"})
    # 9,228 bytes in 20 us, 1,230.4 ns, 48 ns and two frames.
    bound = 9_228 * 8 / (20e-6 + 3 * 1_230.4e-9 + 48e-9)
    [credit] = said.topics()["credit"]
    assert credit.values["greatest_credit_bits_per_second"] == pytest.approx(bound)
    summary = cellrate.run(text, overrides={"tcp.window": "1 MB"}).summary
    claims = [claim for one in said.statements for claim in one.claims]
    [most] = {claim.value for claim in claims if claim.quantity == "throughput"}
    found = summary["totals"]["throughput_bits_per_second"]
    assert found == pytest.approx(bound * 1_460 / 1_538, rel=1e-3)
    assert found <= most


def test_a_flow_alone_has_its_credit_over_lines_of_no_path() -> None:
    """Data and acknowledgements cross different spines, so credit returns over lines of neither."""
    text = cellrate.template("leaf-spine")
    overrides = {"fcvc": {}, "switch.buffer": "8 MB", "measure.slowdown": True}
    slowdowns = cellrate.run(text, overrides=overrides).flows["slowdown"].drop_nulls().to_list()
    assert slowdowns
    assert min(slowdowns) >= 1


@pytest.mark.parametrize(
    ("settings", "message", "allowed"),
    [
        (
            {"switch.memory.total": "1 MB"},
            "`memory` shares one among the queues",
            "remove `memory`",
        ),
        ({"switch.queues": [[7], [0]]}, "queues by priority", "remove `queues`"),
        ({"switch.aqm.algorithm": "red"}, "a port drops and marks none", "remove `aqm`"),
        ({"switch.control.scheme": "erica"}, "no rates are set", "remove `control`"),
        ({"flow.data.rate_control": {}}, "no rates are set", "remove `rate_control`"),
        (
            {"switch.buffer": "9 kB"},
            "the credits of all channels need a buffer of 9228 bytes at A->sink",
            "at least 9228",
        ),
        ({"fcvc.n3": "1537 bytes"}, "`n3` is less than a full frame of `data.1`", "at least 1538"),
        ({"fcvc.n2": "0 bytes"}, "must be from 1 to 67108864 bytes, but is 0 bytes", ""),
        ({"fcvc.n2": "5 cells"}, "n2", "packets"),
        (
            {"topology.access": "1 s", "fcvc": {}},
            "more than the counters hold",
            "at most 65536 KiB",
        ),
    ],
)
def test_what_contradicts_credit_is_refused(
    settings: dict[str, object], message: str, allowed: str
) -> None:
    with pytest.raises(cellrate.ScenarioError) as refused:
        cellrate.run(ONE, overrides=settings)
    assert message in str(refused.value)
    assert allowed in str(refused.value)
