"""Law for the buffer with which TCP over ABR loses no cells."""

from __future__ import annotations

import numpy as np

from cellrate.theory.arrays import Numbers, plain
from cellrate.theory.assumptions import require, require_not_negative, require_positive
from cellrate.theory.formula import Formula


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

    Kalyanaraman 97 section 8.14; the default coefficients are its conservative ones for ERICA+. The
    law assumes persistent TCP sources whose segments together are small compared with the buffer.
    In a LAN, where the interval is much longer than the round trip, the source's Table 8.4 needs a
    b of up to 4.5.

    Args:
        round_trip_seconds: Round trip RTT; with virtual sources, that of the segment between them.
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


FORMULA = Formula(
    name="buffer-law",
    about="buffer that loses nothing of TCP over ABR with ERICA",
    equation="B = (a RTT + b interval + c feedback delay) link, (a, b, c) = (3, 1, 1)",
    source="Kalyanaraman 1997, section 8.14",
    results={"buffer_cells": buffer_law_cells},
)
