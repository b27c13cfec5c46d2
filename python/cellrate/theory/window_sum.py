"""Greatest number of cells that TCP connections may have outstanding."""

from __future__ import annotations

import numpy as np

from cellrate.theory.arrays import Numbers, plain
from cellrate.theory.assumptions import require, require_positive, require_whole
from cellrate.theory.formula import Formula
from cellrate.theory.peak_throughput import segment_cells


def window_cells(
    window_bytes: Numbers, segment_bytes: Numbers, *, overhead_bytes: Numbers = 56
) -> Numbers:
    """Cells of a full window of whole segments (Kalyanaraman 97 section 8.15.5).

    Args:
        window_bytes: Window that the receiver advertises.
        segment_bytes: Payload of a segment (MSS).
        overhead_bytes: Headers and trailer of a segment: 20 TCP, 20 IP, 8 LLC/SNAP, 8 AAL5.

    Raises:
        AssumptionError: A size is not above 0, or the window is less than a segment.
    """
    require_positive(window_bytes=window_bytes)
    cells = segment_cells(segment_bytes, overhead_bytes=overhead_bytes)
    window, segment = np.asarray(window_bytes), np.asarray(segment_bytes)
    require(window >= segment, "window_bytes", window, "the window must hold one segment at least")
    return plain(window // segment * cells)


def window_sum_cells(
    sources: Numbers,
    window_bytes: Numbers,
    segment_bytes: Numbers,
    *,
    overhead_bytes: Numbers = 56,
) -> Numbers:
    """Cells of all windows together.

    It bounds the total of the queues in sources and switches (Kalyanaraman 97 section 8.14, end),
    and is the switch buffer with which UBR loses no cells (section 8.15.5).

    Args:
        sources: Number of connections.
        window_bytes: Window that each receiver advertises.
        segment_bytes: Payload of a segment (MSS).
        overhead_bytes: Headers and trailer of a segment.

    Raises:
        AssumptionError: As `window_cells`, or `sources` is not a whole number above 0.
    """
    require_whole(1, sources=sources)
    each = window_cells(window_bytes, segment_bytes, overhead_bytes=overhead_bytes)
    return plain(np.asarray(sources) * each)


FORMULA = Formula(
    name="window-sum",
    about="cells of all TCP windows together: what UBR needs for no loss",
    equation="Q = N floor(window / MSS) ceil((MSS + overhead) / 48)",
    source="Kalyanaraman 1997, sections 8.14 (end) and 8.15.5",
    results={"window_cells": window_cells, "window_sum_cells": window_sum_cells},
)
