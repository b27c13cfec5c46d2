"""Queue that builds up while a switch algorithm converges."""


def convergence_queue_cells(
    round_trip_seconds: float,
    cells_per_second: float,
    *,
    overload: float = 2.0,
    round_trips: float = 2.0,
) -> float:
    """Cells that queue up in `round_trips` at a load of `overload` times the link.

    Kalyanaraman 97 section 8.14.2 item 4: TCP at most doubles its load in a round trip, and ERICA
    needs about two, one for fairness and one for the load: 2 RTT of cells.
    """
    return max(0.0, overload - 1) * round_trips * round_trip_seconds * cells_per_second
