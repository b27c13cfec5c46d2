"""Queue of synchronised flows of DCTCP at one port."""

from __future__ import annotations

import numpy as np

from cellrate.theory.assumptions import require_positive
from cellrate.theory.formula import Formula, Numbers, plain


def greatest_queue_packets(flows: Numbers, threshold_packets: Numbers) -> Numbers:
    """Longest queue in the steady state: K + N.

    Alizadeh et al. 2010 (SIGCOMM), equation 10. In the round trip until marks take effect, each
    flow sends one packet more.

    Args:
        flows: Number N of flows with data without end, all with one round trip.
        threshold_packets: Threshold K; longer queues mark.

    Raises:
        AssumptionError: An argument is not above 0.
    """
    require_positive(flows=flows, threshold_packets=threshold_packets)
    return plain(np.asarray(threshold_packets, float) + np.asarray(flows, float))


def queue_swing_packets(
    flows: Numbers, threshold_packets: Numbers, path_packets: Numbers
) -> Numbers:
    """Distance from the longest to the shortest queue: sqrt(2 N (C RTT + K)) / 2.

    Alizadeh et al. 2010 (SIGCOMM), equation 8. All flows see marks in the same round trip.

    Args:
        flows: Number N of flows.
        threshold_packets: Threshold K.
        path_packets: Packets C RTT that the link carries in a round trip.

    Raises:
        AssumptionError: An argument is not above 0.
    """
    require_positive(flows=flows, threshold_packets=threshold_packets, path_packets=path_packets)
    windows = np.asarray(path_packets, float) + np.asarray(threshold_packets, float)
    return plain(np.sqrt(2 * np.asarray(flows, float) * windows) / 2)


FORMULA = Formula(
    name="dctcp-queue",
    about="queue of synchronised flows of DCTCP in the steady state",
    equation="Q_max = K + N, swing = 1/2 sqrt(2 N (C RTT + K))",
    source="Alizadeh, Greenberg, Maltz et al. 2010, section 3.3",
    results={
        "greatest_packets": greatest_queue_packets,
        "swing_packets": queue_swing_packets,
    },
)
