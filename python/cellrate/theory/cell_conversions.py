"""Bytes, cells, rates and lengths into one another (ITU-T I.361, I.363.5; RFC 1483)."""

CELL_BYTES = 53
PAYLOAD_BYTES = 48
AAL5_TRAILER_BYTES = 8
LLC_SNAP_BYTES = 8
MICROSECONDS_PER_KM = 5.0


def pdu_bytes(segment_bytes: int, *, headers: int = 40, llc_snap: bool = True) -> int:
    """Bytes of an AAL5 PDU before padding: a TCP segment, its headers, LLC/SNAP, the trailer.

    Args:
        segment_bytes: Payload of TCP.
        headers: TCP and IP header bytes.
        llc_snap: Whether RFC 1483 LLC/SNAP encapsulation adds its 8 bytes.
    """
    return segment_bytes + headers + (LLC_SNAP_BYTES if llc_snap else 0) + AAL5_TRAILER_BYTES


def cells_per_pdu(segment_bytes: int, *, headers: int = 40, llc_snap: bool = True) -> int:
    """Cells of that PDU: its bytes padded to whole payloads of 48 bytes (I.363.5 section 6)."""
    return -(-pdu_bytes(segment_bytes, headers=headers, llc_snap=llc_snap) // PAYLOAD_BYTES)


def cells_per_second(bits_per_second: float) -> float:
    """Cells of 424 bits that a link carries in a second."""
    return bits_per_second / (8 * CELL_BYTES)


def fibre_seconds(kilometres: float) -> float:
    """Propagation through fibre at 5 us per km."""
    return kilometres * MICROSECONDS_PER_KM * 1e-6


def bandwidth_delay_bytes(bits_per_second: float, seconds: float) -> float:
    """Bytes that a link sends during `seconds`."""
    return bits_per_second * seconds / 8


def pipe_cells(bits_per_second: float, seconds: float) -> float:
    """Cells that a link sends during `seconds`."""
    return cells_per_second(bits_per_second) * seconds
