"""RoCE and DCQCN over Ethernet: the template, its table, captures, traces, and what refuses it."""

from __future__ import annotations

import zlib
from pathlib import Path

import cellrate
import numpy as np
import pytest
from cellrate.theory.dcqcn import dcqcn_mark_probability, dcqcn_queue_bytes
from conftest import Command
from scipy.optimize import brentq
from test_ethernet import frames_of

TEMPLATE = cellrate.template("dcqcn")
# The queue that a packet leaves has no bound, so that the sources overload it for long.
WITHOUT_PFC = TEMPLATE.replace('[pfc]\nxoff = "100 kB"', "")
# Frames of 1,002 bytes on the line, and data without end, after the begin.
LINE_BYTES = 1_002
STEADY: dict[str, object] = {
    "run.duration": "300 ms",
    "measure": {"from": "60 ms"},
    "topology.access": "0.9 us",
    "topology.bottleneck": "0.9 us",
    "flow.answer.source": {"kind": "greedy"},
    "flow.answer.roce.payload": "920 bytes",
    "flow.answer.roce.ack_every": 16,
}
# Octets of a captured frame from Ethernet to the base transport header.
BTH = 14 + 20 + 8


def of_size(flows: int, gigabits: int) -> dict[str, object]:
    """So many flows on lines of so many Gbit/s."""
    return {"flow.answer.count": flows, "topology.link_rate": f"{gigabits} Gbit/s"}


def test_pauses_keep_the_template_from_losses_and_dcqcn_from_pauses() -> None:
    def measured(settings: dict[str, object]) -> tuple[dict[str, float], float]:
        summary = cellrate.run(TEMPLATE, overrides=settings).summary
        controls = [port["control"] for port in summary["ports"]]
        return summary["totals"], sum(one["pause_frames_sent"] for one in controls)

    both, pauses = measured({})
    alone, more_pauses = measured({"flow.answer.roce.control": {"algorithm": "none"}})
    for totals in (both, alone):
        assert totals["flows_completed"] == 16
        assert totals["packets_dropped"] == totals["segments_retransmitted"] == 0
    assert 0 < pauses < more_pauses / 3
    # Files of 2 MB have 1,953 full packets, of 1,106 bytes on the line, and a short one.
    least = 16 * 1_953 * 1_106 * 8 / 40e9
    assert least < alone["completion_p99_seconds"] < 1.01 * least


def test_a_run_has_rates_and_notifications(command: Command) -> None:
    outcome = cellrate.run(TEMPLATE, overrides={"run.duration": "5 ms"})
    flows = outcome.flows
    assert flows["tcp_throughput_bits_per_second"].null_count() == 16
    assert 0.5 < outcome.summary["totals"]["jain_index"] <= 1
    sent, received = flows["cnps_sent"].to_list(), flows["cnps_received"].to_list()
    assert all(0 <= one - other <= 1 for one, other in zip(sent, received, strict=True))
    # Each CNP is at least 50 us after the one before it.
    assert all(3 < count <= 100 for count in received)
    for row in flows.iter_rows(named=True):
        assert 1e6 <= row["rate_final_bits_per_second"] <= 40e9
        assert 0.9 * row["throughput_bits_per_second"] < row["rate_mean_bits_per_second"] < 40e9
        assert row["balance_sent_once_bytes"] >= row["delivered_bytes"]
    rates = outcome.trace_frame.filter(kind="rate")
    assert rates["unit"].unique().to_list() == ["bit/s"]
    assert rates["maximum"].max() == 40e9
    table = command("run", "-", "--set", "run.duration=5 ms", stdin=TEMPLATE).stdout
    assert "allowed" in table
    assert "CNPs" in table


def test_losses_are_sent_again_by_go_back_n() -> None:
    little = {"switch.buffer": "250 kB"}
    summary = cellrate.run(WITHOUT_PFC, overrides=little).summary
    assert summary["totals"]["flows_completed"] == 16
    assert summary["totals"]["packets_dropped"] > 1_000
    flows = summary["flows"]
    assert sum(flow["naks_received"] + flow["timeouts"] for flow in flows) > 16
    assert all(flow["balance"]["delivered_bytes"] == 2_000_000 for flow in flows)


