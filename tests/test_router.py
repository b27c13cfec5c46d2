"""Networks of both link layers, joined by routers: runs, tables, and the effect of each key."""

from __future__ import annotations

import json
import struct
from functools import cache
from pathlib import Path

import cellrate
import numpy as np
import pytest
from cellrate import _core
from conftest import HERE, Command

TEXT = (HERE / "scenarios" / "router.toml").read_text("utf-8")


def test_abr_moves_the_queue_from_the_switch_to_the_router() -> None:
    """ERICA lets the router send at 0.9 of 155.52 Mbit/s; UBR sends at four times that rate."""
    text = cellrate.template("router")
    abr = cellrate.run(text)
    ubr = cellrate.run(text, overrides={"atm.service": "ubr", "atm.control": {"scheme": "none"}})

    def longest(result: cellrate.Result) -> tuple[int, int]:
        ports = {port["name"]: port for port in result.summary["atm_ports"]}
        at_router = result.flows["router_queue_max_cells"].max()
        assert isinstance(at_router, int)
        return at_router, ports["atm->server"]["queue_max_cells"]

    (at_edge, at_switch), (_, at_switch_without) = longest(abr), longest(ubr)
    assert at_switch < 500 < at_edge
    assert at_switch_without == 2000
    rates = abr.flows["acr_mean_bits_per_second"].to_list()
    assert rates == pytest.approx([0.9 * 155.52e6 / 3] * 3, rel=0.1)
    assert ubr.flows["acr_mean_bits_per_second"].to_list() == [None] * 3
    # 1,460 of 1,696 octets are payload, 31 cells of 32 data.
    goodput = sum(abr.flows["goodput_bits_per_second"])
    assert goodput == pytest.approx(0.9 * 155.52e6 * 1460 / 1696 * 31 / 32, rel=0.05)


def test_a_run_shows_the_queue_at_the_router_and_the_ports_of_atm(command: Command) -> None:
    path = str(HERE / "scenarios" / "router.toml")
    assert "2 hosts, 2 switches, 1 flow." in command("validate", path).stdout
    shown = command("run", path).stdout
    assert "port of ATM" in shown
    assert "router, cells" in shown
    assert "s->a" in shown


def test_a_study_varies_the_part_over_atm(command: Command) -> None:
    path = str(HERE / "scenarios" / "router.toml")
    done = command("compare", path, "--vary", "atm.buffer=200cells,2000cells", "--seeds", "2")
    assert done.returncode == 0, done.stderr


# Settings under which both runs are made, and the setting that only the second has.
KEYS = {
    "service": ("", 'atm.service="ubr"'),
    "buffer": ('atm.service="ubr"', 'atm.buffer="150 cells"'),
    "channel_queue": ("", 'atm.channel_queue="300 cells"'),
    "discard": ('atm.service="ubr"', 'atm.discard={policy="epd", threshold="100 cells"}'),
    "control": ("", 'atm.control={scheme="erica", interval="2 ms"}'),
    "abr": ("", 'atm.abr.icr="30 Mbit/s"'),
}
OF_NODES = {
    "forwarding_delay": ("", 'topology.node.r.forwarding_delay="20 us"'),
    "a buffer of a switch of ATM": ('atm.service="ubr"', 'topology.node.s.buffer="150 cells"'),
    "a buffer of a router": (
        'flow.file.from="a"; flow.file.to="h"; topology.link.0.rate="10 Mbit/s"',
        'topology.node.r.buffer="30 kB"',
    ),
}


