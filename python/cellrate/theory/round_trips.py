"""Number of round trips in which slow start fills the pipe."""

from __future__ import annotations

import numpy as np

from cellrate.theory.arrays import Numbers, plain
from cellrate.theory.assumptions import require_positive
from cellrate.theory.formula import Formula


def round_trips_to_fill(pipe_cells: Numbers, segment_cells: Numbers, sources: Numbers) -> Numbers:
    """Round trips K after which sources in slow start send as fast as the link.

    Kalyanaraman 97 section 8.14.2 item 2: after K round trips a window is 2^(K-1) segments, so
    K - 1 = log2(link rate * RTT / (segment * N)). K is below 1 if the first windows overfill the
    pipe.

    Args:
        pipe_cells: Link rate times round-trip time.
        segment_cells: Cells of a segment.
        sources: Connections that start together.

    Raises:
        AssumptionError: An argument is not above 0.
    """
    require_positive(pipe_cells=pipe_cells, segment_cells=segment_cells, sources=sources)
    pipe, segment, count = (
        np.log2(np.asarray(value, dtype=float)) for value in (pipe_cells, segment_cells, sources)
    )
    return plain(1 + pipe - segment - count)


FORMULA = Formula(
    name="round-trips-to-fill",
    about="round trips until slow start fills the pipe",
    equation="K = 1 + log2(link RTT / (segment N))",
    source="Kalyanaraman 1997, section 8.14.2 item 2",
    results={"fill_round_trips": round_trips_to_fill},
)
