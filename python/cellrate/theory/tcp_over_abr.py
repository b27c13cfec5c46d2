"""Load, queues and buffers of TCP over ABR (Kalyanaraman 1997, sections 8.14 and 8.15.5)."""

from __future__ import annotations

import numpy as np

from cellrate.theory.assumptions import (
    require,
    require_not_negative,
    require_positive,
    require_share,
    require_whole,
)
from cellrate.theory.formula import Formula, Numbers, plain
from cellrate.theory.peak_throughput import segment_cells


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


ROUND_TRIPS = Formula(
    name="round-trips-to-fill",
    about="round trips until slow start fills the pipe",
    equation="K = 1 + log2(link RTT / (segment N))",
    source="Kalyanaraman 1997, section 8.14.2 item 2",
    results={"fill_round_trips": round_trips_to_fill},
)


MOST_CYCLES = 1_000_000


def load_per_cycle(initial_load: float, cycles: int) -> list[float]:
    """Load in each of a number of round trips as a share of the link.

    Kalyanaraman 97 section 8.14.2 item 4. In slow start every acknowledgement releases two
    segments, and acknowledgements come at the rate at which segments leave the bottleneck: load(i +
    1) = load(i) + min(load(i), 1). The load doubles until the link is full, and then grows by one
    link rate each round trip.

    Args:
        initial_load: Load of the first round trip as a share of the link.
        cycles: Number of round trips.

    Raises:
        AssumptionError: The initial load is not above 0, or `cycles` is not a whole number from 1
            to a million.
    """
    require_positive(initial_load=initial_load)
    require_whole(1, cycles=cycles)
    require(cycles <= MOST_CYCLES, "cycles", cycles, f"must be at most {MOST_CYCLES}")
    loads = [initial_load]
    while len(loads) < cycles:
        loads.append(loads[-1] + min(loads[-1], 1.0))
    return loads


LOAD_PATTERN = Formula(
    name="load-pattern",
    about="load of TCP in slow start without control, round trip by round trip",
    equation="load(i+1) = load(i) + min(load(i), 1)",
    source="Kalyanaraman 1997, section 8.14.2 item 4",
    results={"load_per_cycle": load_per_cycle},
)


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


CONVERGENCE_QUEUE = Formula(
    name="convergence-queue",
    about="queue that builds up while a switch algorithm converges",
    equation="Q = (overload - 1) link K RTT, with overload = 2 and K = 2 for TCP over ERICA",
    source="Kalyanaraman 1997, section 8.14.2 item 4",
    results={"queue_cells": convergence_queue_cells},
)


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
    """Number of slow-start cycles that leave a backlog: 0 or 1 (Kalyanaraman 1997, 8.14.2).

    The active share of the round trip doubles until it reaches 1. A share between 1/2 and 1
    occurs exactly once, or never if the first share is a power of two.

    Args:
        first_active_share: First active period as a share of the round trip.

    Raises:
        AssumptionError: The share is not above 0 and at most 1.
    """
    require_share(first_active_share=first_active_share)
    mantissa, _ = np.frexp(np.asarray(first_active_share, dtype=float))
    return plain(mantissa != 0.5)


ACTIVE_BACKLOG = Formula(
    name="active-backlog",
    about="queue left by a burst shorter than a round trip",
    equation="Q = link (RTT - 2T) for 0 < T < RTT/2, else 0",
    source="Kalyanaraman 1997, section 8.14.2 item 5",
    results={"backlog_cells": active_backlog_cells},
)


def burst_backlog_bound_cells(
    round_trip_seconds: Numbers, link_cells_per_second: Numbers
) -> Numbers:
    """Cells of the link in one round trip: the bound of link (RTT - 2T) over all idle periods T.

    Kalyanaraman 97 section 8.14.2 item 5; see `active_backlog_cells`.
    """
    return _cells(round_trip_seconds, link_cells_per_second)


def ack_compression_queue_cells(
    round_trip_seconds: Numbers, link_cells_per_second: Numbers
) -> Numbers:
    """Cells of the link in two round trips, if a round trip's acknowledgements arrive together.

    Acknowledgements release twice the data that they acknowledge.

    Kalyanaraman 97 section 8.14.2 item 6: 2D with D = RTT link. Smooth acknowledgements leave one D
    less, because half of the data drains while the data arrive.

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
    """Cells of the link in three round trips, for one-way transfers without background traffic.

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