def test_marks_at_arrivals_wait_in_the_queue() -> None:
    """Zhu et al. 2016, section 5.1: late marks let the queue grow before the first cut."""
    endless = {"flow.answer.source": {"kind": "greedy"}, "measure.from": "25 ms"}

    def longest(at: str) -> float:
        summary = cellrate.run(WITHOUT_PFC, overrides=endless | {"switch.aqm.at": at}).summary
        ports = summary["ports"]
        return max(float(queue["queue_max_bytes"]) for port in ports for queue in port["queues"])

    assert longest("enqueue") > 1.05 * longest("dequeue")


@pytest.mark.parametrize(("flows", "gigabits"), [(2, 10), (4, 25), (3, 40), (6, 40), (8, 100)])
def test_flows_share_a_line_and_mark_as_the_rules_say(flows: int, gigabits: int) -> None:
    """The fixed point of `theory dcqcn-fixed-point` marks less: a flow has no CNP within tau."""
    outcome = cellrate.run(WITHOUT_PFC, overrides=STEADY | of_size(flows, gigabits))
    line = gigabits * 1e9
    shares = [
        flow["throughput_bits_per_second"] * LINE_BYTES / 920 / (line / flows)
        for flow in outcome.summary["flows"]
    ]
    assert sum(shares) > 0.997 * flows
    assert max(abs(share - 1) for share in shares) < 0.08, shares
    [port] = [port for port in outcome.summary["ports"] if port["name"] == "A->sink"]
    queue = port["queues"][0]
    sent = sum(flow["packets_sent"] for flow in outcome.summary["flows"])
    marks = queue["packets_marked"] / sent
    model = {"packet_bytes": LINE_BYTES}
    fluid = float(dcqcn_mark_probability(flows, line, **model))
    if gigabits < 40:
        # The queue passes Kmax at times, where all packets are marked.
        assert queue["queue_max_bytes"] > 200e3
        return
    renewed = marks_by_renewal(flows, line)
    assert marks == pytest.approx(renewed, rel=0.06)
    assert 1.2 < marks / fluid < 1.45
    # The queue that marks so many packets, by the line from Kmin to Kmax.
    expected = 5e3 + renewed / 0.01 * 195e3
    assert queue["queue_mean_bytes"] == pytest.approx(expected, rel=0.06)
    fluid_queue = float(dcqcn_queue_bytes(flows, line, **model))
    assert fluid_queue < queue["queue_mean_bytes"] < 1.35 * fluid_queue


def marks_by_renewal(flows: int, line: float) -> float:
    """Probability of a mark at which cuts and increases of equal flows balance, by the rules alone.

    CNPs of a flow are tau and a wait for the next mark apart, exponential with the rate of its
    marked packets. T and tau' are equal; so n whole intervals pass between two CNPs. Then alpha
    has gained g (1 - alpha) and lost n g alpha, so alpha = 1 / (1 + E[n]). The cut of R alpha / 2
    is halved n times; n - F = m > 0 increases raise the rate by R_AI (m - 1 + 2^-m).
    """
    tau, interval, recovery, increase = 50e-6, 55e-6, 5, 40e6
    share = line / flows
    counts = np.arange(5_000)

    def excess(log_marks: float) -> float:
        marked_per_second = -np.log1p(-np.exp(log_marks)) * share / (8 * LINE_BYTES)
        waits = np.maximum(counts * interval - tau, 0.0)
        reached = np.exp(-marked_per_second * waits)
        alpha = 1 / reached.sum()
        exactly = reached[:-1] - reached[1:]
        n = counts[:-1].astype(float)
        over = np.maximum(n - recovery, 0.0)
        raised = increase * (exactly * (over - 1 + 0.5**over)).sum()
        lost = share * alpha / 2 * (exactly * 0.5**n).sum()
        return float(raised - lost)

    return float(np.exp(brentq(excess, np.log(1e-5), np.log(0.05))))


