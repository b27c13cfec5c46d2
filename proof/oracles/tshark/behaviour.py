"""Does tshark conclude from the packets what the sender did? Exactly, packet by packet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cellrate.simulation.captures import Captures

from proof.oracles.tshark.connection import SENT_AGAIN, Connection
from proof.oracles.tshark.findings import Findings
from proof.oracles.tshark.reading import payload_by_statistics

SET_UP = [(True, True), (True, False), (False, True)]
"""SYN, SYN-ACK, ACK: whether each is a SYN, and whether the sender of data sends it."""
DUPLICATE = "tcp.analysis.duplicate_ack"
# Of SACK-permitted tshark shows the octets: kind 4, length 2.
SYN_OPTIONS = ("tcp.options.mss_val", "tcp.options.wscale.shift", "tcp.options.sack_perm")


def is_finished(found: Findings, flow: Connection) -> None:
    """Its transfer is over, so that nothing is on its way any more, and segments were lost."""
    over = flow.summary["completion_seconds"] is not None
    found.expect(over, f"{flow.name}: the transfer has not ended")
    again = flow.summary["segments_retransmitted"]
    found.expect(again > 0, f"{flow.name}: nothing was lost, so nothing is shown")


def nothing_is_missing(found: Findings, flow: Connection) -> None:
    """At the sender nothing is lost before the tap, so tshark misses no segment there."""
    for kind in ("tcp.analysis.lost_segment", "tcp.analysis.ack_lost_segment"):
        missed = [packet.number for packet in flow.packets if packet.has(kind)]
        found.expect(not missed, f"{flow.name}: {kind} in frames {missed[:5]}")


def retransmissions(found: Findings, flow: Connection) -> None:
    """Checks that tshark takes for sent again our list of retransmissions, in the same order.

    tshark sorts them into retransmissions, fast and spurious ones, and segments out of order, by
    delays of 3 and 20 ms and by the acknowledgements before them. All begin below the highest
    number seen before, and that is our definition.
    """
    again = [packet for packet in flow.data if packet.sent_again]
    listed = flow.events("retransmission").drop_nulls("sequence_bytes")
    seen, ours = [packet.seq for packet in again], listed["sequence_bytes"].to_list()
    found.expect(seen == ours, f"{flow.name}: tshark has {len(seen)} sent again, we {len(ours)}")
    handed = listed["time_seconds"].to_list()
    early = [p.number for p, time in zip(again, handed, strict=False) if p.seconds < time]
    found.expect(not early, f"{flow.name}: frames {early[:5]} pass before they are sent")
    total = flow.summary["segments_retransmitted"]
    found.expect(len(seen) == total, f"{flow.name}: {len(seen)} sent again, report {total}")
    sent, ours_sent = sum(1 for _ in flow.data), flow.summary["segments_sent"]
    found.expect(sent == ours_sent, f"{flow.name}: {sent} segments, report {ours_sent}")
    found.count("retransmissions", len(seen))
    for kind in SENT_AGAIN:
        found.count(kind, sum(packet.has(kind) for packet in again))


def payload(found: Findings, captures: Captures, there: Path, names: Sequence[str]) -> None:
    """Bytes that arrive: `-z io,stat` at the receivers, and our throughput times the window."""
    flows = {flow["name"]: flow for flow in captures.result.summary["flows"]}
    ports = {flow["name"]: flow["ports"] for flow in captures.index["flows"]}
    wanted = [f"{name}.1" for name in names]
    filters = [f"tcp.srcport=={ports[name][0]}" for name in wanted]
    window = captures.result.summary["window_seconds"]
    for name, seen in zip(wanted, payload_by_statistics(there, filters), strict=True):
        ours = round(flows[name]["arrived_throughput_bits_per_second"] * window / 8)
        found.expect(seen == ours, f"{name}: {seen} bytes arrive by io,stat, we {ours}")
        found.count("payload bytes by io,stat", seen)


def set_up(found: Findings, flow: Connection) -> None:
    """The connection is set up before data, with the options that its settings say."""
    begin = [packet for packet in flow.packets if packet.seconds <= flow.first_data.seconds]
    syns = [packet for packet in begin if packet.is_syn]
    steps = [(packet.is_syn, packet.forward) for packet in begin]
    # One that is lost is sent again, and so may be its answer.
    order = list(dict.fromkeys(steps))
    found.expect(order == SET_UP, f"{flow.name}: no SYN, SYN-ACK and ACK before data: {steps}")
    for packet in syns:
        told = [packet.row[option] for option in SYN_OPTIONS]
        selective = "0402" if flow.selective else ""
        expected = [str(flow.mss), str(flow.names["window_shift"]), selective]
        found.expect(told == expected, f"{flow.name}: SYN says {told}, not {expected}")
    found.count("SYNs with their options", len(syns))
    found.count("connections set up", 1)


def windows(found: Findings, flow: Connection) -> None:
    """Tshark knows the scale of windows from the SYNs, and so the windows."""
    shift = flow.names["window_shift"]
    ours = flow.window >> shift << shift
    seen = {int(packet.row["tcp.window_size"]) for packet in flow.packets if not packet.is_syn}
    found.expect(seen == {ours}, f"{flow.name}: windows {seen}, ours {ours}")
    found.count("windows", sum(not packet.is_syn for packet in flow.packets))


def duplicates(found: Findings, flow: Connection) -> None:
    """Tshark's duplicate acknowledgements are those of RFC 5681 that the sender counts.

    tshark asks for the number and window of the acknowledgement before. The sender asks besides
    that data are outstanding; the packets tell whether they are. Under selective acknowledgement
    it asks that the blocks tell something new (RFC 6675); what it knew is lost in a timeout.
    """
    highest = counted = 0
    timeouts = flow.events("timeout")["time_seconds"].to_list()
    known: list[tuple[int, int]] = []
    for packet in flow.packets:
        while timeouts and timeouts[0] <= packet.seconds:
            timeouts.pop(0)
            known = []
        if packet.forward:
            highest = max(highest, packet.seq + packet.length) if packet.length else highest
            continue
        news = any(not _covered(block, known) for block in packet.blocks)
        known = [*known, *packet.blocks]
        outstanding = highest > packet.ack
        counted += packet.has(DUPLICATE) and (news if flow.selective else outstanding)
    ours = flow.summary["duplicate_acks"]
    found.expect(counted == ours, f"{flow.name}: {counted} duplicates, we {ours}")
    found.count("duplicate acknowledgements", counted)


def _covered(block: tuple[int, int], known: list[tuple[int, int]]) -> bool:
    """True if blocks known before hold every byte of one."""
    at, end = block
    for low, high in sorted(known):
        if low <= at < high:
            at = high
    return at >= end
