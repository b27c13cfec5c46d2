"""Conversions between bytes, cells, rates and lengths (ITU-T I.361, I.363.5; RFC 1483)."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from cellrate.theory.assumptions import (
    require,
    require_not_negative,
    require_positive,
    require_whole,
)
from cellrate.theory.formula import Formula, Numbers, plain

CELL_BYTES = 53
CELL_BITS = 8 * CELL_BYTES
PAYLOAD_BYTES = 48
AAL5_TRAILER_BYTES = 8
LLC_SNAP_BYTES = 8
# Longest user data of an AAL5 PDU, whose length field has 16 bits.
AAL5_MOST_BYTES = 65_535
MICROSECONDS_PER_KM = 5.0

# Functions return an integer for an integer, and an array for an array.
Whole = TypeVar("Whole", int, npt.NDArray[np.int64])


def pdu_bytes(segment_bytes: Whole, *, header_bytes: int = 40, llc_snap: bool = True) -> Whole:
    """Bytes of an AAL5 PDU before padding: a TCP segment, its headers, LLC/SNAP, the trailer.

    Args:
        segment_bytes: Payload of TCP.
        header_bytes: TCP and IP headers.
        llc_snap: Add the 8 bytes of RFC 1483 LLC/SNAP encapsulation.

    Raises:
        AssumptionError: The segment or the headers are not whole numbers of at least 0, or an AAL5
            PDU cannot hold them.
    """
    require_whole(0, segment_bytes=segment_bytes, header_bytes=header_bytes)
    encapsulation = LLC_SNAP_BYTES if llc_snap else 0
    size = segment_bytes + header_bytes + encapsulation + AAL5_TRAILER_BYTES
    require_pdu(size, segment_bytes=segment_bytes)
    return size


def require_pdu(size_bytes: npt.ArrayLike, **arguments: npt.ArrayLike) -> None:
    """Refuses sizes that an AAL5 PDU cannot hold; `size_bytes` counts headers and trailer."""
    allowed = f"must fit into {AAL5_MOST_BYTES} bytes of an AAL5 PDU with its headers"
    for name, value in arguments.items():
        require(
            np.asarray(size_bytes) <= AAL5_MOST_BYTES + AAL5_TRAILER_BYTES, name, value, allowed
        )


def cells_per_pdu(segment_bytes: Whole, *, header_bytes: int = 40, llc_snap: bool = True) -> Whole:
    """Cells of an AAL5 PDU, padded to whole payloads of 48 bytes (I.363.5 section 6)."""
    return -(-pdu_bytes(segment_bytes, header_bytes=header_bytes, llc_snap=llc_snap) // 48)


def cells_per_second(bits_per_second: Numbers) -> Numbers:
    """Cells of 424 bits that a link carries in a second."""
    require_not_negative(bits_per_second=bits_per_second)
    return plain(np.asarray(bits_per_second) / CELL_BITS)


def fibre_seconds(kilometres: Numbers) -> Numbers:
    """Propagation delay of a fibre at 5 us per km."""
    require_not_negative(kilometres=kilometres)
    return plain(np.asarray(kilometres) * MICROSECONDS_PER_KM * 1e-6)


def bandwidth_delay_bytes(link_bits_per_second: Numbers, round_trip_seconds: Numbers) -> Numbers:
    """Bytes that a link sends during a round trip, or any other time.

    Args:
        link_bits_per_second: Rate of the link.
        round_trip_seconds: Round trip or other time.

    Raises:
        AssumptionError: The rate is not above 0, or the time is below 0.
    """
    require_positive(link_bits_per_second=link_bits_per_second)
    require_not_negative(round_trip_seconds=round_trip_seconds)
    return plain(np.asarray(link_bits_per_second) * np.asarray(round_trip_seconds) / 8)


def pipe_cells(link_bits_per_second: Numbers, round_trip_seconds: Numbers) -> Numbers:
    """Cells that a link sends during a round trip, or any other time.

    Raises:
        AssumptionError: The rate is not above 0, or the time is below 0.
    """
    return plain(
        np.asarray(bandwidth_delay_bytes(link_bits_per_second, round_trip_seconds)) / CELL_BYTES
    )


FORMULAE = (
    Formula(
        name="cells-per-pdu",
        about="bytes and cells of one TCP segment in AAL5",
        equation="cells = ceil((segment + headers + LLC/SNAP + 8) / 48)",
        source="ITU-T I.363.5 section 6, RFC 1483",
        results={"pdu_bytes": pdu_bytes, "pdu_cells": cells_per_pdu},
    ),
    Formula(
        name="pipe",
        about="bandwidth-delay product",
        equation="pipe = link RTT",
        source="definition",
        results={"pipe_bytes": bandwidth_delay_bytes, "pipe_cells": pipe_cells},
    ),
)