def test_computed_headroom_keeps_an_incast_from_losses() -> None:
    """At line rate 10 kB are under way until a pause acts; DCQCN has cut before."""

    def lost(headroom: dict[str, str], algorithm: str) -> int:
        settings: dict[str, object] = {"run.duration": "10 ms"}
        settings |= {"pfc": {"xoff": "100 kB"} | headroom}
        settings["flow.answer.roce.control"] = {"algorithm": algorithm}
        return int(cellrate.run(TEMPLATE, overrides=settings).summary["totals"]["packets_dropped"])

    assert lost({}, "dcqcn") == lost({}, "none") == 0
    assert lost({"headroom": "11000 bytes"}, "none") > 0
    assert lost({"headroom": "5000 bytes"}, "dcqcn") > 0


def test_sources_stop_and_go_on_by_changes() -> None:
    stop = {"at": "1 ms", "set": {"flow.answer.sends": False}}
    go_on = {"at": "3 ms", "set": {"flow.answer.sends": True}}

    def delivered_from_2_ms(until: str, *changes: object) -> int:
        settings: dict[str, object] = {"run.duration": until, "measure": {"from": "2 ms"}}
        settings |= {"flow.answer.source": {"kind": "greedy"}, "changes": changes}
        summary = cellrate.run(TEMPLATE, overrides=settings).summary
        return sum(flow["delivered_bytes"] for flow in summary["flows"])

    # The switch empties in less than 1 ms.
    assert delivered_from_2_ms("4 ms", stop) == 0
    assert delivered_from_2_ms("4 ms") > 1.5 * delivered_from_2_ms("4 ms", stop, go_on) > 0


def icrc(packet: bytes) -> bytes:
    """Invariant CRC of a RoCEv2 packet from its IP header on, without the last four octets."""
    masked = bytearray(b"\xff" * 8 + packet)
    for at in (1, 8, 10, 11, 26, 27, 32):
        masked[8 + at] = 0xFF
    return zlib.crc32(masked).to_bytes(4, "little")


def test_captures_have_headers_of_rocev2(tmp_path: Path) -> None:
    settings: dict[str, object] = {"run.duration": "5 ms", "flow.answer.count": 4}
    settings["flow.answer.source.size"] = "400 kB"
    taken = cellrate.capture(TEMPLATE, ["A->sink", "sink->A"], tmp_path, overrides=settings)
    frames = [frame for path in taken.files for _, frame in frames_of(path)]
    roce = [frame for frame in frames if frame[36:38] == (4791).to_bytes(2, "big")]
    assert len(roce) == len(frames)
    kinds = {frame[BTH] for frame in roce}
    # SEND first, middle and last, acknowledgements, and CNPs.
    assert kinds == {0x00, 0x01, 0x02, 0x11, 0x81}
    for frame in roce:
        kind, ip = frame[BTH], frame[14:]
        ip = ip[: int.from_bytes(ip[2:4], "big")]
        assert icrc(ip[:-4]) == ip[-4:]
        assert ip[9] == 17
        assert int.from_bytes(ip[24:26], "big") == len(ip) - 20
        becn = frame[BTH + 4] >> 6 & 1
        assert becn == (kind == 0x81)
        assert len(frame) == {0x00: 1_082, 0x01: 1_082, 0x11: 62, 0x81: 74}.get(kind, len(frame))
        # CNPs have priority 6 in their class selector.
        assert ip[1] >> 5 == (6 if kind == 0x81 else 0)
    data = [frame for frame in roce if frame[BTH] < 0x10]
    acked = [frame for frame in roce if frame[BTH] == 0x11]
    psn = [int.from_bytes(frame[BTH + 9 : BTH + 12], "big") for frame in (*data, *acked)]
    assert max(psn) == 390
    assert all(frame[BTH + 8] == 0x80 for frame in data)
    # AETH: an acknowledgement without a limit of credit.
    assert {frame[BTH + 12] for frame in acked} == {0x1F}


