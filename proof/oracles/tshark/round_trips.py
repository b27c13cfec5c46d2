"""Compares the round trips that tshark measures with round trips of the engine's cells."""

from collections.abc import Sequence
from itertools import accumulate

import polars as pl

from proof.oracles.tshark.cases import StopAndWait
from proof.oracles.tshark.connection import Connection, Packet
from proof.oracles.tshark.findings import Findings

TIMED = "tcp.analysis.ack_rtt"
NANOSECOND = 1e-9
HERE, BACK = "senders->X", "X->senders"
"""Links from and to the hosts where packets are captured."""
NUMBERS = 1 << 20
"""Number of cell numbers, after which the numbers begin again."""


def one_by_one(found: Findings, flow: Connection, waiting: StopAndWait) -> None:
    """Compares round trips of segments, all sent once, with a closed form and the simulator's.

    The first segment waits behind the ACK of the set-up. The set-up, all round trips, and the
    transmission times of all segments add up to the simulator's time for the transfer.
    """
    answer = next(packet for packet in flow.packets if packet.is_syn and not packet.forward)
    measured = [packet.round_trip for packet in flow.packets if packet.has(TIMED)]
    _, behind_answer, *trips = measured
    late = [trip for trip in trips[1:] if abs(trip - waiting.round_trip_seconds) > NANOSECOND]
    found.expect(not late, f"{late[:3]} s are not {waiting.round_trip_seconds} s")
    found.expect(len(trips) == waiting.segments, f"{len(trips)} of {waiting.segments} timed")
    sent = sum(trips) + waiting.segments * waiting.segment_seconds
    total = answer.seconds + behind_answer + sent
    ours = flow.summary["completion_seconds"]
    wide = (waiting.segments + 2) * NANOSECOND
    found.expect(abs(total - ours) < wide, f"the transfer takes {total} s, we say {ours} s")
    found.count("round trips", len(trips))


def under_loss(found: Findings, flow: Connection, cells: pl.DataFrame) -> None:
    """Compares round trips of segments sent once, in a run with losses, queues and late answers.

    For the engine a round trip begins when the last bit of a segment leaves the host. It ends when
    the last bit of the first acknowledgement of the segment's end arrives at the host. The times
    are those of cells in a second run without captures. tshark must time the same segments to the
    nanosecond, and otherwise only segments that the engine's log says are sent again.
    """
    forward = [packet for packet in flow.packets if packet.forward]
    backward = [packet for packet in flow.packets if not packet.forward]
    left = _times(found, flow.name, forward, cells, HERE, "left_seconds")
    arrived = _times(found, flow.name, backward, cells, BACK, "arrived_seconds")
    again = set(flow.events("retransmission").drop_nulls("sequence_bytes")["sequence_bytes"])
    once = {
        packet.seq + packet.length: (packet.seq, left[packet.number])
        for packet in forward
        if packet.length and packet.seq not in again and packet.number in left
    }
    ours: dict[int, int] = {}
    for packet in backward:
        if packet.ack in once and packet.number in arrived:
            seq, since = once[packet.ack]
            ours.setdefault(seq, arrived[packet.number] - since)
    theirs, skipped = _of_tshark(flow, again)
    agreed = ours.items() & theirs.items()
    wrong = sorted(dict(ours.items() ^ theirs.items()))
    found.expect(bool(agreed), f"{flow.name}: no segment that was sent once is timed")
    found.expect(
        not wrong, f"{flow.name}: {len(wrong)} round trips differ, of segments at {wrong[:3]}"
    )
    found.count("round trips under loss", len(agreed))
    found.count("round trips of segments sent again, left out", skipped)


def _of_tshark(flow: Connection, again: set[int]) -> tuple[dict[int, int], int]:
    """Round trips in ns by the segment's first byte, and number of those of segments sent again."""
    segments = {packet.number: packet for packet in flow.data}
    timed: dict[int, int] = {}
    skipped = 0
    for packet in flow.packets:
        answered = int(packet.row["tcp.analysis.acks_frame"] or 0)
        segment = segments.get(answered) if packet.has(TIMED) else None
        if segment is not None and segment.seq in again:
            skipped += 1
        elif segment is not None:
            # Exact, since tshark writes nine digits.
            timed[segment.seq] = round(packet.round_trip * 1e9)
    return timed, skipped


def _times(
    found: Findings,
    name: str,
    packets: Sequence[Packet],
    cells: pl.DataFrame,
    link: str,
    clock: str,
) -> dict[int, int]:
    """Time in ns of each packet's last cell, by the number of the packet's frame.

    The n-th packet is the n-th PDU of its channel, since no PDU loses a cell before the capture, as
    the numbers of the cells show. Time stamps of the frames must equal these times.
    """
    channel = f"{name}/{'forward' if link == HERE else 'backward'}"
    mine = cells.filter(
        pl.col("vc") == channel, pl.col("link") == link, pl.col("kind") == "data"
    ).sort(clock)
    ends = list(accumulate(packet.cells for packet in packets))
    numbers = [number % NUMBERS for number in range(mine.height)]
    complete = ends[-1] == mine.height and mine["cell"].to_list() == numbers
    found.expect(complete, f"{channel}: {mine.height} cells on {link}, {ends[-1]} of its packets")
    if not complete:
        return {}
    # Times are picoseconds; capture files have the nanosecond that has begun.
    times = [round(seconds * 1e12) // 1000 for seconds in mine[clock].to_list()]
    at = {packet.number: times[end - 1] for packet, end in zip(packets, ends, strict=True)}
    wrong = [packet.number for packet in packets if packet.nanoseconds != at[packet.number]]
    found.expect(not wrong, f"{channel}: time stamps of frames {wrong[:3]} are others")
    found.count("time stamps equal to the engine's", len(packets) - len(wrong))
    return at
