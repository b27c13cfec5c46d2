"""How long slow start takes to fill the pipe."""

from math import log2


def round_trips_to_fill(pipe_cells: float, segment_cells: float, sources: float) -> float:
    """Round trips K after which `sources` in slow start send as fast as the link.

    Kalyanaraman 97 section 8.14.2 item 2: after K round trips a window is 2^(K-1) segments, so
    K - 1 = log2(link rate * RTT / (segment * N)).

    Args:
        pipe_cells: Link rate times round-trip time.
        segment_cells: Cells of a segment.
        sources: Connections that start together.

    Raises:
        ValueError: If an argument is not positive.
    """
    if min(pipe_cells, segment_cells, sources) <= 0:
        raise ValueError("pipe, segment and number of sources must be positive")
    return 1 + log2(pipe_cells / (segment_cells * sources))
