"""Greatest delay of a queue that shares a line by weight, if its frames pass a token bucket."""

from __future__ import annotations

import numpy as np

from cellrate.theory.assumptions import require_positive, require_share, require_whole
from cellrate.theory.formula import Formula, Numbers, plain


def _emptied(
    link: Numbers, share: Numbers, burst: Numbers, largest: Numbers
) -> tuple[Numbers, Numbers]:
    """Times to send the burst at the queue's share of the line, and the largest frame alone."""
    require_positive(
        link_bits_per_second=link, share=share, burst_bytes=burst, largest_frame_bytes=largest
    )
    require_share(share=share)
    line = np.asarray(link, float) / 8
    return np.asarray(burst, float) / (line * share), np.asarray(largest, float) / line


def wf2q_plus_delay_seconds(
    link_bits_per_second: Numbers,
    *,
    share: Numbers,
    burst_bytes: Numbers,
    largest_frame_bytes: Numbers = 1538.0,
) -> Numbers:
    """Greatest delay under WF2Q+ from arrival to last bit: sigma / (phi C) + L_max / C.

    The bound is that of weighted fair queueing (Parekh and Gallager 1993), which WF2Q+ keeps
    (Bennett and Zhang 1997).

    Args:
        link_bits_per_second: Rate C of the line.
        share: Weight phi of the queue over the sum of all weights.
        burst_bytes: Depth sigma of the token bucket, whose rate is phi C; preambles and gaps count.
        largest_frame_bytes: Largest frame L_max of any queue, with preamble and gap.

    Raises:
        AssumptionError: An argument is not above 0, or the share is above 1.
    """
    emptied, frame = _emptied(link_bits_per_second, share, burst_bytes, largest_frame_bytes)
    return plain(emptied + frame)


def scfq_delay_seconds(
    link_bits_per_second: Numbers,
    *,
    share: Numbers,
    burst_bytes: Numbers,
    queues: Numbers,
    largest_frame_bytes: Numbers = 1538.0,
) -> Numbers:
    """Greatest delay under SCFQ: sigma / (phi C) + (K - 1) L_max / C (Golestani 1994).

    Each other queue may send a frame whose tag is just below that of the queue's last frame.

    Args:
        link_bits_per_second: Rate C of the line.
        share: Weight phi of the queue over the sum of all weights.
        burst_bytes: Depth sigma of the token bucket, whose rate is phi C; preambles and gaps count.
        queues: Number K of queues.
        largest_frame_bytes: Largest frame L_max of any queue, with preamble and gap.

    Raises:
        AssumptionError: An argument is not above 0, the share is above 1, or the number of queues
            is not whole.
    """
    require_whole(1, queues=queues)
    emptied, frame = _emptied(link_bits_per_second, share, burst_bytes, largest_frame_bytes)
    return plain(emptied + (np.asarray(queues, float) - 1) * frame)


def drr_delay_seconds(
    link_bits_per_second: Numbers,
    *,
    share: Numbers,
    burst_bytes: Numbers,
    round_bytes: Numbers,
) -> Numbers:
    """Greatest delay under deficit round robin: sigma / (phi C) + (3 - 2 phi) F / C.

    The latency (3 - 2 phi) F / C is that of deficit round robin as a latency-rate server (Stiliadis
    and Varma 1998). Each quantum must hold the largest frame.

    Args:
        link_bits_per_second: Rate C of the line.
        share: Quantum of the queue over the sum of all quanta, phi.
        burst_bytes: Depth sigma of the token bucket, whose rate is phi C. Quanta and this depth
            count bytes of frames without preamble and gap, and so must C.
        round_bytes: Sum F of all quanta.

    Raises:
        AssumptionError: An argument is not above 0, or the share is above 1.
    """
    emptied, turn = _emptied(link_bits_per_second, share, burst_bytes, round_bytes)
    return plain(emptied + (3 - 2 * np.asarray(share, float)) * turn)


FORMULAE = (
    Formula(
        name="wf2q-plus-delay",
        about="greatest delay of a queue under WF2Q+, as under weighted fair queueing",
        equation="delay = sigma / (phi C) + L_max / C",
        source="Parekh and Gallager 1993; Bennett and Zhang 1997",
        results={"delay_seconds": wf2q_plus_delay_seconds},
    ),
    Formula(
        name="scfq-delay",
        about="greatest delay of a queue under self-clocked fair queueing",
        equation="delay = sigma / (phi C) + (K - 1) L_max / C",
        source="Golestani 1994",
        results={"delay_seconds": scfq_delay_seconds},
    ),
    Formula(
        name="drr-delay",
        about="greatest delay of a queue under deficit round robin",
        equation="delay = sigma / (phi C) + (3 - 2 phi) F / C",
        source="Stiliadis and Varma 1998",
        results={"delay_seconds": drr_delay_seconds},
    ),
)