TRACES = ["queue", "acr", "cwnd", "sequence", "utilisation", "source-queue"]
# Two hosts at ATM, and Ethernet between them.
ATM_AT_BOTH_ENDS = """
link_layer = "ethernet"
run.duration = "30 ms"
measure.traces = ["acr", "source-queue", "cwnd", "queue"]
atm = { service = "abr" }
[topology]
template = "graph"
node = [
    { kind = "host", name = "a" },
    { kind = "atm-switch", name = "s" },
    { kind = "router", name = "r1" },
    { kind = "router", name = "r2" },
    { kind = "atm-switch", name = "t" },
    { kind = "host", name = "b" },
]
link = [
    { from = "a", to = "s", rate = "155.52 Mbit/s", delay = "10 us" },
    { from = "s", to = "r1", rate = "155.52 Mbit/s", delay = "10 us" },
    { from = "r1", to = "r2", rate = "1 Gbit/s", delay = "10 us" },
    { from = "r2", to = "t", rate = "155.52 Mbit/s", delay = "10 us" },
    { from = "t", to = "b", rate = "155.52 Mbit/s", delay = "10 us" },
]
[[flow]]
name = "file"
from = "a"
to = "b"
"""


def test_traces_of_both_link_layers_agree_with_the_measures() -> None:
    settings = {"measure.traces": TRACES, "measure.sample": "1 ms"}
    result = cellrate.run(cellrate.template("router"), overrides=settings)
    assert result.digest == cellrate.run(cellrate.template("router")).digest
    found = {(trace.kind, trace.entity): trace for trace in result.traces}
    assert len(found) == len(result.traces)
    for measured, prefix in ("ports", ""), ("atm_ports", "atm-"):
        for port in result.summary[measured]:
            busy = found[f"{prefix}utilisation", port["name"]].between(1.0005, 2.0)
            assert busy.middle.mean() == pytest.approx(port["utilisation"], rel=2e-3)
    for flow in result.summary["flows"]:
        name = flow["name"]
        rate = found["atm-acr", f"{name}/forward@edge"].between(1.0, 2.0)
        mean = flow["acr_mean_bits_per_second"]
        assert (rate.unit, rate.middle.mean()) == ("bit/s", pytest.approx(mean, rel=0.01))
        waiting = found["atm-source-queue", f"{name}@edge"].between(1.0, 2.0).maximum.max()
        most = flow["router_queue_max_cells"]
        assert 0.9 * most < waiting <= most
        assert found["cwnd", name].maximum.max() == 256 * 1024
    [queue] = [port for port in result.summary["atm_ports"] if port["name"] == "atm->server"]
    longest = found["atm-queue", "atm->server"].between(1.0, 2.0)
    assert (longest.unit, longest.maximum.max()) <= ("cells", queue["queue_max_cells"])
    assert found["queue", "lan->edge/1"].unit == "bytes"


def test_legs_of_a_flow_over_atm_have_traces_of_their_own() -> None:
    result = cellrate.run(ATM_AT_BOTH_ENDS)
    names = [(trace.kind, trace.entity) for trace in result.traces if trace.kind != "queue"]
    assert [name for name in names if name[0] != "atm-queue"] == [
        ("atm-acr", "file.1/forward"),
        ("atm-acr", "file.1/forward@r2"),
        ("atm-source-queue", "file.1"),
        ("atm-source-queue", "file.1@r2"),
        ("cwnd", "file.1"),
    ]


