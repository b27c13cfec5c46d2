"""Buffer and greatest rate of a channel under credit-based flow control (FCVC)."""

from __future__ import annotations

import numpy as np

from cellrate.theory.assumptions import require_not_negative, require_positive, require_whole
from cellrate.theory.cell_conversions import CELL_BITS
from cellrate.theory.formula import Formula, Numbers, plain


def credit_round_trip_cells(
    round_trip_seconds: Numbers, target_bits_per_second: Numbers
) -> Numbers:
    """Cells N3 = ceil(RTT B_VC / 424) that arrive within a round trip of the link.

    Gerla, Pazos and Signore 1995, equation (1).

    Args:
        round_trip_seconds: Round trip of the link: out with a cell, back with its credit.
        target_bits_per_second: Rate B_VC that the channel shall reach, cell headers included.

    Raises:
        AssumptionError: The round trip is below 0, or the rate is not above 0.
    """
    require_not_negative(round_trip_seconds=round_trip_seconds)
    require_positive(target_bits_per_second=target_bits_per_second)
    cells = np.asarray(round_trip_seconds) * np.asarray(target_bits_per_second) / CELL_BITS
    # A value that differs from a whole number only by rounding counts as that number.
    nearest = np.round(cells)
    exact = np.isclose(cells, nearest, rtol=1e-12, atol=0)
    return plain(np.where(exact, nearest, np.ceil(cells)))


def credit_buffer_cells(
    round_trip_seconds: Numbers, target_bits_per_second: Numbers, credit_cells: Numbers
) -> Numbers:
    """Buffer N2 + N3 of a channel (Gerla et al. 1995, section II.B).

    Args:
        round_trip_seconds: Round trip of the link.
        target_bits_per_second: Rate B_VC that the channel shall reach.
        credit_cells: Cells N2 that are forwarded for each credit cell.

    Raises:
        AssumptionError: The round trip is below 0, the rate is not above 0, or N2 is not a whole
            number above 0.
    """
    require_whole(1, credit_cells=credit_cells)
    reserve = credit_round_trip_cells(round_trip_seconds, target_bits_per_second)
    return plain(np.asarray(credit_cells) + reserve)


def credit_rate_cells_per_second(
    round_trip_seconds: Numbers,
    reserve_cells: Numbers,
    credit_cells: Numbers,
    link_cells_per_second: Numbers,
) -> Numbers:
    """Greatest rate of a channel with a buffer of N2 + N3 cells, alone on its link (our formula).

    Cell number N3 + k N2 + 1 waits for the k-th credit, which cell k N2 caused a round trip before;
    all other cells follow at the rate of the link. Let r = N3 mod N2. From a credit to the next
    credit that depends on it, N2 + N3 - r cells are sent in RTT + (N2 - r - 1) cell times. The rate
    is the quotient, but at most the rate of the link. The rate is at least N3 / RTT, which equation
    (1) promises, unless the link is slower.

    Args:
        round_trip_seconds: From the start of a cell to the use of the credit that it causes:
            propagation both ways, and three cell times, 3 / C: of the cell on the link, of the cell
            when the next node forwards it, and of the credit.
        reserve_cells: Part N3 of the buffer, for a round trip.
        credit_cells: Cells N2 that are forwarded for each credit cell.
        link_cells_per_second: Rate of the link towards the buffer.

    Raises:
        AssumptionError: N2 is not a whole number of at least 1, N3 is not a whole number of at
            least 0, or the round trip or the link is not above 0.
    """
    require_whole(1, credit_cells=credit_cells)
    require_whole(0, reserve_cells=reserve_cells)
    require_positive(
        round_trip_seconds=round_trip_seconds, link_cells_per_second=link_cells_per_second
    )
    interval, reserve = np.asarray(credit_cells), np.asarray(reserve_cells)
    link = np.asarray(link_cells_per_second, dtype=float)
    rest = reserve % interval
    period = np.asarray(round_trip_seconds) + (interval - rest - 1) / link
    return plain(np.minimum(link, (interval + reserve - rest) / period))


FORMULAE = (
    Formula(
        name="credit-buffer",
        about="buffer of a channel under credit-based flow control",
        equation="N3 = ceil(RTT B_VC / 424), buffer N2 + N3",
        source="Gerla, Pazos and Signore 1995, equation (1)",
        results={
            "reserve_cells": credit_round_trip_cells,
            "buffer_cells": credit_buffer_cells,
        },
    ),
    Formula(
        name="credit-rate",
        about="greatest rate of a channel under credit-based flow control",
        equation="R = min(C, (N2 + N3 - r) / (RTT + (N2 - r - 1) / C)), r = N3 mod N2, RTT = "
        "propagation both ways + 3 / C",
        source="ours, for the scheme of Gerla, Pazos and Signore 1995, section II.B",
        results={"rate_cells_per_second": credit_rate_cells_per_second},
    ),
)
