"""Goodput bound: the application's share of the bits in cells."""

from __future__ import annotations

import numpy as np

from cellrate.theory.arrays import Numbers, plain
from cellrate.theory.assumptions import (
    require,
    require_at_least,
    require_not_negative,
    require_positive,
)
from cellrate.theory.cell_conversions import CELL_BYTES, PAYLOAD_BYTES, require_pdu
from cellrate.theory.message_lengths import MessageLengths

# Sums of probabilities stop where a further term is negligible, or after this many terms.
MOST_STEPS = 1 << 20
NEGLIGIBLE = 1e-18


def mean_message_cells(
    lengths: MessageLengths,
    segment_bytes: Numbers,
    *,
    header_bytes: float = 40,
    trailer_bytes: float = 8,
) -> Numbers:
    """Mean number of cells of a message that TCP cuts into segments.

    Gerla, Pazos and Signore 1995, the integral before equation (2). The number of cells is a step
    function of the length, so the integral is a sum: each step times the probability that a message
    is longer than the length at which the step is. The sum is exact; only the part beyond a million
    steps is computed as an integral.

    Args:
        lengths: Distribution of the lengths of messages.
        segment_bytes: Greatest payload of a segment (MSS).
        header_bytes: TCP and IP headers of every segment.
        trailer_bytes: Trailer of every AAL5 PDU; 16 with LLC/SNAP.

    Raises:
        AssumptionError: A size is out of range, or the lengths are no distribution.
    """
    require(
        isinstance(lengths, MessageLengths),
        "lengths",
        str(lengths),
        "must be a distribution of lengths, such as exponential_lengths(2500)",
    )
    require_at_least(1, segment_bytes=segment_bytes)
    require_not_negative(header_bytes=header_bytes, trailer_bytes=trailer_bytes)
    overhead = header_bytes + trailer_bytes
    sizes = np.asarray(segment_bytes, dtype=float)
    require_pdu(sizes + overhead, segment_bytes=sizes)
    cells = [_mean_cells(lengths, size, overhead) for size in sizes.ravel()]
    return plain(np.reshape(cells, sizes.shape))


def message_efficiency(
    lengths: MessageLengths,
    segment_bytes: Numbers,
    *,
    header_bytes: float = 40,
    trailer_bytes: float = 8,
) -> Numbers:
    """Application's share eta_OH of the bits in cells (equation (2), same source)."""
    cells = mean_message_cells(
        lengths, segment_bytes, header_bytes=header_bytes, trailer_bytes=trailer_bytes
    )
    return plain(lengths.mean_bytes / (CELL_BYTES * np.asarray(cells)))


def goodput_bound_bits_per_second(
    available_bits_per_second: Numbers,
    lengths: MessageLengths,
    segment_bytes: Numbers,
    *,
    header_bytes: float = 40,
    trailer_bytes: float = 8,
) -> Numbers:
    """Greatest goodput gamma_t = eta_OH B_av (after equation (2), same source).

    Args:
        available_bits_per_second: Mean rate B_av that is left to the channel, cell headers
            included.
        lengths: Distribution of the lengths of messages.
        segment_bytes: Greatest payload of a segment (MSS).
        header_bytes: TCP and IP headers of every segment.
        trailer_bytes: Trailer of every AAL5 PDU.

    Raises:
        AssumptionError: A size or the rate is out of range.
    """
    require_positive(available_bits_per_second=available_bits_per_second)
    efficiency = message_efficiency(
        lengths, segment_bytes, header_bytes=header_bytes, trailer_bytes=trailer_bytes
    )
    return plain(np.asarray(available_bits_per_second) * efficiency)


def _mean_cells(lengths: MessageLengths, segment: float, overhead: float) -> float:
    """Sum over all steps of the number of cells."""
    # The first byte of a segment adds the first cells; a further cell is added where one is full.
    first = np.floor(overhead / PAYLOAD_BYTES) + 1
    full = np.ceil((segment + overhead) / PAYLOAD_BYTES)
    places = np.append(0.0, np.arange(first, full) * PAYLOAD_BYTES - overhead)
    heights = np.append(first, np.ones(len(places) - 1))
    segments = max(1, MOST_STEPS // len(places))
    begin, count = 0, 1
    total = 0.0
    while begin < segments:
        starts = segment * np.arange(begin, min(begin + count, segments))
        longer = lengths.survival((starts[:, None] + places).ravel()).reshape(len(starts), -1)
        total += float((longer @ heights).sum())
        begin, count = begin + len(starts), 2 * count
        if longer[-1, -1] <= NEGLIGIBLE:
            return total
    # The remaining steps become an integral with their mean slope, from half a segment before the
    # mean position of the next segment's steps.
    middle = float(heights @ places) / full + (begin - 0.5) * segment
    return total + float(full) / segment * lengths.beyond(middle)
