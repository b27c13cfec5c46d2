"""What TCP connections may have outstanding, in cells."""

from cellrate.theory.cell_conversions import cells_per_pdu


def window_cells(window_bytes: int, segment_bytes: int) -> int:
    """Cells of a full window of whole segments (Kalyanaraman 97 section 8.15.5)."""
    return window_bytes // segment_bytes * cells_per_pdu(segment_bytes)


def window_sum_cells(sources: int, window_bytes: int, segment_bytes: int) -> int:
    """Cells of all windows together.

    The most that can ever queue in sources and switches (section 8.14, end), and what UBR needs
    at the switch for no loss (section 8.15.5).
    """
    return sources * window_cells(window_bytes, segment_bytes)
