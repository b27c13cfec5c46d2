"""Steady state of HPCC at one port: the used share of the line, and the queue."""

from __future__ import annotations

import numpy as np

from cellrate.theory.assumptions import require_positive, require_share
from cellrate.theory.formula import Formula, Numbers, plain


def _ratio(
    flows: Numbers, link: Numbers, round_trip: Numbers, increase: Numbers, target: Numbers
) -> tuple[Numbers, Numbers]:
    """The utilisation U = eta + N W_AI / (B T), and B T in bytes."""
    require_positive(
        flows=flows,
        link_bits_per_second=link,
        base_round_trip_seconds=round_trip,
        increase_bytes=increase,
    )
    require_share(target=target)
    pipe = np.asarray(link, float) * np.asarray(round_trip, float) / 8
    return np.asarray(target, float) + np.asarray(flows, float) * increase / pipe, pipe


def hpcc_line_share(
    flows: Numbers,
    link_bits_per_second: Numbers,
    *,
    base_round_trip_seconds: Numbers,
    increase_bytes: Numbers = 80.0,
    target: Numbers = 0.95,
) -> Numbers:
    """Share of the line that equal flows use: eta + N W_AI / (B T), at most 1.

    Each flow has W = W^c eta / U + W_AI (Li et al. 2019, algorithm 1). U is the sum of all W over
    B T, so in the steady state the sum is eta B T + N W_AI.

    Args:
        flows: Number N of flows with data without end, all with one T.
        link_bits_per_second: Rate B of the line.
        base_round_trip_seconds: Base round trip T.
        increase_bytes: Additive increase W_AI, in bytes on the line.
        target: Target utilisation eta.

    Raises:
        AssumptionError: An argument is not above 0, or the target is above 1.
    """
    ratio, _ = _ratio(flows, link_bits_per_second, base_round_trip_seconds, increase_bytes, target)
    return plain(np.minimum(1.0, ratio))


def hpcc_queue_bytes(
    flows: Numbers,
    link_bits_per_second: Numbers,
    *,
    base_round_trip_seconds: Numbers,
    increase_bytes: Numbers = 80.0,
    target: Numbers = 0.95,
) -> Numbers:
    """Queue of equal flows in bytes on the line: N W_AI - (1 - eta) B T, at least 0.

    On a full line U is 1 + q / (B T), and the sum of all W is B T + q (Li et al. 2019,
    algorithm 1).

    Args:
        flows: Number N of flows with data without end, all with one T.
        link_bits_per_second: Rate B of the line.
        base_round_trip_seconds: Base round trip T, the least time to the acknowledgement.
        increase_bytes: Additive increase W_AI, in bytes on the line.
        target: Target utilisation eta.

    Raises:
        AssumptionError: An argument is not above 0, or the target is above 1.
    """
    ratio, pipe = _ratio(
        flows, link_bits_per_second, base_round_trip_seconds, increase_bytes, target
    )
    return plain(np.maximum(0.0, (ratio - 1) * pipe))


FORMULA = Formula(
    name="hpcc-steady-state",
    about="share of the line and queue of equal flows under HPCC",
    equation="share = min(1, eta + N W_AI / (B T)), queue = max(0, N W_AI - (1 - eta) B T)",
    source="from Li, Miao, Liu et al. 2019, algorithm 1",
    results={"line_share": hpcc_line_share, "queue_bytes": hpcc_queue_bytes},
)
