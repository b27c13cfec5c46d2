"""Greatest TCP throughput through an ABR link."""

from __future__ import annotations

import numpy as np

from cellrate.theory.assumptions import (
    require_at_least,
    require_not_negative,
    require_positive,
    require_share,
)
from cellrate.theory.cell_conversions import CELL_BYTES, PAYLOAD_BYTES, require_pdu
from cellrate.theory.formula import Formula, Numbers, plain


def peak_throughput_bits_per_second(
    link_bits_per_second: Numbers,
    segment_bytes: Numbers,
    *,
    target_utilisation: Numbers = 1.0,
    overhead_bytes: Numbers = 56,
    nrm: Numbers = 32,
    returned_rm_cells: bool = False,
    acknowledgement_share: Numbers = 0.0,
    startup_share: Numbers = 1.0,
) -> Numbers:
    """Greatest TCP payload rate, with every segment padded to whole cells.

    link * target utilisation * segment / (53 * ceil((segment + overhead) / 48)) * (Nrm - 1) / Nrm *
    start-up share. Kalyanaraman 97 sections 8.17.5 and 8.18 use this equation: 512 bytes in 12
    cells are 80.5 % of the cell rate, and 78 % of an ABR rate.

    The channel in the other direction has RM cells of its own, one of Nrm cells. The source of the
    data returns each of them within its own rate. For r cells of acknowledgements per cell with
    data, (Nrm - 2) / (Nrm - 1 + r) replaces (Nrm - 1) / Nrm; this factor is ours.

    Args:
        link_bits_per_second: Rate of the link, cell headers included.
        segment_bytes: Payload of a segment (MSS).
        target_utilisation: Share of the link that the switch algorithm allocates.
        overhead_bytes: Headers and trailer of a segment: 20 TCP, 20 IP, 8 LLC/SNAP, 8 AAL5.
        nrm: Cells per forward RM cell, including it; 0 for no RM cells, as in UBR.
        returned_rm_cells: True if the source also returns RM cells of the channel in the other
            direction, which has the same Nrm.
        acknowledgement_share: Cells of acknowledgements over ABR for each cell with data.
        startup_share: Share of the time that is not lost to the start of TCP.

    Raises:
        AssumptionError: An argument is outside its range.
    """
    cells, rest = _factors(
        link_bits_per_second,
        segment_bytes,
        target_utilisation,
        overhead_bytes,
        data_share(nrm, returned_rm_cells, acknowledgement_share),
        startup_share,
    )
    return plain(rest * np.asarray(segment_bytes) / (CELL_BYTES * cells))


def unpadded_peak_throughput_bits_per_second(
    link_bits_per_second: Numbers,
    segment_bytes: Numbers,
    *,
    target_utilisation: Numbers = 1.0,
    overhead_bytes: Numbers = 56,
    nrm: Numbers = 32,
    returned_rm_cells: bool = False,
    acknowledgement_share: Numbers = 0.0,
    startup_share: Numbers = 1.0,
) -> Numbers:
    """Greatest TCP payload rate by Kalyanaraman 97 section 8.9, which ignores padding.

    link * target utilisation * 48/53 * segment/(segment + overhead) * (Nrm - 1)/Nrm * start-up
    share. Never below `peak_throughput_bits_per_second`, which has the same parameters.
    """
    _, rest = _factors(
        link_bits_per_second,
        segment_bytes,
        target_utilisation,
        overhead_bytes,
        data_share(nrm, returned_rm_cells, acknowledgement_share),
        startup_share,
    )
    segment = np.asarray(segment_bytes)
    headers = segment / (segment + np.asarray(overhead_bytes))
    return plain(rest * PAYLOAD_BYTES / CELL_BYTES * headers)


def segment_cells(segment_bytes: Numbers, *, overhead_bytes: Numbers = 56) -> Numbers:
    """Cells of a segment with its headers and trailer, padded to whole payloads of 48 bytes.

    Raises:
        AssumptionError: A size is out of range, or an AAL5 PDU cannot hold both.
    """
    require_positive(segment_bytes=segment_bytes)
    require_not_negative(overhead_bytes=overhead_bytes)
    size = np.asarray(segment_bytes) + np.asarray(overhead_bytes)
    require_pdu(size, segment_bytes=segment_bytes)
    return plain(np.ceil(size / PAYLOAD_BYTES))


def data_share(nrm: Numbers, returned_rm_cells: bool, acknowledgement_share: Numbers) -> Numbers:
    """Share of a source's cells that are neither its own RM cells nor returned ones.

    The parameters are those of `peak_throughput_bits_per_second`.
    """
    require_not_negative(acknowledgement_share=acknowledgement_share)
    intervals = np.asarray(nrm, dtype=float)
    if np.any(intervals != 0):
        require_at_least(2, nrm=intervals[intervals != 0])
    some = np.where(intervals == 0, 2.0, intervals)
    # The other channel sends an RM cell for Nrm - 1 acknowledgements and returned RM cells.
    share = (
        (some - 2) / (some - 1 + np.asarray(acknowledgement_share))
        if returned_rm_cells
        else 1 - 1 / some
    )
    return plain(np.where(intervals == 0, 1.0, share))


def _factors(
    link_bits_per_second: Numbers,
    segment_bytes: Numbers,
    target_utilisation: Numbers,
    overhead_bytes: Numbers,
    data: Numbers,
    startup_share: Numbers,
) -> tuple[np.ndarray, np.ndarray]:
    """Cells per segment, and the bit rate that is available for cells with data."""
    require_positive(link_bits_per_second=link_bits_per_second)
    require_share(target_utilisation=target_utilisation, startup_share=startup_share)
    rate = np.asarray(link_bits_per_second) * np.asarray(target_utilisation) * np.asarray(data)
    cells = np.asarray(segment_cells(segment_bytes, overhead_bytes=overhead_bytes))
    return cells, rate * np.asarray(startup_share)


FORMULA = Formula(
    name="peak-throughput",
    about="greatest TCP throughput through an ABR link, exact with padding and as a plain product",
    equation="link U segment/(53 ceil((segment + overhead)/48)) (Nrm - 1)/Nrm startup",
    source="Kalyanaraman 1997, sections 8.9 (product), 8.15.5 and 8.18 (with padding); "
    "(Nrm - 2)/(Nrm - 1 + r) with returned RM cells is ours",
    results={
        "throughput_bits_per_second": peak_throughput_bits_per_second,
        "unpadded_throughput_bits_per_second": unpadded_peak_throughput_bits_per_second,
        "segment_cells": segment_cells,
    },
)