@pytest.mark.usefixtures("undrawn")
def test_pictures_have_the_traces_of_each_link_layer_in_their_own_units(
    command: Command, tmp_path: Path
) -> None:
    path = str(HERE / "scenarios" / "router.toml")
    done = command("run", path, "--plot", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    drawn = {file.stem for file in (tmp_path / "out" / "figures").glob("*.svg")}
    kinds = {"queue", "atm-queue", "atm-acr", "cwnd", "utilisation", "atm-utilisation"}
    assert drawn == {"all", *kinds}
    phase = command("run", path, "--plot", "phase", "--out", str(tmp_path / "phase"))
    assert phase.returncode == 0, phase.stderr
    result = cellrate.run(TEXT, overrides={"measure.traces": ["queue", "acr"]})
    [panel] = result.plot_phase().axes
    assert panel.get_ylabel() in {"queue of s->a (cells)", "queue of s->r (cells)"}
    labels = [panel.get_ylabel() for panel in result.plot().axes]
    assert labels == ["queue (kB)", "ATM: queue (cells)", "ATM: ACR (Mbit/s)"]
    [acr] = [trace for trace in result.traces if trace.kind == "atm-acr"]
    curve = np.asarray(result.plot("atm-acr").axes[0].get_lines()[0].get_ydata(), dtype=float)
    assert curve.max() == pytest.approx(acr.middle.max() / 1e6)


def test_the_event_log_has_the_events_of_both_link_layers_in_order_of_time() -> None:
    """Buffers of the switch of ATM and of the Ethernet switch drop packets of one run."""
    settings: dict[str, object] = {
        "atm.service": "ubr",
        "atm.control": {"scheme": "none"},
        "run.duration": "1 s",
        "measure": {"from": "0 s", "events": ["loss", "timeout", "retransmission"]},
        "switch.buffer": "100 kB",
        "topology.link.3.rate": "200 Mbit/s",
    }
    result = cellrate.run(cellrate.template("router"), overrides=settings)
    log = result.events
    assert log["time_seconds"].is_sorted()
    for measured, dropped in ("ports", None), ("atm_ports", "cells_dropped"):
        for port in result.summary[measured]:
            queues = port.get("queues", ())
            lost = port[dropped] if dropped else sum(one["packets_dropped"] for one in queues)
            assert log.filter(kind="loss", port=port["name"]).height == lost
    assert set(log.filter(kind="loss")["port"]) == {"lan->edge", "atm->server"}
    assert log.filter(kind="loss", port="atm->server")["pdu"].null_count() == 0
    counts = {"retransmission": "segments_retransmitted", "timeout": "timeouts"}
    for kind, measure in counts.items():
        assert log.filter(kind=kind).height == result.flows[measure].sum() > 0
    few = cellrate.run(
        cellrate.template("router"), overrides=settings | {"measure.event_limit": 100}
    )
    assert few.events.equals(log.head(100))
    [omitted] = [one for one in few.summary["warnings"] if one["code"] == "events-omitted"]
    assert omitted["message"].startswith(f"{log.height - 100} events")


def tcp_of(path: Path, header: int) -> list[tuple[int, bytes, bytes]]:
    """Time in nanoseconds, addresses, and TCP octets of each IPv4 packet of a pcap file.

    `header` is the number of octets before the IPv4 header.
    """
    data, at = path.read_bytes(), 24
    found = []
    while at < len(data):
        second, nanosecond, length, _ = struct.unpack("<IIII", data[at : at + 16])
        packet = data[at + 16 + header : at + 16 + length]
        whole = int.from_bytes(packet[2:4], "big")
        found.append((second * 10**9 + nanosecond, packet[12:20], packet[20:whole]))
        at += 16 + length
    return found


def test_a_capture_at_a_router_has_each_packet_over_both_link_layers(tmp_path: Path) -> None:
    settings = {"topology.node.r.forwarding_delay": "30 us"}
    places = ["r:ip", "h", "a:ip,cells"]
    taken = cellrate.capture(TEXT, places, tmp_path / "c", overrides=settings)
    assert [path.name for path in taken.files] == [
        *("r.pcap", "h.pcap"),
        *("r.ip.pcap", "a.cells.erf", "a.ip.pcap"),
    ]
    [flow] = taken.index["flows"]
    host, server = (bytes(map(int, one.split("."))) for one in flow["addresses"])
    frames, packets = tcp_of(taken.files[0], 14), tcp_of(taken.files[2], 0)
    assert {addresses for _, addresses, _ in frames} == {host + server, server + host}
    for ends in host + server, server + host:
        over_ethernet = [(at, octets) for at, of, octets in frames if of == ends]
        over_atm = [(at, octets) for at, of, octets in packets if of == ends]
        count = min(len(over_ethernet), len(over_atm))
        assert count > 100
        for (at, octets), (left, same) in zip(over_ethernet, over_atm, strict=False):
            assert octets == same
            # Each pseudo-header with its TCP octets has the sum of all ones (RFC 793).
            data = ends + struct.pack(">HH", 6, len(octets)) + octets + b"\0" * (len(octets) % 2)
            total = sum(struct.unpack(f">{len(data) // 2}H", data))
            assert total % 0xFFFF == 0
            first, second = (at, left) if ends == host + server else (left, at)
            assert second - first >= 30_000
    # The host sees the same packets as the router, one line of 1 us away.
    at_host = tcp_of(taken.files[1], 14)
    assert [octets for *_, octets in at_host if octets] != []
    sent = [(at, octets) for at, of, octets in at_host if of == host + server]
    came = [(at, octets) for at, of, octets in frames if of == host + server]
    for (left, octets), (arrived, same) in zip(sent, came, strict=False):
        assert (octets, arrived - left) == (same, 1_000)


def test_a_packet_and_its_acknowledgement_take_the_round_trip_that_explain_computes() -> None:
    """A file of one segment, by hand and by a run. Each ATM leg adds a cell at its faster link."""
    one = ['flow.file.source.size="1460 bytes"', "tcp.delayed_ack=false"]
    explained = cellrate.explain(TEXT, overrides=one)
    [delays] = [found for found in explained.statements if found.topic == "delays"]
    trip = delays.values["least_round_trip_seconds"]
    assert isinstance(trip, float)
    frames, cells = 8 * (1526 + 72) / 1e9, 424 * (32 + 2) / 155.52e6
    assert trip == pytest.approx(2 * 201e-6 + 2 * 10e-6 + frames + cells, rel=1e-9)
    settings = [*one, "atm.abr={}", 'atm.control={scheme="none"}', 'atm.service="ubr"']
    [completion] = cellrate.run(TEXT, overrides=settings).flows["completion_seconds"]
    assert trip < completion < trip + 2 * 424 / 155.52e6


UBR = {"atm.service": "ubr", "atm.control": {"scheme": "none"}, "atm.abr": {}}


@pytest.mark.parametrize("text", [TEXT, cellrate.template("router"), ATM_AT_BOTH_ENDS])
@pytest.mark.parametrize("window", ["3 KiB", "20 KiB", "1 MiB"])
@pytest.mark.parametrize("service", [{}, UBR])
def test_no_run_exceeds_what_explain_bounds(
    text: str, window: str, service: dict[str, object]
) -> None:
    settings = {"run.duration": "100 ms", "measure.from": "30 ms", "tcp.window": window, **service}
    explained = cellrate.explain(text, overrides=settings)
    summary = cellrate.run(text, overrides=settings).summary
    claims = [claim for one in explained.statements for claim in one.claims]
    assert len(claims) == 1 + len({flow["group"] for flow in summary["flows"]})
    for claim in claims:
        assert claim.holds(claim.measured(summary)), claim


@pytest.mark.parametrize("window", ["6 KiB", "64 KiB"])
def test_what_explain_bounds_is_reached(window: str) -> None:
    """Without rates and losses, a window below the path, and one above it."""
    settings: dict[str, object] = UBR | {
        "run.duration": "2 s",
        "measure.from": "1 s",
        "tcp.window": window,
        "flow.file.source": {"kind": "greedy"},
        "tcp.delayed_ack": False,
        "atm.buffer": "infinite",
    }
    explained = cellrate.explain(TEXT, overrides=settings)
    [bound] = [one for one in explained.statements if "bound_bits_per_second" in one.values]
    most = bound.values["bound_bits_per_second"]
    [measured] = cellrate.run(TEXT, overrides=settings).flows["tcp_throughput_bits_per_second"]
    assert isinstance(most, float)
    assert 0.98 * most < measured <= most
    [of_group] = [one for one in explained.statements if "bound_by" in one.values]
    assert of_group.values["bound_by"] == ["window" if window == "6 KiB" else "link"]
    [_, queue, _] = explained.verdict
    assert queue == "Queue and loss: no formula here is for a network with both link layers."


def test_a_slowdown_compares_a_flow_with_itself_alone() -> None:
    """Two flows cross the router, one to ATM and one from it; the third stays at Ethernet."""
    file = {"kind": "transfer", "size": "2 MB"}
    settings: dict[str, object] = {
        "measure": {"from": "0 s", "slowdown": True},
        "run.duration": "5 s",
        **{f"flow.{name}.source": file for name in ("first", "second", "third")},
        "flow.second.from": "server",
        "flow.second.to": "h2",
        "flow.second.start": "30 ms",
        "flow.third.from": "h1",
        "flow.third.to": "h3",
    }
    template = cellrate.template("router")
    flows = cellrate.run(template, overrides=settings).flows
    # The same flow without the others, as a scenario of its own.
    names = "first", "second", "third"
    for name, row in zip(names, flows.iter_rows(named=True), strict=True):
        head, *groups = template.split("[[flow]]")
        [own] = [group for group in groups if f'"{name}"' in group]
        kept = {key: value for key, value in settings.items() if not key.startswith("flow.")}
        kept |= {key: value for key, value in settings.items() if key.startswith(f"flow.{name}.")}
        kept |= {f"flow.{name}.start": "0 s", "measure": {"from": "0 s"}}
        alone = cellrate.run(f"{head}[[flow]]{own}", overrides=kept).flows
        [completion] = alone["completion_seconds"]
        assert row["alone_seconds"] == completion
        assert row["slowdown"] == pytest.approx(row["completion_seconds"] / completion)
    assert max(flows["slowdown"].to_list()) > 1.01


@cache
def digest(*settings: str) -> str:
    """Digest of a run with settings."""
    outcome = _core.Scenario(TEXT, "test", list(filter(None, settings))).run()
    return str(json.loads(outcome.summary())["digest"])


def figures(settings: str) -> tuple[list[float], list[int]]:
    """Throughputs, and cells dropped at the ports of ATM."""
    result = cellrate.run(TEXT, overrides=settings.split("; ") if settings else [])
    dropped = [port["cells_dropped"] for port in result.summary["atm_ports"]]
    return result.flows["throughput_bits_per_second"].to_list(), dropped


EXAMPLES = "cellrate.schemes.examples"
EPD = f"{EXAMPLES}.epd:Epd"
EFCI = 'atm.control={scheme="efci", threshold="50 cells"}'


@pytest.mark.parametrize(
    ("without", "built_in", "own"),
    [
        (
            "",
            'atm.control={scheme="rrm-p", low="5 cells", high="20 cells"}',
            f'atm.control={{scheme="{EXAMPLES}.p:P", low="5 cells", high="20 cells"}}',
        ),
        (
            'atm.service="ubr"',
            'atm.service="ubr"; atm.discard={policy="epd", threshold="100 cells"}',
            f'atm.service="ubr"; atm.discard={{policy="{EPD}", threshold="100 cells"}}',
        ),
        (
            EFCI,
            f'{EFCI}; atm.abr.rules=prca; atm.abr.air="1 Mbit/s"; atm.abr.mdf=3',
            f'{EFCI}; atm.abr.law={{law="{EXAMPLES}.prca:Prca", air="1 Mbit/s", mdf=3}}',
        ),
    ],
)
def test_classes_act_over_atm_as_what_they_repeat(without: str, built_in: str, own: str) -> None:
    assert figures(own) == figures(built_in) != figures(without)


@pytest.mark.parametrize("key", KEYS | OF_NODES)
def test_a_key_changes_a_run(key: str) -> None:
    common, own = (KEYS | OF_NODES)[key]
    before = common.split("; ")
    assert digest(*before) != digest(*before, own)


def test_every_key_is_here() -> None:
    """Keys of schemes, policies and sources of ABR have their effects over ATM."""
    schema = json.loads(_core.schema(ethernet=True))
    assert set(schema["properties"]["atm"]["properties"]) == set(KEYS)


def test_the_template_has_the_digest_that_it_always_had() -> None:
    assert cellrate.run(cellrate.template("router")).digest == "a9b37715f013176a"
