"""Greatest queues of TCP over ABR by their causes, in round trips of the link."""

from __future__ import annotations

import numpy as np

from cellrate.theory.arrays import Numbers, plain
from cellrate.theory.assumptions import require_not_negative, require_positive
from cellrate.theory.convergence_queue import convergence_queue_cells
from cellrate.theory.formula import Formula


def burst_backlog_bound_cells(
    round_trip_seconds: Numbers, link_cells_per_second: Numbers
) -> Numbers:
    """One round trip of cells: the bound of link (RTT - 2T) over all idle periods T.

    Kalyanaraman 97 section 8.14.2 item 5; see `active_backlog_cells`.
    """
    return _cells(round_trip_seconds, link_cells_per_second)


def ack_compression_queue_cells(
    round_trip_seconds: Numbers, link_cells_per_second: Numbers
) -> Numbers:
    """Two round trips of cells, if a round trip's acknowledgements arrive together.

    They release twice the data that they acknowledge.

    Kalyanaraman 97 section 8.14.2 item 6: 2D with D = RTT link. Smooth acknowledgements leave one D
    less, because half of the data drains while it comes.

    Args:
        round_trip_seconds: Round trip RTT.
        link_cells_per_second: Rate of the bottleneck.
    """
    return plain(2 * np.asarray(_cells(round_trip_seconds, link_cells_per_second)))


def vbr_backlog_cells(round_trip_seconds: Numbers, vbr_cells_per_second: Numbers = 0.0) -> Numbers:
    """RTT times the rate of background traffic that starts when the link is already full.

    Kalyanaraman 97 section 8.14.2 item 7 a).

    Args:
        round_trip_seconds: Round trip RTT.
        vbr_cells_per_second: Rate of the background traffic while it is on.
    """
    require_not_negative(vbr_cells_per_second=vbr_cells_per_second)
    require_positive(round_trip_seconds=round_trip_seconds)
    return plain(np.asarray(round_trip_seconds) * np.asarray(vbr_cells_per_second))


def one_way_bound_cells(round_trip_seconds: Numbers, link_cells_per_second: Numbers) -> Numbers:
    """Three round trips of cells, for transfers in one direction without background traffic.

    Kalyanaraman 97 section 8.14.2 items 4 and 5.
    """
    converging = convergence_queue_cells(round_trip_seconds, link_cells_per_second)
    bursts = burst_backlog_bound_cells(round_trip_seconds, link_cells_per_second)
    return plain(np.asarray(converging) + bursts)


def two_way_bound_cells(
    round_trip_seconds: Numbers,
    link_cells_per_second: Numbers,
    vbr_cells_per_second: Numbers = 0.0,
) -> Numbers:
    """Bound for transfers in both directions, with background traffic.

    Kalyanaraman 97 section 8.14.2 items 4 to 7: one round trip of cells more than
    `one_way_bound_cells`, for bunched acknowledgements, and the background's backlog. The source
    says five round trips, which is this bound with a background that takes the whole link.
    """
    one_way = np.asarray(one_way_bound_cells(round_trip_seconds, link_cells_per_second))
    extra = np.asarray(_cells(round_trip_seconds, link_cells_per_second))
    return plain(one_way + extra + vbr_backlog_cells(round_trip_seconds, vbr_cells_per_second))


def _cells(round_trip_seconds: Numbers, link_cells_per_second: Numbers) -> Numbers:
    require_positive(
        round_trip_seconds=round_trip_seconds, link_cells_per_second=link_cells_per_second
    )
    return plain(np.asarray(round_trip_seconds) * np.asarray(link_cells_per_second))


FORMULA = Formula(
    name="backlog-bounds",
    about="greatest queues of TCP over ABR by their causes",
    equation="bursts D, one way 3D, bunched ACKs 2D, VBR RTT V, two ways 4D + RTT V; D = RTT link",
    source="Kalyanaraman 1997, section 8.14.2 items 4 to 7",
    results={
        "burst_backlog_cells": burst_backlog_bound_cells,
        "one_way_cells": one_way_bound_cells,
        "ack_compression_cells": ack_compression_queue_cells,
        "vbr_backlog_cells": vbr_backlog_cells,
        "two_way_cells": two_way_bound_cells,
    },
)
