"""Checks, packet by packet, that tshark concludes from a capture what the sender did."""

from collections.abc import Sequence
from pathlib import Path

from cellrate.simulation.captures import Captures

from proof.oracles.tshark.connection import SENT_AGAIN, Connection
from proof.oracles.tshark.findings import Findings
from proof.oracles.tshark.reading import payload_by_statistics

SET_UP = [(True, True), (True, False), (False, True)]
"""SYN, SYN-ACK, ACK: for each, True if it is a SYN, and True if the sender of data sends it."""
DUPLICATE = "tcp.analysis.duplicate_ack"
# tshark shows the option SACK-permitted as its octets: kind 4, length 2.
SYN_OPTIONS = ("tcp.options.mss_val", "tcp.options.wscale.shift", "tcp.options.sack_perm")


def is_finished(found: Findings, flow: Connection) -> None:
    """Checks that a transfer has ended, so no packet is under way, and that segments were lost."""
    over = flow.summary["completion_seconds"] is not None
    found.expect(over, f"{flow.name}: the transfer has not ended")
    again = flow.summary["segments_retransmitted"]
    found.expect(again > 0, f"{flow.name}: nothing was lost, so nothing is shown")


def nothing_is_missing(found: Findings, flow: Connection) -> None:
    """Checks that tshark misses no segment at the sender, where nothing is lost before capture."""
    for kind in ("tcp.analysis.lost_segment", "tcp.analysis.ack_lost_segment"):
        missed = [packet.number for packet in flow.packets if packet.has(kind)]
        found.expect(not missed, f"{flow.name}: {kind} in frames {missed[:5]}")


def retransmissions(found: Findings, flow: Connection) -> None:
    """Checks that tshark finds the retransmissions of the simulator's log, in the same order.

    tshark divides them into retransmissions, fast and spurious ones, and segments out of order, by
    delays of 3 and 20 ms and by preceding acknowledgements. All begin below the highest sequence
    number seen before, which is the definition here.
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
    """Compares arrived bytes: by tshark's `-z io,stat`, and as throughput times measuring time."""
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
    """Checks that a connection is set up before data, with the options of its settings."""
    first_data = next(flow.data)
    begin = [packet for packet in flow.packets if packet.seconds <= first_data.seconds]
    syns = [packet for packet in begin if packet.is_syn]
    steps = [(packet.is_syn, packet.forward) for packet in begin]
    # A lost packet of the set-up is sent again, and so may be the answer to it.
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
    """Checks the windows that tshark computes with the scale from the SYNs."""
    shift = flow.names["window_shift"]
    ours = flow.window >> shift << shift
    seen = {int(packet.row["tcp.window_size"]) for packet in flow.packets if not packet.is_syn}
    found.expect(seen == {ours}, f"{flow.name}: windows {seen}, ours {ours}")
    found.count("windows", sum(not packet.is_syn for packet in flow.packets))


def duplicates(found: Findings, flow: Connection) -> None:
    """Checks that tshark's duplicate acknowledgements are those that the sender counts (RFC 5681).

    tshark requires the number and window of the preceding acknowledgement. The sender also requires
    outstanding data, which the packets show. Under selective acknowledgement the sender requires
    new information in the blocks (RFC 6675); a timeout clears the known blocks.
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
    """True if known blocks together cover every byte of `block`."""
    at, end = block
    for low, high in sorted(known):
        if low <= at < high:
            at = high
    return at >= end