BACKLOG_BOUNDS = Formula(
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


def buffer_law_cells(
    round_trip_seconds: Numbers,
    interval_seconds: Numbers,
    feedback_delay_seconds: Numbers,
    link_cells_per_second: Numbers,
    *,
    a: Numbers = 3.0,
    b: Numbers = 1.0,
    c: Numbers = 1.0,
) -> Numbers:
    """Buffer (a RTT + b interval + c feedback delay) * link.

    The default coefficients are the conservative ones of Kalyanaraman 97 section 8.14 for ERICA+.
    The law assumes persistent TCP sources whose first windows together are small compared with the
    buffer. Its derivation is for up to 6 sources, and its tables have 15 at most, although the
    chapter says that their number does not matter: 50 sources that start together over 1000 km
    links need more. In a LAN, where the interval is much longer than the round trip, Kalyanaraman's
    Table 8.4 needs a b of up to 4.5.

    Args:
        round_trip_seconds: Round trip RTT; with virtual sources, that between two of them.
        interval_seconds: Averaging interval of the switch.
        feedback_delay_seconds: Twice the delay from the bottleneck to the source.
        link_cells_per_second: Rate of the bottleneck.
        a: Coefficient of the round trip.
        b: Coefficient of the interval.
        c: Coefficient of the feedback delay.

    Raises:
        AssumptionError: A time or coefficient is below 0, the link is not above 0, or the feedback
            delay is longer than the round trip.
    """
    require_positive(link_cells_per_second=link_cells_per_second)
    require_not_negative(
        round_trip_seconds=round_trip_seconds,
        interval_seconds=interval_seconds,
        feedback_delay_seconds=feedback_delay_seconds,
        a=a,
        b=b,
        c=c,
    )
    round_trip, feedback = np.asarray(round_trip_seconds), np.asarray(feedback_delay_seconds)
    within = feedback <= round_trip * (1 + 1e-9)
    allowed = "the feedback delay is part of the round trip and cannot be longer"
    require(within, "feedback_delay_seconds", feedback, allowed)
    duration = np.asarray(a) * round_trip + np.asarray(c) * feedback
    duration = duration + np.asarray(b) * np.asarray(interval_seconds)
    return plain(duration * np.asarray(link_cells_per_second))


BUFFER_LAW = Formula(
    name="buffer-law",
    about="buffer that loses nothing of TCP over ABR with ERICA",
    equation="B = (a RTT + b interval + c feedback delay) link, (a, b, c) = (3, 1, 1)",
    source="Kalyanaraman 1997, section 8.14",
    results={"buffer_cells": buffer_law_cells},
)


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

    The sum bounds the total of the queues in sources and switches (Kalyanaraman 97 section 8.14,
    end). UBR loses no cells with a switch buffer of this sum (section 8.15.5).

    Args:
        sources: Number of connections.
        window_bytes: Window that each receiver advertises.
        segment_bytes: Payload of a segment (MSS).
        overhead_bytes: Headers and trailer of a segment.

    Raises:
        AssumptionError: A size is not above 0, the window is less than a segment, or `sources` is
            not a whole number above 0.
    """
    require_whole(1, sources=sources)
    each = window_cells(window_bytes, segment_bytes, overhead_bytes=overhead_bytes)
    return plain(np.asarray(sources) * each)


WINDOW_SUM = Formula(
    name="window-sum",
    about="cells of all TCP windows together: what UBR needs for no loss",
    equation="Q = N floor(window / MSS) ceil((MSS + overhead) / 48)",
    source="Kalyanaraman 1997, sections 8.14 (end) and 8.15.5",
    results={"window_cells": window_cells, "window_sum_cells": window_sum_cells},
)

FORMULAE = (
    ROUND_TRIPS,
    LOAD_PATTERN,
    CONVERGENCE_QUEUE,
    ACTIVE_BACKLOG,
    BACKLOG_BOUNDS,
    BUFFER_LAW,
    WINDOW_SUM,
)
