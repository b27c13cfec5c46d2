"""Queue that builds up while a switch algorithm converges."""

from __future__ import annotations

import numpy as np

from cellrate.theory.arrays import Numbers, plain
from cellrate.theory.assumptions import require_not_negative, require_positive
from cellrate.theory.formula import Formula


def convergence_queue_cells(
    round_trip_seconds: Numbers,
    link_cells_per_second: Numbers,
    *,
    overload: Numbers = 2.0,
    convergence_round_trips: Numbers = 2.0,
) -> Numbers:
    """Cells that queue up while the load is too high.

    Kalyanaraman 97 section 8.14.2 item 4: TCP at most doubles its load in a round trip, and ERICA
    needs about two round trips, one for fairness and one for the load: 2 RTT of cells.

    Args:
        round_trip_seconds: Round trip RTT.
        link_cells_per_second: Rate of the bottleneck.
        overload: Load as a multiple of the link; below 1 nothing queues up.
        convergence_round_trips: Round trips until the switch has brought the load to the link.

    Raises:
        AssumptionError: The link is not above 0, or another argument is below 0.
    """
    require_positive(link_cells_per_second=link_cells_per_second)
    require_not_negative(
        round_trip_seconds=round_trip_seconds,
        overload=overload,
        convergence_round_trips=convergence_round_trips,
    )
    excess = np.maximum(0.0, np.asarray(overload) - 1) * np.asarray(link_cells_per_second)
    duration = np.asarray(convergence_round_trips) * np.asarray(round_trip_seconds)
    return plain(excess * duration)


FORMULA = Formula(
    name="convergence-queue",
    about="queue that builds up while a switch algorithm converges",
    equation="Q = (overload - 1) link K RTT, with overload = 2 and K = 2 for TCP over ERICA",
    source="Kalyanaraman 1997, section 8.14.2 item 4",
    results={"queue_cells": convergence_queue_cells},
)
