"""TCP over Ethernet, from a template to tables, pictures and refusals."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import cellrate
import pytest
from cellrate import _core
from conftest import Command
from test_notebook import text_of

# A file of 100 segments over two links of 10 Gbit/s and 1 us.
ONE = """
link_layer = "ethernet"
run.duration = "1 ms"
topology.template = "single-switch"
topology.link_rate = "10 Gbit/s"
topology.access = "1 us"
topology.bottleneck = "1 us"
tcp.initial_window = 100
flow = [{ name = "file", source = { kind = "transfer", size = "146000 bytes" } }]
"""


def test_a_file_takes_the_time_that_its_frames_take() -> None:
    """The last of 100 frames of 1,518 bytes begins after 99 x 1,538 octets of 800 ps.

    Each of two links takes 1,526 octets, with the preamble, and 1 us; the acknowledgement takes
    72 octets and 1 us on each.
    """
    found = cellrate.run(ONE)
    expected = (99 * 1538 + 2 * 1526 + 2 * 72) * 0.8e-9 + 4e-6
    assert found.summary["totals"]["completion_mean_seconds"] == pytest.approx(expected, abs=1e-15)
    flow = found.flows.row(0, named=True)
    assert flow["packets_sent"] == flow["packets_delivered"] == 100
    assert flow["balance_delivered_bytes"] == 146_000
    queue = found.queues.row(0, named=True)
    # Both lines are as fast, so a frame waits for no other.
    assert (queue["queue_max_bytes"], queue["packets_dropped"]) == (1518, 0)


@pytest.mark.parametrize("template", ["leaf-spine", "dctcp", "explicit-rate"])
def test_validate_estimates_packets_and_time(
    command: Command, tmp_path: Path, template: str
) -> None:
    """The packet-hops of the estimate are those of the run, within the 5 % that it says."""
    (tmp_path / "x.toml").write_text(cellrate.template(template), encoding="utf-8")
    needs = json.loads(command("validate", "x.toml", "--json").stdout)["estimate"]
    whole = ("--set", "measure.from=0 s")
    ran = json.loads(command("run", "x.toml", "--json", *whole).stdout)
    assert needs["hops"] == pytest.approx(ran["packet_hops"], rel=0.05)
    sent = sum(flow["packets_sent"] for flow in ran["flows"])
    assert needs["units"] == pytest.approx(sent, rel=0.1)
    expected = needs["hops"] * needs["nanoseconds_per_hop"] * 1e-9
    assert needs["seconds"] == pytest.approx(expected, rel=1e-3)
    shown = command("validate", "x.toml").stdout
    assert f"{needs['hops']:,} packet-hops of {needs['units']:,} full packets" in shown
    assert "The memory is not estimated over Ethernet." in shown
    traced = ("--set", 'measure.traces=["queue"]')
    disk = [
        json.loads(command("validate", "x.toml", *more, "--json").stdout)["estimate"]
        for more in (("--set", "measure.traces=[]"), traced)
    ]
    assert disk[0]["most_trace_bytes"] == 0 < disk[1]["most_trace_bytes"]


def test_one_switch_is_no_plural(command: Command, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(ONE, encoding="utf-8")
    assert "Ethernet: 2 hosts, 1 switch, 1 flow. A run" in command("validate", "x.toml").stdout
    assert "1 flow completed, 99 %" in " ".join(command("run", "x.toml").stdout.split())
    assert "1 flow, 1 ms" in repr(cellrate.Scenario(ONE))
    assert ", 1 flow, " in str(cellrate.run(ONE).document().parts[0])


def test_the_templates_run_from_the_command_line(command: Command, tmp_path: Path) -> None:
    for template in ("leaf-spine", "incast"):
        text = command("new", template).stdout
        (tmp_path / "x.toml").write_text(text, encoding="utf-8")
        valid = command("validate", "x.toml")
        assert (valid.returncode, valid.stderr) == (0, "")
        assert "is a valid scenario over Ethernet" in valid.stdout
        done = command(
            "run", "x.toml", "--set", "run.duration=5 ms", "--plot", "queue", "--out", "o"
        )
        assert done.returncode == 0, done.stderr
        assert "packet-hops" in done.stdout
        assert "flows completed" in done.stdout or template == "incast"
        assert {path.name for path in (tmp_path / "o" / "figures").iterdir()} >= {"queue.svg"}
        picture = (tmp_path / "o" / "figures" / "queue.svg").read_text(encoding="utf-8")
        assert "queue (kB)" in picture


def test_a_buffer_too_small_loses_packets_and_a_larger_one_does_not(command: Command) -> None:
    text = command("new", "incast").stdout
    small, large = (
        cellrate.run(text, overrides={"switch.buffer": buffer}).summary["totals"]
        for buffer in ("100 kB", "64 MB")
    )
    assert small["packets_dropped"] > 0 == large["packets_dropped"]
    assert small["completion_p99_seconds"] > large["completion_p99_seconds"]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("ethernet.mtu=1000 bytes", "exceed the MTU of 1000"),
        ("topology.link_rate=900 Gbit/s", "allowed: 1 kbit/s to 800 Gbit/s"),
        ("topology.link_rate=1 bit/s", "allowed: 1 kbit/s to 800 Gbit/s"),
        ("flow.file.source.kind=poisson", "missing"),
        ("flow.file.from=h1", "`from` has no meaning"),
        ("switch.queues=[[7], [7]]", "priority 7 is in two queues"),
        ("measure.to=2 ms", "ends at 2 ms, but the run ends at 1 ms"),
        ("flow.file.service=abr", "service"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(setting: str, message: str) -> None:
    key, _, value = setting.partition("=")
    with pytest.raises(cellrate.ScenarioError) as refused:
        cellrate.run(ONE, overrides={key: json.loads(value) if value[0] == "[" else value})
    assert message in str(refused.value)


def test_a_scenario_shows_itself_in_a_notebook() -> None:
    scenario = cellrate.Scenario(ONE)
    shown = text_of(scenario._repr_html_())
    assert "1 switch, 2 hosts, 1 flow;" in shown
    assert "Gbit/s" in shown
    assert "of a core" in text_of(scenario.validate()._repr_html_())


def test_a_switch_tells_hosts_their_rates(command: Command, tmp_path: Path) -> None:
    """Records of rates are frames of UDP that pass the switch, and the tables have ACR."""
    text = cellrate.template("explicit-rate")
    found = cellrate.run(text)
    rates = found.flows["acr_mean_bits_per_second"].to_list()
    assert rates == pytest.approx([0.9 * 100e9 / 8] * 8, rel=0.03)
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    shown = command("run", "x.toml", "--set", "run.duration=6 ms").stdout
    assert "ACR" in shown
    places = ["A->sink", "A->src.flow.1"]
    taken = cellrate.capture(text, places, tmp_path / "c", overrides={"run.duration": "6 ms"})
    granted: dict[int, set[int]] = {0: set(), 0x80: set()}
    for frame in (frame for path in taken.files for _, frame in frames_of(path)):
        if frame[23] != 17:
            continue
        ip, udp = frame[14:34], frame[34:58]
        assert (len(frame), ip[2:4], udp[:4]) == (60, b"\0\x2c", b"\xc0\0\xc0\0")
        pseudo = ip[12:20] + b"\0\x11" + udp[4:6]
        assert words_sum(ip) == words_sum(pseudo + udp) == 0xFFFF
        granted[udp[8] & 0x80].add(int.from_bytes(udp[9:14], "big"))
    # ER is PCR on the way there, and on the way back at most 90 Gbit/s, in bytes on the line.
    assert granted[0] == {12_500_000_000}
    assert max(granted[0x80]) <= 0.9 * 12.5e9
    assert min(granted[0x80]) == pytest.approx(0.9 * 12.5e9 / 8, rel=0.1)


@pytest.mark.parametrize("timestamps", [False, True])
def test_a_capture_shows_how_a_connection_is_closed(tmp_path: Path, timestamps: bool) -> None:
    """From SYN to the last acknowledgement of a transfer, with numbers relative to the SYNs."""
    settings = {
        "flow.flow.count": 1,
        "flow.flow.source": {"kind": "transfer", "size": "2000 bytes"},
        "tcp.connection_close": True,
        "tcp.timestamps": timestamps,
        "run.duration": "2 ms",
        "measure.from": "0 s",
    }
    text = cellrate.template("dctcp")
    taken = cellrate.capture(text, ["sink"], tmp_path / "c", overrides=settings)
    first: dict[bytes, int] = {}
    seen = []
    for _, frame in frames_of(taken.files[0]):
        packet = frame[14 : 14 + int.from_bytes(frame[16:18], "big")]
        ports, sequence, ack, offset, flags = struct.unpack(">4sIIBB", packet[20:34])
        here, there = ports, ports[2:] + ports[:2]
        first.setdefault(here, sequence)
        payload = len(packet) - 20 - (offset >> 4) * 4
        numbers = [(sequence - first[here]) % 2**32, (ack - first.get(there, ack)) % 2**32]
        seen.append((here[:2] == b"\0\x09", flags & 0x13, *numbers, payload))
    size = 1_448 if timestamps else 1_460
    fin, syn, ack = 1, 2, 16
    assert sorted(seen) == sorted(
        [
            (False, syn, 0, 0, 0),
            (True, syn | ack, 0, 1, 0),
            (False, ack, 1, 1, 0),
            (False, ack, 1, 1, size),
            (False, fin | ack, 1 + size, 1, 2_000 - size),
            (True, ack, 1, 1 + size, 0),
            (True, fin | ack, 1, 2_002, 0),
            (False, ack, 2_002, 2, 0),
        ]
    )


def words_sum(data: bytes) -> int:
    """One's complement sum of 16-bit words (RFC 1071); 0xffff if the data's checksum is right."""
    padded = data + b"\0" * (len(data) % 2)
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // 2}H", padded)
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def frames_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """Time in nanoseconds and octets of each frame of a pcap file of Ethernet."""
    data = path.read_bytes()
    magic, major, minor, _, _, _, link_type = struct.unpack("<IHHiIII", data[:24])
    assert (magic, major, minor, link_type) == (0xA1B23C4D, 2, 4, 1)
    at = 24
    while at < len(data):
        second, nanosecond, length, whole = struct.unpack("<IIII", data[at : at + 16])
        assert length == whole
        yield second * 10**9 + nanosecond, data[at + 16 : at + 16 + length]
        at += 16 + length


@pytest.mark.parametrize("tagged", [False, True])
def test_a_capture_has_right_frames_headers_and_checksums(tmp_path: Path, tagged: bool) -> None:
    text = (
        cellrate.template("dctcp")
        + '\n[[flow]]\nname = "u"\ndatagram = "5 bytes"\n'
        + 'source = { kind = "cbr", rate = "99 Mbit/s" }\n'
    )
    settings = {
        "run.duration": "2 ms",
        "measure.from": "0 s",
        "flow.flow.count": 3,
        "ethernet.tagged": tagged,
        "flow.u.priority": 5,
    }
    taken = cellrate.capture(text, ["A->sink", "sink"], tmp_path / "c", overrides=settings)
    assert [path.name for path in taken.files] == ["A-to-sink.pcap", "sink.pcap"]
    seen = list(frames_of(taken.files[0]))
    times = [at for at, _ in seen]
    assert times == sorted(times)
    marks, kinds, lengths = set(), set(), set()
    for _, frame in seen:
        assert len(frame) >= 60
        begin = 14
        if tagged:
            assert frame[12:14] == b"\x81\x00"
            begin = 18
        assert frame[begin - 2 : begin] == b"\x08\x00"
        ip = frame[begin:]
        length = int.from_bytes(ip[2:4], "big")
        assert words_sum(ip[:20]) == 0xFFFF
        packet, padding = ip[:length], ip[length:]
        assert not any(padding)
        pseudo = packet[12:20] + bytes([0, packet[9]]) + (length - 20).to_bytes(2, "big")
        assert words_sum(pseudo + packet[20:]) == 0xFFFF
        marks.add(packet[1] & 3)
        # The class selector of the priority, by which switches queue frames without a tag.
        assert packet[1] >> 2 == (8 * 5 if packet[9] == 17 else 0)
        kinds.add(packet[9])
        lengths.add(len(frame))
        if tagged and packet[9] == 17:
            assert frame[14] >> 5 == 5
    # TCP and UDP; ECT(0) and CE, and datagrams without ECN; full frames and padded ones.
    assert (kinds, marks) == ({6, 17}, {0, 2, 3})
    assert {60, 1514 + 4 * tagged} <= lengths
    # Times are of last bits: a full frame behind another takes its octets, a preamble and a gap.
    gaps = {b - a for (a, _), (b, frame) in pairwise(seen) if len(frame) == 1514 + 4 * tagged}
    assert min(gaps) == int((1538 + 4 * tagged) * 0.8)
    # The other place sees what arrives at the sink a propagation later, and what the sink sends.
    both = list(frames_of(taken.files[1]))
    arrived = [(at - 10_000, frame) for at, frame in both if frame[:6] == seen[0][1][:6]]
    assert arrived == seen[: len(arrived)]
    assert len(arrived) < len(both)


def test_a_class_in_python_is_a_scheme_over_ethernet() -> None:
    """ERICA as a class does what ERICA of the engine does; lengths of a class are bytes."""
    text = cellrate.template("explicit-rate")

    def digest(name: str, interval_cells: str = "", most: float = 30e9) -> str:
        scheme = {"scheme": name, "interval": "100 us"}
        if interval_cells:
            scheme["interval_cells"] = interval_cells
        changes = {"run.duration": "6 ms", "switch.control": scheme}
        found = cellrate.run(text, overrides=changes)
        assert max(found.flows["acr_mean_bits_per_second"].to_list()) < most
        return found.digest

    name = "cellrate.schemes.examples.erica:Erica"
    assert digest(name, "2000 packets") == digest("erica", "2000 packets")
    # The default of the class is 100 cells on ATM, so 100 full frames here.
    assert digest(name) == digest(name, "100 packets") == digest("erica")
    assert digest(name) != digest(name, "100 bytes", most=100e9)
    # A recovery as a class, likewise.
    recoveries = ("reno", "cellrate.schemes.examples.reno:Reno")
    runs = (
        cellrate.run(text, overrides={"run.duration": "6 ms", "tcp.recovery": name})
        for name in recoveries
    )
    assert len({run.digest for run in runs}) == 1


SIZES = "size_bytes,cumulative_probability\n1460,0.5\n14600,0.9\n146000,1\n"
RANDOM = """
link_layer = "ethernet"
run.duration = "20 ms"
measure.slowdown = true
topology.template = "leaf-spine"
topology.leaves = 2
topology.spines = 2
topology.hosts_per_leaf = 4
topology.host_rate = "10 Gbit/s"
topology.host_delay = "1 us"
topology.spine_delay = "1 us"
[[flow]]
name = "web"
pattern = {{ kind = "random", load = 0.4, sizes = "{file}", until = "15 ms" }}
"""


def test_transfers_of_a_file_of_sizes_arrive_at_the_load_and_complete(tmp_path: Path) -> None:
    """The mean of the sizes is 730 + 0.4 x 8,030 + 0.1 x 80,300 = 11,972 bytes.

    So 0.4 x 80 Gbit/s are 334,112 flows/s, 5,011.7 in 15 ms with a deviation of 70.8.
    """
    file = tmp_path / "sizes.csv"
    file.write_text(SIZES, encoding="utf-8")
    found = cellrate.run(RANDOM.format(file=file))
    flows, totals = found.flows, found.summary["totals"]
    assert abs(flows.height - 5011.7) < 4 * 70.8
    assert totals["flows_completed"] > 0.99 * flows.height
    sizes = flows.filter(flows["completion_seconds"].is_not_null())["balance_delivered_bytes"]
    assert sizes.min() == 1460
    assert (sizes == 1460).mean() == pytest.approx(0.5, abs=0.03)
    assert (sizes <= 14600).mean() == pytest.approx(0.9, abs=0.02)
    assert sizes.mean() == pytest.approx(11_972, rel=0.1)
    starts = flows["start_seconds"].to_list()
    assert starts == sorted(starts)
    assert starts[-1] < 0.015
    # Nothing is faster than alone, and many flows meet others.
    slowdown = flows["slowdown"].drop_nulls().to_list()
    assert len(slowdown) == totals["flows_completed"]
    assert 1 <= min(slowdown) < 2 < max(slowdown)
    quantiles = [totals[f"slowdown_{name}"] for name in ("p50", "p95", "p99")]
    assert quantiles == sorted(quantiles)
    assert totals["slowdown_mean"] == pytest.approx(sum(slowdown) / len(slowdown))
    # A segment alone in its first window takes 1,526 octets and a propagation on each of four links
    # (of two under one leaf switch), and its acknowledgement 72.
    one = flows.filter(flows["balance_delivered_bytes"] == 1460)["alone_seconds"].drop_nulls()
    expected = {links * ((1526 + 72) * 0.8e-9 + 2e-6) for links in (2, 4)}
    assert {round(value, 13) for value in one} == {round(value, 13) for value in expected}
    # The resolved scenario holds the content of the file.
    file.write_text(SIZES.replace("1460,0.5", "1460,0.6"), encoding="utf-8")
    with pytest.raises(cellrate.ScenarioError, match="is not the file that `sha256` names"):
        cellrate.run(found.resolved)


def test_flows_alone_have_a_slowdown_of_one() -> None:
    found = cellrate.run(ONE, overrides={"measure.slowdown": True})
    flow = found.flows.row(0, named=True)
    assert flow["alone_seconds"] == flow["completion_seconds"]
    assert (flow["slowdown"], found.summary["totals"]["slowdown_p99"]) == (1, 1)


def test_datagrams_have_a_throughput_and_no_goodput(command: Command, tmp_path: Path) -> None:
    text = ONE.replace("transfer", "cbr").replace('size = "146000 bytes"', 'rate = "1 Gbit/s"')
    (tmp_path / "udp.toml").write_text(text, encoding="utf-8")
    told = command("run", "udp.toml").stdout
    # One begins each 12.304 us and takes 4.4416 us: 81 x 1,472 bytes arrive in a millisecond.
    assert "0.9539" in told
    assert "TCP" not in told
    taken = command("run", "udp.toml", "--capture", "sink", "--out", "o")
    assert taken.returncode == 0
    assert "set up" not in taken.stdout + taken.stderr
    assert "connection" not in taken.stdout + taken.stderr


def warnings_of(text: str, *settings: str) -> list[str]:
    """Messages of the warnings of a scenario."""
    return [found["message"] for found in _core.Scenario(text, "test", settings).check()]


GRAPH = """
link_layer = "ethernet"
run.duration = "1 ms"
topology.template = "graph"
topology.node = [
  { kind = "host", name = "a" },
  { kind = "switch", name = "S", buffer = "%s" },
  { kind = "host", name = "b" },
]
topology.link = [
  { from = "a", to = "S", rate = "1 Gbit/s", delay = "1 us" },
  { from = "S", to = "b", rate = "1 Gbit/s", delay = "1 us" },
]
switch = { buffer = "1 MB", control = { scheme = "efci", threshold = "20 kB" } }
flow = [{ name = "f", from = "a", to = "b", rate_control = {} }]
"""


def test_the_own_buffer_of_a_switch_decides_whether_a_threshold_is_exceeded() -> None:
    never = "`switch.control.threshold`: 20000 bytes are never exceeded in a buffer of 10000 bytes"
    assert warnings_of(GRAPH % "10 kB") == [never]
    assert warnings_of(GRAPH % "30 kB") == []
    assert warnings_of(GRAPH % "30 kB", 'switch.buffer="15 kB"') == []


def test_a_warning_about_a_default_names_its_key() -> None:
    marks = 'switch.aqm={algorithm="threshold"}'
    [told] = warnings_of(ONE, marks, "flow.file.tcp.recovery=dctcp", 'switch.buffer="4 kB"')
    assert told == "`switch.aqm.k`: 65 packets are never exceeded in a buffer of 4000 bytes"


@pytest.mark.parametrize(
    ("recovery", "aqm", "told"),
    [
        ("dctcp", "none", ["reacts to marks (ECN), but no queue marks"]),
        ("dctcp", "threshold", []),
        ("newreno", "threshold", ["`threshold` drops each packet that it would mark"]),
        ("newreno", "red", []),
        ("newreno", "none", []),
    ],
)
def test_marks_and_reactions_need_each_other(recovery: str, aqm: str, told: list[str]) -> None:
    found = warnings_of(
        ONE,
        f"flow.file.tcp.recovery={recovery}",
        f"switch.aqm.algorithm={aqm}",
        'switch.buffer="1 MB"',
    )
    assert len(found) == len(told)
    for warning, words in zip(found, told, strict=True):
        assert words in warning


FAR = """
link_layer = "ethernet"
run.duration = "100 ms"
topology.template = "single-switch"
topology.link_rate = "1 Gbit/s"
topology.access = "100 us"
topology.bottleneck = "100 us"
flow = [{ name = "f", source = { kind = "greedy" } }]
"""


def test_a_window_that_cannot_fill_its_path_is_warned_of_and_is_the_limit() -> None:
    """Two links there and back: 2 x 1,526 and 2 x 72 octets of 8 ns, and 400 us: 425.568 us.

    Ten segments take 15,380 octets of the line in this time, 28.9 % of 53,196; 35 fill it.
    """
    ten = ('tcp.window="14600 bytes"', "tcp.delayed_ack=false")
    [told] = warnings_of(FAR, *ten)
    assert told.startswith(
        "the windows of f.1 fill at most 28.9 % of A->sink (1000 Mbit/s): 14600 bytes"
    )
    assert "round trip of 425.57 us; a `tcp.window` of 51100 bytes would fill the link" in told
    found = cellrate.run(FAR, overrides=ten).flows.row(0, named=True)
    assert found["goodput_bits_per_second"] == pytest.approx(8 * 14_600 / 425.568e-6, rel=0.01)
    assert warnings_of(FAR, 'tcp.window="51100 bytes"') == []
    [told] = warnings_of(FAR, 'tcp.window="2 kB"', "tcp.delayed_ack=true")
    assert "holds one segment of 1460 bytes" in told
    [told] = warnings_of(FAR, 'tcp.window="2 kB"')
    assert told.startswith("the windows of f.1 fill at most 2.9 %")
    # Files and datagrams end, or have rates of their own.
    assert warnings_of(FAR, *ten, 'flow.f.source={kind="transfer", size="1 MB"}') == []


@pytest.mark.parametrize(
    ("credit", "bits"),
    [
        # N2 and N3 of 15,380 bytes return after 200 us, 12.304 us at the switch, 0.48 us for the
        # credit and 123.04 us for N2.
        ('fcvc={n2="10 packets", n3="15380 bytes"}', 8 * 30_760 / 335.824e-6),
        # Ten frames of 24 credits are held for 12.208 us, 200 us, 12.304 us at the switch and 0.576
        # us for the credit.
        ("cbfc.credits=240", 8 * 10 * 1_538 / 225.088e-6),
    ],
)
def test_a_larger_window_is_no_remedy_where_credits_limit(credit: str, bits: float) -> None:
    told = warnings_of(FAR, credit, 'tcp.window="14600 bytes"')[-1]
    assert told.startswith("the windows of f.1 fill at most 28.9 %")
    limit = (
        f"no window would fill the link, since credits limit its flows to {bits / 1e6:.1f} Mbit/s"
    )
    assert told.endswith(limit)
    found = cellrate.run(FAR, overrides=[credit, 'tcp.window="200 kB"']).flows.row(0, named=True)
    goodput = found["goodput_bits_per_second"]
    assert 0.98 * bits < goodput * 1_538 / 1_460 < 1.001 * bits
    without = credit.split("=")[0].split(".")[0] + "={}"
    assert "51100 bytes would fill" in warnings_of(FAR, without, 'tcp.window="14600 bytes"')[-1]


def codes_of(text: str, *settings: str) -> list[str]:
    return [warning["code"] for warning in cellrate.run(text, overrides=settings).warnings]


def test_losses_and_queues_before_the_window_are_told() -> None:
    """Two windows of 44 segments meet at a line of 1 Gbit/s, long before the window."""
    burst = (
        'flow.f.source={kind="transfer", size="64240 bytes"}',
        "flow.f.count=2",
        "tcp.initial_window=44",
        "topology.template=n-source",
        *(f'topology.{key}="1 us"' for key in ("bottleneck", "egress")),
    )
    late = 'measure.from="50 ms"'
    found = cellrate.run(FAR, overrides=(*burst, late))
    port = max(found.queues.rows(named=True), key=lambda one: one["queue_max_before_window_bytes"])
    whole = cellrate.run(FAR, overrides=burst)
    most = max(one["queue_max_bytes"] for one in whole.queues.rows(named=True))
    assert (port["queue_max_before_window_bytes"], port["queue_max_bytes"]) == (most, 0)
    assert whole.queues["queue_max_before_window_bytes"].to_list() == [None] * len(whole.queues)
    small = 'switch.buffer="20 kB"'
    assert "lost-outside-window" in codes_of(FAR, *burst, late, small)
    assert "lost-outside-window" not in codes_of(FAR, *burst, small)
    assert "lost-outside-window" not in codes_of(FAR, *burst, late)


def test_more_than_the_line_carries_is_told() -> None:
    """Of 1,538 octets on the line a segment has 1,460: 9.493 of 10 Gbit/s."""
    lossy = ("tcp.recovery=sack", 'switch.aqm={algorithm="red"}')
    found = cellrate.run(cellrate.template("dctcp"), overrides=lossy)
    rate = found.summary["totals"]["throughput_bits_per_second"]
    assert rate > 10e9 * 1460 / 1538
    [told] = [one["message"] for one in found.warnings if one["code"] == "earlier-data"]
    assert f"are {100 * rate * 1538 / 1460 / 10e9:.1f} % of the link's capacity" in told
    assert "earlier-data" not in codes_of(cellrate.template("dctcp"))


TWO_WAYS = """
link_layer = "ethernet"
run = { duration = "4 ms" }
measure.from = "2 ms"
switch.multipath = "round-robin"
flow = [
    { name = "a", from = "h1", to = "h3" },
    { name = "b", from = "h2", to = "h4" },
]
[topology]
template = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 2
host_rate = "10 Gbit/s"
spine_rate = "10 Gbit/s"
host_delay = "1 us"
spine_delay = "1 us"
"""


def test_no_link_carries_more_where_others_share_its_frames() -> None:
    """Two flows of a line each have two spines; a RoCE packet of 4 KiB is no segment of TCP."""
    found = cellrate.run(TWO_WAYS)
    rate = found.summary["totals"]["throughput_bits_per_second"]
    assert rate > 1.5 * 10e9 * 1460 / 1538
    assert "earlier-data" not in [one["code"] for one in found.warnings]
    over_roce = ("ethernet.mtu=9000 bytes", "flow.answer.roce={payload='4 KiB'}")
    greedy = ("flow.answer.source={kind='greedy'}", "flow.answer.count=1")
    found = cellrate.run(cellrate.template("incast"), overrides=[*over_roce, *greedy])
    rate = found.summary["totals"]["throughput_bits_per_second"]
    assert rate == pytest.approx(10e9 * 4096 / 4178, rel=1e-3)
    assert "earlier-data" not in [one["code"] for one in found.warnings]


def test_flows_that_get_nothing_are_told() -> None:
    """Eight windows over links as fast as the port: the first flow keeps the buffer full."""
    one_wins = (
        "tcp.recovery=reno",
        "switch.aqm.algorithm=none",
        'measure.from="30 ms"',
        'run.duration="60 ms"',
    )
    text = cellrate.template("dctcp").replace('k = "65 packets"', "")
    found = cellrate.run(text, overrides=one_wins)
    assert found.summary["totals"]["jain_index"] < 0.2
    codes = [warning["code"] for warning in found.warnings]
    assert {"window-empty", "phases-locked"} <= set(codes)
    enough = codes_of(text, *one_wins, 'switch.buffer="20 MB"')
    assert not {"window-empty", "phases-locked"} & set(enough)


def test_flows_that_never_start_are_warned_of() -> None:
    assert warnings_of(FAR, 'flow.f.start="99 ms"') == []
    [told] = warnings_of(FAR, 'flow.f.start="100 ms"')
    assert told == "f.1 starts at 100 ms, after the end of the run"
    joined = warnings_of(cellrate.template("router"), 'flow.0.start="9 s"')
    assert any("at 9 s, after the end of the run" in one for one in joined)


def test_short_bursts_of_whole_frames_are_warned_of() -> None:
    """1,538 octets take 1.2304 us at 10 Gbit/s: an ON part of 2 us begins two frames, not 1.625."""
    datagrams = ONE.replace("tcp.initial_window = 100\n", "")
    source = 'flow.file.source={kind="on-off", peak="10 Gbit/s", period="%s", duty_cycle=%s}'
    [told] = warnings_of(datagrams, source % ("10 us", 0.2))
    assert "time for 1.625 frames of 1538 octets" in told
    assert "up to 23.0 % above" in told
    # Three frames take the ON part to a part in a million, or the part has many frames, or no end.
    for calm in (("36912 ns", 0.1), ("10 ms", 0.2), ("1 us", 1.0)):
        assert warnings_of(datagrams, source % calm) == []
    run = json.loads(_core.Scenario(ONE, "test", [source % ("10 us", 0.2)]).run().summary())
    assert run["flows"][0]["packets_sent"] == 2 * 100


COLLECTIVE = """
link_layer = "ethernet"
run.duration = "30 ms"
[topology]
template = "graph"
node = [
    { kind = "switch", name = "A" }, { kind = "host", name = "h1" },
    { kind = "host", name = "h2" }, { kind = "host", name = "h3" }, { kind = "host", name = "h4" },
]
link = [
    { from = "h1", to = "A", rate = "100 Gbit/s", delay = "1 us" },
    { from = "h2", to = "A", rate = "100 Gbit/s", delay = "1 us" },
    { from = "h3", to = "A", rate = "50 Gbit/s", delay = "1 us" },
    { from = "h4", to = "A", rate = "100 Gbit/s", delay = "1 us" },
]
[[flow]]
name = "job"
pattern = { kind = "ring-all-reduce", size = "4 MB", compute = "5 us" }
"""
KINDS = {
    # Of 4 hosts each sends 6 parts of 1 MB; what enters h3 takes the longest each time.
    "ring-all-reduce": ('size = "4 MB"', 24, 6 * 1e6),
    # A tree of 3 edges, up and down: h3 and h2 are children of h1, h4 of h2.
    "tree-all-reduce": ('size = "4 MB"', 6, 2 * 4e6),
    # Three flows into h3, three back.
    "expert-all-to-all": ('size = "1 MB"', 24, 6 * 1e6),
}


@pytest.mark.parametrize("over", ["", "roce = {}\n"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_collective_operation_ends_after_its_bound(kind: str, over: str) -> None:
    """The line of h3 carries so many bytes one after the other, 20 us a 125,000 bytes."""
    size, count, octets = KINDS[kind]
    text = COLLECTIVE.replace("ring-all-reduce", kind).replace('size = "4 MB"', size) + over
    found = cellrate.run(text)
    [whole] = found.summary["collectives"]
    assert (whole["flows"], whole["flows_completed"]) == (count, count)
    took = whole["completion_seconds"]
    assert took == found.summary["totals"]["collective_completion_seconds"]
    statements = cellrate.explain(text).statements
    [bound] = (
        one.values["earliest_end_seconds"] for one in statements if one.topic == "completion"
    )
    assert isinstance(bound, float)
    assert octets * 8 / 50e9 * 0.99 < bound < took < 1.6 * bound
    flows = {flow["name"]: flow for flow in found.summary["flows"]}
    longest = max(flow["completion_seconds"] for flow in flows.values())
    assert whole["straggler_seconds"] == flows[whole["straggler"]]["completion_seconds"]
    assert whole["straggler_seconds"] > 0.6 * longest
    last = max(flows.values(), key=lambda one: one["start_seconds"] + one["completion_seconds"])
    assert whole["last_flow"] == last["name"]
