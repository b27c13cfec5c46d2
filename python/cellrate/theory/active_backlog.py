"""Queue that bursts shorter than a round trip leave."""

from __future__ import annotations

import numpy as np

from cellrate.theory.arrays import Numbers, plain
from cellrate.theory.assumptions import require, require_positive, require_share
from cellrate.theory.formula import Formula


def active_backlog_cells(
    idle_seconds: Numbers, round_trip_seconds: Numbers, link_cells_per_second: Numbers
) -> Numbers:
    """Cells left at the end of a cycle with an idle period.

    Kalyanaraman 97 section 8.14.2 item 5: during the active period RTT - T the load is twice the
    link, so link * (RTT - T) cells queue up; during the idle period T link * T cells drain. The
    queue left is link * (RTT - 2T) for 0 < T < RTT/2 and 0 otherwise: without an idle period the
    link is full from then on, and rate control takes over.

    Args:
        idle_seconds: Idle period T of the cycle.
        round_trip_seconds: Round trip RTT.
        link_cells_per_second: Rate of the bottleneck.

    Raises:
        AssumptionError: The idle period is not within the round trip, or the link or the round
            trip is not above 0.
    """
    require_positive(
        round_trip_seconds=round_trip_seconds, link_cells_per_second=link_cells_per_second
    )
    idle, round_trip = np.asarray(idle_seconds), np.asarray(round_trip_seconds)
    within = (idle >= 0) & (idle <= round_trip)
    require(within, "idle_seconds", idle, "the idle period must lie within the round trip")
    left = np.maximum(0.0, np.asarray(link_cells_per_second) * (round_trip - 2 * idle))
    return plain(np.where(idle == 0, 0.0, left))


def backlog_cycles(first_active_share: Numbers) -> Numbers:
    """Number of slow-start cycles that leave a backlog: 0 or 1 (same source).

    The active share of the round trip doubles until it reaches 1. It is between 1/2 and 1 exactly
    once, or never if it is a power of two.

    Args:
        first_active_share: First active period as a share of the round trip.

    Raises:
        AssumptionError: The share is not above 0 and at most 1.
    """
    require_share(first_active_share=first_active_share)
    mantissa, _ = np.frexp(np.asarray(first_active_share, dtype=float))
    return plain(mantissa != 0.5)


FORMULA = Formula(
    name="active-backlog",
    about="queue left by a burst shorter than a round trip",
    equation="Q = link (RTT - 2T) for 0 < T < RTT/2, else 0",
    source="Kalyanaraman 1997, section 8.14.2 item 5",
    results={"backlog_cells": active_backlog_cells},
)
