"""Priority-based flow control over Ethernet: no losses, a victim, captures, explanations."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cellrate
import pytest
from cellrate.simulation.packets import held_ports
from conftest import HERE, Command
from explained import broken
from test_ethernet import frames_of

# Two hosts fill the line to `slow`; the victim shares only the link between the switches with them.
VICTIM = """
link_layer = "ethernet"
run.duration = "20 ms"
measure.from = "5 ms"
switch.buffer = "100 kB"
[topology]
template = "graph"
node = [
    { kind = "host", name = "a" },
    { kind = "host", name = "b" },
    { kind = "host", name = "c" },
    { kind = "host", name = "slow" },
    { kind = "host", name = "fast" },
    { kind = "switch", name = "s" },
    { kind = "switch", name = "t" },
]
link = [
    { from = "a", to = "s", rate = "10 Gbit/s", delay = "1 us" },
    { from = "b", to = "s", rate = "10 Gbit/s", delay = "1 us" },
    { from = "c", to = "s", rate = "10 Gbit/s", delay = "1 us" },
    { from = "s", to = "t", rate = "40 Gbit/s", delay = "1 us" },
    { from = "t", to = "slow", rate = "2 Gbit/s", delay = "1 us" },
    { from = "t", to = "fast", rate = "10 Gbit/s", delay = "1 us" },
]
[[flow]]
name = "busy-a"
from = "a"
to = "slow"
source = { kind = "persistent" }
[[flow]]
name = "busy-b"
from = "b"
to = "slow"
source = { kind = "persistent" }
[[flow]]
name = "victim"
from = "c"
to = "fast"
source = { kind = "persistent" }
"""


def gigabits(settings: dict[str, object]) -> list[float]:
    """Throughput of the three flows on the line, in Gbit/s."""
    flows = cellrate.run(VICTIM, overrides=settings).flows
    on_line = 1_538 / 1_472 / 1e9
    return [rate * on_line for rate in flows["throughput_bits_per_second"].to_list()]


def test_pauses_spare_losses_and_cost_a_victim_its_rate() -> None:
    """Head of line: the link between the switches carries what `slow` leaves, a third each."""
    assert gigabits({}) == pytest.approx([1, 1, 10], rel=0.1)
    assert gigabits({"pfc": {}}) == pytest.approx([1, 1, 1], rel=0.05)
    # A priority of its own, and a queue of its own, keep the victim out of it.
    apart = {"pfc": {"priorities": [0]}, "flow.victim.priority": 1, "switch.queues": [[1], [0]]}
    assert gigabits(apart) == pytest.approx([1, 1, 10], rel=0.02)


def test_an_incast_loses_nothing_under_pauses(command: Command) -> None:
    text = command("new", "incast").stdout
    plain = cellrate.run(text).summary["totals"]
    outcome = cellrate.run(text, overrides={"pfc": {}})
    paused = outcome.summary["totals"]
    assert plain["packets_dropped"] > 0 == paused["packets_dropped"]
    assert paused["completion_p99_seconds"] < plain["completion_p99_seconds"]
    controls = [port["control"] for port in outcome.summary["ports"]]
    assert {control["scheme"] for control in controls} == {"pfc"}
    assert sum(control["pause_frames_sent"] for control in controls) > 0
    assert "no buffer loses a packet" in str(
        cellrate.explain(text, overrides={"pfc": {}}).topics()["loss"]
    )
    # Without room above XOFF, frames are lost, and nothing says that none can be.
    little = {"pfc": {"headroom": "1 packets", "xoff": "3 packets"}}
    lost = cellrate.run(text, overrides=little)
    assert lost.summary["totals"]["packets_dropped"] > 0
    assert "may be lost" in str(lost.summary["warnings"])
    said = cellrate.explain(text, overrides=little)
    assert "more can arrive after XOFF than `pfc.headroom` holds" in str(said.topics()["loss"])
    for other, why in (
        ({"pfc": {"priorities": [3]}}, "does not pause all priorities"),
        ({"pfc": {}, "switch.aqm": {"algorithm": "codel"}}, "do not understand marks"),
    ):
        assert why in str(cellrate.explain(text, overrides=other).topics()["loss"])


def test_a_queue_under_pauses_is_bounded_by_what_links_may_hold() -> None:
    """The queue of the port is longer than its buffer: the limit is that of all links together.

    Headroom by hand, at 10 Gbit/s and 1 us: a frame and the pause take 1,288 ns, propagation twice
    1 us. In 3,288 ns 4,110 bytes pass, without the first gap 2 frames of 1,538 and 1,022 bytes, of
    which 20 are preamble and gap. Two frames are added.
    """
    text = cellrate.template("incast")
    [claim] = [
        claim
        for one in cellrate.explain(text, overrides={"pfc": {}}).statements
        for claim in one.claims
        if claim.quantity == "queue"
    ]
    assert claim.value == 32 * (20 * 1518 + 4 * 1518 + 1002)
    run = cellrate.run(text, overrides={"pfc": {}})
    assert 300_000 < max(run.queues["queue_max_bytes"]) <= claim.value


def test_a_buffer_that_pauses_replace_is_told() -> None:
    text, void = cellrate.template("incast"), "Its buffer of 50,000 bytes does not limit priorities"
    small: dict[str, object] = {"switch.buffer": "50 kB"}
    assert void not in str(cellrate.explain(text, overrides=small).topics()["queue"])
    for by in ("pfc", "cbfc"):
        under: dict[str, object] = {by: {}}
        said = cellrate.explain(text, overrides={**small, **under}).topics()["queue"]
        assert f"{void} under {by.upper()}." in str(said)
        digests = {cellrate.run(text, overrides={**one, **under}).digest for one in (small, {})}
        assert len(digests) == 1


RING = HERE.parent / "examples" / "pfc-deadlock.toml"


def test_a_ring_of_pauses_is_told_before_it_stops_for_good() -> None:
    """Each of five links carries two flows of its own rate, and each buffer waits for the next."""

    def sides(settings: dict[str, object], scenario: str | Path = RING) -> tuple[Any, list[float]]:
        """The cycle that `explain` tells, and what each flow has in the second half of a run."""
        said = cellrate.explain(scenario, overrides=settings)
        cycles = [one.values["deadlock_cycle"] for one in said.topics().get("deadlock", [])]
        flows = cellrate.run(scenario, overrides=settings).flows
        return (cycles[0] if cycles else None), flows["throughput_bits_per_second"].to_list()

    cycle, rates = sides({})
    assert cycle is not None
    assert sorted(cycle[1:]) == ["s1->s2", "s2->s3", "s3->s4", "s4->s5", "s5->s1"]
    assert cycle[0] == cycle[-1]
    assert rates == [0.0] * 5
    # Two flows of another priority open the ring only in a queue of their own.
    two: dict[str, object] = {f"flow.{name}.priority": 5 for name in ("f1", "f2")}
    assert sides(two)[1] == [0.0] * 5
    assert sides(two)[0] != []
    opened, faster = sides(two | {"switch.queues": [[5], [0]]})
    assert opened == []
    assert min(faster) > 1e9
    text = RING.read_text(encoding="utf-8").replace('[pfc]\nxoff = "20 packets"', "[fcvc]")
    none, credited = sides({}, text.replace("roce = {}\n", "").replace("greedy", "persistent"))
    assert none is None
    assert min(credited) > 40e9


def test_a_pause_is_a_frame_of_mac_control(tmp_path: Path) -> None:
    """IEEE 802.3 annex 31D: address, type, opcode, enabled priorities, a time for each of eight."""
    settings = {"pfc": {"priorities": [0, 3], "pause_quanta": 1000}, "run.duration": "1 ms"}
    settings |= {"measure.from": "0 s"}
    taken = cellrate.capture(VICTIM, ["t->s"], tmp_path, overrides=settings)
    frames = [frame for path in taken.files for _, frame in frames_of(path)]
    pauses = [frame for frame in frames if frame[12:14] == bytes.fromhex("8808")]
    assert pauses
    assert {frame[:6].hex(":") for frame in pauses} == {"01:80:c2:00:00:01"}
    assert {(len(frame), frame[14:16].hex()) for frame in pauses} == {(60, "0101")}
    # Priority 0 alone is in use: first a pause of 1,000 quanta, later its end.
    fields = [(frame[16:18].hex(), frame[18:34].hex()) for frame in pauses]
    rest = "0000" * 7
    assert fields[0] == ("0001", "03e8" + rest)
    assert set(fields) == {("0001", "03e8" + rest), ("0001", "0000" + rest)}


def test_a_film_shows_pauses(command: Command, tmp_path: Path) -> None:
    path, film = tmp_path / "victim.toml", tmp_path / "film.html"
    path.write_text(VICTIM, "utf-8")
    done = command("animate", str(path), "--set", "pfc.xoff=5 packets", "--to", "50 us", "-o", film)
    assert done.returncode == 0, done.stderr
    assert "pause or its end" in film.read_text("utf-8")


@pytest.mark.parametrize("control", ["pfc", "cbfc"])
def test_a_run_tells_of_ports_that_stand_for_the_whole_window(
    control: str, command: Command, tmp_path: Path
) -> None:
    """In the ring of five switches all queues stand, and no packet arrives in the window."""
    text = (HERE.parent / "examples" / "pfc-deadlock.toml").read_text(encoding="utf-8")
    if control == "cbfc":
        text = text.replace("[pfc]", "[cbfc]").replace('xoff = "20 packets"', "")
    place = tmp_path / "ring.toml"
    place.write_text(text, encoding="utf-8")
    summary = cellrate.run(place).summary
    standing = {
        port["name"]: port["queues"][0]["queue_max_bytes"]
        for port in summary["ports"]
        if port["queues"][0]["queue_max_bytes"]
    }
    ring = [f"s{at}->s{at % 5 + 1}" for at in range(1, 6)]
    assert sorted(standing) == ring
    shown = command("run", place).stdout
    for name, octets in standing.items():
        [row] = [line for line in shown.splitlines() if line.startswith(name)]
        assert f"{octets:,}" in row
    said = " ".join(shown.split())
    assert f"held packets for the whole measuring window at 5 ports, which sent none of them: {', '.join(ring)}" in said  # fmt: skip  # noqa: E501
    # Before the ring has filled, packets move; the deadlock at the end is told none the less.
    early = command("run", place, "--set", "measure.from=0 s")
    assert "Flow control held" not in early.stdout
    [told] = re.findall(
        r"deadlock: 5 ports .* no packet of priority 0 since (\S+) ms: (.*)", early.stderr
    )
    assert told[1].split(", ") == ring
    traced = cellrate.run(place, overrides=["measure.from=0 s"]).series("utilisation", "s1->s2")
    last = traced.time[traced.maximum > 0].max()
    assert 0 <= last - 1e-3 * float(told[0]) <= 5e-6  # the spacing of the samples
    # Nothing is told before the ports have stood for longer than a pause lasts, 336 us.
    short = command("run", place, "--set", "measure.from=0 s", "--set", "run.duration=340 us")
    assert "deadlock" not in short.stderr


PARTLY = """
link_layer = "ethernet"
run.duration = "2 ms"
switch = { buffer = "100 kB", queues = [[3], [0]] }
[CONTROL]
priorities = [3]
[topology]
template = "leaf-spine"
leaves = 2
spines = 1
hosts_per_leaf = 2
host_rate = "100 Gbit/s"
spine_rate = "100 Gbit/s"
host_delay = "500 ns"
spine_delay = "1 us"
"""
LINE_OF = '[[flow]]\nname = "{}"\nfrom = "{}"\nto = "{}"\n{}\n'


@pytest.mark.parametrize("control", ["pfc", "cbfc"])
def test_ports_without_unpaused_priorities_lose_nothing(control: str) -> None:
    """Datagrams that no pause covers lose packets at their own ports alone."""
    roce, cbr = "roce = {}\npriority = 3", 'source = { kind = "cbr", rate = "90 Gbit/s" }'
    flows = [("a", "h1", "h3", roce), ("b", "h2", "h3", roce)]
    flows += [("c", "h3", "h1", cbr), ("d", "h4", "h1", cbr)]
    text = PARTLY.replace("CONTROL", control) + "".join(LINE_OF.format(*one) for one in flows)
    said = cellrate.explain(text)
    expected = {
        str(one.values["port"]): one.values["expected"]
        for one in said.topics()["loss"]
        if "expected" in one.values
    }
    summary = cellrate.run(text).summary
    lost = {
        port["name"]
        for port in summary["ports"]
        if any(queue["packets_dropped"] for queue in port["queues"])
    }
    assert lost
    assert expected["leaf1->spine1"] == "no"
    assert {expected[name] for name in lost} == {"possible"}
    assert not broken(said, summary)


def test_a_deadlock_of_two_priorities_in_one_queue_is_told() -> None:
    """Each queue of the ring has packets of both priorities; either one holds back the other."""
    text = (HERE.parent / "examples" / "pfc-deadlock.toml").read_text(encoding="utf-8")
    first, *flows = text.split("roce = {}")
    mixed = first + "".join(f"roce = {{}}\npriority = {3 + i % 2}{f}" for i, f in enumerate(flows))

    def told(*overrides: str) -> list[str]:
        warnings = cellrate.run(mixed, overrides=overrides).summary["warnings"]
        return [one["message"] for one in warnings if one["code"] == "deadlock"]

    [message] = told()
    assert "5 ports wait for one another" in message
    assert "of priority 3 or 4 since" in message
    # With a queue for each priority none of the two fills all links of the ring.
    assert told("switch.queues=[[3],[4]]") == []


@pytest.mark.parametrize("control", ["pfc", "cbfc"])
def test_a_deadlock_of_a_priority_is_told_beside_packets_of_another(control: str) -> None:
    """Packets of priority 0 cross every link of the ring to the end, and those of 3 none."""
    text = (HERE.parent / "examples" / "pfc-deadlock.toml").read_text(encoding="utf-8")
    text = text.replace(
        "\n[pfc]\n", f"\n[switch]\nqueues = [[3], [0]]\n[{control}]\npriorities = [3]\n"
    )
    if control == "cbfc":
        text = text.replace('xoff = "20 packets"', "")
    text = text.replace("roce = {}", "roce = {}\npriority = 3")
    for at in range(1, 6):
        source = 'source = { kind = "cbr", rate = "5 Gbit/s" }'
        text += f'[[flow]]\nname = "c{at}"\nfrom = "h{at}"\nto = "h{at % 5 + 1}"\n{source}\n'
    summary = cellrate.run(text).summary
    assert all(flow["delivered_bytes"] > 0 for flow in summary["flows"] if flow["name"][0] == "c")
    [told] = [one["message"] for one in summary["warnings"] if one["code"] == "deadlock"]
    assert "5 ports wait for one another and have sent no packet of priority 3 since 0.0" in told


def test_a_port_without_waiting_packets_is_not_held() -> None:
    assert held_ports(cellrate.run(VICTIM, overrides={"pfc": {}}).summary) == []
