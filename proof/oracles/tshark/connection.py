"""A TCP flow by tshark's conclusions from packets at the sender, and by the simulator's results."""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from cellrate import _core
from cellrate.simulation.captures import Captures
from cellrate.theory.cell_conversions import cells_per_pdu

from proof.oracles.tshark.reading import TRUE, Row, rows

SEQUENCES = 1 << 32
SENT_AGAIN = (
    "tcp.analysis.retransmission",
    "tcp.analysis.fast_retransmission",
    "tcp.analysis.spurious_retransmission",
    "tcp.analysis.out_of_order",
)
"""Names that tshark gives a segment that begins below the highest sequence number seen so far. The
choice among these names depends on times and duplicate acknowledgements."""
FIELDS = (
    *("frame.number", "frame.time_epoch", "ip.src", "ip.len"),
    "tcp.srcport",
    "tcp.dstport",
    "tcp.flags.syn",
    "tcp.seq_raw",
    "tcp.ack_raw",
    "tcp.len",
    "tcp.window_size",
    "tcp.options.mss_val",
    "tcp.options.wscale.shift",
    "tcp.options.sack_perm",
    "tcp.options.sack_le",
    "tcp.options.sack_re",
    "tcp.analysis.duplicate_ack",
    "tcp.analysis.ack_rtt",
    "tcp.analysis.acks_frame",
    "tcp.analysis.lost_segment",
    "tcp.analysis.ack_lost_segment",
    *SENT_AGAIN,
)


@dataclass(frozen=True)
class Packet:
    """A packet of the connection, its numbers counted from the first byte of data.

    `forward` packets are those of the sender of data; `blocks` are SACK blocks. `row` has all
    fields that tshark prints.
    """

    number: int
    seconds: float
    forward: bool
    seq: int
    ack: int
    length: int
    blocks: tuple[tuple[int, int], ...]
    row: Row

    def has(self, field: str) -> bool:
        """True if tshark sets a field for the packet."""
        return bool(self.row[field])

    @property
    def sent_again(self) -> bool:
        """True if tshark gives the packet one of the names `SENT_AGAIN`."""
        return any(self.has(field) for field in SENT_AGAIN)

    @property
    def nanoseconds(self) -> int:
        """Time of the packet in ns, which is exact since tshark writes nine digits."""
        return round(self.seconds * 1e9)

    @property
    def cells(self) -> int:
        """Number of cells of the packet, with LLC/SNAP and AAL5's trailer."""
        return cells_per_pdu(int(self.row["ip.len"]), header_bytes=0)

    @property
    def round_trip(self) -> float:
        """Seconds since the acknowledged segment, by tshark."""
        return float(self.row["tcp.analysis.ack_rtt"])

    @property
    def is_syn(self) -> bool:
        """True if the flag SYN is set."""
        return self.row["tcp.flags.syn"] in TRUE


class Connection:
    """A captured flow, with tshark's packets and the simulator's results."""

    def __init__(self, captures: Captures, name: str, seen: Iterable[Row]) -> None:
        self.name = name
        self.result = captures.result
        [self.names] = [flow for flow in captures.index["flows"] if flow["name"] == name]
        self.summary: dict[str, Any] = next(
            flow for flow in captures.result.summary["flows"] if flow["name"] == name
        )
        settings = tomllib.loads(captures.result.resolved)["tcp"]
        self.selective = name.removesuffix(".1") == "sack"
        sizes = (_core.quantity(settings[key], "bytes") for key in ("mss", "window"))
        self.mss, self.window = map(int, sizes)
        port = str(self.names["ports"][0])
        mine = (row for row in seen if port in (row["tcp.srcport"], row["tcp.dstport"]))
        self.packets = [self._packet(row) for row in mine]

    def _packet(self, row: Row) -> Packet:
        forward = row["ip.src"] == self.names["addresses"][0]
        mine, other = self.names["first_numbers"] if forward else self.names["first_numbers"][::-1]

        def counted(raw: str, first: int) -> int:
            return (int(raw) - first - 1) % SEQUENCES

        edges = [row["tcp.options.sack_le"], row["tcp.options.sack_re"]]
        lows, highs = ([counted(edge, other) for edge in all_.split(",") if edge] for all_ in edges)
        return Packet(
            number=int(row["frame.number"]),
            seconds=float(row["frame.time_epoch"]),
            forward=forward,
            seq=counted(row["tcp.seq_raw"], mine),
            ack=counted(row["tcp.ack_raw"], other),
            length=int(row["tcp.len"]),
            blocks=tuple(zip(lows, highs, strict=True)),
            row=row,
        )

    @property
    def data(self) -> Iterator[Packet]:
        """Packets that carry payload."""
        return (packet for packet in self.packets if packet.length)

    def events(self, kind: str) -> pl.DataFrame:
        """Events of a kind in the simulator's log of the forward channel."""
        channel = f"{self.name}/forward"
        return self.result.events.filter(pl.col("kind") == kind, pl.col("vc") == channel)


def connections_of(captures: Captures, path: Path, recoveries: Iterable[str]) -> list[Connection]:
    """The flow of each recovery, from a capture of packets at the senders' host."""
    seen = rows(path, FIELDS)
    return [Connection(captures, f"{recovery}.1", seen) for recovery in recoveries]
