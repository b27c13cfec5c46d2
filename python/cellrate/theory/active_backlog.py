"""Queue that is left over from bursts shorter than a round trip."""


def active_backlog_cells(
    idle_seconds: float, round_trip_seconds: float, cells_per_second: float
) -> float:
    """Cells left at the end of a cycle with an idle period of `idle_seconds`.

    Kalyanaraman 97 section 8.14.2 item 5: during the active period RTT - T the load is twice the
    link, so link * (RTT - T) cells queue up; during the idle period T link * T cells drain. What is
    left is link * (RTT - 2T) for 0 < T < RTT/2 and nothing otherwise.

    Raises:
        ValueError: If the idle period is not within the round trip.
    """
    if not 0 <= idle_seconds <= round_trip_seconds:
        raise ValueError("the idle period must lie within the round trip")
    if idle_seconds == 0:
        return 0.0  # the link is full from now on: the control of the rates takes over
    return max(0.0, cells_per_second * (round_trip_seconds - 2 * idle_seconds))


def backlog_cycles(first_active_share: float) -> int:
    """How many cycles of slow start leave a backlog: at most one (same source).

    Args:
        first_active_share: First active period as a share of the round trip; it doubles each time.

    Raises:
        ValueError: If the share is not within 0 and 1.
    """
    if not 0 < first_active_share <= 1:
        raise ValueError("the active share must be above 0 and at most 1")
    cycles, active = 0, first_active_share
    while active < 1:
        cycles += active_backlog_cells(1 - active, 1.0, 1.0) > 0
        active *= 2
    return cycles