def test_a_film_shows_notifications(command: Command, tmp_path: Path) -> None:
    path, film = tmp_path / "dcqcn.toml", tmp_path / "film.html"
    path.write_text(TEMPLATE, "utf-8")
    settings = ("--set", "flow.answer.count=4", "--to", "30 us")
    done = command("animate", str(path), *settings, "-o", film)
    assert done.returncode == 0, done.stderr
    assert "congestion notification" in film.read_text("utf-8")


def test_tune_searches_the_parameters_of_roce(command: Command) -> None:
    short = ["--set", "run.duration=1 ms", "--budget", "3", "--seeds", "1"]
    done = command("tune", "-", *short, stdin=WITHOUT_PFC)
    assert done.returncode == 0, done.stderr
    assert "roce.control" in done.stdout


def test_explain_counts_headers_of_roce() -> None:
    frames = str(cellrate.explain(TEMPLATE).topics()["frames"])
    # 1,024 bytes of payload, 62 of headers and check sequences, 20 of preamble and gap.
    assert "1,106" in frames


def test_explain_knows_what_pauses_and_marks_spare() -> None:
    said = cellrate.explain(TEMPLATE)
    assert "no buffer loses a packet" in str(said.topics()["loss"])
    # CNPs, which no pause covers here, do not cross the port of the data.
    of_data = cellrate.explain(TEMPLATE, overrides={"pfc.priorities": [0]})
    assert "no buffer loses a packet" in str(of_data.topics()["loss"])
    # A port that drops what it would mark, and a priority of data that no pause covers.
    for settings in (
        {"switch.aqm.hard_drop": True},
        {"switch.aqm.ecn": False},
        {"pfc.priorities": [1]},
    ):
        other = cellrate.explain(TEMPLATE, overrides=settings)
        assert "losses are possible" in str(other.topics()["loss"]), settings
    [completion] = said.topics()["completion"]
    [claim] = completion.claims
    assert claim.holds(claim.measured(cellrate.run(TEMPLATE).summary))


def test_explain_gives_the_fixed_point() -> None:
    said = cellrate.explain(WITHOUT_PFC, overrides=STEADY | of_size(4, 40))
    [steady] = [one for one in said.statements if one.formula == "dcqcn-fixed-point"]
    assert steady.applies
    expected = dcqcn_queue_bytes(4, 40e9, packet_bytes=LINE_BYTES)
    assert steady.values["dcqcn_queue_bytes"] == expected
    other = cellrate.explain(WITHOUT_PFC, overrides=of_size(2, 40))
    [failing] = [one for one in other.statements if one.formula == "dcqcn-fixed-point"]
    [assumed] = failing.fails
    assert "data without end" in assumed
    # Sources begin at the rate of their lines. After losses go-back-N fills the line.
    little = STEADY | of_size(4, 40) | {"switch.buffer": "200 kB"}
    said = cellrate.explain(WITHOUT_PFC, overrides=little)
    [failing] = [one for one in said.statements if one.formula == "dcqcn-fixed-point"]
    assert failing.fails == ("no packet is lost",)
    start = little | {"run.duration": "5 ms", "measure": {"from": "0 s"}}
    assert cellrate.run(WITHOUT_PFC, overrides=start).summary["totals"]["packets_dropped"] > 0
    two = STEADY | of_size(2, 40) | {"switch.queues": [[0], [3]]}
    for more, fails in (
        ("priority = 3\nroce = {}", "all flows are in one queue"),
        ('roce = { payload = "256 bytes" }', "all packets have one size"),
    ):
        text = f'{WITHOUT_PFC}\n[[flow]]\nname = "other"\n{more}'
        said = cellrate.explain(text, overrides=two)
        [failing] = [one for one in said.statements if one.formula == "dcqcn-fixed-point"]
        assert fails in failing.fails
    # Sixteen flows at 10 Gbit/s need more marks than 1 per cent.
    many = cellrate.explain(TEMPLATE, overrides=of_size(16, 10))
    assert "exceeds p_max" in str(many.without_statement)
